package dev.kenaz.pipeline;

import static dev.kenaz.error.ErrorCode.K5008;
import static dev.kenaz.error.ErrorCode.K6301;
import static dev.kenaz.error.ErrorCode.K6302;
import static dev.kenaz.error.ErrorCode.K6303;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.ValueReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class CompilerTest {
  private static final CompileOptions INTERPRET = CompileOptions.of(Backend.INTERPRET).verified();

  private static CompiledProgram compile(String text) {
    return Compiler.compile("test.fut", text, INTERPRET);
  }

  @Test
  void callsAnEntryPoint() {
    var program = compile("entry double (x: i32) = 2 * x");
    var results = program.entry("double").call(List.of(ScalarValue.i32(21)));
    assertEquals(List.of(ScalarValue.i32(42)), results);
  }

  @Test
  void anOpenedProgramIsCompiledEntryByEntry() {
    var text =
        """
        def scale (k: f64) = map (* k)
        entry twice (xs: []f64) = scale 2 xs
        entry slope (x: f64) = vjp (\\x -> x * x) x 1
        """;
    var options = CompileOptions.of(Backend.JVM).verified();
    try (var program = Compiler.open(ProgramSource.of("test.fut", text), options)) {
      assertEquals(
          List.of("twice", "slope"), program.entryPoints().stream().map(e -> e.name()).toList());
      program.entry("slope").prepare();
      assertEquals(
          List.of(ScalarValue.f64(6)), program.entry("slope").call(ValueReader.parse("3f64")));
      assertEquals(
          ValueReader.parse("[2f64, 4f64]"),
          program.entry("twice").call(ValueReader.parse("[1f64, 2f64]")));
    }
  }

  @Test
  void recursionIsDeepOrFails() {
    var text =
        """
        def depth (n: i64) : i64 = if n == 0 then 0 else 1 + depth (n - 1)
        entry deep (n: i64) = depth n
        entry deep_inside (n: i64) = map depth [n, 1, n]
        def list (n: i64) : []i64 = if n == 0 then [] else let xs = list (n - 1) in [length xs]
        entry lists (n: i64) = list n
        def forever (n: i64) : i64 = 1 + forever (n + 1)
        entry endless (n: i64) = forever n
        entry after (x: i64) = x
        """;
    for (var backend : List.of(Backend.INTERPRET, Backend.JVM)) {
      try (var program =
          Compiler.compile("test.fut", text, CompileOptions.of(backend).verified())) {
        var n = ValueReader.parse("100000i64");
        assertEquals(n, program.entry("deep").call(n));
        assertEquals(
            ValueReader.parse("[100000i64, 1i64, 100000i64]"),
            program.entry("deep_inside").call(n));
        assertEquals(
            ValueReader.parse("[1i64]"), program.entry("lists").call(ValueReader.parse("1000i64")));
        var endless = program.entry("endless");
        assertEquals(
            K5008,
            assertThrows(UserError.class, () -> endless.call(n)).diagnostics().getFirst().code());
        assertEquals(n, program.entry("after").call(n));
      }
    }
  }

  @Test
  void theDerivativeOfARecursiveFunctionIsALimitation() {
    var text =
        """
        def power (x: f64) (n: i32) : f64 = if n == 0 then 1 else x * power x (n - 1)
        entry slope (x: f64) = vjp (\\x -> power x 3) x 1
        """;
    var error = assertThrows(Limitation.class, () -> Optimised.verified(text));
    assertTrue(error.getMessage().contains("power"), error.getMessage());
  }

  @Test
  void entryPointsTellTheirTypes() {
    var program =
        compile(
            """
            type point = {x: f64, y: f64}
            type choice = #one i32 f64 | #two i32 | #none
            entry f [n] (p: point) (ps: [n]point) (c: choice) (xs: *[n]i32) : (i32, []point) =
              let k = match c case #one i _ -> i case #two i -> i case #none -> 0
              in (k + i32.f64 p.x + xs[0], ps)
            """);
    var type = program.entry("f").type();
    assertEquals(
        List.of("point", "[]point", "choice", "[]i32"),
        type.params().stream().map(p -> p.type().text()).toList());
    assertEquals(
        List.of(false, false, false, true), type.params().stream().map(p -> p.unique()).toList());
    var sum = (EntryPoint.SumType) type.params().get(2).type();
    assertEquals(
        List.of("none", "one", "two"), sum.variants().stream().map(v -> v.name()).toList());
    assertEquals(3, sum.flat().size());
    assertEquals("(i32, []point)", type.results().getFirst().type().text());
  }

  @Test
  void wrongArgumentsAreTheCallersFault() {
    var program = compile("entry f (x: i32) = x");
    var e = assertThrows(UserError.class, () -> program.entry("f").call(List.of()));
    assertEquals(K6301, e.diagnostics().getFirst().code());
    e = assertThrows(UserError.class, () -> program.entry("f").call(List.of(ScalarValue.f64(1))));
    assertTrue(e.getMessage().contains("f64"), e.getMessage());
    var two = compile("entry two [n] (a: [n]i32) (b: [n]i32) = map2 (+) a b").entry("two");
    var arguments = List.of(ArrayValue.ofInts(new int[1], 1), ArrayValue.ofInts(new int[2], 2));
    e = assertThrows(UserError.class, () -> two.call(arguments));
    assertEquals(K6302, e.diagnostics().getFirst().code());
    var sizes =
        "parameter b of two has 2 elements in dimension 1, but the size n is 1, as parameter a"
            + " says";
    assertTrue(e.getMessage().contains(sizes), e.getMessage());
    e = assertThrows(UserError.class, () -> program.entry("g"));
    assertEquals(K6303, e.diagnostics().getFirst().code());
  }

  /** Inlined, this would be 2^40 copies of the first function. */
  @Test
  void deepCallTreesStaySmall() {
    var text = new StringBuilder("def f0 [n] (x: f64) (ys: [n]f64) = (x, map (+ x) ys)\n");
    for (int i = 1; i <= 40; i++) {
      text.append("def f%d [n] (x: f64) (ys: [n]f64) : (f64, [n]f64) =\n".formatted(i));
      text.append("  let (a, b) = f%d (x * 0.5) ys\n".formatted(i - 1));
      text.append("  let (c, d) = f%d (a * 0.5) (filter (> 0) b :> [n]f64)\n".formatted(i - 1));
      text.append("  in (a + c, d)\n");
    }
    text.append("entry main [n] (ys: [n]f64) = (f40 0 ys, f3 1 ys)");
    var program = compile(text.toString());
    assertTrue(program.core().functions().size() > 40);
    var few = compile(text.toString().replace("f40 0", "f4 0"));
    assertEquals(1, few.core().functions().size());
    var arguments = ValueReader.parse("[1f64, 2f64]");
    assertEquals(
        few.entry("main").call(arguments).get(3),
        compile(
                text.toString()
                    .replace(
                        "(f40 0 ys, f3 1 ys)",
                        "(if ys[0] > 5 then f40 0 ys else f4 0 ys, f3 1 ys)"))
            .entry("main")
            .call(arguments)
            .get(3));
    Optimised.verified(text.toString());
  }

  @Test
  void compilesFromSeveralThreads() {
    var results =
        IntStream.range(0, 16)
            .parallel()
            .mapToObj(i -> compile("entry f (x: i32) = map (+ " + i + ") [x, x]"))
            .map(p -> p.entry("f").call(List.of(ScalarValue.i32(1))).getFirst().toString())
            .toList();
    for (int i = 0; i < 16; i++) {
      assertEquals("[%di32, %di32]".formatted(i + 1, i + 1), results.get(i));
    }
  }

  @Test
  void sourcesAndOptionsTravel() throws Exception {
    var source = ProgramSource.of("a.fut", "entry f (x: i32) = x");
    var bytes = new ByteArrayOutputStream();
    try (var out = new ObjectOutputStream(bytes)) {
      out.writeObject(source);
      out.writeObject(INTERPRET);
    }
    try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertEquals(source, in.readObject());
      assertEquals(INTERPRET, in.readObject());
    }
  }

  @Test
  void runTimeFaultsAreWhereTheProgramSays() {
    var program = compile("entry f (xs: []i32) (i: i64) =\n  map (\\x -> x + xs[i]) xs\n");
    var e =
        assertThrows(
            UserError.class, () -> program.entry("f").call(ValueReader.parse("[1i32] 7i64")));
    var span = e.diagnostics().getFirst().span();
    assertEquals("test.fut", span.file());
    assertEquals(2, span.line());
  }

  /** A fault inside the prelude is the caller's. */
  @Test
  void preludeFaultsAreReportedAtTheCall() {
    var program = compile("entry f (xs: []i32) =\n  head xs\n");
    var e =
        assertThrows(
            UserError.class, () -> program.entry("f").call(ValueReader.parse("empty([0]i32)")));
    assertEquals("test.fut", e.diagnostics().getFirst().span().file());
  }

  @Test
  void backendsHaveNames() {
    assertEquals(Backend.JVM, Backend.named("jvm"));
    assertThrows(UserError.class, () -> Backend.named("gpu"));
  }
}
