package dev.kenaz.simplify;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.testing.Seeds;
import org.junit.jupiter.api.Test;

final class RandomProgramsTest {
  @Test
  void simplifyingKeepsTheMeaning() {
    var passes = Pipeline.<CoreProgram>start().then(Simplify.INLINE).then(Simplify.SIMPLIFY);
    Seeds.check(500, seed -> SamePrograms.check(seed, passes, 0));
  }
}
