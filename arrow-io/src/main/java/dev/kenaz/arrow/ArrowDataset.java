package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K6109;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * These are rows of one or more Arrow files or streams with one schema, under {@link ReadOptions}.
 *
 * <p>A dataset is immutable and thread-safe. Files are mapped, and their memory is released by the
 * garbage collector when no array over it is left. So nothing has to be closed, and arrays may
 * outlive the dataset.
 */
public final class ArrowDataset {
  private final List<ColumnInfo> schema;
  private final int[] selected;
  private final ReadOptions options;
  private final IpcFile first;
  private final List<Stretch> stretches;

  /** Rows {@code from} to {@code to} of a batch, which starts at row {@code first} of its file. */
  private record Stretch(IpcFile file, IpcBatch batch, long first, long from, long to) {
    long rows() {
      return to - from;
    }

    RowBlock block(int[] selected) {
      var columns = Arrays.stream(selected).mapToObj(this::column).toList();
      return new RowBlock(columns, file.name(), first + from);
    }

    private ColumnData column(int c) {
      if (c >= 0) {
        return batch.column(c).slice(from, to);
      }
      return batch.lengths(~c, lengthsOf(file.columns().get(~c)).name(), from, to);
    }

    /** Returns how many elements the lists of a column have in all rows. */
    long elements(int column) {
      return batch.elementsBefore(column, to) - batch.elementsBefore(column, from);
    }
  }

  /**
   * @param first a file that has the schema
   */
  private ArrowDataset(
      List<ColumnInfo> schema,
      int[] selected,
      ReadOptions options,
      IpcFile first,
      List<Stretch> stretches) {
    this.schema = schema;
    this.selected = selected;
    this.options = options;
    this.first = first;
    this.stretches = List.copyOf(stretches);
  }

  public static ArrowDataset open(String name) {
    return open(List.of(name), ReadOptions.ALL);
  }

  /**
   * Opens files, and reads only their metadata.
   *
   * @param names files, folders of {@code *.arrow}, or globs
   * @throws dev.kenaz.error.UserError K6101 to K6107
   */
  public static ArrowDataset open(List<String> names, ReadOptions options) {
    var files = DatasetFiles.resolve(names).stream().map(IpcFile::map).toList();
    var name = options.columns().size() == 1 ? options.columns().getFirst() : "";
    var lists = ListColumns.ofElements(name);
    boolean named = files.getFirst().columns().stream().anyMatch(c -> c.name().equals(name));
    return lists.isEmpty() || named
        ? of(files, options)
        : of(files.stream().map(f -> f.elements(lists.get(), name)).toList(), options);
  }

  /** Reads an IPC stream (or file) to its end, into memory. It doesn't close the stream. */
  public static ArrowDataset read(InputStream in, String name, ReadOptions options) {
    return of(List.of(IpcFile.read(in, name)), options);
  }

  /** Opens the rows that {@link #ranges} has named, in this process or another one. */
  public static ArrowDataset openRanges(List<RowRange> ranges, ReadOptions options) {
    return openRanges(ranges, r -> open(List.of(r.file()), options));
  }

  /**
   * Opens rows.
   *
   * @param opener returns all rows of the file or part of a table in which some are
   */
  static ArrowDataset openRanges(List<RowRange> ranges, Function<RowRange, ArrowDataset> opener) {
    var files = new LinkedHashMap<String, ArrowDataset>();
    var stretches = new ArrayList<Stretch>();
    ArrowDataset first = null;
    for (var r : ranges) {
      var whole = files.computeIfAbsent(r.file(), _ -> opener.apply(r));
      first = first == null ? whole : first;
      requireSameSchema(first.schema, whole.schema, ranges.getFirst().file(), r.file());
      stretches.addAll(whole.rows(r.from(), r.to()).stretches);
    }
    if (first == null) {
      throw fault(K6101, "no data file is named");
    }
    return new ArrowDataset(first.schema, first.selected, first.options, first.first, stretches);
  }

  static ArrowDataset of(List<IpcFile> files, ReadOptions options) {
    var first = files.getFirst();
    var stretches = new ArrayList<Stretch>();
    for (var f : files) {
      requireSameSchema(first.columns(), f.columns(), first.name(), f.name());
      long row = 0;
      for (var b : f.batches()) {
        stretches.add(new Stretch(f, b, row, 0, b.rows()));
        row = Math.addExact(row, b.rows());
      }
    }
    return new ArrowDataset(first.columns(), new int[0], ReadOptions.ALL, first, stretches)
        .withOptions(options);
  }

