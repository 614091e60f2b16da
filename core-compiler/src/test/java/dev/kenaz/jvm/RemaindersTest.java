package dev.kenaz.jvm;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

/** Remainders by what isn't constant: small ones, where no division is needed, and extreme ones. */
@Execution(CONCURRENT)
final class RemaindersTest {
  private static final long[] NUMBERS =
      LongStream.concat(
              LongStream.rangeClosed(-9, 9),
              LongStream.of(62, 63)
                  .map(k -> 1L << k)
                  .flatMap(x -> LongStream.rangeClosed(-4, 4).map(d -> x + d)))
          .toArray();

  @Test
  void ofAllPairs() {
    var xs = ArrayValue.ofLongs(NUMBERS);
    Compare.same(
        Optimised.text(
            "entry main [n] (xs: [n]i64): [n][n]i64 ="
                + " map (\\x -> map (\\y -> if y == 0 then 0 else x % y) xs) xs"),
        xs);
  }

  /** A remainder by 0 is an error, whatever is divided. */
  @Test
  void byZero() {
    var program =
        Optimised.text("entry main [n] (xs: [n]i64) (y: i64): [n]i64 = map (\\x -> x % y) xs");
    Compare.same(program, ArrayValue.ofLongs(NUMBERS), new ScalarValue(Prim.I64, 0));
  }
}
