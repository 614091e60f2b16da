package dev.kenaz.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each construct is read as what it means; texts on the left mean the same as those on the right.
 */
class ParserTest {
  private static Exp exp(String text) {
    return Parser.parseExpression("t.fut", text);
  }

  private static Declaration declaration(String text) {
    var file = Parser.parse("t.fut", text);
    assertEquals(1, file.declarations().size());
    return file.declarations().getFirst();
  }

  private static void same(String left, String right) {
    Trees.assertSame(exp(right), exp(left));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '@',
      value = {
        "a + b * c; a + (b * c)",
        "a * b + c; (a * b) + c",
        "a - b - c; (a - b) - c",
        "a ** b ** c; (a ** b) ** c",
        "a * b ** c; a * (b ** c)",
        "a // b %% c * d / e % f; ((((a // b) %% c) * d) / e) % f",
        "a << b + c; a << (b + c)",
        "a & b << c; a & (b << c)",
        "a & b ^ c | d; ((a & b) ^ c) | d",
        "x & y == z; (x & y) == z",
        "a == b && c < d; (a == b) && (c < d)",
        "a || b && c; a || (b && c)",
        "xs |> f + 1; xs |> (f + 1)",
        "f <| g <| x || y; f <| (g <| (x || y))",
        "xs |> f |> g; (xs |> f) |> g",
        "a |> f <| b; a |> (f <| b)",
        "a `f` b || c; a `f` (b || c)",
        "a `f` b `M.g` c; (a `f` b) `M.g` c",
        "a +^ b *^ c; a +^ (b *^ c)",
        "a >>= b + c; a >>= (b + c)",
        "a >-> b >-> c; (a >-> b) >-> c",
        "a !- b == c; (a !- b) == c",
        "a |>> b + c; a |>> (b + c)",
        "a M.+ b * c; a M.+ (b * c)",
        "-x ** y; (-x) ** y",
        "-f x; -(f x)",
        "!x == y; (!x) == y",
        "- -x; -(-x)",
        "f -1; f - 1",
        "f (-1); f (-(1))",
        "f x + g y; (f x) + (g y)",
        "f x y; f x y",
        "a + b : t; (a + b) : t",
        "a : t :> u; (a : t) :> u",
        "0..<n + 1; 0..<(n + 1)",
        "a `f` 0...1; (a `f` 0)...1",
        "x with a = b + c; x with a = (b + c)",
        "x with a = 1 with b = 2; (x with a = 1) with b = 2",
        "x + y with a = 1; (x + y) with a = 1",
        "#[a] x + y : t; #[a] ((x + y) : t)",
        "a + #[u] b + c; a + (#[u] (b + c))",
        "#c x #d + y; (#c x (#d)) + y",
        "f #c x; f (#c) x",
        "\\x -> x + y; \\x -> (x + y)",
        "xs |> \\x -> x |> f; xs |> (\\x -> (x |> f))",
        "if a then b else c + d; if a then b else (c + d)",
        "let x = 1 in x + y : t; let x = 1 in ((x + y) : t)",
        "let x = 1 let y = 2 in x; let x = 1 in (let y = 2 in x)",
        "loop x = 1 for i < n do x + i; loop x = 1 for i < n do (x + i)",
        "match x case 1 -> match y case 2 -> a case _ -> b; match x case 1 -> (match y case 2 -> a"
            + " case _ -> b)",
        "assert a b + c; assert a (b + c)",
        "copy a with [0] = b; (copy a) with [0] = b",
        "(.0) >-> (!=)(-1); (.0) >-> ((!=) (-(1)))",
        "f() x; f () x",
        "xs |> filter ((i32.<=) 2); xs |> (filter ((i32.<=) 2))",
      })
  void precedence(String text, String meant) {
    same(text, meant);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '@',
      value = {
        "{a, b = 2,}; {a = a, b = 2}",
        "(1, 2,); (1, 2)",
        "[1, 2,]; [1, 2]",
        "let a[i] = v in a; let a = a with [i] = v in a",
        "let a.b.c = v in a; let a = a with b.c = v in a",
        "let a[0].b = v in a; let a = a with [0].b = v in a",
        "let t.0 = v in t; let t = t with 0 = v in t",
        "loop x for i < n do x; loop x = x for i < n do x",
        "loop (a, {b = c}, d: t) while e do f; loop (a, {b = c}, d: t) = (a, {b = c}, d) while e do"
            + " f",
        "a.0.1; (a.0).1",
        "(a).b.c; ((a).b).c",
        "f a[0]; f (a[0])",
        "a[0][1].x[2]; ((a[0])[1]).x[2]",
        "M.(x).y; (M.(x)).y",
        "0x1_F; 31",
        "0Xffu8; 255u8",
        "0b10_1i64; 5i64",
        "1_000; 1000",
        "4_i32; 4i32",
        "1.5_f32; 1.5f32",
        "1e-3_f64; 1e-3f64",
        "0x1.8p1; 3e0",
        "0x1.8p-1f32; 0.75f32",
        "1e3; 1E+3",
        "'\\n'; '\\10'",
        "'\\x41'; 'A'",
        "\"\\65\\x42\\o103\"; \"ABC\"",
      })
  void otherWaysToWriteTheSame(String text, String meant) {
    same(text, meant);
  }

