package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6107;

import dev.kenaz.arrow.Faults;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.parquet.io.InputFile;

/**
 * Reads an archive of NumPy's arrays ({@code np.savez}, {@code np.savez_compressed}), each of which
 * becomes a column. All are read side by side, as streams.
 */
final class NpzReader extends BatchReader {
  private static final String ENDING = ".npy";

  private final Archive archive;
  private final List<Column> columns;

  private NpzReader(String name, Archive archive, List<Column> columns) {
    super(name, schema(columns));
    this.archive = archive;
    this.columns = columns;
  }

  private static Schema schema(List<Column> columns) {
    var fields = new ArrayList<Field>();
    columns.forEach(c -> fields.addAll(c.reader.schema().getFields()));
    return new Schema(fields);
  }

  /** An archive on this machine; a copy, if it is elsewhere. */
  private static final class Archive implements AutoCloseable {
    private final DataFile file;
    private final Path copy;
    private final ZipFile zip;

    Archive(DataFile file) throws IOException {
      this.file = file;
      Path place = file.path().orElse(null);
      if (place == null) {
        place = Files.createTempFile("kenaz-", ".npz");
        this.copy = place;
        try (var in = file.open()) {
          Files.copy(in, place, StandardCopyOption.REPLACE_EXISTING);
        }
      } else {
        this.copy = null;
      }
      try {
        this.zip = new ZipFile(place.toFile());
      } catch (ZipException e) {
        removeCopy();
        throw Faults.fault(K6103, file.name() + " is damaged: " + e.getMessage());
      }
    }

    private void removeCopy() throws IOException {
      if (copy != null) {
        Files.deleteIfExists(copy);
      }
    }

    @Override
    public void close() {
      try {
        zip.close();
        removeCopy();
      } catch (IOException e) {
        throw file.cannotRead(e);
      }
    }
  }

  /** An array of an archive, which is read as a file. */
  private record Member(Archive archive, ZipEntry entry) implements DataFile {
    @Override
    public String name() {
      return archive.file.name() + "/" + entry.getName();
    }

    @Override
    public long size() {
      return entry.getSize();
    }

    @Override
    public InputStream open() throws IOException {
      return archive.zip.getInputStream(entry);
    }

    @Override
    public Optional<Path> path() {
      return Optional.empty();
    }

    @Override
    public InputFile seekable() throws IOException {
      throw new IOException("it is packed in an archive");
    }
  }

  /** An array that is read; its batches are as long as its rows allow. */
  private static final class Column {
    private final RowReader reader;
    private VectorSchemaRoot batch;
    private int at;

    Column(RowReader reader) {
      this.reader = reader;
    }

    /** Returns how many rows of the batch are left; 0 at the end of the array. */
    int left() {
      if (batch == null || at == batch.getRowCount()) {
        batch = reader.next();
        at = 0;
      }
      return batch == null ? 0 : batch.getRowCount() - at;
    }
  }

  /**
   * Opens an archive.
   *
   * @throws dev.kenaz.error.UserError K6101, K6103 to K6105, K6107
   */
  static RowReader open(DataFile file, FormatOptions options) {
    Archive archive;
    try {
      archive = new Archive(file);
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
    var columns = new ArrayList<Column>();
    try {
      var chosen = chosen(archive, options.arrays());
      requireOneLength(chosen);
      for (var member : chosen.entrySet()) {
        columns.add(
            new Column(ArrayReader.open(member.getValue(), DataFormat.NUMPY, member.getKey())));
      }
      return new NpzReader(file.name(), archive, columns);
    } catch (RuntimeException e) {
      columns.forEach(c -> c.reader.close());
      archive.close();
      throw e;
    }
  }

  /** Returns the arrays that are wanted by their names. */
  private static SequencedMap<String, Member> chosen(Archive archive, List<String> wanted) {
    var all = new LinkedHashMap<String, Member>();
    for (var entry : java.util.Collections.list(archive.zip.entries())) {
      if (!entry.isDirectory()) {
        var name = entry.getName();
        boolean array = name.endsWith(ENDING);
        all.put(
            array ? name.substring(0, name.length() - ENDING.length()) : name,
            new Member(archive, entry));
      }
    }
    if (all.isEmpty()) {
      throw Faults.fault(K6105, archive.file.name() + " has no arrays");
    }
    var chosen = new LinkedHashMap<String, Member>();
    Faults.requireDistinct(wanted);
    for (var name : wanted.isEmpty() ? all.sequencedKeySet() : wanted) {
      var member = all.get(name);
      if (member == null) {
        throw Faults.noColumn(archive.file.name(), name, List.copyOf(all.keySet()));
      }
      if (!member.entry().getName().endsWith(ENDING)) {
        throw Faults.fault(
            K6105,
            member.name() + " is no array",
            "this archive isn't one of NumPy; save a spreadsheet as CSV, and unpack others");
      }
      chosen.put(name, member);
    }
    return chosen;
  }

  private static void requireOneLength(SequencedMap<String, Member> members) {
    var shapes = new LinkedHashMap<String, long[]>();
    members.forEach((name, member) -> shapes.put(name, shape(member)));
    long lengths =
        shapes.values().stream().mapToLong(s -> s.length == 0 ? -1 : s[0]).distinct().count();
    if (lengths > 1) {
      var told = new ArrayList<String>();
      shapes.forEach((name, shape) -> told.add(name + " " + Arrays.toString(shape)));
      throw Faults.fault(
          K6107,
          "the arrays have different lengths: " + String.join(", ", told),
          "choose arrays of one length: --arrays");
    }
  }

  private static long[] shape(Member member) {
    try (var in = new DataInputStream(member.open())) {
      return ArrayFile.numpy(in, Path.of(member.name())).shape();
    } catch (EOFException e) {
      throw Faults.fault(K6103, member.name() + " is damaged: it ends too early");
    } catch (IOException e) {
      throw member.cannotRead(e);
    }
  }

  @Override
  int fill(VectorSchemaRoot batch) {
    int n = Integer.MAX_VALUE;
    for (var c : columns) {
      n = Math.min(n, c.left());
    }
    for (int c = 0; c < columns.size(); c++) {
      var column = columns.get(c);
      if (n > 0) {
        var from = column.batch.getVector(0);
        from.makeTransferPair(batch.getVector(c)).splitAndTransfer(column.at, n);
        column.at += n;
      } else if (column.left() > 0) {
        throw new IllegalStateException("arrays of one length end together");
      }
    }
    return n;
  }

  @Override
  public double fraction() {
    return columns.getFirst().reader.fraction();
  }

  @Override
  public void close() {
    super.close();
    columns.forEach(c -> c.reader.close());
    archive.close();
  }
}