  private static void requireSameSchema(
      List<ColumnInfo> a, List<ColumnInfo> b, String fileA, String fileB) {
    int n = Math.min(a.size(), b.size());
    for (int i = 0; i < n; i++) {
      var x = a.get(i);
      var y = b.get(i);
      if (!x.name().equals(y.name()) || !x.type().equals(y.type())) {
        throw fault(
            K6107,
            "files of one dataset differ: column %s is \"%s\": %s in %s, but \"%s\": %s in %s"
                .formatted(i + 1, x.name(), x.type(), fileA, y.name(), y.type(), fileB));
      }
    }
    if (a.size() != b.size()) {
      throw fault(
          K6107,
          "files of one dataset differ: %s has %s columns, %s has %s"
              .formatted(fileA, a.size(), fileB, b.size()));
    }
  }

  private static int[] select(List<ColumnInfo> schema, List<String> wanted, String file) {
    var names = schema.stream().map(ColumnInfo::name).toList();
    if (wanted.isEmpty()) {
      return IntStream.range(0, schema.size()).toArray();
    }
    var selected = new int[wanted.size()];
    for (int i = 0; i < selected.length; i++) {
      var name = wanted.get(i);
      selected[i] = names.indexOf(name);
      var lists = ListColumns.ofLengths(name).map(names::indexOf);
      if (selected[i] < 0 && lists.isPresent() && lists.get() >= 0) {
        selected[i] = ~lists.get();
        continue;
      }
      if (selected[i] < 0 && ListColumns.ofElements(name).isPresent()) {
        throw fault(
            K6109,
            name + " has other rows than other columns, so it is a parameter of its own",
            "name it alone");
      }
      if (selected[i] < 0) {
        throw Faults.noColumn(file, name, names);
      }
      if (names.lastIndexOf(name) != selected[i]) {
        throw fault(K6104, file + " has two columns \"" + name + "\": either may be meant");
      }
    }
    return selected;
  }

  /** Returns the selected columns. */
  public List<ColumnInfo> columns() {
    return Arrays.stream(selected)
        .mapToObj(c -> c >= 0 ? schema.get(c) : lengthsOf(schema.get(~c)))
        .toList();
  }

  private static ColumnInfo lengthsOf(ColumnInfo lists) {
    return ColumnInfo.scalar("lengths(" + lists.name() + ")", Prim.I64);
  }

  /** Returns all columns of the files. */
  public List<ColumnInfo> schema() {
    return schema;
  }

  public ReadOptions options() {
    return options;
  }

  /** Returns the same rows with another choice of columns and another treatment of nulls. */
  public ArrowDataset withOptions(ReadOptions other) {
    var names = schema.stream().map(ColumnInfo::name).toList();
    var exact = other.withColumns(ColumnNames.resolve(other.columns(), names, first.name()));
    var selected = select(schema, exact.columns(), first.name());
    return new ArrowDataset(schema, selected, exact, first, stretches);
  }

  /**
   * Returns the number of rows, before any is dropped for nulls. {@link #toValue} has at most as
   * many.
   */
  public long rowCount() {
    return stretches.stream().mapToLong(Stretch::rows).sum();
  }

  /** Returns the number of record batches. */
  public int batchCount() {
    return stretches.size();
  }

  /** Whether some batch must be decompressed, and so copied, to be read. */
  public boolean compressed() {
    return stretches.stream().anyMatch(s -> s.batch().compressed());
  }

  /**
   * Returns how many bytes the buffers of the selected columns take in the files; batches are
   * counted as a whole.
   */
  public long byteSize() {
    return stretches.stream()
        .mapToLong(
            s -> Arrays.stream(selected).mapToLong(c -> s.batch().byteSize(Math.max(c, ~c))).sum())
        .sum();
  }

  /**
   * Returns rows {@code from} to {@code to} (exclusive) without a copy. Rows are counted before any
   * is dropped for nulls.
   */
  public ArrowDataset rows(long from, long to) {
    Objects.checkFromToIndex(from, to, rowCount());
    var kept = new ArrayList<Stretch>();
    long start = 0;
    for (var s : stretches) {
      long low = Math.max(from - start, 0);
      long high = Math.min(to - start, s.rows());
      if (low < high) {
        kept.add(new Stretch(s.file(), s.batch(), s.first(), s.from() + low, s.from() + high));
      }
      start += s.rows();
    }
    return new ArrowDataset(schema, selected, options, first, kept);
  }

  /**
   * Returns the rows in {@code n} consecutive parts whose sizes differ by at most one. A part may
   * be empty.
   */
  public List<ArrowDataset> partitions(int n) {
    var parts = new ArrayList<ArrowDataset>();
    long rows = rowCount();
    for (long i = 0; i < n; i++) {
      parts.add(rows(cut(rows, i, n), cut(rows, i + 1, n)));
    }
    return List.copyOf(parts);
  }

  private static long cut(long rows, long i, long n) {
    return rows / n * i + Math.min(i, rows % n);
  }

