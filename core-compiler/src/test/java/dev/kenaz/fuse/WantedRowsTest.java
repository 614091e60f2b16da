package dev.kenaz.fuse;

import static dev.kenaz.fuse.Agreement.interpreted;
import static dev.kenaz.fuse.Agreement.numbers;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Verifier;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of an array that costs much, only those rows are computed that are read, if these are few. */
final class WantedRowsTest {
  /** A number, and a point that takes much to compute, for each row. */
  private static final String ROWS =
      """
      def dot xs ys = f64.sum (map2 (*) xs ys)
      def score w x = f64.exp (dot w x)
      def place [d] (w: [d]f64) (x: [d]f64): [2]f64 =
        map (\\i -> f64.sum (map2 (\\a b -> a * f64.sum (map (* b) w)) x w) + f64.i64 i) (iota 2)
      """;

  private static final String ONE =
      """
      entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) =
        let all = map (place w) xs in map (\\i -> map (* 2) all[i]) is
      """;

  private static final String NUMBERS =
      """
      entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) =
        let all = map (score w) xs in f64.sum (map (\\i -> all[i] * all[i]) is)
      """;

  private static final String THREE =
      """
      entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) =
        let all = map (place w) xs
        in map (\\i ->
                  let (a, b, c) = (all[i], all[i / 2], all[v - 1 - i])
                  in (f64.sum a + dot b c, i))
               is
      """;

  private static final String TWO_RESULTS =
      """
      entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) =
        let (s, p) = unzip (map (\\x -> (score w x, place w x)) xs)
        in map2 (\\i j -> s[i] + f64.sum p[i] + f64.i64 j) is (indices is)
      """;

  private static List<Value> arguments(long v, long d, long n) {
    var which = LongStream.range(0, n).map(i -> i * 7 % Math.max(v, 1)).toArray();
    return List.of(numbers(d), numbers(v, d), ArrayValue.ofLongs(which, n));
  }

  private static CoreProgram wanted(CoreProgram program) {
    var wanted = WantedRows.run(program);
    Verifier.verify(wanted, "wanted-rows");
    return wanted;
  }

  private static boolean changes(String text) {
    var program = Optimised.differentiated(ROWS + text);
    return !Printer.print(program).equals(Printer.print(wanted(program)));
  }

  @ParameterizedTest
  @ValueSource(strings = {ONE, NUMBERS, THREE, TWO_RESULTS})
  void rowsAreThoseOfTheWholeArray(String text) {
    assertTrue(changes(text));
    var program = Optimised.differentiated(ROWS + text);
    for (long v : new long[] {1, 2, 8, 9, 40}) {
      for (long n : new long[] {0, 1, 2, 3, 5, 20, 50}) {
        interpreted(program, wanted(program), arguments(v, 3, n));
      }
    }
    interpreted(program, wanted(program), arguments(0, 3, 0));
    interpreted(program, wanted(program), arguments(16, 0, 2));
  }

  /** The function is called for as many rows as are read, or for all. */
  @Test
  void fewRowsAreComputed() {
    var text =
        "entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) ="
            + " let all = map (\\x -> place w x) xs in map (\\i -> f64.sum all[i]) is";
    var wanted = wanted(Optimised.differentiated(ROWS + text));
    long few = work(wanted, 3);
    assertTrue(work(wanted, 6) > 3 * few / 2, "work grows with the rows that are read");
    long all = work(wanted, 100);
    assertTrue(all > 10 * few, all + " and " + few);
    assertTrue(work(wanted, 200) < 2 * all, "all rows are computed once");
  }

  private static long work(CoreProgram program, long n) {
    var counter = new Counter();
    Interpreter.call(program, "main", arguments(80, 8, n), counter);
    return counter.total();
  }

  @ParameterizedTest
  @ValueSource(strings = {ONE, NUMBERS, TWO_RESULTS})
  void derivativesAreThoseOfTheWholeArray(String text) {
    var function = ROWS + text.replace("entry main", "def f");
    var entries =
        List.of(
            "entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) ="
                + " jvp2 (\\w -> f w xs is) w (map (+ 1) w)",
            "entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) ="
                + " jmp (\\w -> f w xs is) w (replicate 3 w)");
    var all = new ArrayList<>(entries);
    all.add(
        text.equals(NUMBERS)
            ? "entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) ="
                + " vjp2 (\\(w, xs) -> f w xs is) (w, xs) 1"
            : "entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) ="
                + " vjp2 (\\w -> f w xs is) w (f w xs is)");
    for (var entry : all) {
      for (var backend : List.of(Backend.JVM, Backend.SIMULATE)) {
        agree(function + entry, backend);
      }
    }
  }

  private static void agree(String text, Backend backend) {
    var program = Optimised.differentiated(text);
    try (var compiled = Compiler.compile("rows.fut", text, CompileOptions.of(backend).verified())) {
      for (long n : new long[] {0, 1, 3, 40, 300}) {
        var arguments = arguments(50, 4, n);
        assertEquals(
            Optional.empty(),
            ValueComparison.difference(
                Interpreter.call(program, "main", arguments),
                compiled.entry("main").call(arguments)),
            () -> backend + ", " + arguments.get(2) + ": " + text);
      }
    }
  }

