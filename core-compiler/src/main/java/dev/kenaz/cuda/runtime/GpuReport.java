package dev.kenaz.cuda.runtime;

import dev.kenaz.cache.CacheFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What this machine has for CUDA, and why a part of it can't be used.
 *
 * @param lines what was found, as it is printed
 * @param problems what keeps kernels from running; empty if they can run
 */
public record GpuReport(List<Line> lines, List<String> problems) {
  private static final Path KERNEL_MODULE = Path.of("/proc/driver/nvidia/version");

  public GpuReport {
    lines = List.copyOf(lines);
    problems = List.copyOf(problems);
  }

  /** One line of the report: a heading, and what was found. */
  public record Line(String what, String found) {}

  public boolean usable() {
    return problems.isEmpty();
  }

  /** Looks for the driver, devices and compilers. It never throws. */
  public static GpuReport look() {
    var lines = new ArrayList<Line>();
    var problems = new ArrayList<String>();
    driver(lines, problems);
    compilers(lines, problems);
    ShippedKernels.standard().ifPresent(s -> lines.add(new Line("shipped kernels", s.words())));
    try {
      lines.add(new Line("kept kernels", CacheFolder.of("kernels").toString()));
    } catch (IOException | RuntimeException e) {
      lines.add(new Line("kept kernels", "nowhere: " + e.getMessage()));
    }
    if (problems.isEmpty()) {
      trials(lines, problems);
    }
    return new GpuReport(lines, problems);
  }

  /** Tries each device. One device that works is enough. */
  private static void trials(List<Line> lines, List<String> problems) {
    var faults = new ArrayList<String>();
    boolean good = false;
    for (var d : DriverProbe.report().devices()) {
      if (d.problem().isEmpty()) {
        var outcome = GpuTrial.on(d);
        lines.add(new Line("kernel on " + d.index(), outcome.words()));
        good |= outcome.good();
        if (!outcome.good()) {
          faults.add("a kernel on device " + d.index() + " " + outcome.words());
        }
      }
    }
    if (!good) {
      problems.addAll(faults);
    }
  }

  private static void driver(List<Line> lines, List<String> problems) {
    try {
      lines.add(new Line("kernel module", Files.readAllLines(KERNEL_MODULE).getFirst()));
    } catch (IOException | RuntimeException e) {
      lines.add(new Line("kernel module", "none (" + KERNEL_MODULE + " can't be read)"));
    }
    var report = DriverProbe.report();
    if (!report.library().isEmpty()) {
      lines.add(new Line("driver", "CUDA " + report.versionText() + " (" + report.library() + ")"));
    }
    if (!report.problem().isEmpty()) {
      lines.add(new Line(report.library().isEmpty() ? "driver" : "", report.problem()));
      if (!report.hint().isEmpty()) {
        lines.add(new Line("", report.hint()));
      }
      problems.add(report.problem());
      return;
    }
    for (var d : report.devices()) {
      lines.add(new Line("device " + d.index(), text(d)));
      if (!d.problem().isEmpty()) {
        lines.add(new Line("", "can't be used: " + d.problem()));
      }
    }
    if (!report.usable()) {
      problems.add("no device can be used");
      return;
    }
    var jcuda = JcudaNatives.problem();
    lines.add(new Line("JCuda", jcuda.isEmpty() ? "12.6.0" : jcuda));
    if (!jcuda.isEmpty()) {
      problems.add(jcuda);
    }
  }

  private static String text(DeviceInfo d) {
    return "%s, compute capability %d.%d, %s, %d multiprocessors, %s of shared memory a block"
        .formatted(
            d.name(),
            d.major(),
            d.minor(),
            DevicePool.text(d.memory()),
            d.multiprocessors(),
            DevicePool.text(d.sharedPerBlock()));
  }

  private static void compilers(List<Line> lines, List<String> problems) {
    var found = CompilerSearch.all();
    found.compilers().forEach(c -> lines.add(new Line("compiler", c.name())));
    found.faults().forEach(f -> lines.add(new Line("compiler", "can't be used: " + f)));
    if (found.compilers().isEmpty()) {
      lines.add(new Line("compiler", "neither NVRTC (libnvrtc.so) nor nvcc"));
      var places =
          found.looked().stream()
              .filter(Files::isDirectory)
              .map(Path::toString)
              .collect(Collectors.joining(", "));
      lines.add(new Line("", "looked in " + places + "; KENAZ_NVRTC names another place"));
      if (ShippedKernels.standard().isEmpty()) {
        problems.add("there is no compiler for kernels");
      }
    }
  }
}
