package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.netlib.lapack.Dlamch;
import org.netlib.lapack.Slamch;

final class LapackConstantsTest {
  /** Many threads at once would find other constants if nothing had found them before. */
  @Test
  void areThoseOfJavaForAnyThread() {
    LapackConstants.find();
    IntStream.range(0, 64)
        .parallel()
        .forEach(
            _ -> {
              assertEquals(Math.ulp(1.0) / 2, Dlamch.dlamch("E"));
              assertEquals(Double.MIN_NORMAL, Dlamch.dlamch("S"));
              assertEquals(Math.ulp(1f) / 2, Slamch.slamch("E"));
              assertEquals(Float.MIN_NORMAL, Slamch.slamch("S"));
            });
  }
}
