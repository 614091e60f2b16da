package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A process that runs ever new programs forgets those that it hasn't used for long. */
final class RecentTest {
  @Test
  void whatWasNotUsedForLongestIsForgotten() {
    var recent = new Recent<String, Integer>(2);
    var made = new ArrayList<String>();
    for (var key : List.of("a", "b", "a", "c", "a", "b", "b")) {
      recent.get(
          key,
          () -> {
            made.add(key);
            return made.size();
          });
    }
    assertEquals(List.of("a", "b", "c", "b"), made);
    assertEquals(2, recent.size());
  }

  @Test
  void whatCouldNotBeMadeIsTriedAgain() {
    var recent = new Recent<String, Integer>(2);
    Runnable failing =
        () ->
            recent.get(
                "a",
                () -> {
                  throw new IllegalStateException();
                });
    assertThrows(IllegalStateException.class, failing::run);
    assertEquals(1, recent.get("a", () -> 1));
  }

  @Test
  void plansAndWhatTheyAreCompiledToAreForgotten() {
    for (int i = 0; i < 300; i++) {
      var source = ProgramSource.of("a.fut", "entry main [n] (xs: [n]i64) = map (+ " + i + ") xs");
      var text = new SourceText(source, "main", Set.of(0), Backend.INTERPRET);
      var stage = text.plan().stages().getFirst();
      assertSame(stage, text.plan().stages().getFirst());
      assertSame(text.caller(1), text.caller(1));
      var program = PlanStage.of(text, stage, Cuts.even(4, 2), null, RowSink.COLLECT);
      new ShardTask.Shared(program).function();
    }
    assertTrue(SourceText.PLANS.size() <= 32, "plans");
    assertTrue(SourceText.CALLERS.size() <= 64, "compiled steps");
    assertTrue(ShardTask.FUNCTIONS.size() <= 256, "functions of stages");
  }
}
