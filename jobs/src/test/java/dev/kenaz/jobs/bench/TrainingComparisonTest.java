package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
      var comparison = new TrainingComparison(3, 1, 0.001, lines::add);
      var rows = comparison.run(spark, List.of(Case.LINEAR, Case.COMPONENTS));
      for (var row : rows) {
        assertEquals(1000, row.rows());
        assertEquals(row.mllibObjective(), row.objective(), 1e-4 * row.mllibObjective());
        assertTrue(
            row.kenaz().wall() > 0 && row.mllib().wall() > 0 && row.compile() > 0, row.toString());
      }
    }
    assertEquals(3, lines.size());
    assertTrue(lines.get(1).startsWith("linear "), lines.get(1));
  }
}
