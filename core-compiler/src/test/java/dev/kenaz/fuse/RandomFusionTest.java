package dev.kenaz.fuse;

import dev.kenaz.pass.Pass;
import dev.kenaz.simplify.SamePrograms;
import dev.kenaz.simplify.Simplify;
import dev.kenaz.testing.Seeds;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RandomFusionTest {
  /** Accumulated sums may be added in another order. */
  private static final double TOLERANCE = 1e-9;

  @Test
  void histogramsKeepTheMeaning() {
    var passes = List.of(Simplify.SIMPLIFY, Fuse.FUSION, Fuse.HISTOGRAMS);
    Seeds.check(200, seed -> SamePrograms.check(seed, passes, TOLERANCE));
  }

  @Test
  void eachPassKeepsTheMeaning() {
    Seeds.check(200, seed -> SamePrograms.check(seed, Fuse.passes(), TOLERANCE));
  }

  @Test
  void interchangeKeepsTheMeaning() {
    var passes = List.of(Simplify.SIMPLIFY, Fuse.INTERCHANGE, Fuse.RED_FLAT);
    Seeds.check(100, seed -> SamePrograms.check(seed, passes, TOLERANCE));
  }

  @Test
  void wideningKeepsTheMeaning() {
    var passes = List.of(Fuse.FUSE, Fuse.WIDEN);
    Seeds.check(100, seed -> SamePrograms.check(seed, passes, TOLERANCE));
  }

  @Test
  void theFixpointKeepsTheMeaning() {
    Seeds.check(300, seed -> SamePrograms.check(seed, List.<Pass>of(Fuse.FUSE), TOLERANCE));
  }
}
