package dev.kenaz.dataset;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures at what rate a Parquet file is read, in MB of Arrow columns for each CPU second of one
 * thread. The arguments are the file and, if not all are wanted, its columns.
 */
final class ParquetThroughput {
  private static final int RUNS = 7;

  private ParquetThroughput() {}

  public static void main(String[] args) {
    var file = DataFile.of(Path.of(args[0]));
    var columns = Arrays.asList(args).subList(1, args.length);
    var rates = new double[RUNS];
    var threads = ManagementFactory.getThreadMXBean();
    for (int i = 0; i < RUNS; i++) {
      long begin = threads.getCurrentThreadCpuTime();
      long bytes = 0;
      try (var reader = ParquetReader.open(file, columns)) {
        for (var batch = reader.next(); batch != null; batch = reader.next()) {
          for (var v : batch.getFieldVectors()) {
            bytes += v.getBufferSize();
          }
        }
      }
      rates[i] = bytes / 1e6 / ((threads.getCurrentThreadCpuTime() - begin) / 1e9);
    }
    Arrays.sort(rates);
    System.out.printf(Locale.ROOT, "| %s | %.0f |%n", file.name(), rates[RUNS / 2]);
  }
}
