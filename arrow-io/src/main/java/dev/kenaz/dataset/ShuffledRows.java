package dev.kenaz.dataset;

import dev.kenaz.arrow.AtomicOutput;
import dev.kenaz.arrow.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.VectorSchemaRootAppender;

/**
 * The rows of a source in a random order, in bounded memory: each row goes into a random one of
 * some buckets on the disk, and the rows of a bucket, which fit into memory, are put in a random
 * order when it is read. Each bucket is a part. All orders of rows have the same probability, and
 * the order depends only on the rows and the seed.
 */
public final class ShuffledRows implements RowSource, AutoCloseable {
  /** A bucket has about so many bytes, if columns take four times the space of the files. */
  private static final long BUCKET = 16L << 20;

  private static final int MOST = 1024;

  private final RowSource source;
  private final long seed;
  private final AtomicOutput place;
  private final int buckets;

  private ShuffledRows(RowSource source, long seed, AtomicOutput place, int buckets) {
    this.source = source;
    this.seed = seed;
    this.place = place;
    this.buckets = buckets;
  }

  /**
   * Reads all rows, and puts them into buckets.
   *
   * @param beside the buckets are on the disk beside this file or folder, under a hidden name
   * @param pass how they are read
   */
  public static ShuffledRows of(RowSource source, long seed, Path beside, FirstPass pass) {
    long bytes = 0;
    for (int part = 0; part < source.parts(); part++) {
      bytes += source.weight(part);
    }
    int buckets = Math.clamp(bytes / BUCKET + 1, 1, MOST);
    var name = beside.toAbsolutePath().getFileName() + ".shuffle";
    var place = AtomicOutput.to(beside.toAbsolutePath().resolveSibling(name), false);
    var shuffled = new ShuffledRows(source, seed, place, buckets);
    try {
      shuffled.fill(pass);
      return shuffled;
    } catch (RuntimeException | Error e) {
      place.close();
      throw e;
    }
  }

  private void fill(FirstPass pass) {
    while (true) {
      try {
        Files.createDirectories(place.path());
        var shown = pass.shown(source, "random order");
        Parallel.each(source.parts(), pass.threads(), part -> fillFrom(part, shown));
        return;
      } catch (IOException e) {
        throw Faults.cannotWrite(place.path(), e);
      } catch (Contradiction _) {
        FirstPass.settle(source, pass.progress());
      }
    }
  }

  private Path file(int bucket, int part) {
    return place.path().resolve("%05d-%05d.arrow".formatted(bucket, part));
  }

  private void fillFrom(int part, TransferProgress shown) {
    var writers = new ArrayList<ArrowFile>();
    var schema = source.schema();
    try (var reader = source.open(part);
        var pick = new RowPick(schema)) {
      for (int b = 0; b < buckets; b++) {
        Files.deleteIfExists(file(b, part));
        writers.add(new ArrowFile(file(b, part), schema));
      }
      long row = 0;
      for (var batch = reader.next(); batch != null; batch = reader.next()) {
        divide(batch, part, row, pick, writers);
        row += batch.getRowCount();
        shown.add(part, batch.getRowCount(), reader.fraction());
      }
      writers.forEach(ArrowFile::commit);
    } catch (IOException e) {
      throw Faults.cannotWrite(place.path(), e);
    } finally {
      writers.forEach(ArrowFile::close);
    }
  }

  private void divide(
      VectorSchemaRoot batch, int part, long row, RowPick pick, ArrayList<ArrowFile> writers) {
    int n = batch.getRowCount();
    var rows = new int[buckets][];
    var counts = new int[buckets];
    for (int b = 0; b < buckets; b++) {
      rows[b] = new int[n / buckets + 16];
    }
    for (int i = 0; i < n; i++) {
      int b = (int) Long.remainderUnsigned(RowHash.bits(seed, part, row + i), buckets);
      if (counts[b] == rows[b].length) {
        rows[b] = java.util.Arrays.copyOf(rows[b], 2 * counts[b]);
      }
      rows[b][counts[b]++] = i;
    }
    for (int b = 0; b < buckets; b++) {
      if (counts[b] > 0) {
        writers.get(b).write(pick.take(batch, rows[b], counts[b]));
      }
    }
  }

  @Override
  public Schema schema() {
    return source.schema();
  }

  @Override
  public int parts() {
    return buckets;
  }

  @Override
  public String name(int part) {
    return "bucket " + part;
  }

  @Override
  public long weight(int part) {
    long bytes = 0;
    for (int p = 0; p < source.parts(); p++) {
      try {
        bytes += Files.size(file(part, p));
      } catch (IOException e) {
        throw Faults.cannotRead(file(part, p), e);
      }
    }
    return bytes;
  }

  @Override
  public RowReader open(int part) {
    return new Bucket(part);
  }

  @Override
  public void close() {
    place.close();
  }

  /** The rows of a bucket, which are in memory as long as it is read. */
  private final class Bucket implements RowReader {
    private final BufferAllocator memory;
    private final VectorSchemaRoot all;
    private final RowPick pick;
    private final int[] order;
    private int done;

    Bucket(int bucket) {
      this.memory = BatchMemory.of("bucket " + bucket);
      this.all = VectorSchemaRoot.create(source.schema(), memory);
      this.pick = new RowPick(source.schema());
      all.allocateNew();
      all.setRowCount(0);
      for (int part = 0; part < source.parts(); part++) {
        try (var reader = ArrowReader.open(DataFile.of(file(bucket, part)))) {
          for (var batch = reader.next(); batch != null; batch = reader.next()) {
            VectorSchemaRootAppender.append(false, all, batch);
          }
        }
      }
      this.order = new int[all.getRowCount()];
      var random = new SplittableRandom(RowHash.bits(seed, -1, bucket));
      for (int i = 0; i < order.length; i++) {
        int j = random.nextInt(i + 1);
        order[i] = order[j];
        order[j] = i;
      }
    }

    @Override
    public Schema schema() {
      return source.schema();
    }

    @Override
    public VectorSchemaRoot next() {
      int n = Math.min(BATCH_ROWS, order.length - done);
      if (n == 0) {
        return null;
      }
      var rows = java.util.Arrays.copyOfRange(order, done, done + n);
      done += n;
      return pick.take(all, rows, n);
    }

    @Override
    public double fraction() {
      return order.length == 0 ? 1 : (double) done / order.length;
    }

    @Override
    public void close() {
      try (memory) {
        all.close();
        pick.close();
      }
    }
  }
}
