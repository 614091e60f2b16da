package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K8001;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.error.Limitation;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Costs in which something depends on how the rows lie: a model is the same from one partition and
 * from four, or the cost is refused.
 */
final class TrainLayoutsTest {
  private static final String HEAD =
      "def loss [n][k][d] (points: [n][d]f64) (centres: [k][d]f64) : f64 =\n";
  private static final String FIT =
      "f64.sum (map (\\p -> f64.sum (map2 (\\x c -> (x - c) * (x - c)) p centres[0])) points)";

  private static final String TAIL =
      """

      def init : [2][2]f64 = [[0.5, 1], [2, 0.1]]

      def step [n][k][d] (points: [n][d]f64) (centres: [k][d]f64) : ([k][d]f64, f64) =
        let (now, slope) = vjp2 (loss points) centres 1
        in (map2 (map2 (\\x s -> x - 2.5e-6 * s)) centres slope, now)
      """;

  @TempDir Path folder;

  @BeforeEach
  void writeData() {
    var random = new Random(5);
    var columns = new LinkedHashMap<String, ArrayValue>();
    for (var name : new String[] {"x", "y"}) {
      var numbers = random.doubles(203, -1, 3).toArray();
      columns.put(name, ArrayValue.ofDoubles(numbers, numbers.length));
    }
    ArrowOutput.write(folder.resolve("data.arrow"), columns, true);
  }

  private TrainJob.Result train(String body, int partitions) throws IOException {
    Files.writeString(folder.resolve("cost.fut"), HEAD + body + TAIL);
    var config =
        """
        {
          "program": "cost.fut",
          "data": { "path": "data.arrow", "columns": { "points": ["x", "y"] } },
          "iterations": 4,
          "spark": { "master": "local[2]", "partitions": %d },
          "output": "out"
        }
        """
            .formatted(partitions);
    var file = Files.writeString(folder.resolve("job.json"), config);
    return TrainJob.read(file, _ -> {}).run(Existing.OVERWRITE);
  }

  private static double[] numbers(TrainJob.Result result) {
    return ((ArrayValue) result.model().getFirst()).toDoubleArray();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // a condition on all rows
        "let s = map (\\c -> if any (> 2.95) c then 4 else 2f64) (transpose points)\n"
            + "in f64.sum (map2 (*) s centres[1]) + FIT",
        // a loop whose length all rows decide
        "let s = map (\\c -> loop a = 1f64 for i < i64.f64 (f64.abs (f64.sum c)) % 7 do a + f64.i64"
            + " i) (transpose points)\nin f64.sum (map2 (*) s centres[1]) + FIT",
        // an update in place of what a sum over the rows has read
        "let w = map (* 2) centres[0]\n"
            + "let s = f64.sum (map (\\p -> p[0] * w[0]) points)\n"
            + "let v = w with [0] = 100\n"
            + "in 0.01 * s + v[0] * v[1] + FIT",
        // the number of rows as a number
        "FIT / f64.i64 n + f64.i64 (n % 7) * centres[1][0]",
        // means and spreads of columns, and rows that are standardised by them
        "let m = map (\\c -> f64.sum c / f64.i64 n) (transpose points)\n"
            + "let z = map (map2 (\\a x -> x - a) m) points\n"
            + "in f64.sum (map (\\p -> f64.tanh (f64.sum (map2 (*) p centres[1]))) z) + FIT",
        // a histogram of the next row's values
        "let h = hist (+) 0 2 (map (\\p -> i64.bool (p[0] > 1)) points)"
            + " (map (\\i -> points[i64.min (n - 1) (i + 1)][0]) (iota n))\n"
            + "in h[0] * centres[1][0] + h[1] + FIT"
      })
  void onePartitionAndFourGiveTheSameModel(String body) throws IOException {
    var text = body.replace("FIT", FIT);
    var one = train(text, 1);
    var four = train(text, 4);
    assertArrayEquals(numbers(one), numbers(four), 1e-9);
    assertEquals(one.losses().getLast(), four.losses().getLast(), 1e-6);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // an index that all rows decide, so its adjoint is a histogram of combined values
        "let s = map (\\c -> centres[i64.f64 (f64.abs (f64.sum c)) % k][0]) (transpose points)\n"
            + "in f64.sum (map (\\x -> x * x) s) + FIT"
      })
  void whatCantBeCutIsRefusedAtItsLine(String body) {
    var text = body.replace("FIT", FIT);
    var error = assertThrows(Limitation.class, () -> train(text, 4));
    assertEquals(K8001, error.diagnostic().code());
    assertEquals("cost.fut", Path.of(error.diagnostic().span().file()).getFileName().toString());
    assertEquals(2, error.diagnostic().span().line());
  }
}
