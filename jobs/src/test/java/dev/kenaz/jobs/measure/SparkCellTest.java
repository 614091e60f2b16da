package dev.kenaz.jobs.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ValueComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cell on Spark computes what the same cell computes in memory. */
final class SparkCellTest {
  private static final Path DATA = Path.of("../configs/data").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(
        folder.resolve("p.fut"),
        """
        entry cost [n][k] (points: [n][3]f64) (scale: f64) (centres: [k][3]f64) =
          f64.sum (map (\\p -> f64.minimum (map (\\c ->
            f64.sum (map2 (\\x y -> (x - scale * 1000 * y) ** 2) p c)) centres)) points)
          / f64.i64 n
        """);
  }

  private static ObjectNode settings(String mode, String more) throws IOException {
    return (ObjectNode)
        new ObjectMapper()
            .readTree(
                """
                { "program": "p.fut", "entry": "cost", "mode": "%s", "by": ["centres", "scale"],
                  "input": {
                    "data": { "points": "%s/flights-200k.arrow:delay,distance,time" },
                    "values": ["0.5f64", "[4][3]f64"] } %s }
                """
                    .formatted(mode, DATA, more));
  }

  @ParameterizedTest
  @ValueSource(strings = {"value", "gradient", "jvp", "hessian-vector"})
  void givesWhatMemoryGives(String mode) throws IOException {
    try (var memory = CellFunction.of(settings(mode, ""), folder);
        var spark =
            CellFunction.of(
                settings(
                    mode,
                    ", \"spark\": \"local[2]\", \"pieces\": 3,"
                        + " \"spark-conf\": { \"spark.kenaz.cache\": \"1g\" }"),
                folder)) {
      var expected = memory.call();
      for (int i = 0; i < 2; i++) {
        assertEquals(Optional.empty(), ValueComparison.difference(expected, spark.call()));
      }
      assertTrue(spark.isHere());
      assertTrue(spark.compileSeconds() > 0);
      assertThrows(UserError.class, spark::ownArguments);
    } finally {
      System.clearProperty("spark.kenaz.cache");
    }
  }

  @Test
  void whatIsMissingIsTold() throws IOException {
    var few = settings("value", ", \"spark\": \"local[2]\"");
    few.withObject("input").putArray("values").add("0.5f64");
    fault("nothing for the parameter centres", few);
    var tangent = settings("jvp", ", \"spark\": \"local[2]\"");
    tangent.putArray("by").add("points");
    fault("as long as the data", tangent);
    var none = settings("value", ", \"spark\": \"local[2]\"");
    none.putObject("input").putArray("random").add("[5][3]f64");
    fault("columns of files are the arguments", none);
  }

  private void fault(String message, ObjectNode settings) {
    var e = assertThrows(UserError.class, () -> CellFunction.of(settings, folder));
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }
}
