package dev.kenaz.jobs.bench;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;

/**
 * This is a moment, in wall time and in CPU time of this process. On a machine that others use too,
 * the latter says more.
 */
record Clock(double wall, double cpu) {

  /** The time that something took. */
  record Seconds(double wall, double cpu) {}

  static Clock now() {
    return now(System.currentTimeMillis());
  }

  static Clock now(long millis) {
    var system = ManagementFactory.getOperatingSystemMXBean();
    double cpu =
        system instanceof com.sun.management.OperatingSystemMXBean os
            ? os.getProcessCpuTime() / 1e9
            : Double.NaN;
    return new Clock(millis / 1e3, cpu);
  }

  Seconds since(Clock start) {
    return new Seconds(wall - start.wall, cpu - start.cpu);
  }

  /** Returns the median of each kind of time by itself. */
  static Seconds median(List<Seconds> all) {
    return new Seconds(
        median(all.stream().mapToDouble(Seconds::wall).toArray()),
        median(all.stream().mapToDouble(Seconds::cpu).toArray()));
  }

  static double median(double[] xs) {
    Arrays.sort(xs);
    return xs.length == 0 ? Double.NaN : xs[xs.length / 2];
  }
}
