package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.error.UserError;
import dev.kenaz.testing.Seeds;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Random programs, over pieces and over the whole. */
final class RandomPlansTest {
  /** Steps of one program in so many are compiled for the JVM, those of the others interpreted. */
  private static final long JVM_EVERY = Long.getLong("random.jvm", 20);

  private int planned;
  private int refused;
  private int failing;
  private int faulty;

  @Test
  void aPlanGivesWhatTheWholeGives() {
    Seeds.check(300, this::check);
    System.out.printf(
        "random plans: %d planned, %d refused, %d fail by themselves, %d are no" + " programs%n",
        planned, refused, failing, faulty);
    int all = planned + refused + failing + faulty;
    assertTrue(planned >= all / 10, "only " + planned + " were planned");
  }

  private void check(long seed) {
    var text = RandomRowPrograms.program(seed);
    var random = new SplittableRandom(seed);
    var sizes = Map.of("n", random.nextLong(0, 10), "d", random.nextLong(1, 4));
    WholeAndPieces.Outcome outcome;
    try {
      outcome =
          seed % JVM_EVERY == 0
              ? WholeAndPieces.compareCompiled(text, sizes, seed)
              : WholeAndPieces.compare(text, sizes, seed);
    } catch (UserError e) {
      // not a program, such as one whose jvp goes through no float
      faulty++;
      return;
    } catch (RuntimeException e) {
      throw new AssertionError(sizes + ": " + e + "\n" + text, e);
    }
    switch (outcome) {
      case WholeAndPieces.Same _ -> planned++;
      case WholeAndPieces.Refused(var e, var whole) -> {
        refused++;
        assertTrue(whole.isPresent(), "not even in one place: " + e.getMessage() + "\n" + text);
        var message = "no source line: " + e.getMessage() + "\n" + text;
        assertTrue(e.diagnostic().span().known(), message);
      }
      case WholeAndPieces.Failing _ -> failing++;
      case WholeAndPieces.Different(var what) -> fail(sizes + ": " + what + "\n" + text);
    }
  }
}
