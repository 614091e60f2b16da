package dev.kenaz.jobs.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class EventCountersTest {
  private static final int BYTES = 64 << 20;

  /** Fresh memory costs page faults, also where a thread touches it that begins later. */
  @Test
  void eventsOfLaterThreadsAreCounted() throws InterruptedException {
    var counters = new EventCounters();
    var before = counters.now();
    assumeTrue(before.containsKey("page-faults"), "this system forbids counters");
    var sum = new long[1];
    var thread =
        new Thread(
            () -> {
              try (var arena = Arena.ofConfined()) {
                arena.allocate(BYTES).fill((byte) 1);
              }
              var random = new Random(1);
              for (int i = 0; i < 1_000_000; i++) {
                sum[0] += random.nextInt(2) == 0 ? i : -i;
              }
            });
    thread.start();
    thread.join();
    var after = counters.now();
    assertEquals(before.keySet(), after.keySet());
    // Huge pages have 2 MB.
    assertTrue(after.get("page-faults") - before.get("page-faults") >= BYTES >> 21);
    for (var event : after.keySet()) {
      assertTrue(after.get(event) >= before.get(event), event);
    }
    if (after.containsKey("instructions")) {
      assertTrue(after.get("instructions") - before.get("instructions") > 1_000_000);
    }
  }
}