  /**
   * Returns what {@link #openRanges} needs to read the same rows elsewhere: files have absolute
   * paths. If there are no rows, a file tells which columns there are.
   */
  public List<RowRange> ranges() {
    if (stretches.isEmpty()) {
      return List.of(new RowRange(first.place(), 0, 0));
    }
    return stretches.stream()
        .map(s -> new RowRange(s.file().place(), s.first() + s.from(), s.first() + s.to()))
        .toList();
  }

  /** Returns the absolute paths of the files that have the rows. */
  Stream<Path> files() {
    return Stream.concat(Stream.of(first), stretches.stream().map(Stretch::file))
        .flatMap(f -> f.path().stream());
  }

  /**
   * Returns the selected columns of each batch as views of the files' memory, or as decompressed
   * copies. Nulls are neither dropped nor refused.
   */
  public List<RowBlock> blocks() {
    return stretches.stream().map(s -> s.block(selected)).toList();
  }

  /**
   * Returns how many elements the lists have before each of some rows.
   *
   * @param lists a column of lists
   * @param rows in order
   */
  long[] elementsBefore(String lists, long[] rows) {
    int column = schema.stream().map(ColumnInfo::name).toList().indexOf(lists);
    var before = new long[rows.length];
    long row = 0;
    long elements = 0;
    int k = 0;
    for (var s : stretches) {
      for (; k < rows.length && rows[k] <= row + s.rows(); k++) {
        before[k] =
            elements
                + new Stretch(s.file(), s.batch(), 0, s.from(), s.from() + rows[k] - row)
                    .elements(column);
      }
      row += s.rows();
      elements += s.elements(column);
    }
    for (; k < rows.length; k++) {
      before[k] = elements;
    }
    return before;
  }

  /** Whether lists of two columns have the same lengths in each row. */
  boolean sameLengths(String a, String b) {
    var x = column("lengths(" + a + ")").blocks();
    var y = column("lengths(" + b + ")").blocks();
    for (int i = 0; i < x.size(); i++) {
      if (x.get(i).columns().getFirst().data().mismatch(y.get(i).columns().getFirst().data())
          >= 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns a dataset with one of the selected columns. */
  public ArrowDataset column(String name) {
    return withOptions(options.withColumns(List.of(name)));
  }

  /**
   * Returns the narrowest type that holds all elements of the selected columns. If there are
   * integers and floats, it is a float type.
   */
  public Prim commonType() {
    var types = numericColumns().stream().map(c -> c.prim().orElseThrow()).distinct().toList();
    if (types.size() == 1) {
      return types.getFirst();
    }
    boolean single = types.stream().allMatch(p -> p.isFloat() ? p != Prim.F64 : p.byteSize() <= 2);
    if (types.stream().anyMatch(Prim::isFloat)) {
      return single ? Prim.F32 : Prim.F64;
    }
    return types.contains(Prim.U64) ? Prim.F64 : Prim.I64;
  }

  /** Returns the selected columns: at least one, and all of numbers. */
  List<ColumnInfo> numericColumns() {
    var columns = columns();
    if (columns.isEmpty()) {
      throw fault(K6109, first.name() + " has no columns");
    }
    columns.forEach(c -> ColumnData.requireNumeric(c, first.name()));
    return columns;
  }

  /**
   * Returns {@code [n]t} for a single scalar column, and {@code [n][d]t} for several columns or for
   * fixed-size lists.
   */
  public ArrayValue toValue(Prim to) {
    var columns = numericColumns();
    return columns.size() == 1 && !columns.getFirst().list() ? toVector(to) : toMatrix(to);
  }

  /**
   * Returns {@code [n][d]t}: each row has the selected columns side by side, with the elements of
   * lists. It is a view of the file's memory if the only column is an uncompressed list column of
   * type {@code to} in one batch; otherwise it is a copy.
   *
   * @throws dev.kenaz.error.UserError K6105 for columns that aren't numbers, K6106 for nulls, K6108
   *     for numbers that don't fit {@code to}
   */
  public ArrayValue toMatrix(Prim to) {
    var columns = numericColumns();
    long width = columns.stream().mapToLong(ColumnInfo::width).sum();
    return RowBlock.toMatrix(blocks(), width, to, options.nulls());
  }

  /**
   * Returns {@code [n]t} for a single column. It is a view where {@link #toMatrix} would return
   * one.
   */
  public ArrayValue toVector(Prim to) {
    var columns = numericColumns();
    if (columns.size() != 1 || columns.getFirst().width() != 1) {
      throw fault(
          K6109,
          "expected one column of scalars, but these are chosen: "
              + String.join(", ", columns.stream().map(ColumnInfo::name).toList()));
    }
    var matrix = toMatrix(to);
    return matrix.reshape(matrix.dim(0));
  }

  /** Counts, for each selected column, the elements that are NaN. */
  public Map<String, Long> nanCounts() {
    var counts = new LinkedHashMap<String, Long>();
    new DatasetInspect(this).columns().forEach(c -> counts.put(c.info().name(), c.nans()));
    return counts;
  }
}