  /** A row that doesn't matter has to be there all the same. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "let all = map (\\_ -> dot w w) xs in map (\\i -> all[i]) is",
        "let all = map (\\x -> (dot w w, dot x x)) xs in map (\\i -> all[i].0) is",
        "let all = map (\\_ -> dot w w) xs in map (\\i -> all[i] + all[i / 2 + 39]) is"
      })
  void indicesOfRowsThatAreTheSameAreChecked(String body) {
    var text = ROWS + "entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) = " + body;
    var arguments = List.of(numbers(3), numbers(40, 3), ArrayValue.ofLongs(new long[] {40}, 1));
    var expected =
        assertThrows(
            UserError.class,
            () -> Interpreter.call(Optimised.differentiated(text), "main", arguments));
    for (var backend : List.of(Backend.JVM, Backend.SIMULATE)) {
      try (var compiled =
          Compiler.compile("test.fut", text, CompileOptions.of(backend).verified())) {
        var entry = compiled.entry("main");
        var e = assertThrows(UserError.class, () -> entry.call(arguments));
        assertEquals(expected.getMessage(), e.getMessage());
      }
    }
  }

  /** An index that is wrong is told as before, wherever it stands. */
  @ParameterizedTest
  @ValueSource(strings = {ONE, NUMBERS, THREE, TWO_RESULTS})
  void indicesAreChecked(String text) {
    var program = Optimised.differentiated(ROWS + text);
    for (int n : new int[] {1, 2, 100}) {
      for (long wrong : new long[] {-1, 40, Long.MAX_VALUE - 1}) {
        var which = new long[n];
        which[n / 2] = wrong;
        var arguments = List.of(numbers(3), numbers(40, 3), ArrayValue.ofLongs(which, n));
        var before =
            assertThrows(UserError.class, () -> Interpreter.call(program, "main", arguments));
        var now =
            assertThrows(
                UserError.class, () -> Interpreter.call(wanted(program), "main", arguments));
        assertEquals(before.getMessage(), now.getMessage());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // it is cheap
        "let all = map (\\x -> x[0] + 1) xs in map (\\i -> all[i]) is",
        // it is a result, too
        "let all = map (score w) xs in (all, map (\\i -> all[i]) is)",
        // two operators read it
        "let all = map (score w) xs in (map (\\i -> all[i]) is, map (\\i -> all[i] + 1) is)",
        // its input is made where it is read
        "let all = map (score w) (map (map (* 2)) xs) in map (\\i -> all[i]) is",
        "let all = tabulate v (\\k -> f64.sum (map (* f64.i64 k) w)) in map (\\i -> all[i]) is",
        // it is read in a branch, which may not be taken
        "let all = map (score w) xs in map (\\i -> if i < 0 then 0 else all[i]) is",
        // and in a loop
        "let all = map (score w) xs in map (\\i -> loop s = 0 for j < i do s + all[j]) is",
        // all steps read the same row
        "let all = map (score w) xs in map (\\i -> f64.i64 i + all[0]) is",
        // an element is checked with its row
        "let all = map (place w) xs in map (\\i -> all[i, 0]) is",
        // its function may fail
        "let all = map (\\x -> score w x + x[n]) xs in map (\\i -> all[i]) is",
        // another check comes first
        "let all = map (score w) xs in map (\\i -> let y = w[i] in y + all[i + 1]) is",
        // another check comes later, but in the step before
        "let all = map (score w) xs in map (\\i -> let a = all[i] in a + w[i]) is",
        "let all = map (score w) xs in map (\\i -> let a = all[i] in assert (a > 0) a) is",
        // an input that is made in the same step has a check
        "let all = map (score w) xs let t = map (\\i -> w[i - 1]) is"
            + " in map2 (\\i y -> all[i] * y) is t",
        // a row tells which one is read next
        "let all = map (score w) xs in map (\\i -> all[i64.f64 all[i]]) is",
        // it is updated
        "let all = map (score w) xs let all[0] = 1 in map (\\i -> all[i]) is",
        // an input is overwritten before it is read
        "let ys = copy xs let all = map (score w) ys let ys[0] = w"
            + " in (map (\\i -> all[i]) is, ys)"
      })
  void othersStay(String body) {
    var entry = "entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) = " + body;
    assertEquals(false, changes(entry));
  }

  /** The derivative with respect to the inputs would be a histogram. */
  @Test
  void differentiatedInputsStay() {
    var text =
        ROWS
            + NUMBERS.replace("entry main", "def f")
            + "entry main [v][d][n] (w: [d]f64) (xs: [v][d]f64) (is: [n]i64) = ";
    var options = CompileOptions.of(Backend.JVM).verified();
    var constant = Optimised.text(text + "vjp (\\w -> f w xs is) w 1", options);
    var differentiated = Optimised.text(text + "vjp (\\xs -> f w xs is) xs 1", options);
    assertTrue(Printer.print(constant).contains("sel_"));
    assertEquals(false, Printer.print(differentiated).contains("sel_"));
  }
}
