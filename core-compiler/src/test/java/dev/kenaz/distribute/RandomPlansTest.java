package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.error.UserError;
import dev.kenaz.testing.Seeds;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

/** Random programs, over pieces and over the whole. */
@Execution(CONCURRENT)
final class RandomPlansTest {
  /** Steps of one program in so many are compiled for the JVM, those of the others interpreted. */
  private static final long JVM_EVERY = Long.getLong("random.jvm", 20);

  private static final Set<String> DATASETS = Set.of("n", "m");

  private int planned;
  private int gathering;
  private int failing;
  private int faulty;

  @Test
  void aPlanGivesWhatTheWholeGives() {
    Seeds.check(1000, this::check);
    System.out.printf(
        "random plans: %d planned, %d of them gather rows, %d fail by themselves, %d are no"
            + " programs%n",
        planned, gathering, failing, faulty);
    int all = planned + failing + faulty;
    assertTrue(planned >= all / 2, "only " + planned + " were planned");
  }

  private void check(long seed) {
    var text = RandomRowPrograms.program(seed);
    var random = new SplittableRandom(seed);
    var sizes =
        Map.of("n", random.nextLong(0, 10), "d", random.nextLong(1, 4), "m", random.nextLong(0, 7));
    WholeAndPieces.Outcome outcome;
    try {
      outcome =
          seed % JVM_EVERY == 0
              ? WholeAndPieces.compareCompiled(text, sizes, seed, DATASETS)
              : WholeAndPieces.compare(text, sizes, seed, DATASETS);
    } catch (UserError e) {
      // not a program, such as one whose jvp goes through no float
      faulty++;
      return;
    } catch (RuntimeException e) {
      throw new AssertionError(sizes + ": " + e + "\n" + text, e);
    }
    switch (outcome) {
      case WholeAndPieces.Same(var plan) -> {
        planned++;
        gathering += plan.gathered().isEmpty() ? 0 : 1;
        for (var gather : plan.gathered()) {
          var message = "no source line: " + gather.why() + "\n" + text;
          assertTrue(gather.why().span().known(), message);
        }
      }
      case WholeAndPieces.Refused(var e) -> fail("refused: " + e.getMessage() + "\n" + text);
      case WholeAndPieces.Failing _ -> failing++;
      case WholeAndPieces.Different(var what) -> fail(sizes + ": " + what + "\n" + text);
    }
  }
}