  @Test
  void bracketsAfterBlankAreAnArgument() {
    assertInstanceOf(Exp.Index.class, exp("a[i]"));
    var apply = assertInstanceOf(Exp.Apply.class, exp("a [i]"));
    assertInstanceOf(Exp.Array.class, apply.arguments().getFirst());
    assertInstanceOf(Exp.Index.class, exp("(f x)[i]"));
  }

  @Test
  void dottedNamesStayWholeForTheChecker() {
    assertEquals(
        new QualName(List.of("a", "b"), "c"), assertInstanceOf(Exp.Var.class, exp("a.b.c")).name());
    assertEquals(
        new QualName(List.of("M"), "+"), assertInstanceOf(Exp.Var.class, exp("(M.+)")).name());
  }

  @Test
  void slices() {
    var index = assertInstanceOf(Exp.Index.class, exp("a[i, :, 1:, :n:2, ::-1, (x : i64)]"));
    assertEquals(6, index.slices().size());
    assertInstanceOf(Exp.Slice.At.class, index.slices().getFirst());
    var last = assertInstanceOf(Exp.Slice.Part.class, index.slices().get(4));
    assertTrue(last.start().isEmpty() && last.end().isEmpty() && last.stride().isPresent());
    assertInstanceOf(Exp.Slice.At.class, index.slices().get(5));
  }

  @Test
  void sections() {
    assertInstanceOf(Exp.Var.class, exp("(+)"));
    assertInstanceOf(Exp.Var.class, exp("(-)"));
    assertInstanceOf(Exp.RightSection.class, exp("(+ 1)"));
    assertInstanceOf(Exp.Negate.class, exp("(- 1)"));
    assertInstanceOf(Exp.LeftSection.class, exp("(1 -)"));
    assertInstanceOf(Exp.LeftSection.class, exp("(x `f`)"));
    assertInstanceOf(Exp.RightSection.class, exp("(`f` x)"));
    var mixed = assertInstanceOf(Exp.AccessSection.class, exp("(.[0].f.1)"));
    assertEquals(3, mixed.path().size());
    assertInstanceOf(Exp.LeftSection.class, exp("(a + b *)"));
  }

