package dev.kenaz.jvm;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.ir.SmallerPrograms;
import dev.kenaz.testing.Seeds;
import dev.kenaz.testing.Shrinking;
import dev.kenaz.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

/** Random programs mean the same on the JVM backend, in every mode, as to the interpreter. */
@Execution(CONCURRENT)
final class RandomProgramsJvmTest {
  @Test
  void agreesWithTheInterpreter() {
    Seeds.check(150, RandomProgramsJvmTest::check);
  }

  private static void check(long seed) {
    var sample = RandomPrograms.of(seed);
    var arguments = sample.arguments().toArray(Value[]::new);
    Shrinking.check(
        sample.program(), SmallerPrograms::of, program -> Compare.same(program, arguments));
  }
}
