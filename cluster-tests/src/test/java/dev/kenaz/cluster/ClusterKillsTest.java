package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Executors are killed one after the other, at random moments of a training, of an import and of
 * scoring, and of fits of pipelines. It is slow because for each of them another one has to start.
 */
@Tag("slow")
final class ClusterKillsTest {
  /** So many milliseconds lie between kills, at most. */
  private static final int PAUSE = 6000;

  @TempDir Path folder;

  @Test
  void noMomentIsABadOneToLoseAnExecutor() throws Exception {
    kill(20, Rounds.class, "trained", "imported", "scored");
  }

  @Test
  void fitsOfPipelinesLoseExecutors() throws Exception {
    kill(12, Fits.class, "clustered", "piped", "validated");
  }

  /**
   * Kills executors of an application that works in rounds.
   *
   * @param parts each round prints a line for each, which is the same in all rounds
   */
  private void kill(int kills, Class<?> application, String... parts) throws Exception {
    var files = new JobFiles(folder);
    long seed = System.nanoTime();
    var random = new Random(seed);
    var enough = folder.resolve("enough");
    var place = Files.createDirectories(folder.resolve("rounds"));
    try (var cluster = StandaloneCluster.start(files.clusterHome(), folder.resolve("logs"))) {
      var job =
          cluster.submit(
              "rounds", files.application(application, place.toString(), enough.toString()));
      cluster.await("a round", () -> cluster.log("rounds").contains("round 0") || !job.isAlive());
      for (int killed = 0; killed < kills && job.isAlive(); ) {
        Thread.sleep(random.nextInt(PAUSE));
        killed += cluster.killAnExecutor(random) ? 1 : 0;
      }
      Files.createFile(enough);
      var about = "with the random numbers of " + seed + "\n" + cluster.log("rounds");
      assertTrue(job.waitFor(5, TimeUnit.MINUTES), about);
      assertEquals(0, job.exitValue(), () -> about + cluster.log("rounds"));
      var said = cluster.log("rounds").lines().toList();
      assertTrue(said.stream().anyMatch(l -> l.equals("round 1")), about);
      for (var part : parts) {
        var results =
            said.stream().filter(l -> l.startsWith(part + " ")).collect(Collectors.toSet());
        assertEquals(1, results.size(), about + results);
      }
    }
  }
}
