package dev.kenaz.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The laws of {@code kenaz/vector} on values of random types, on all backends. */
final class RandomComponentsTest {
  private static final List<String> FLOATS = List.of("f16", "f32", "f64");

  private static final String LAWS =
      """
      def packed (p: i64) (m: t) : [p]f64 = pack_f64 m :> [p]f64
      def main (i: i64) =
        let m: t = value i
        let p = length (pack_f64 m)
        let v = packed p m
        let weights = map (\\j -> 1 + f64.i64 j) (iota p)
        let need = packed p (unpack_f64 m (replicate p 1))
        let other = unpack_f64 m (map (+ f64.i64 i) v)
        let vs = map (\\k -> map (+ f64.i64 k) v) (iota 3)
        let cost (v: [p]f64) = f64.sum (map2 (*) weights (packed p (unpack_f64 m v)))
        let slope = map2 (*) weights need
        in ( unpack_f64 m v == m
           , unpack_f32 m (pack_f32 m) == m
           , packed p other == map2 (*) need (map (+ f64.i64 i) v)
           , unpack_f64 m (packed p other) == other
           , vjp cost v 1 == slope
           , jvp cost v need == f64.sum slope
           , map (\\v -> vjp cost v 1) vs == replicate 3 slope
           , and (map2 (\\n x -> n == 1 || (n == 0 && x == 0)) need v)
           , v
           , map (\\v -> packed p (unpack_f64 m v)) vs )
      """;

  private sealed interface T {
    record Number(String name) implements T {}

    record Array(int size, T elem) implements T {}

    record Record(List<T> fields, boolean tuple) implements T {}

    record Sum(List<List<T>> payloads) implements T {}
  }

  private static List<Value> run(String program, Backend backend) {
    try (var compiled = Compiler.compile("test.fut", program, CompileOptions.of(backend))) {
      return List.copyOf(compiled.entry("main").call(List.of(ScalarValue.i64(3))));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void laws(int first) {
    for (int seed = first * 3; seed < first * 3 + 3; seed++) {
      var random = new Generator(new SplittableRandom(seed));
      var type = random.type(3);
      var program =
          "import \"kenaz/vector\"\ntype t = %s\ndef value (i: i64): t = %s\n%s"
              .formatted(Generator.text(type), random.value(type), LAWS);
      var expected = run(program, Backend.INTERPRET);
      for (int law = 0; law < expected.size() - 2; law++) {
        assertEquals(ScalarValue.bool(true), expected.get(law), "law " + law + " of\n" + program);
      }
      for (var backend : List.of(Backend.JVM, Backend.SIMULATE)) {
        var got = run(program, backend);
        for (int i = 0; i < expected.size(); i++) {
          var different = ValueComparison.difference(expected.get(i), got.get(i), 0);
          assertTrue(different.isEmpty(), () -> backend + " " + different + "\n" + program);
        }
      }
    }
  }

  /** Makes types, and values of them, as texts. */
  private record Generator(SplittableRandom random) {
    T type(int depth) {
      return switch (random.nextInt(depth == 0 ? 4 : 9)) {
        case 0 -> new T.Number(random.nextBoolean() ? "i32" : "bool");
        case 1, 2, 3 -> new T.Number(FLOATS.get(random.nextInt(3)));
        case 4, 5 -> new T.Array(random.nextInt(4), type(depth - 1));
        case 6 -> new T.Record(types(random.nextInt(3), depth), false);
        case 7 -> new T.Record(types(random.nextInt(2, 4), depth), true);
        default ->
            new T.Sum(
                IntStream.range(0, random.nextInt(2, 4))
                    .mapToObj(_ -> types(random.nextInt(3), depth))
                    .toList());
      };
    }

    private List<T> types(int n, int depth) {
      return IntStream.range(0, n).mapToObj(_ -> type(depth - 1)).toList();
    }

    static String text(T type) {
      return switch (type) {
        case T.Number(var name) -> name;
        case T.Array(var size, var elem) -> "[" + size + "]" + text(elem);
        case T.Record(var fields, var tuple) when tuple ->
            fields.stream().map(Generator::text).collect(Collectors.joining(", ", "(", ")"));
        case T.Record(var fields, _) ->
            IntStream.range(0, fields.size())
                .mapToObj(i -> "f" + i + ": " + text(fields.get(i)))
                .collect(Collectors.joining(", ", "{", "}"));
        case T.Sum(var payloads) ->
            IntStream.range(0, payloads.size())
                .mapToObj(
                    c ->
                        "#c"
                            + c
                            + payloads.get(c).stream()
                                .map(t -> " (" + text(t) + ")")
                                .collect(Collectors.joining()))
                .collect(Collectors.joining(" | ", "(", ")"));
      };
    }

    /** A value that depends on {@code i}; its numbers are exact in every type. */
    String value(T type) {
      return switch (type) {
        case T.Number(var name) when name.equals("bool") ->
            "(i %% 2 == %d)".formatted(random.nextInt(2));
        case T.Number(var name) -> "(%s.i64 (i + %d))".formatted(name, random.nextInt(1, 9));
        case T.Array(var size, var elem) when size == 0 ->
            "(replicate 0 %s)".formatted(value(elem));
        case T.Array(var size, var elem) ->
            IntStream.range(0, size)
                .mapToObj(_ -> value(elem))
                .collect(Collectors.joining(", ", "[", "]"));
        case T.Record(var fields, var tuple) when tuple ->
            fields.stream().map(this::value).collect(Collectors.joining(", ", "(", ")"));
        case T.Record(var fields, _) ->
            IntStream.range(0, fields.size())
                .mapToObj(i -> "f" + i + " = " + value(fields.get(i)))
                .collect(Collectors.joining(", ", "{", "}"));
        case T.Sum(var payloads) -> {
          int c = random.nextInt(payloads.size());
          var one = constructed(payloads, c, type);
          yield random.nextBoolean()
              ? one
              : "(if i > %d then %s else %s)"
                  .formatted(
                      random.nextInt(5),
                      one,
                      constructed(payloads, random.nextInt(payloads.size()), type));
        }
      };
    }

    private String constructed(List<List<T>> payloads, int c, T type) {
      var parts = payloads.get(c).stream().map(t -> " " + value(t)).collect(Collectors.joining());
      return "((#c" + c + parts + "): " + text(type) + ")";
    }
  }
}
