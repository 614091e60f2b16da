package dev.kenaz.arrow;

import dev.kenaz.dataset.CsvFiles;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.Transfer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Measures at what rate CSV files are imported, in MB of text for each CPU second of one thread.
 * The argument is the size of a file in MB.
 */
final class ImportThroughput {
  private static final int RUNS = 7;

  private ImportThroughput() {}

  public static void main(String[] args) throws IOException {
    long bytes = (args.length == 0 ? 200L : Long.parseLong(args[0])) * 1_000_000;
    var folder = Files.createTempDirectory("kenaz-import");
    var target = folder.resolve("out.arrow");
    try {
      measure("10 columns with four decimals", write(folder, bytes, "%.4f", 10, 100), target);
      measure("6 columns with all digits", write(folder, bytes, "%.17g", 6, 100), target);
      measure("10 columns of short integers", write(folder, bytes, "%.0f", 10, 100), target);
      measure("10 columns of single digits", write(folder, bytes, "%.0f", 10, 3), target);
    } finally {
      try (var files = Files.list(folder)) {
        files.forEach(f -> f.toFile().delete());
      }
      Files.delete(folder);
    }
  }

  /**
   * @param spread how far the numbers are from zero, on average
   */
  private static Path write(Path folder, long bytes, String format, int columns, double spread)
      throws IOException {
    var file = folder.resolve("in.csv");
    var random = new Random(1);
    var lines = new ArrayList<String>();
    for (int i = 0; i < 5000; i++) {
      var line = new ArrayList<String>();
      for (int c = 0; c < columns; c++) {
        line.add(String.format(Locale.ROOT, format, spread * random.nextGaussian()));
      }
      lines.add(String.join(",", line) + "\n");
    }
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      var names = new ArrayList<String>();
      for (int c = 0; c < columns; c++) {
        names.add("x" + c);
      }
      out.write(String.join(",", names) + "\n");
      long written = 0;
      for (int i = 0; written < bytes; i++) {
        var line = lines.get(i % lines.size());
        out.write(line);
        written += line.length();
      }
    }
    return file;
  }

  private static void measure(String what, Path csv, Path target) throws IOException {
    var rates = new double[RUNS];
    var threads = ManagementFactory.getThreadMXBean();
    for (int i = 0; i < RUNS; i++) {
      long begin = threads.getCurrentThreadCpuTime();
      Transfer.run(
          new CsvFiles(List.of(DataFile.of(csv)), CsvOptions.DEFAULT),
          RowOutput.arrowFile(target, true),
          Progress.NONE);
      rates[i] = Files.size(csv) / 1e6 / ((threads.getCurrentThreadCpuTime() - begin) / 1e9);
    }
    java.util.Arrays.sort(rates);
    System.out.printf(Locale.ROOT, "| %s | %.0f |%n", what, rates[RUNS / 2]);
  }
}
