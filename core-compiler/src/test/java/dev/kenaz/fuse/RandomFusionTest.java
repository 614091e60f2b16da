package dev.kenaz.fuse;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.simplify.SamePrograms;
import dev.kenaz.simplify.Simplify;
import dev.kenaz.testing.Seeds;
import org.junit.jupiter.api.Test;

final class RandomFusionTest {
  /** Accumulated sums may be added in another order. */
  private static final double TOLERANCE = 1e-9;

  @Test
  void histogramsKeepTheMeaning() {
    var passes =
        Pipeline.<CoreProgram>start()
            .then(Simplify.SIMPLIFY)
            .then(Fuse.FUSION)
            .then(Fuse.HISTOGRAMS);
    Seeds.check(200, seed -> SamePrograms.check(seed, passes, TOLERANCE));
  }

  @Test
  void interchangeKeepsTheMeaning() {
    var passes =
        Pipeline.<CoreProgram>start()
            .then(Simplify.SIMPLIFY)
            .then(Fuse.INTERCHANGE)
            .then(Fuse.RED_FLAT);
    Seeds.check(100, seed -> SamePrograms.check(seed, passes, TOLERANCE));
  }

  @Test
  void fusionKeepsTheMeaning() {
    Seeds.check(300, seed -> SamePrograms.check(seed, Pipelines.FUSED, TOLERANCE));
  }

  @Test
  void whatLeavesMapsKeepsTheMeaning() {
    var passes =
        Pipeline.<CoreProgram>start()
            .then(Simplify.SIMPLIFY)
            .then(Fuse.INVARIANTS)
            .then(Simplify.SIMPLIFY);
    Seeds.check(200, seed -> SamePrograms.check(seed, passes, TOLERANCE));
  }

  @Test
  void wideningKeepsTheMeaning() {
    var passes = Pipelines.FUSED.then(Pipelines.WIDENED);
    Seeds.check(100, seed -> SamePrograms.check(seed, passes, TOLERANCE));
  }
}
