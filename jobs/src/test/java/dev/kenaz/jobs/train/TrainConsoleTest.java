package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.jobs.Screen;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TrainConsoleTest {
  private static void tell(Consumer<TrainEvent> console, int iterations) {
    console.accept(
        new TrainEvent.Started(
            "a.fut", 7000, null, 3, "local[2]", "jvm", iterations, null, "1", "25"));
    for (int i = 0; i <= iterations; i++) {
      console.accept(
          new TrainEvent.Iteration(
              i,
              10.0 / (i + 1),
              i == 0 ? null : -0.5,
              Map.of("rmse", 0.41),
              1.0,
              1.0,
              60,
              1e6,
              null));
    }
    console.accept(new TrainEvent.Warning("hot"));
    console.accept(new TrainEvent.Ended(iterations, 1.0, TrainEvent.Reason.DONE));
    console.accept(new TrainEvent.Model(null, Map.of("rmse", 0.41), List.of("model    m.arrow")));
  }

  private static String terminal(int iterations) {
    var out = new ByteArrayOutputStream();
    var screen = Screen.rewriting(new PrintStream(out, true, StandardCharsets.UTF_8));
    tell(new TrainConsole(screen, false), iterations);
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Integers have no point, and an f32 no more digits than it needs. */
  @ParameterizedTest
  @CsvSource({
    "4, 4, 4",
    "-3, -3, -3",
    "0.10000000149011612, 0.1, 0.10000",
    "0.1, 0.1, 0.10000",
    "0.1234567890123, 0.1234567890123, 0.12346",
    "123456789012345, 123456789012345, 123456789012345",
    "1e300, 1.0E300, 1.0000e+300",
    "NaN, NaN, NaN",
    "-Infinity, -Infinity, -Infinity"
  })
  void numbersHaveTheDigitsOfTheirTypes(double number, String whole, String some) {
    assertEquals(whole, Scores.text(number));
    assertEquals(some, Scores.text(number, 5));
  }

  @Test
  void aTerminalHasOneLineThatIsRewritten() {
    var lines = terminal(3).split("\n");
    assertEquals("7,000 rows in 3 partitions on Spark local[2], backend jvm", lines[0]);
    assertTrue(
        lines[1].startsWith(
            "\r\033[K\033[?7literation 0 of 3  loss 1.000000e+01  rmse 0.41000  1,000,000 rows/s"),
        lines[1]);
    assertTrue(lines[1].endsWith("\r\033[Kwarning: hot"), lines[1]);
    assertEquals(
        "iteration   3  loss 2.500000e+00  change -5.00e-01  rmse 0.41000  60.000 s"
            + "  1,000,000 rows/s",
        lines[2]);
    assertEquals("no step improves the loss any more", lines[3]);
    assertEquals(6, lines.length);
  }

  private static TrainEvent iteration(int number, double loss) {
    return new TrainEvent.Iteration(number, loss, null, Map.of(), null, null, 1, 50, null);
  }

  private static TrainEvent started(String round) {
    return new TrainEvent.Started("a", 70, 7L, 3, "local[2]", "jvm", 9, round, "1", "25");
  }

  @Test
  void severalModelsShareTheLine() throws InterruptedException {
    var out = new ByteArrayOutputStream();
    var screen = Screen.rewriting(new PrintStream(out, true, StandardCharsets.UTF_8));
    var console = new TrainConsole(screen, false);
    for (int i = 1; i <= 3; i++) {
      var name = "model-" + i;
      console.accept(new TrainEvent.OfModel(name, started(TrainEvent.PASS)));
      console.accept(new TrainEvent.OfModel(name, iteration(i, 5 - i)));
      Thread.sleep(60); // The line is rewritten twenty times a second at most.
    }
    console.accept(
        new TrainEvent.OfModel("model-2", new TrainEvent.Ended(2, 3.0, TrainEvent.Reason.SETTLED)));
    console.accept(new TrainEvent.OfModel("model-1", new TrainEvent.Resumed(4)));
    console.accept(
        new TrainEvent.OfModel(
            "model-1", new TrainEvent.Model(null, Map.of("rmse", 0.5), List.of("a file"))));
    var text = out.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("3 models  pass 1 of 9  least loss 2.000000e+00  50 rows/s"), text);
    assertEquals(text.indexOf("70 rows in 3"), text.lastIndexOf("70 rows in 3"), text);
    assertTrue(text.contains("7 rows for the validation\n"), text);
    assertTrue(text.contains("model-2  pass   2  loss 3.000000e+00"), text);
    var reason = "model-2  no component of the gradient is larger than the tolerance\n";
    assertTrue(text.contains(reason), text);
    assertTrue(text.contains("model-1  resuming after pass 4\n"), text);
    assertTrue(text.endsWith("model-1  rmse 0.50000\n"), text);
  }

  @Test
  void oneRowIsNotSeveral() {
    var said = new ArrayList<String>();
    TrainConsole.lines(said::add)
        .accept(new TrainEvent.Started("", 1, 1L, 1, "local", "jvm", 1, null, "1", "25"));
    assertEquals(
        List.of("1 row in 1 partition on Spark local, backend jvm", "1 row for the validation"),
        said);
  }

  @Test
  void withoutATerminalEachLineNamesItsModel() {
    var said = new ArrayList<String>();
    var console = TrainConsole.lines(said::add);
    console.accept(new TrainEvent.OfModel("fold-1", started(null)));
    console.accept(new TrainEvent.OfModel("fold-1", iteration(3, 1)));
    console.accept(new TrainEvent.OfModel("fold-1", new TrainEvent.Warning("hot")));
    console.accept(
        new TrainEvent.OfModel("fold-1", new TrainEvent.Ended(2, 3.0, TrainEvent.Reason.DONE)));
    assertTrue(said.get(2).startsWith("fold-1  iteration   3  loss 1.000000e+00"), "" + said);
    assertEquals("warning: fold-1  hot", said.get(3));
    assertEquals("fold-1  no step improves the loss any more", said.get(4));
  }

  @Test
  void fastIterationsAreNotAllShown() {
    assertTrue(terminal(10_000).length() < 100_000);
  }

  @Test
  void withoutATerminalEachIterationIsALine() {
    var said = new ArrayList<String>();
    tell(TrainConsole.lines(said::add), 3);
    assertEquals(4, said.stream().filter(l -> l.startsWith("iteration ")).count(), said.toString());
    assertFalse(said.toString().contains("\033"), said.toString());
  }

  @Test
  void quietMeansWarningsOnly() {
    var said = new ArrayList<String>();
    tell(new TrainConsole(Screen.lines(said::add), true), 3);
    assertEquals(List.of("warning: hot"), said);
  }

  @Test
  void theTimeThatIsLeftIsThatOfTheLastSteps() {
    var left = new TimeLeft();
    left.add(100);
    left.add(50);
    assertTrue(left.after(7).isEmpty(), "the start and the first step are slower");
    left.add(2);
    assertEquals("0:14", left.after(7).orElseThrow());
    assertEquals("2:46:40", left.after(5000).orElseThrow());
    for (int i = 0; i < 100; i++) {
      left.add(60);
    }
    assertEquals("2:00", left.after(2).orElseThrow());
  }
}
