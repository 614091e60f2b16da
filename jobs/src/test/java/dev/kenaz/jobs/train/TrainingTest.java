package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7101;
import static dev.kenaz.error.ErrorCode.K7102;
import static dev.kenaz.error.ErrorCode.K7104;
import static dev.kenaz.error.ErrorCode.K7301;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TrainingTest {
  private static final int K = 4;
  private static final double[][] POINTS = blobs(2000);

  @TempDir Path folder;

  private static double[][] blobs(int n) {
    var random = new Random(7);
    var points = new double[n][];
    for (int i = 0; i < n; i++) {
      int c = i % K;
      points[i] =
          new double[] {10 * (c / 2) + random.nextGaussian(), 10 * (c % 2) + random.nextGaussian()};
    }
    return points;
  }

  private static Initialisation.RowReader reader(double[][] rows) {
    return indices -> LongStream.of(indices).mapToObj(i -> rows[(int) i]).toList();
  }

  private static double[] start(long seed) {
    return new Initialisation(POINTS.length, 2, reader(POINTS)).plusPlus(K, seed);
  }

  private static Training loop(int iterations, List<TrainState> checkpoints) {
    return new Training(iterations, 0, 3, checkpoints::add, line -> {});
  }

  @Test
  void newtonIsLloyd() {
    var state =
        loop(20, new ArrayList<>())
            .run(
                new HandWrittenKmeans(POINTS, K),
                new Optimiser.Newton(1),
                TrainState.initial(start(1)));
    // four unit blobs in two dimensions: 2 a point, but for the noise
    assertEquals(2.0, state.costs().getLast() / POINTS.length, 0.1);
    for (int i = 1; i < state.costs().size(); i++) {
      assertTrue(state.costs().get(i) <= state.costs().get(i - 1) * (1 + 1e-12));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gradient-descent", "adam"})
  void firstOrderRulesGetThere(String name) {
    var rule =
        name.equals("adam")
            ? new Optimiser.Adam(0.3, 0.9, 0.999, 1e-8, Optimiser.Memory.NONE)
            : new Optimiser.GradientDescent(1.0);
    var state =
        loop(150, new ArrayList<>())
            .run(new HandWrittenKmeans(POINTS, K), rule, TrainState.initial(start(1)));
    assertEquals(2.0, state.costs().getLast() / POINTS.length, 0.1);
  }

  @Test
  void resumedTrainingEndsWithTheSameModel() throws IOException {
    var checkpoints = new ArrayList<TrainState>();
    var rule = new Optimiser.Adam(0.1, 0.9, 0.999, 1e-8, Optimiser.Memory.NONE);
    var objective = new HandWrittenKmeans(POINTS, K);
    var begin = java.util.Arrays.stream(start(2)).map(x -> x + 3).toArray();
    var whole = loop(10, checkpoints).run(objective, rule, TrainState.initial(begin));
    assertEquals(List.of(3, 6, 9), checkpoints.stream().map(TrainState::iteration).toList());

    var output = new OutputFolder(folder.resolve("out"));
    output.claim(OutputFolder.Existing.REFUSE, 1000).close();
    Files.createDirectories(output.path());
    var subject = JsonNodeFactory.instance.textNode("job");
    output.writeCheckpoint(new OutputFolder.Checkpoint(subject, checkpoints.get(1)));
    var found = output.readCheckpoint(subject).orElseThrow().state();
    var resumed = loop(10, new ArrayList<>()).run(objective, rule, found);
    assertArrayEquals(whole.parameters(), resumed.parameters());
    assertEquals(whole.costs(), resumed.costs());
  }

  @Test
  void toleranceEndsEarly() {
    var state =
        new Training(100, 1e-3, 0, s -> {}, line -> {})
            .run(
                new HandWrittenKmeans(POINTS, K),
                new Optimiser.Newton(1),
                TrainState.initial(start(1)));
    assertTrue(state.iteration() < 20);
  }

  @Test
  void divergenceIsAnError() {
    var failure =
        assertThrows(
            UserError.class,
            () ->
                loop(2000, new ArrayList<>())
                    .run(
                        new HandWrittenKmeans(POINTS, K),
                        new Optimiser.GradientDescent(1e200),
                        TrainState.initial(start(1))));
    assertEquals(K7301, failure.diagnostics().getFirst().code());
  }

  @Test
  void initialRowsAreDistinctAndSeeded() {
    var rows = new double[][] {{1}, {1}, {2}, {1}, {3}, {2}, {1}, {1}};
    var init = new Initialisation(rows.length, 1, reader(rows));
    var three = init.distinctRows(3, 5);
    java.util.Arrays.sort(three);
    assertArrayEquals(new double[] {1, 2, 3}, three);
    var plus = init.plusPlus(3, 5);
    java.util.Arrays.sort(plus);
    assertArrayEquals(new double[] {1, 2, 3}, plus);
    assertArrayEquals(start(3), start(3));
    assertFalse(java.util.Arrays.equals(start(3), start(4)));
    for (int k : List.of(4, 9)) {
      assertThrows(UserError.class, () -> init.distinctRows(k, 5));
      assertThrows(UserError.class, () -> init.plusPlus(k, 5));
    }
  }

  @Test
  void nothingIsLostInTheOutputFolder() throws IOException {
    var output = new OutputFolder(folder.resolve("out"));
    try (var _ = output.claim(OutputFolder.Existing.REFUSE, 1000)) {
      output.writeJson(OutputFolder.MODEL_JSON, List.of(1));
    }
    assertEquals(K7101, code(() -> output.claim(OutputFolder.Existing.REFUSE, 1000)));
    assertEquals(K7101, code(() -> output.claim(OutputFolder.Existing.RESUME, 1000)));

    assertEquals(
        K7102,
        code(
            () ->
                output.write(
                    OutputFolder.MODEL_JSON,
                    out -> {
                      out.write(1);
                      throw new IOException("No space left on device");
                    })));
    assertEquals("[ 1 ]", Files.readString(output.path().resolve(OutputFolder.MODEL_JSON)));
    try (var files = Files.list(output.path())) {
      assertEquals(1, files.count());
    }
    assertEquals(K7102, code(() -> output.claim(OutputFolder.Existing.OVERWRITE, Long.MAX_VALUE)));
    output.claim(OutputFolder.Existing.OVERWRITE, 1000).close();
    output.setAside();
    output.setAside(); // of another training that did not come to its end
    assertEquals(
        "[ 1 ]", Files.readString(output.path().resolve("previous/" + OutputFolder.MODEL_JSON)));
    output.discard();

    var other = Files.createDirectories(folder.resolve("other"));
    Files.writeString(other.resolve("thesis.txt"), "dear");
    assertEquals(
        K7101, code(() -> new OutputFolder(other).claim(OutputFolder.Existing.REFUSE, 1000)));
  }

  @Test
  void oneTrainingAtATimeWritesIntoAFolder() throws Exception {
    var output = new OutputFolder(folder.resolve("new/out"));
    try (var _ = output.claim(OutputFolder.Existing.REFUSE, 1000)) {
      assertEquals(K7104, code(() -> output.claim(OutputFolder.Existing.OVERWRITE, 1000)));
      assertEquals(K7104, code(() -> output.claim(OutputFolder.Existing.RESUME, 1000)));
    }
    assertFalse(
        Files.exists(folder.resolve("new")), "a training without a result leaves no folder");

    // What a killed one leaves: its lock, which the system has opened, and half a file.
    Files.createDirectories(output.path());
    Files.writeString(output.path().resolve(OutputLock.NAME), "process 1 on here, owner");
    Files.writeString(output.path().resolve(".model.json.part"), "{");
    output.claim(OutputFolder.Existing.REFUSE, 1000).close();
    try (var files = Files.list(output.path())) {
      assertEquals(List.of(), files.toList());
    }
  }

  /** Another process, as two users on one machine would be. */
  @Test
  void theLockHoldsBetweenProcesses() throws Exception {
    var output = new OutputFolder(folder.resolve("out"));
    var other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OtherTraining.class.getName(),
                output.path().toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertEquals("locked", other.inputReader().readLine());
      var e =
          assertThrows(UserError.class, () -> output.claim(OutputFolder.Existing.OVERWRITE, 1000));
      assertEquals(K7104, e.diagnostics().getFirst().code());
      assertTrue(e.getMessage().contains("process " + other.pid()), e.getMessage());
    } finally {
      other.destroyForcibly().waitFor();
    }
    assertTrue(Files.exists(output.path().resolve(OutputLock.NAME)), "killed, it cleaned nothing");
    output.claim(OutputFolder.Existing.REFUSE, 1000).close();
  }

  /** Holds the lock of a folder until it is killed. */
  static final class OtherTraining {
    public static void main(String[] args) throws InterruptedException {
      var lock = new OutputFolder(Path.of(args[0])).claim(OutputFolder.Existing.REFUSE, 1000);
      System.out.println("locked");
      Thread.sleep(60_000);
      lock.close();
    }
  }

  private static ErrorCode code(org.junit.jupiter.api.function.Executable action) {
    return assertThrows(UserError.class, action).diagnostics().getFirst().code();
  }

  @Test
  void pictureIsAPng() throws IOException {
    var file = folder.resolve("cost.png");
    try (var out = Files.newOutputStream(file)) {
      CostPicture.write("cost", List.of(5.0, 3.0, 2.5), out);
    }
    assertEquals(900, ImageIO.read(file.toFile()).getWidth());
  }
}
