package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Executors are killed at random moments of predictions over a table that isn't copied: while its
 * rows come into the memory of executors, while they are predicted, and while the table is written
 * with the predictions.
 */
@Tag("slow")
final class ClusterPredictionTest {
  private static final int PREDICTIONS = 6;

  /** So many milliseconds lie between kills, at most. */
  private static final int PAUSE = 8000;

  /** No more executors than these are killed in a prediction, so that it gets on. */
  private static final int KILLS = 4;

  /** The prediction depends on all rows, and is as slow as that of a larger model. */
  private static final String PROGRAM =
      """
      def init : f64 = 1
      def loss [n] (m: f64) (x: [n]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\x y -> (m * x - y) ** 2) x y) / f64.i64 n
      def predict [n] (m: f64) (x: [n]f64) : [n]f64 =
        let mean = f64.sum x / f64.i64 n
        in map (\\x -> loop s = m * x - mean for i < 1500i32 do f64.sin (s + f64.i32 i)) x
      """;

  private static final String TABLE =
      "select id, id % 1009 * 0.1D as distance, concat('row ', id) as name from range(0, 240000, 1, 12)";

  @TempDir Path folder;

  @Test
  void noMomentIsABadOneToLoseAnExecutor() throws Exception {
    var files = new JobFiles(folder);
    Files.writeString(folder.resolve("line.fut"), PROGRAM);
    var settings =
        """
        "program": "line.fut",
        "data": { "path": "%s", "columns": { "x": "distance", "y": "time" } },
        "optimiser": { "name": "l-bfgs" }, "iterations": 3,
        """;
    long seed = System.nanoTime();
    var random = new Random(seed);
    try (var cluster = StandaloneCluster.start(files.clusterHome(), folder.resolve("logs"))) {
      end(
          cluster,
          "model",
          cluster.submit(
              "model", JobFiles.submission(files.training("model", settings), List.of())));
      end(cluster, "undisturbed", cluster.submit("undisturbed", prediction("undisturbed")));
      var expected = digest("undisturbed");
      int killed = 0;
      for (int i = 0; i < PREDICTIONS; i++) {
        var name = "disturbed-" + i;
        var job = cluster.submit(name, prediction(name));
        for (int k = 0; k < KILLS; k++) {
          if (!job.waitFor(random.nextInt(PAUSE), TimeUnit.MILLISECONDS)) {
            killed += cluster.killAnExecutor(random) ? 1 : 0;
          }
        }
        end(cluster, name, job);
        assertEquals(expected, digest(name), "with the random numbers of " + seed);
        try (var left = Files.list(folder)) {
          var about = "with the random numbers of " + seed + ": ";
          var temporary = left.filter(f -> f.getFileName().toString().startsWith(".")).toList();
          assertEquals(List.of(), temporary, about);
        }
      }
      assertTrue(killed >= PREDICTIONS, killed + " executors were killed");
    }
  }

  private List<String> prediction(String out) throws IOException {
    var all = new ArrayList<>(JobFiles.submission(List.of()));
    all.addAll(List.of("predict", folder.resolve("model").toString(), "--sql", TABLE));
    all.addAll(List.of("--out", folder.resolve(out).toString()));
    return all;
  }

  private static void end(StandaloneCluster cluster, String name, Process job)
      throws InterruptedException {
    assertTrue(job.waitFor(5, TimeUnit.MINUTES), () -> cluster.log(name));
    assertEquals(0, job.exitValue(), () -> cluster.log(name));
  }

  /** Returns what depends on each number and its place. */
  private List<Integer> digest(String out) {
    return List.of(
        Arrays.hashCode(column(out, "id", Prim.I64).toLongArray()),
        Arrays.hashCode(column(out, "distance", Prim.F64).toDoubleArray()),
        Arrays.hashCode(column(out, "prediction", Prim.F64).toDoubleArray()));
  }

  private ArrayValue column(String out, String name, Prim prim) {
    var place = folder.resolve(out).toString();
    return ArrowDataset.open(List.of(place), ReadOptions.columns(name)).toVector(prim);
  }
}
