package dev.kenaz.jobs.measure;

import dev.kenaz.options.CompileOptions;
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

  /** Whether some of the cells compute on a GPU. */
  boolean isOnGpu() {
    return cells.stream().anyMatch(c -> Cells.isOnGpu(c.settings()));
  }

  /**
   * Measures the cells in processes of this machine.
   *
   * @param device the GPU of those that name none, or {@link CompileOptions#ANY_DEVICE}
   */
  List<Measurement> on(int device) {
    var machine = Machine.here().name();
    var place = device == CompileOptions.ANY_DEVICE ? machine : machine + ", GPU " + device;
    var here = starter.onDevice(device);
    return new GroupRun(cells, here, starter.how(), place, TheProbe.PROBE).run();
  }

  /** Returns what is told of the cells if nobody could measure them. */
  List<Measurement> failed(RuntimeException failure) {
    var message = "no executor could measure it: " + failure.getMessage();
    return cells.stream()
        .map(c -> Measurement.failed(c, Measurement.Status.FAILED, message, "", GroupRun.now()))
        .toList();
  }
}
