package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K7302;
import static dev.kenaz.error.ErrorCode.K8002;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Columns of Arrow files that are the parameters of an entry point, row by row. Nothing but
 * metadata is read until rows are asked for.
 */
public final class ParameterData {
  /** How many bytes a piece has at most, if its record batches allow that. */
  private static final long PIECE_BYTES = 64L << 20;

  /**
   * What a parameter is.
   *
   * @param path a file, a folder of files, or a glob
   * @param columns their names, in order; empty for all columns
   */
  public record Source(String parameter, String path, List<String> columns) {
    public Source {
      columns = List.copyOf(columns);
    }
  }

  private final AlignedRows reading;

  /** For each array the rows that it has; the same dataset for arrays of one parameter. */
  private final List<ArrowDataset> datasets;

  private ParameterData(AlignedRows reading, List<ArrowDataset> datasets) {
    this.reading = reading;
    this.datasets = List.copyOf(datasets);
  }

  /**
   * Opens files.
   *
   * @param nulls what happens to rows with a null in any column
   * @param nans whether NaNs are numbers like others
   * @throws UserError K61xx for what can't be read, K6107 if there are not equally many rows, K7302
   *     if there are none, K8002 for a parameter that columns can't be
   */
  public static ParameterData open(
      EntryPoint entry, List<Source> sources, ReadOptions.Nulls nulls, boolean nans) {
    var arrays = new ArrayList<ArrayColumns>();
    var datasets = new ArrayList<ArrowDataset>();
    for (var param : entry.params()) {
      for (var s : sources) {
        if (s.parameter().equals(param.name())) {
          var dataset = ArrowDataset.open(List.of(s.path()), new ReadOptions(s.columns(), nulls));
          for (var array : ArrayColumns.of(param, entry.name(), dataset)) {
            arrays.add(array);
            datasets.add(dataset.withOptions(new ReadOptions(array.columns(), nulls)));
          }
        }
      }
    }
    if (arrays.isEmpty()) {
      throw fault(K8002, "no parameter of " + entry.name() + " is named to be data");
    }
    var data = new ParameterData(new AlignedRows(arrays, nulls, nans), datasets);
    data.requireRows();
    return data;
  }

  private void requireRows() {
    long rows = rows();
    for (int i = 0; i < datasets.size(); i++) {
      if (datasets.get(i).rowCount() != rows) {
        throw fault(
            K6107,
            "the data has %,d rows for the parameter %s, but %,d for %s"
                .formatted(rows, parameter(0), datasets.get(i).rowCount(), parameter(i)),
            "row k of one belongs to row k of the other, so there must be equally many");
      }
    }
    if (rows == 0) {
      throw fault(K7302, "the data for the parameter " + parameter(0) + " has no rows");
    }
    if (kept() == 0) {
      throw fault(K7302, "each of the " + rows + " rows has a null, so none is left");
    }
  }

  private String parameter(int array) {
    return reading.arrays().get(array).parameter();
  }

  /** Returns how many rows there are, before any is left out for nulls. */
  public long rows() {
    return datasets.getFirst().rowCount();
  }

  /** Returns how many rows are left, after those that are left out for nulls. */
  public long kept() {
    return count(0, rows());
  }

  /** Returns the shapes of the arrays as if no row is left out, in the entry point's order. */
  public List<long[]> shapes() {
    return reading.arrays().stream().map(a -> a.shape(rows())).toList();
  }

  /** Returns how a process reads the rows of {@link #ranges}. */
  public AlignedRows reading() {
    return reading;
  }

  /** Names rows so that another process can read them. */
  public ArrayList<ArrayList<RowRange>> ranges(long from, long to) {
    var ranges = new ArrayList<ArrayList<RowRange>>();
    for (var d : datasets) {
      // A dataset without rows must still be told by its file.
      var rows = from == to ? List.of(nothing(d)) : d.rows(from, to).ranges();
      ranges.add(new ArrayList<>(rows.stream().map(RowRange::absolute).toList()));
    }
    return ranges;
  }

  private static RowRange nothing(ArrowDataset d) {
    var first = d.ranges().getFirst();
    return new RowRange(first.file(), first.from(), first.from());
  }

  /** Reads rows of all arrays, in the entry point's order. */
  public List<ArrayValue> read(long from, long to) {
    return reading.readAll(datasets.stream().map(d -> d.rows(from, to)).toList());
  }

  /** Returns how many rows {@link #read} gives: all, unless some are left out for nulls. */
  public long count(long from, long to) {
    return reading.nulls() == ReadOptions.Nulls.ERROR
        ? to - from
        : reading.count(datasets.stream().map(d -> d.rows(from, to)).toList());
  }

  /** Cuts the rows between record batches of the first array. */
  private long[] pieces() {
    long rowBytes =
        reading.arrays().stream().mapToLong(a -> (long) a.width() * a.elem().byteSize()).sum();
    var firsts = new ArrayList<>(List.of(0L));
    long end = 0;
    for (var batch : datasets.getFirst().ranges()) {
      if (end > firsts.getLast()
          && (end + batch.rows() - firsts.getLast()) * rowBytes > PIECE_BYTES) {
        firsts.add(end);
      }
      end += batch.rows();
    }
    firsts.add(end);
    return firsts.stream().mapToLong(i -> i).toArray();
  }

  /**
   * Cuts the rows as they are cut unless something else is said.
   *
   * @param wanted how many pieces are wanted, if that is said
   * @param least how many pieces there are at least otherwise
   * @return the first row of each piece, then the number of rows
   */
  public long[] pieces(OptionalInt wanted, int least) {
    var batches = pieces();
    return wanted.isPresent() || batches.length <= least ? even(wanted.orElse(least)) : batches;
  }

  private long[] even(int n) {
    long rows = rows();
    var firsts = new long[n + 1];
    for (int i = 0; i <= n; i++) {
      firsts[i] = rows / n * i + Math.min(i, rows % n);
    }
    return firsts;
  }

  /** Returns the absolute paths of all files. */
  public List<Path> files() {
    return datasets.stream()
        .flatMap(d -> d.ranges().stream())
        .map(RowRange::absolute)
        .map(r -> Path.of(r.file()))
        .distinct()
        .sorted()
        .toList();
  }

  /** Describes the data: it is the same text for the same columns of files that didn't change. */
  public String identity() {
    return reading + " " + files().stream().map(f -> f + " " + version(f)).toList();
  }

  private static String version(Path file) {
    try {
      return Files.size(file) + " " + Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw Faults.cannotRead(file, e);
    }
  }
}