  @Test
  void literals() {
    var hole = exp("???");
    assertInstanceOf(Exp.Hole.class, hole);
    assertEquals(
        new Literal.Int(java.math.BigInteger.TWO, Optional.of("f32")),
        assertInstanceOf(Exp.Constant.class, exp("2f32")).literal());
    assertEquals("a\"b\n", assertInstanceOf(Exp.Text.class, exp("\"a\\\"b\\n\"")).text());
    assertEquals(
        new Literal.Char(0x1F600), assertInstanceOf(Exp.Constant.class, exp("'😀'")).literal());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '@',
      value = {
        "a -> b -> c; a -> (b -> c)",
        "pt [n]t; pt [n] (t)",
        "[n]pt a; [n](pt a)",
        "*[n][]t -> *u; (*[n][]t) -> (*u)",
        "?[n][m].[n]a -> b; ?[n][m].([n]a -> b)",
        "#a t u | #b; #a (t) (u) | #b",
        "(n: i64) -> [n + 1]t; (n: i64) -> ([n + 1](t))",
        "{a: t, 0: u,}; {a: (t), 0: u}",
        "(t, u,); (t, u)",
      })
  void types(String text, String meant) {
    Trees.assertSame(Parser.parseType("t.fut", meant), Parser.parseType("t.fut", text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "def f [n] 'a '~b '^c (x: [n]a) {a, b = _} (#c y) : ?[m].[m]a = ???",
        "def f[n](x: [n]i32) = x",
        "def (+.) [n] (x: [n]i32) (y: [n]i32) = x",
        "def x +. y = x",
        "def (x, y) +. (z: i32): i32 = x",
        "def xs `filterBy` ps = xs",
        "let x : i32 = 1",
        "entry main = 1",
        "type t = i32",
        "type~ t 'a [n] = ?[m].[m][n]a",
        "type^ t = i32 -> i32",
        "module m = n",
        "module m (P: T) (Q: U): V with t = i32 with u 'a = a = P.f Q { def x = 1 }",
        "module m = \\(P: T): U -> import \"x\"",
        "module m = (f x : T)",
        "module type t = { val x [n] : [n]t -> i32 val (+) : t -> t val *. : t -> t type t"
            + " type~ u [n] 'a = i32 module m : { } include s with t = i32 #[a] val y : t }",
        "module type f = (P: T) -> U -> { }",
        "open (import \"a/b\")",
        "import \"a/b\"",
        "local import \"a/b\"",
        "#[noinline] local #[a(b, 3)] def f = 1",
        "def f x = match x case -1 -> 1 case 2.5 -> 2 case 'c' -> 3 case #c (a, _) true -> 4"
            + " case {a = 1, b} -> 5 case (x: i32) -> 6 case #[a] y -> 7",
        "def f = let [n] (xs: [n]i32) = x let g 'a (x: a): a = x let (+) x y = x in g",
        "def f = loop x = 1 for i < n do loop y for (a, b) in xs do loop z while true do z",
      })
  void roundTripOfPrograms(String text) {
    var tree = Parser.parse("t.fut", text);
    Trees.assertSame(tree, Parser.parse("t.fut", PrettyPrinter.print(tree)));
  }

  @Test
  void documentation() {
    var file =
        Parser.parse(
            "t.fut", "-- | The file.\n\n-- | One\n-- line: `f`\n--\n-- end\ndef f = 1 -- | not\n");
    assertEquals(Optional.of("The file."), file.doc());
    assertEquals(
        Optional.of("One\nline: `f`\n\nend"), file.declarations().getFirst().modifiers().doc());
  }

  @Test
  void byteOrderMarkAndCarriageReturns() {
    var plain = Parser.parse("t.fut", "def f =\n  1\n-- | D\n-- e\ndef g = 2\n");
    var marked = Parser.parse("t.fut", "\uFEFFdef f =\r\n  1\r\n-- | D\r\n-- e\r\ndef g = 2\r\n");
    Trees.assertSame(plain, marked);
  }

  @Test
  void modifiersMayComeInAnyOrder() {
    var modifiers = declaration("#[a] local #[b] type t = i32").modifiers();
    assertTrue(modifiers.local());
    assertEquals(List.of("a", "b"), modifiers.attributes().stream().map(Attribute::name).toList());
  }

  @Test
  void spansCoverTheirText() {
    var body =
        assertInstanceOf(Declaration.Value.class, declaration("def f =\n  let x = 1\n  in g  x"))
            .body();
    assertEquals("t.fut:2:3", body.span().toString());
    assertEquals(3, body.span().endLine());
    assertEquals(10, body.span().endColumn());
    var let = assertInstanceOf(Exp.Let.class, body);
    assertEquals("t.fut:3:6", let.body().span().toString());
  }
}
