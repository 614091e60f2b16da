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
