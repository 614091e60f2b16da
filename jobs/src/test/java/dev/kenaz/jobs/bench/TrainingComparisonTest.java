package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.jobs.bench.TrainingComparison.Case;
import dev.kenaz.spark.SparkStart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TrainingComparisonTest {
  /** Where there is one best model, both sides find it. */
  @Test
  void bothFindTheBestModel() {
    var lines = new ArrayList<String>();
    try (var spark = SparkStart.open("test", Optional.of("local[2]"))) {
      var comparison = new TrainingComparison(3, 0, 1, 0.001, lines::add);
      var rows = comparison.run(spark, List.of(Case.LINEAR, Case.COMPONENTS));
      for (var row : rows) {
        assertEquals(1000, row.rows());
        var best = row.mllib().objective();
        assertFalse(Double.isNaN(best), row + " " + lines);
        assertEquals(best, row.kenaz().objective(), 1e-4 * best);
        assertTrue(row.compile() > 0, row.toString());
        for (var side : List.of(row.kenaz(), row.mllib())) {
          assertTrue(side.first() > 0 && side.fit().wall() > 0, row.toString());
        }
      }
    }
    assertEquals(3, lines.size());
    assertTrue(lines.get(1).startsWith("linear "), lines.get(1));
  }
}
