package dev.kenaz.programs;

import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.programs.RandomTemplates.Node;
import dev.kenaz.testing.Seeds;
import dev.kenaz.testing.Shrinking;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import dev.kenaz.value.ValueReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Random expressions of many types mean the same on the JVM, also with its accesses checked, on the
 * simulated GPU and in the interpreter; what fails is made small first.
 */
final class RandomGeneralTest {
  private static final int LARGEST = Integer.getInteger("random.size", 60);

  /**
   * Programs of one kind.
   *
   * @param templates a file in the folder of these
   * @param results the types of the expressions
   * @param program what stands around the expression
   */
  private record Kind(
      String templates, List<String> results, UnaryOperator<String> program, List<String> inputs) {
    RandomTemplates source(long seed) throws IOException {
      var file = Path.of("src/test/resources/random", templates);
      return new RandomTemplates(Files.readAllLines(file), seed);
    }
  }

  private static final String PRELUDE =
      """
      type choice [n] = #left i32 | #right ([n]i32) f64 | #no
      type either = #x i32 | #y f64 bool | #z
      type option 'a = #none | #some a
      def twice 'a (f: a -> a) (x: a) : a = f (f x)
      def find [n] (xs: [n]i32) : option i32 =
        loop r = #none for x in xs do if x > 2 then #some x else r
      module mk_sums (N: {type t val + : t -> t -> t val zero : t val one : t val less : t -> t -> bool}) = {
        def total [n] (xs: [n]N.t) : N.t = reduce (N.+) N.zero xs
        def upto (x: N.t) : []N.t =
          let (_, _, ys) = loop (c, i, ys) = (0i64, N.zero, []) while c < 5 && N.less i x do
            (c + 1, i N.+ N.one, ys ++ [i])
          in ys
      }
      module sums = mk_sums {
        type t = i32
        def (+) (x: t) (y: t) : t = x + y
        def zero : t = 0
        def one : t = 1
        def less (x: t) (y: t) = x < y
      }
      def expand 'a 'b [n] (size: a -> i64) (get: a -> i64 -> b) (xs: [n]a) : []b =
        loop ys = [] for x in xs do ys ++ map (get x) (iota (size x))
      """;

  private static final Kind GENERAL =
      new Kind(
          "general.txt",
          List.of("i", "r", "v", "w", "g", "d", "a", "o", "x"),
          e -> PRELUDE + "entry main [n] (xs: [n]i32) (ys: [n]f64) (k: i32) =\n  " + e + "\n",
          List.of(
              "[3i32, -1i32, 2i32, 7i32] [0.5f64, -2f64, 4f64, 1.5f64] 2i32",
              "[5i32] [0.25f64] -3i32",
              "empty([0]i32) empty([0]f64) 1i32"));

  private static final Kind RAGGED =
      new Kind(
          "ragged.txt",
          List.of("l"),
          e -> "entry main [m] (ns: [m]i64) (ys: []i64) =\n  map (\\n -> " + e + ") ns\n",
          List.of(
              "[3i64, 0i64, 7i64, 1i64, 12i64, 0i64] [5i64, -2i64, 4i64]",
              "[0i64, 0i64] empty([0]i64)",
              "[70i64] [1i64]",
              "empty([0]i64) [3i64, 9i64]"));

  @Test
  void meansTheSameEverywhere() {
    Seeds.check(6, seed -> check(GENERAL, seed));
  }

  @Test
  void nestsOfDifferentSizesMeanTheSameEverywhere() {
    Seeds.check(10, seed -> check(RAGGED, seed));
  }

  private static void check(Kind kind, long seed) throws IOException {
    var source = kind.source(seed);
    var type = kind.results().get((int) (seed % kind.results().size()));
    var now = source.exp(type, 3 + (int) (seed % 3));
    for (int i = 0; i < 100 && (now.size() > LARGEST || now.size() < 4); i++) {
      now = source.exp(type, 3 + (int) (seed % 3));
    }
    Shrinking.check(
        now,
        node -> node.smaller(source).stream(),
        node ->
            failure(kind, node)
                .ifPresent(f -> fail(f + "\n  " + kind.program().apply(node.text()))));
  }

  /** What is wrong, if anything. */
  private static Optional<String> failure(Kind kind, Node f) {
    var text = kind.program().apply(f.text());
    try (var oracle = compile(text, CompileOptions.of(Backend.INTERPRET));
        var jvm = compile(text, CompileOptions.of(Backend.JVM));
        var checked = compile(text, CompileOptions.of(Backend.JVM).checked());
        var gpu = compile(text, CompileOptions.of(Backend.SIMULATE))) {
      for (var input : kind.inputs()) {
        var expected = call(oracle, input);
        for (var other : List.of(jvm, checked, gpu)) {
          var actual = call(other, input);
          var name = other == jvm ? "jvm" : other == gpu ? "gpu" : "checked jvm";
          // what nobody uses isn't computed, and then doesn't fail either: the converse is open
          if (expected.isPresent()) {
            if (actual.isEmpty()) {
              return Optional.of(name + " fails for " + input);
            }
            var difference = ValueComparison.difference(expected.get(), actual.get());
            if (difference.isPresent()) {
              return Optional.of(name + " differs for " + input + ": " + difference.get());
            }
          }
        }
      }
      return Optional.empty();
    } catch (UserError e) {
      return Optional.of("rejected: " + e.getMessage());
    } catch (RuntimeException e) {
      return Optional.of("crash: " + e);
    }
  }

  private static CompiledProgram compile(String text, CompileOptions options) {
    return Compiler.compile("random.fut", text, options.verified());
  }

  /** Empty if the program fails, as an index out of bounds does. */
  private static Optional<List<Value>> call(CompiledProgram program, String input) {
    try {
      return Optional.of(new ArrayList<>(program.entry("main").call(ValueReader.parse(input))));
    } catch (UserError e) {
      return Optional.empty();
    }
  }
}
