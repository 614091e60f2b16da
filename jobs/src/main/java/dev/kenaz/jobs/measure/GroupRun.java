package dev.kenaz.jobs.measure;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.measure.Measurement.Status;
import dev.kenaz.value.ValueComparison;
import dev.kenaz.value.ValueReader;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.stream.DoubleStream;

/**
 * Measures cells that are to be compared with each other. Their processes live at the same time and
 * take turns, so that a machine that becomes slower hits all of them.
 */
final class GroupRun {
  /** Processes of a cell that differ by more than this make it noisy. */
  private static final double SPREAD = 0.05;

  /** Others may use no more than this part of the processors. */
  private static final double OTHERS = 0.1;

  private final List<BenchmarkCell> cells;
  private final Starter starter;
  private final Measuring how;
  private final String machine;
  private final Probe probe;
  private final Random random;
  private final SequencedMap<BenchmarkCell, List<Sampling>> samplings = new LinkedHashMap<>();
  private final Map<BenchmarkCell, Measurement> failures = new LinkedHashMap<>();
  private final Map<BenchmarkCell, Long> peaks = new LinkedHashMap<>();
  private final Map<BenchmarkCell, Double> compile = new LinkedHashMap<>();
  private final Map<BenchmarkCell, CellWork> works = new LinkedHashMap<>();
  private double others;
  private double stolen;
  private boolean throttled;

  GroupRun(List<BenchmarkCell> cells, Starter starter, Measuring how, String machine, Probe probe) {
    this.cells = cells;
    this.starter = starter;
    this.how = how;
    this.machine = machine;
    this.probe = probe;
    this.random = new Random(cells.hashCode());
    cells.forEach(c -> samplings.put(c, new ArrayList<>()));
  }

  /** Measures all cells, and returns what became of them, in their order. */
  List<Measurement> run() {
    probe.forget();
    for (int i = 0; i < how.processes(); i++) {
      round(i == 0);
    }
    return cells.stream().map(this::measurement).toList();
  }

  /** Measures each cell in a new process. */
  private void round(boolean first) {
    var subjects = new LinkedHashMap<BenchmarkCell, Subject>();
    try {
      for (var cell : cells) {
        guarded(cell, () -> start(cell, subjects));
      }
      if (first) {
        compare(subjects);
        subjects.forEach((cell, s) -> guarded(cell, () -> count(cell, s)));
      }
      subjects.keySet().removeIf(failures::containsKey);
      sample(subjects);
    } finally {
      subjects.forEach((cell, s) -> peaks.merge(cell, s.peak(), Math::max));
      subjects.values().forEach(Subject::close);
    }
  }

  private void start(BenchmarkCell cell, Map<BenchmarkCell, Subject> subjects) {
    var subject = starter.start(cell);
    subjects.put(cell, subject);
    compile.putIfAbsent(cell, subject.compileSeconds());
    var sampling = new Sampling(subject, how.plan());
    sampling.warmUp();
    samplings.get(cell).add(sampling);
  }

  private void guarded(BenchmarkCell cell, Runnable work) {
    if (failures.containsKey(cell)) {
      return;
    }
    try {
      work.run();
    } catch (Subject.Failed e) {
      fail(cell, e.status(), e.getMessage());
    } catch (UserError e) {
      fail(cell, Status.FAILED, e.diagnostics().getFirst().message());
    }
  }

  private void fail(BenchmarkCell cell, Status status, String message) {
    failures.put(cell, Measurement.failed(cell, status, message, machine, now()));
  }

  static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private void sample(Map<BenchmarkCell, Subject> subjects) {
    var before = Machine.Activity.now();
    long begin = System.nanoTime();
    var turns = new ArrayList<>(subjects.keySet());
    while (!turns.isEmpty()) {
      Collections.shuffle(turns, random);
      for (var cell : turns) {
        probe.look();
        guarded(cell, samplings.get(cell).getLast()::turn);
      }
      turns.removeIf(c -> failures.containsKey(c) || samplings.get(c).getLast().isDone());
    }
    note(before, (System.nanoTime() - begin) / 1e9);
  }

  /** Notes what else the machine has done, if all processes tell their CPU time. */
  private void note(Machine.Activity before, double seconds) {
    var after = Machine.Activity.now();
    double own =
        samplings.values().stream()
            .filter(s -> !s.isEmpty())
            .mapToDouble(s -> s.getLast().cpuOfAll())
            .sum();
    double all = seconds * Runtime.getRuntime().availableProcessors();
    if (!Double.isNaN(own) && seconds > 0.5) {
      double foreign = (after.busy() - before.busy()) / 100.0 - own;
      others = Math.max(others, foreign / all);
    }
    stolen = Math.max(stolen, (after.stolen() - before.stolen()) / 100.0 / all);
    throttled |= after.throttled() > before.throttled();
  }

