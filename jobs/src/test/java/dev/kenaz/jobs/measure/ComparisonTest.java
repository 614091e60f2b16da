package dev.kenaz.jobs.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.jobs.measure.Comparison.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ComparisonTest {
  private static final int CELLS = 100;

  private final Random random = new Random(7);

  /**
   * Makes a measurement.
   *
   * @param between the standard deviation of the logarithms of processes' times
   * @param within that of the samples of a process
   */
  private Measurement measured(String name, double seconds, double between, double within) {
    var samples = new ArrayList<List<Double>>();
    for (int p = 0; p < 2; p++) {
      double process = seconds * Math.exp(between * random.nextGaussian());
      samples.add(
          Stream.generate(() -> process * Math.exp(within * random.nextGaussian()))
              .limit(20)
              .toList());
    }
    double mean = samples.stream().mapToDouble(Statistics::median).average().orElseThrow();
    return measurement(name, mean, samples);
  }

  private static Measurement measurement(String name, double seconds, List<List<Double>> samples) {
    var axes = new LinkedHashMap<String, String>();
    axes.put("cell", name);
    return new Measurement(
        name,
        axes,
        JsonNodeFactory.instance.objectNode(),
        Measurement.Status.DONE,
        null,
        seconds,
        seconds,
        seconds,
        null,
        0.0,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        0,
        List.of(),
        samples,
        null,
        "here",
        "now",
        null);
  }

  private List<Measurement> sweep(double between, double factor) {
    return IntStream.range(0, CELLS)
        .mapToObj(i -> measured("c" + i, (i + 1) * factor, between, 0.02))
        .toList();
  }

  /** Returns cells whose fixed computation took so long. */
  private static List<Measurement> beside(double probe, List<Measurement> cells) {
    return cells.stream().map(m -> withProbe(m, probe)).toList();
  }

  private static Measurement withProbe(Measurement m, double probe) {
    var json = MeasurementsFile.JSON.valueToTree(m);
    ((ObjectNode) json).put("probe", probe);
    return MeasurementsFile.JSON.convertValue(json, Measurement.class);
  }

  /** A processor that is faster by an eighth makes everything faster, and a change is more. */
  @Test
  void aFasterMachineIsNoChange() {
    var before = beside(1e-4, sweep(0.005, 1));
    var faster = Comparison.of(before, beside(0.88e-4, sweep(0.005, 0.88)), 0.05);
    assertTrue(faster.count(Verdict.EQUAL) >= 93);
    var slower = Comparison.of(beside(0.88e-4, sweep(0.005, 0.88)), before, 0.05);
    assertTrue(slower.count(Verdict.EQUAL) >= 93);
    var changed = Comparison.of(before, beside(0.88e-4, sweep(0.005, 0.7)), 0.05);
    assertTrue(changed.count(Verdict.FASTER) >= 93);
    var worse = Comparison.of(before, beside(0.88e-4, sweep(0.005, 1.1)), 0.05);
    assertTrue(worse.count(Verdict.SLOWER) >= 93);
  }

  @Test
  void theSameStateIsEqualIn95OfHundredCells() {
    for (double between : new double[] {0, 0.01, 0.05, 0.15}) {
      var comparison = Comparison.of(sweep(between, 1), sweep(between, 1), 0.05);
      long equal = comparison.count(Verdict.EQUAL);
      assertTrue(equal >= 93, "with processes that differ by " + between + ": " + equal);
    }
  }

  /** In half of the cells processes differ much, as where the JVM compiles in two ways. */
  @Test
  void cellsWhoseProcessesDifferMuchAreEqual() {
    var comparison = Comparison.of(uneven(1), uneven(1), 0.05);
    assertTrue(comparison.count(Verdict.EQUAL) >= 95, comparison.lines()::toString);
    var slower = Comparison.of(uneven(1), uneven(1.6), 0.05);
    assertTrue(slower.count(Verdict.SLOWER) >= 93, slower.lines()::toString);
  }

  private List<Measurement> uneven(double factor) {
    return IntStream.range(0, CELLS)
        .mapToObj(i -> measured("c" + i, (i + 1) * factor, i % 2 == 0 ? 0.1 : 0.01, 0.01))
        .toList();
  }

  @Test
  void aChangeIsFoundAndItsDirectionIsRight() {
    var slower = Comparison.of(sweep(0.01, 1), sweep(0.01, 1.2), 0.05);
    assertTrue(slower.count(Verdict.SLOWER) >= 97, slower.lines().getLast());
    var faster = Comparison.of(sweep(0.01, 1.2), sweep(0.01, 1), 0.05);
    assertTrue(faster.count(Verdict.FASTER) >= 97, faster.lines().getLast());
  }

  @Test
  void aChangeBelowTheThresholdDoesNotCount() {
    var comparison = Comparison.of(sweep(0, 1), sweep(0, 1.03), 0.05);
    assertEquals(CELLS, comparison.count(Verdict.EQUAL));
    assertTrue(Comparison.of(sweep(0, 1), sweep(0, 1.03), 0).count(Verdict.SLOWER) > 90);
  }

  @Test
  void cellsThatFailOrAreNotInBothAreNamed() {
    var good = measured("a", 1, 0, 0.01);
    var alone = measured("alone", 1, 0, 0.01);
    var cell = new BenchmarkCell(good.axes(), good.settings());
    var bad = Measurement.failed(cell, Measurement.Status.HUNG, "no answer", "here", "now");
    var comparison = Comparison.of(List.of(good, alone), List.of(bad), 0.05);
    assertEquals(Verdict.FAILS, comparison.rows().getFirst().verdict());
    assertTrue(
        comparison.lines().contains("only before  cell=alone"), comparison.lines()::toString);
    var back = Comparison.of(List.of(bad), List.of(good), 0.05);
    assertEquals(Verdict.WORKS, back.rows().getFirst().verdict());
  }
}
