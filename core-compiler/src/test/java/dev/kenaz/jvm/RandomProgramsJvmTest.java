package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.value.Value;
import org.junit.jupiter.api.Test;

/** Random programs mean the same on the JVM backend, in every mode, as to the interpreter. */
final class RandomProgramsJvmTest {
  private static final int FIRST = Integer.getInteger("seed", 0);
  private static final int COUNT = Integer.getInteger("seeds", 150);

  @Test
  void agreesWithTheInterpreter() {
    for (int seed = FIRST; seed < FIRST + COUNT; seed++) {
      var sample = RandomPrograms.of(seed);
      try {
        Compare.same(sample.program(), sample.arguments().toArray(Value[]::new));
      } catch (RuntimeException | AssertionError e) {
        fail("seed " + seed, e);
      }
    }
  }
}
