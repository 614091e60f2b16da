package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.junit.jupiter.api.Test;

/** What is told of lost executors, and to whom. */
final class LostExecutorsTest {
  private final LostExecutors lost = new LostExecutors();

  private void remove(String executor, String reason) {
    lost.onExecutorRemoved(new SparkListenerExecutorRemoved(0, executor, reason));
  }

  @Test
  void eachReaderHasEachLineAndOneTellsTheUser() {
    remove("1", "Command exited with code 137\nand more");
    var first = lost.news();
    var second = lost.news();
    var line = first.next().getFirst();
    assertTrue(
        line.text().startsWith("executor 1 was lost (Command exited with code 137): 0 tasks"));
    assertTrue(line.isNew());
    assertFalse(second.next().getFirst().isNew());
    assertEquals(List.of(), first.next());
    assertEquals(List.of(), lost.news().next(), "the user knows it");
    remove("2", "Worker shutting down");
    remove("2", "Command exited with code 1");
    assertEquals(1, first.next().size());
    assertEquals(1, second.next().size());
  }

  @Test
  void anExecutorThatIsNotNeededIsNotLost() {
    remove("1", "Executor killed by driver.");
    assertEquals(List.of(), lost.news().next());
  }
}
