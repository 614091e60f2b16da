package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7101;
import static dev.kenaz.error.ErrorCode.K7102;
import static dev.kenaz.error.ErrorCode.K7103;
import static dev.kenaz.error.ErrorCode.K7104;
import static dev.kenaz.error.ErrorCode.K7301;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TrainingTest {
  @TempDir Path folder;

  /** Steps of a number x by a function of it, with the loss x * x. */
  private record Numbers(DoubleUnaryOperator step, boolean hasLoss) implements Steps {
    @Override
    public Place start(List<Value> model) {
      double x = ((ScalarValue) model.getFirst()).asDouble();
      return new Place(hasLoss ? x * x : Double.NaN, x == 0, model);
    }

    @Override
    public Place next(int number, Place from, List<Value> like) {
      double x = ((ScalarValue) from.state().getFirst()).asDouble();
      return start(List.of(ScalarValue.f64(step.applyAsDouble(x))));
    }

    @Override
    public long rows() {
      return 7;
    }
  }

  private static final List<Value> TEN = List.of(ScalarValue.f64(10));

  private final List<String> said = new ArrayList<>();
  private final List<TrainState> checkpoints = new ArrayList<>();

  private Training loop(int iterations, double tolerance) {
    return loop(iterations, tolerance, 3, TrainConsole.lines(said::add));
  }

  private Training loop(
      int iterations, double tolerance, int every, Consumer<TrainEvent> observer) {
    return new Training(
        iterations,
        0,
        tolerance,
        Optional.empty(),
        Optional.empty(),
        every,
        checkpoints::add,
        observer);
  }

  private static List<Value> model(TrainState state) {
    return state.place().state();
  }

  @Test
  void stepsUntilTheIterationsAreDone() {
    var end = loop(4, 0).run(new Numbers(x -> x / 2, true), TEN);
    assertEquals(List.of(100.0, 25.0, 6.25, 1.5625, 0.390625), end.losses());
    assertEquals(List.of(ScalarValue.f64(0.625)), model(end));
    assertEquals(5, end.seconds().size());
    assertEquals(5, said.size());
  }

  @Test
  void eventsComeInOrder() {
    var events = new ArrayList<TrainEvent>();
    loop(2, 0, 2, events::add).run(new Numbers(x -> 2 * x, true), TEN);
    assertEquals(
        List.of("Iteration", "Iteration", "Iteration", "Checkpoint", "Warning", "Ended"),
        events.stream().map(e -> e.getClass().getSimpleName()).toList());
    var second = (TrainEvent.Iteration) events.get(1);
    assertEquals(400, second.loss());
    assertEquals(3, second.change());
    assertEquals(7, second.rowsPerSecond() * second.seconds(), 1e-6);
    assertEquals(new TrainEvent.Ended(2, 100.0, TrainEvent.Reason.ITERATIONS), events.getLast());
  }

  @Test
  void toleranceEndsEarly() {
    var end = loop(100, 0.1).run(new Numbers(x -> 1 + (x - 1) / 2, true), TEN);
    assertTrue(end.iteration() < 10, said.toString());
  }

  @Test
  void endsWhenNothingImproves() {
    var end = loop(100, 0).run(new Numbers(x -> Math.max(0, x - 4), true), TEN);
    assertEquals(3, end.iteration());
    assertEquals("no step improves the loss any more", said.getLast());
  }

  @Test
  void withoutALossTheLastModelIsTheOne() {
    var end = loop(5, 0).run(new Numbers(x -> x + 1, false), TEN);
    assertEquals(List.of(), end.losses());
    assertEquals(List.of(ScalarValue.f64(15)), model(end));
    assertFalse(said.getLast().contains("loss"), said.getLast());
  }

  @Test
  void aModelThatIsWorseThanTheFirstIsNotTheResult() {
    var end = loop(6, 0).run(new Numbers(x -> x - 4, true), TEN);
    assertEquals(List.of(ScalarValue.f64(2)), model(end), "10 6 2 -2 -6 -10 -14");
    assertEquals(List.of(100.0, 36.0, 4.0, 4.0, 36.0, 100.0, 196.0, 4.0), end.losses());
    assertTrue(said.getLast().startsWith("warning: training ends at a loss of"), said.getLast());
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, 1e200})
  void divergenceIsAnError(double to) {
    assertEquals(K7301, code(() -> loop(9, 0).run(new Numbers(x -> to, true), TEN)));
  }

  /** Also the best place is remembered, which was before the checkpoint. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void resumedTrainingEndsWithTheSameModel(boolean loss) {
    var steps = new Numbers(x -> 3 * x - 29, loss);
    var whole = loop(7, 0).run(steps, List.of(ScalarValue.f64(14.6)));
    assertEquals(List.of(3, 6), checkpoints.stream().map(TrainState::iteration).toList());
    var output = new OutputFolder(folder.resolve("out"));
    var subject = JsonNodeFactory.instance.textNode("job");
    for (var state : List.copyOf(checkpoints)) {
      output.claim(OutputFolder.Existing.OVERWRITE, 1000).close();
      assertDoesNotThrow(() -> Files.createDirectories(output.path()));
      Checkpoint.write(output, subject, state);
      var found = Checkpoint.read(output, subject).orElseThrow();
      var resumed = loop(7, 0).goOn(steps, found);
      assertEquals(whole.losses(), resumed.losses());
      assertEquals(model(whole), model(resumed));
    }
    var other = JsonNodeFactory.instance.textNode("other");
    assertEquals(K7103, code(() -> Checkpoint.read(output, other)));
  }

  @Test
  void aDamagedCheckpointIsRefused() throws IOException {
    var output = new OutputFolder(Files.createDirectories(folder.resolve("out")));
    var subject = JsonNodeFactory.instance.textNode("job");
    loop(3, 0).run(new Numbers(x -> x / 2, true), TEN);
    Checkpoint.write(output, subject, checkpoints.getFirst());
    var file = output.path().resolve(OutputFolder.CHECKPOINT);
    var bytes = Files.readAllBytes(file);
    for (int i = 0; i < bytes.length; i += 7) {
      var damaged = bytes.clone();
      damaged[i] ^= 1;
      Files.write(file, damaged);
      assertEquals(K7103, code(() -> Checkpoint.read(output, subject)));
      Files.write(file, Arrays.copyOf(bytes, i));
      assertEquals(K7103, code(() -> Checkpoint.read(output, subject)));
    }
    Files.delete(file);
    Files.writeString(output.path().resolve("checkpoint.json"), "{}");
    assertEquals(K7103, code(() -> Checkpoint.read(output, subject)));
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
