package dev.kenaz.simplify;

import dev.kenaz.pass.Pass;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

final class RandomProgramsTest {
  @Property(tries = 300)
  void eachPassKeepsTheMeaning(@ForAll long seed) {
    SamePrograms.check(seed, Simplify.passes(), 0);
  }

  @Property(tries = 500)
  void theFixpointKeepsTheMeaning(@ForAll long seed) {
    SamePrograms.check(seed, List.<Pass>of(Simplify.SIMPLIFY), 0);
  }
}
