package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Random programs, over pieces and over the whole. More of them with {@code
 * -Dkenaz.random.plans=5000 -Dkenaz.random.plans.first=1}.
 */
final class RandomPlansTest {
  private static final long COUNT = Long.getLong("kenaz.random.plans", 300);
  private static final long FIRST = Long.getLong("kenaz.random.plans.first", 1);

  /** Steps of one program in so many are compiled for the JVM, those of the others interpreted. */
  private static final long JVM_EVERY = Long.getLong("kenaz.random.plans.jvm", 20);

  @Test
  void aPlanGivesWhatTheWholeGives() {
    var planned = new AtomicInteger();
    var refused = new AtomicInteger();
    var failing = new AtomicInteger();
    var faulty = new AtomicInteger();
    var faults = new ConcurrentLinkedQueue<String>();
    LongStream.range(FIRST, FIRST + COUNT)
        .forEach(
            seed -> {
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
                faulty.incrementAndGet();
                return;
              } catch (RuntimeException e) {
                faults.add(
                    "seed "
                        + seed
                        + " "
                        + sizes
                        + ": "
                        + e
                        + " at "
                        + List.of(e.getStackTrace())
                            .subList(0, Math.min(4, e.getStackTrace().length))
                        + "\n"
                        + text);
                return;
              }
              switch (outcome) {
                case WholeAndPieces.Same _ -> planned.incrementAndGet();
                case WholeAndPieces.Refused(var e) -> {
                  refused.incrementAndGet();
                  if (!e.diagnostic().span().known()) {
                    faults.add(
                        "seed " + seed + ": no source line: " + e.getMessage() + "\n" + text);
                  }
                }
                case WholeAndPieces.Failing _ -> failing.incrementAndGet();
                case WholeAndPieces.Different(var what) ->
                    faults.add("seed " + seed + " " + sizes + ": " + what + "\n" + text);
              }
            });
    System.out.printf(
        "random plans: %d planned, %d refused, %d fail by themselves, %d are no programs%n",
        planned.get(), refused.get(), failing.get(), faulty.get());
    assertTrue(planned.get() > COUNT / 10, "only " + planned + " were planned");
    assertEquals(List.of(), faults.stream().sorted().toList());
  }
}
