package dev.kenaz.jobs.measure;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * These are cells that are measured in turns on one machine, which may be another one than that of
 * the sweep.
 */
record GroupOfCells(ArrayList<BenchmarkCell> cells, Starter starter) implements Serializable {
  /** Made when a process measures for the first time: it needs some time to warm up. */
  private static final class TheProbe {
    private static final Probe PROBE = new Probe();
  }

  GroupOfCells(List<BenchmarkCell> cells, Starter starter) {
    this(new ArrayList<>(cells), starter);
  }

  /** Measures the cells in processes of this machine. */
  List<Measurement> call() {
    var machine = Machine.here().name();
    return new GroupRun(cells, starter, starter.how(), machine, TheProbe.PROBE).run();
  }

  /** Returns what is told of the cells if nobody could measure them. */
  List<Measurement> failed(RuntimeException failure) {
    var message = "no executor could measure it: " + failure.getMessage();
    return cells.stream()
        .map(c -> Measurement.failed(c, Measurement.Status.FAILED, message, "", GroupRun.now()))
        .toList();
  }
}
