package dev.kenaz.jvm;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bodies that are too large for one loop of vectors become several loops over blocks of points. */
@Execution(CONCURRENT)
final class LargeBodiesTest {
  private static final int[] SIZES = {0, 1, 127, 128, 129, 300};
  private static final List<Prim> PRIMS = List.of(Prim.F64, Prim.F32, Prim.I32, Prim.I64);

  /** A matrix has so many elements. */
  private static final int M = 16;

  private static String each(String separator, IntFunction<String> part) {
    return IntStream.range(0, M).mapToObj(part).collect(joining(separator));
  }

  private static String tuple(IntFunction<String> part) {
    return "(" + each(", ", part) + ")";
  }

  private static String matrix(String name) {
    return tuple(k -> name + k);
  }

  /** The product p of the matrices a and b. */
  private static String product(String p, String a, String b) {
    return each(
        "",
        k ->
            "let "
                + (p + k + " = ")
                + IntStream.range(0, 4)
                    .mapToObj(j -> a + (k / 4 * 4 + j) + " * " + b + (4 * j + k % 4))
                    .collect(joining(" + "))
                + " ");
  }

  private static String rows(int first, String index) {
    return tuple(k -> "xs[" + (first + k) + "][" + index + "]");
  }

  private static String let(String name, String value) {
    return "let " + matrix(name) + " = " + value + " ";
  }

  private static final String ONE = tuple(k -> k % 5 == 0 ? "1" : "0");

  /** A permutation with signs, so that products of many are as small. */
  private static final String ROTATION =
      "let s: ELEMENT = if xs[0][i] < 1 then 1 else 0 - 1 "
          + "let c: ELEMENT = if xs[1][i] < 2 then 0 else 1 in "
          + "(0, s, 0, 0, c, 0, 0, 1 - c, 1 - c, 0, 0, c, 0, 0, s, 0)";

  private static final String A = let("a", rows(0, "i"));
  private static final String B = let("b", rows(M, "i"));

  /** All results of a map, each as an array. */
  private static String arrays(String body) {
    return "let rs = tabulate n (\\i -> "
        + body
        + ") in "
        + tuple(k -> "map (.%d) rs".formatted(k));
  }

  private enum Body {
    /** One product is small enough for one loop. */
    PRODUCT(false, arrays(A + B + product("p", "a", "b") + "in " + matrix("p"))),
    /** Values that most results need are kept for several loops. */
    TWICE(
        true,
        arrays(A + B + product("p", "a", "b") + product("q", "b", "p") + "in " + matrix("q"))),
    BACKWARDS(
        true,
        arrays(
            A
                + let("b", rows(M, "n - 1 - i"))
                + product("p", "a", "b")
                + product("q", "p", "a")
                + "in "
                + matrix("q"))),
    /** What is beyond the ends isn't read. */
    NEIGHBOURS(
        true,
        arrays(
            let("a", "if i == 0 then " + ONE + " else " + rows(0, "i - 1"))
                + let("b", "if i + 1 == n then " + ONE + " else " + rows(M, "i + 1"))
                + product("p", "a", "b")
                + product("q", "b", "p")
                + "in "
                + matrix("q"))),
    /** One result, which needs everything: the body is cut between its beginning and its end. */
    CHAIN(
        true,
        "tabulate n (\\i -> "
            + A
            + B
            + "let s = y "
            + each(
                "",
                k ->
                    "let s = t.max (0 - 9) (t.min 9 (s * a%d + b%d)) ".formatted(k, k)
                        + "let s = t.max (0 - 5) (t.min 7 (s - b%d * a%d)) ".formatted(k, 15 - k)
                        + "let c%d = s + a0 ".formatted(k))
            + each("", k -> "let s = t.max (0 - 9) (t.min 9 (c%d - s)) ".formatted(k))
            + "in s)"),
    /** Sums over all points. */
    SUMS(
        true,
        "let rs = tabulate n (\\i -> "
            + A
            + B
            + product("p", "a", "b")
            + product("q", "b", "p")
            + "in "
            + matrix("q")
            + ") let "
            + matrix("s")
            + " = reduce (\\"
            + matrix("u")
            + " "
            + matrix("v")
            + " -> "
            + tuple(k -> "u%d + v%d".formatted(k, k))
            + ") "
            + tuple(_ -> "0")
            + " rs in ["
            + each(", ", k -> "s" + k)
            + "]"),
    /** A scan by several threads multiplies its results, where they are, by what comes before. */
    SCAN(
        false,
        "let rs = scan (\\"
            + matrix("a")
            + " "
            + matrix("b")
            + " -> "
            + product("o", "a", "b")
            + "in "
            + matrix("o")
            + ") "
            + ONE
            + " (tabulate n (\\i -> "
            + ROTATION
            + ")) in "
            + tuple(k -> "map (.%d) rs".formatted(k)));

    final boolean divided;
    final String text;

    Body(boolean divided, String text) {
      this.divided = divided;
      this.text = text;
    }
  }

  @ParameterizedTest
  @EnumSource
  void sameAsTheInterpreter(Body body) {
    for (var prim : PRIMS) {
      check(body.text, prim, body.divided);
    }
  }

