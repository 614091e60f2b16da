package dev.kenaz.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * Properties that hold for every seed. A test checks as many as it names, or {@code
 * -Drandom.programs=N} of them, from 1 or {@code -Drandom.seed=S} on, so that each run checks the
 * same ones and others are checked on request. What fails is told with the command that runs it
 * again.
 */
public final class Seeds {
  private static final int MOST_FAILURES = 5;

  private Seeds() {}

  /** What is checked for a seed: it throws what is wrong. */
  @FunctionalInterface
  public interface Property {
    void check(long seed) throws Exception;
  }

  /** Checks the property for so many seeds; to be called by the test itself, which is named. */
  public static void check(int count, Property property) {
    var test =
        StackWalker.getInstance()
            .walk(frames -> frames.skip(1).findFirst())
            .map(frame -> frame.getClassName() + "#" + frame.getMethodName())
            .orElseThrow();
    long first = Long.getLong("random.seed", 1);
    long end = first + Integer.getInteger("random.programs", count);
    var failures = new ArrayList<AssertionError>();
    for (long seed = first; seed < end && failures.size() < MOST_FAILURES; seed++) {
      try {
        property.check(seed);
      } catch (Exception | AssertionError | StackOverflowError e) {
        failures.add(new AssertionError(text(test, seed, e), e));
      }
    }
    if (!failures.isEmpty()) {
      var all = failures.getFirst();
      failures.stream().skip(1).forEach(all::addSuppressed);
      throw all;
    }
  }

  private static String text(String test, long seed, Throwable e) {
    return "seed %d: %s%nrun it again: %s"
        .formatted(
            seed,
            e instanceof AssertionError ? e.getMessage() : e.toString(),
            String.join(" ", command(test, seed)));
  }

  private static List<String> command(String test, long seed) {
    return List.of(
        "mvn -pl core-compiler test",
        "-Dtest=" + test,
        "-Drandom.seed=" + seed,
        "-Drandom.programs=1");
  }
}