  private void count(BenchmarkCell cell, Subject subject) {
    if (CellWork.isWanted(cell.settings())) {
      boolean own = cell.peer().equals(Cells.KENAZ) && subject instanceof KenazSubject;
      var told =
          own
              ? ((KenazSubject) subject).work(CellWork.isCounted(cell.settings()))
              : new CellWork(null, null);
      works.put(cell, CellWork.of(cell.settings(), told));
    }
  }

  // Results are compared

  /** Compares the results of peers with those of Kenaz, before anything is measured. */
  private void compare(Map<BenchmarkCell, Subject> subjects) {
    for (var cell : List.copyOf(subjects.keySet())) {
      if (starter.isChecked(cell)) {
        guarded(cell, () -> compare(cell, subjects.get(cell)));
      }
    }
  }

  private void compare(BenchmarkCell cell, Subject peer) {
    try {
      var expected = Files.createTempFile("kenaz-expected", ".bin");
      var actual = Files.createTempFile("kenaz-actual", ".bin");
      try {
        if (peer.result(actual)) {
          starter.expected(cell, expected);
          ValueComparison.difference(ValueReader.readAll(expected), ValueReader.readAll(actual))
              .ifPresent(
                  d -> {
                    throw new Subject.Failed(
                        Status.FAILED, "its result is not that of Kenaz: " + d);
                  });
        }
      } finally {
        Files.delete(expected);
        Files.delete(actual);
      }
    } catch (IOException e) {
      throw new Subject.Failed(Status.FAILED, "can't compare results: " + e);
    }
  }

  // What has come of it

  private Measurement measurement(BenchmarkCell cell) {
    if (failures.containsKey(cell)) {
      return failures.get(cell);
    }
    var all = samplings.get(cell);
    var intervals = all.stream().map(s -> Statistics.median95(s.samples())).toList();
    double seconds = mean(intervals.stream().mapToDouble(Statistics.Interval::middle));
    double cpu = mean(all.stream().mapToDouble(Sampling::cpu));
    double compiled = compile.get(cell);
    long peak = peaks.getOrDefault(cell, 0L);
    return new Measurement(
        cell.name(),
        cell.axes(),
        cell.settings(),
        Status.DONE,
        null,
        seconds,
        intervals.stream().mapToDouble(Statistics.Interval::low).min().orElseThrow(),
        intervals.stream().mapToDouble(Statistics.Interval::high).max().orElseThrow(),
        Double.isNaN(cpu) ? null : cpu,
        mean(all.stream().mapToDouble(Sampling::collection)),
        Double.isNaN(compiled) ? null : compiled,
        all.getFirst().first(),
        mean(all.stream().mapToDouble(Sampling::warmUpSeconds)),
        all.getFirst().allocated(),
        peak == 0 ? null : peak,
        works.get(cell),
        all.getFirst().events(),
        all.stream().mapToInt(s -> Statistics.outliers(s.samples())).sum(),
        noise(all),
        all.stream().map(s -> List.copyOf(s.samples())).toList(),
        probe.median(),
        machine,
        now(),
        null);
  }

  private static double mean(DoubleStream numbers) {
    return numbers.average().orElse(Double.NaN);
  }

  private List<String> noise(List<Sampling> all) {
    var noise = new ArrayList<String>();
    var medians = all.stream().map(s -> Statistics.median(s.samples())).toList();
    double spread = Measurement.spread(medians);
    if (spread > SPREAD) {
      noise.add(percent("its processes differ by %s", spread));
    }
    double margin =
        all.stream().mapToDouble(s -> Statistics.median95(s.samples()).margin()).max().orElse(0);
    if (margin > Math.max(3 * how.plan().confidence(), 0.03)) {
      noise.add(percent("its times vary: ±%s", margin));
    }
    if (all.stream().anyMatch(s -> !s.isSteady())) {
      noise.add("it was not steady when its warm-up ended");
    }
    if (probe.isNoisy()) {
      noise.add(percent("the speed of the machine varied by %s", probe.spread()));
    }
    if (others > OTHERS) {
      noise.add(percent("other processes took %s of the processors", others));
    }
    if (stolen > OTHERS) {
      noise.add(percent("the machine's host took %s of the processors", stolen));
    }
    if (throttled) {
      noise.add("the processor was too hot, and was made slower");
    }
    return noise;
  }

  private static String percent(String text, double part) {
    return text.formatted(String.format(Locale.ROOT, "%.0f %%", 100 * part));
  }
}
