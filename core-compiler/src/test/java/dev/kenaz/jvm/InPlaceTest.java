package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an update puts into an array is built there, unless it is needed afterwards. */
final class InPlaceTest {
  private static final String PROGRAM =
      "entry main [n] (xs: [n]f64) = loop (a, s) = (replicate 4 (replicate n 1), 0) for k < 4 do "
          + "let r = map (* f64.i64 (k + 2)) xs in BODY";

  /** How many copies there are in the loop. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          0; (a with [k] = r, s)
          0; let t = r[k % n] in (a with [k] = r, s + t * t)
          0; let t = f64.sum (map2 (*) (reverse r) r) in (a with [k] = r, s + t)
          # a view is read after the update, and another update follows
          1; let v = r[0:n / 2] let a = a with [k] = r in (a with [k, 0] = 7, s + f64.sum (reverse v) * v[0])
          1; let a = a with [k] = r let a = a with [k, 0] = 9 in (a, s + r[0] * r[n - 1])
          # the row is read before what is there is replaced
          1; let t = a[k, 0] + r[k % n] + a[k, n - 1] in (a with [k] = r, s + t)
          """)
  void rows(int copies, String body) {
    var program = Optimised.text(PROGRAM.replace("BODY", body));
    var found = new int[1];
    Pipelines.loops(1)
        .apply(program)
        .functions()
        .forEach(f -> CodeWalk.code(f.body(), c -> found[0] += inLoop(c), _ -> {}));
    assertEquals(copies, found[0], body);
    Compare.each(program, Stream.of(2, 3, 10, 700).map(n -> List.<Value>of(numbers(n))).toList());
  }

  private static int inLoop(Code c) {
    if (!(c instanceof Code.For f)) {
      return 0;
    }
    return (int) f.body().stream().filter(Code.CopyBytes.class::isInstance).count();
  }

  private static ArrayValue numbers(int n) {
    return ArrayValue.ofDoubles(
        Prim.F64, IntStream.range(0, n).mapToDouble(i -> i * i % 11 - 3).toArray());
  }
}
