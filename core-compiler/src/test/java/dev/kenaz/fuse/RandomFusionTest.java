package dev.kenaz.fuse;

import dev.kenaz.simplify.SamePrograms;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

final class RandomFusionTest {
  /** Accumulated sums may be added in another order. */
  @Property(tries = 200)
  void eachPassKeepsTheMeaning(@ForAll long seed) {
    SamePrograms.check(seed, Fuse.passes(), 1e-9);
  }

  @Property(tries = 300)
  void theFixpointKeepsTheMeaning(@ForAll long seed) {
    SamePrograms.check(seed, List.of(Fuse.FUSE), 1e-9);
  }
}
