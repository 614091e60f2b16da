package dev.kenaz.arrow;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Measures reading columns as matrices against plain copies; not a test. Prints medians of CPU time
 * of one thread, which a busy machine disturbs less than wall time.
 */
final class ReadThroughput {
  private static final long ROWS = 4_000_000;
  private static final int WIDTH = 16;
  private static final int RUNS = 9;

  private ReadThroughput() {}

  public static void main(String[] args) throws IOException {
    var folder = Files.createTempDirectory("kenaz-throughput");
    var columns = folder.resolve("columns.arrow");
    var list = folder.resolve("list.arrow");
    try {
      write(columns, false);
      write(list, true);
      // The first round compiles the loops, and has the machine hand out memory it may not have
      // yet.
      measure(columns, list);
      System.out.println();
      measure(columns, list);
    } finally {
      Files.deleteIfExists(columns);
      Files.deleteIfExists(list);
      Files.delete(folder);
    }
  }

  private static void write(Path file, boolean asList) {
    var blobs = new DatasetGenerate.Blobs(ROWS, WIDTH, 4, 1, 1, Prim.F32, asList);
    DatasetGenerate.write(blobs, file, 1, false, Progress.NONE);
  }

  private static void measure(Path columns, Path list) {
    var names = IntStream.range(0, WIDTH).mapToObj(i -> "x" + i).toList();
    var options = ReadOptions.ALL.withColumns(names);
    for (var to : new Prim[] {Prim.F32, Prim.F64}) {
      report(
          WIDTH + " columns of f32 to [n][16]" + to,
          () -> ArrowDataset.open(List.of(columns.toString()), options).toMatrix(to));
      report(
          "one list column of f32, many batches, to [n][16]" + to,
          () -> ArrowDataset.open(list.toString()).column("x").toMatrix(to));
    }
    report(
        "one list column of f32, one batch, in place",
        () -> ArrowDataset.open(list.toString()).column("x").rows(0, 1 << 16).toMatrix(Prim.F32));
    var from = ArrayValue.allocate(Prim.F32, ROWS, WIDTH).fill((byte) 1);
    var into = ArrayValue.allocate(Prim.F32, ROWS, WIDTH).fill((byte) 1);
    report(
        "plain copy into fresh memory",
        () -> {
          var fresh = ArrayValue.allocate(Prim.F32, ROWS, WIDTH).copyFrom(from);
          return ArrayValue.of(Prim.F32, fresh, ROWS, WIDTH);
        });
    report(
        "plain copy into used memory",
        () -> ArrayValue.of(Prim.F32, into.copyFrom(from), ROWS, WIDTH));
  }

  private static void report(String what, Supplier<ArrayValue> read) {
    var seconds = new double[RUNS];
    long bytes = 0;
    for (int i = 0; i < RUNS; i++) {
      long start = cpu();
      bytes = read.get().data().byteSize();
      seconds[i] = (cpu() - start) / 1e9;
    }
    Arrays.sort(seconds);
    double median = seconds[RUNS / 2];
    System.out.printf("%-52s %8.4f s %8.1f GB/s%n", what, median, bytes / median / 1e9);
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
