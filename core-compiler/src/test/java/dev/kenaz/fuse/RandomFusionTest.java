package dev.kenaz.fuse;

import dev.kenaz.simplify.SamePrograms;
import dev.kenaz.simplify.Simplify;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

final class RandomFusionTest {
  @Property(tries = 200)
  void histogramsKeepTheMeaning(@ForAll long seed) {
    SamePrograms.check(seed, List.of(Simplify.SIMPLIFY, Fuse.FUSION, Fuse.HISTOGRAMS), 1e-9);
  }

  /** Accumulated sums may be added in another order. */
  @Property(tries = 200)
  void eachPassKeepsTheMeaning(@ForAll long seed) {
    SamePrograms.check(seed, Fuse.passes(), 1e-9);
  }

  @Property(tries = 100)
  void wideningKeepsTheMeaning(@ForAll long seed) {
    SamePrograms.check(seed, List.of(Simplify.SIMPLIFY, Fuse.INTERCHANGE, Fuse.RED_FLAT), 1e-9);
    SamePrograms.check(seed, List.of(Fuse.FUSE, Fuse.WIDEN), 1e-9);
  }

  @Property(tries = 300)
  void theFixpointKeepsTheMeaning(@ForAll long seed) {
    SamePrograms.check(seed, List.of(Fuse.FUSE), 1e-9);
  }
}