  /** The derivative multiplies what comes before an element by what comes after it. */
  @ParameterizedTest
  @EnumSource(
      value = Prim.class,
      names = {"F32", "F64"})
  void derivativesOfReductions(Prim prim) {
    var times =
        "(\\"
            + matrix("a")
            + " "
            + matrix("b")
            + " -> "
            + product("p", "a", "b")
            + " in "
            + matrix("p")
            + ")";
    var reduced = "(\\ms -> reduce " + times + " " + ONE + " ms)";
    var text =
        "let ms = tabulate n (\\i -> "
            + ROTATION
            + ") let rs = vjp "
            + reduced
            + " ms "
            + tuple(k -> k % 3 == 0 ? "y" : "1")
            + " in "
            + tuple(k -> "map (.%d) rs".formatted(k));
    check(text, prim, true);
  }

  /** A division by zero is the error of the first point that has one. */
  @ParameterizedTest
  @EnumSource(
      value = Prim.class,
      names = {"I32", "I64"})
  void divisionsThatFail(Prim prim) {
    var quotients = "let q = p0 / (a1 + 2) let r = (p1 + p2) / (b3 - 3) in ";
    check(with(quotients), prim, false);
    var guarded =
        quotients
            .replace("p0 /", "if a1 + 2 == 0 then y else p0 /")
            .replace("(p1 + p2) /", "if b3 - 3 == 0 then y else (p1 + p2) /");
    check(with(guarded), prim, null);
  }

  /** Returns a body with two products and the quotients, of which all results are made. */
  private static String with(String quotients) {
    return arrays(
        A
            + B
            + product("p", "a", "b")
            + product("o", "p", "b")
            + quotients
            + tuple(k -> "o%d + q - r".formatted(k)));
  }

  /**
   * Compares a program with the interpreter.
   *
   * @param divided whether a body is divided; null if that doesn't matter
   */
  private static void check(String body, Prim prim, Boolean divided) {
    var type = prim.text();
    var text =
        "module t = %s entry main [n] (xs: [%d][n]%s) (ys: [1]%s) = let y = ys[0] in %s"
            .formatted(type, 2 * M, type, type, body.replace("ELEMENT", type));
    var program = Optimised.text(text);
    if (divided != null) {
      boolean any =
          Pipelines.loops(2).apply(program).functions().stream().anyMatch(f -> Lanes.in(f) != f);
      assertEquals(divided, any, text);
    }
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      var xs = IntStream.range(0, 2 * M * n).mapToDouble(i -> i * 7 % 11 % 4 - 1).toArray();
      calls.add(
          List.of(
              ArrayValue.ofDoubles(prim, xs).reshape(2 * M, n),
              ArrayValue.ofDoubles(prim, new double[] {2})));
    }
    Compare.each(program, calls);
  }

  // The order of statements

  private static Code set(Reg reg, Expr e) {
    return new Code.Set(reg, e);
  }

  private static Expr plus(Reg x, Reg y) {
    return new Expr.Bin(BinaryOp.ADD, Expr.use(x), Expr.use(y));
  }

  private static Reg reg(String name) {
    return Reg.fresh(name, Prim.F64);
  }

  private static Code store(Reg to, Reg i, Reg x) {
    return new Code.Store(Prim.F64, Expr.use(to), Expr.use(i), Expr.use(x));
  }

  private static Code load(Reg x, Reg from, Reg i) {
    return new Code.Set(x, new Expr.Load(Prim.F64, Expr.use(from), Expr.use(i)));
  }

  private static List<Code> ordered(Reg i, List<Code> body) throws Unsuitable {
    var loop = new Code.For(i, Expr.i64(1000), body, true, List.of());
    return DemandOrder.of(new PointLoop(loop, List.of(), List.of(loop)));
  }

  @Test
  void whatAResultNeedsComesJustBeforeIt() throws Unsuitable {
    var i = Reg.index("i");
    var from = Reg.index("from");
    var r0 = Reg.index("r0");
    var r1 = Reg.index("r1");
    var a = reg("a");
    var b = reg("b");
    var c = reg("c");
    var d = reg("d");
    var body =
        List.of(
            load(a, from, i),
            set(b, plus(a, a)),
            set(c, plus(a, b)),
            set(d, plus(b, b)),
            store(r0, i, c),
            store(r1, i, d));
    var expected =
        List.of(body.get(0), body.get(1), body.get(2), body.get(4), body.get(3), body.get(5));
    assertEquals(expected, ordered(i, body));
  }

  @Test
  void whatIsOverwrittenIsReadBefore() throws Unsuitable {
    var i = Reg.index("i");
    var p = Reg.index("p");
    var q = Reg.index("q");
    var a = reg("a");
    var b = reg("b");
    var c = reg("c");
    var swapped = List.of(load(a, p, i), load(b, q, i), store(p, i, b), store(q, i, a));
    var actual = ordered(i, swapped);
    assertEquals(swapped.size(), actual.size());
    assertTrue(actual.indexOf(swapped.get(0)) < actual.indexOf(swapped.get(2)));
    assertTrue(actual.indexOf(swapped.get(1)) < actual.indexOf(swapped.get(3)));
    // What is read after a store stays after it: such a body has no other order.
    assertThrows(
        Unsuitable.class,
        () -> ordered(i, List.of(load(a, p, i), store(q, i, a), load(c, q, i), store(p, i, c))));
  }
}
