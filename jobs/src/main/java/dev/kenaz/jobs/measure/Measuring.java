package dev.kenaz.jobs.measure;

import com.sun.management.OperatingSystemMXBean;
import dev.kenaz.jobs.config.BenchmarkConfig;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/**
 * How carefully cells are measured: what a configuration says, and for the rest the defaults.
 *
 * @param processes how many processes measure a cell
 * @param limit how many seconds a call may take
 * @param memory how many bytes a process may take
 * @param together how many processes may live at once
 */
record Measuring(
    int processes,
    double warmUp,
    double seconds,
    double confidence,
    int least,
    double limit,
    long memory,
    int together)
    implements Serializable {

  static Measuring of(Optional<BenchmarkConfig.Measuring> written) {
    var os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new Measuring(
        written.flatMap(BenchmarkConfig.Measuring::processes).orElse(2),
        written.flatMap(BenchmarkConfig.Measuring::warmUp).orElse(20.0),
        written.flatMap(BenchmarkConfig.Measuring::seconds).orElse(5.0),
        written.flatMap(BenchmarkConfig.Measuring::confidence).orElse(0.01),
        written.flatMap(BenchmarkConfig.Measuring::least).orElse(10),
        written.flatMap(BenchmarkConfig.Measuring::limit).orElse(60.0),
        written
            .flatMap(BenchmarkConfig.Measuring::memory)
            .map(Measuring::bytes)
            .orElse(os.getTotalMemorySize() / 4 * 3),
        written.flatMap(BenchmarkConfig.Measuring::together).orElse(4));
  }

  private static long bytes(String text) {
    long number = Long.parseLong(text.replaceAll("\\D", ""));
    return switch (Character.toLowerCase(text.charAt(text.length() - 1))) {
      case 'k' -> number << 10;
      case 'm' -> number << 20;
      case 'g' -> number << 30;
      default -> number;
    };
  }

  Sampling.Plan plan() {
    return new Sampling.Plan(warmUp, seconds, confidence, least);
  }

  /** Returns roughly how many seconds a cell takes. */
  double estimate() {
    return processes * (3 + Math.min(warmUp, 2) + Math.min(seconds, 1.5));
  }
}
