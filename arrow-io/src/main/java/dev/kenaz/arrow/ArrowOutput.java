package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6112;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Writes one Arrow IPC file, batch by batch. The file appears only at {@link #commit}; if the
 * output is closed before, nothing is left.
 *
 * <p>It owns no memory: arrays are written from where they are, and remain the caller's.
 */
public final class ArrowOutput implements AutoCloseable {
  /** The default number of rows in a batch. */
  public static final long BATCH_ROWS = 1 << 16;

  private final List<ColumnInfo> columns;
  private final AtomicOutput place;
  private final WritableByteChannel channel;
  private final IpcWriter writer;
  private long rows;

  /**
   * @param place where the file appears; null if there is only the channel
   */
  ArrowOutput(List<ColumnInfo> columns, AtomicOutput place, WritableByteChannel channel) {
    this(columns, Map.of(), place, channel);
  }

  private ArrowOutput(
      List<ColumnInfo> columns,
      Map<String, String> metadata,
      AtomicOutput place,
      WritableByteChannel channel) {
    this.columns = List.copyOf(columns);
    this.place = place;
    this.channel = channel;
    this.writer = new IpcWriter(columns, metadata, channel);
  }

  /**
   * Starts a file.
   *
   * @param columns numeric columns with distinct names
   * @param overwrite whether an existing file may be replaced
   */
  public static ArrowOutput create(Path file, List<ColumnInfo> columns, boolean overwrite) {
    return create(file, columns, Map.of(), overwrite);
  }

  /**
   * Starts a file.
   *
   * @param columns numeric columns with distinct names
   * @param metadata what the schema says besides
   * @param overwrite whether an existing file may be replaced
   */
  public static ArrowOutput create(
      Path file, List<ColumnInfo> columns, Map<String, String> metadata, boolean overwrite) {
    var names = new HashSet<String>();
    for (var c : columns) {
      if (!names.add(c.name())) {
        throw fault(K6112, "two output columns are named \"" + c.name() + "\"");
      }
    }
    var place = AtomicOutput.to(file, overwrite);
    try {
      var channel =
          FileChannel.open(place.path(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      return new ArrowOutput(columns, metadata, place, channel);
    } catch (IOException e) {
      place.close();
      throw Faults.cannotWrite(file, e);
    }
  }

  /**
   * Writes values as columns of one file: {@code [n]t} as a column of t, {@code [n][d]t} as one of
   * fixed-size lists, a scalar as a column of one row.
   *
   * @param values the values by column name, in the order of the columns; all of the same length
   */
  public static void write(
      Path file, SequencedMap<String, ? extends Value> values, boolean overwrite) {
    var arrays = new LinkedHashMap<String, ArrayValue>();
    values.forEach((name, v) -> arrays.put(name, asArray(name, v)));
    var infos = arrays.entrySet().stream().map(ArrowOutput::info).toList();
    var columns = List.copyOf(arrays.values());
    try (var out = create(file, infos, overwrite)) {
      long n = columns.isEmpty() ? 0 : columns.getFirst().dim(0);
      out.checkLengths(columns);
      for (long from = 0; from < n; from += BATCH_ROWS) {
        long start = from;
        long end = Math.min(n, from + BATCH_ROWS);
        out.write(columns.stream().map(c -> c.rows(start, end)).toList());
      }
      out.commit();
    }
  }

  private static ArrayValue asArray(String name, Value v) {
    return switch (v) {
      case ScalarValue s -> ArrayValue.stack(List.of(s));
      case ArrayValue a when a.rank() <= 2 -> a;
      case ArrayValue a ->
          throw fault(
              K6112,
              "\"" + name + "\" is " + a.typeName() + ", but a column takes two dimensions at most",
              "flatten its inner dimensions");
    };
  }

  private static ColumnInfo info(Map.Entry<String, ArrayValue> column) {
    var a = column.getValue();
    return a.rank() == 1
        ? ColumnInfo.scalar(column.getKey(), a.elem())
        : ColumnInfo.list(column.getKey(), a.elem(), Math.toIntExact(a.dim(1)));
  }

  private void checkLengths(List<ArrayValue> batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.get(i).dim(0) != batch.getFirst().dim(0)) {
        throw fault(
            K6112,
            "columns of one file must have equally many rows, but \""
                + columns.getFirst().name()
                + "\" has "
                + batch.getFirst().dim(0)
                + " and \""
                + columns.get(i).name()
                + "\" has "
                + batch.get(i).dim(0));
      }
    }
  }

  /**
   * Appends a batch: one array for each column, of the column's type and width, all of equal
   * length.
   */
  public void write(List<ArrayValue> batch) {
    if (batch.size() != columns.size()) {
      throw fault(K6112, batch.size() + " arrays given for " + columns.size() + " columns");
    }
    checkLengths(batch);
    int n = Math.toIntExact(batch.isEmpty() ? 0 : batch.getFirst().dim(0));
    for (int i = 0; i < batch.size(); i++) {
      check(columns.get(i), batch.get(i), n);
    }
    try {
      writer.batch(n, batch);
    } catch (IOException e) {
      throw failed(e);
    }
    rows += n;
  }

  /** Returns how many rows were written so far. */
  public long rows() {
    return rows;
  }

  private static void check(ColumnInfo info, ArrayValue a, int n) {
    if (a.elem() != info.prim().orElseThrow() || a.count() != (long) n * info.width()) {
      throw fault(
          K6112,
          "column \"%s\" is %s, but got %s of %s elements"
              .formatted(info.name(), info.shownType(), a.typeName(), a.count()),
          "each batch has the types and widths of the columns");
    }
  }

  /** Completes the file and puts it in place. Call it once, after the last batch. */
  public void commit() {
    try {
      writer.end();
      channel.close();
      if (place != null) {
        place.commit();
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private UserError failed(IOException e) {
    return Faults.cannotWrite(place == null ? Path.of("output") : place.target(), e);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw failed(e);
    } finally {
      if (place != null) {
        place.close();
      }
    }
  }
}
