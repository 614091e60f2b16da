package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.spark.SparkStart;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SparkCostTest {
  @Test
  void measuresStagesAndIterations() {
    var lines = new ArrayList<String>();
    try (var spark = SparkStart.open("test", Optional.of("local[2]"))) {
      var cost = new SparkCost(2, lines::add);
      cost.stages(spark, 3);
      cost.iterations(spark, 3, 100, 200);
    }
    var figures = lines.stream().filter(l -> l.matches("( +[-0-9.]+)+")).toList();
    assertEquals(3, figures.size(), lines.toString());
    assertTrue(figures.getFirst().strip().startsWith("3 "), figures.getFirst());
  }
}
