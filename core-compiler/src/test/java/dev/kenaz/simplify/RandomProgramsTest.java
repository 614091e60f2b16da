package dev.kenaz.simplify;

import dev.kenaz.pass.Pass;
import dev.kenaz.testing.Seeds;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RandomProgramsTest {
  @Test
  void eachPassKeepsTheMeaning() {
    Seeds.check(300, seed -> SamePrograms.check(seed, Simplify.passes(), 0));
  }

  @Test
  void theFixpointKeepsTheMeaning() {
    Seeds.check(500, seed -> SamePrograms.check(seed, List.<Pass>of(Simplify.SIMPLIFY), 0));
  }
}
