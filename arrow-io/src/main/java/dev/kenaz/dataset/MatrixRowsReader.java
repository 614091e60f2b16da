package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6141;

import dev.kenaz.arrow.Faults;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Reads a matrix in the Matrix Market format row by row: a dense one as lists of one length, a
 * sparse one as the lists {@code indices} (i64, from 0, increasing) and {@code values}.
 *
 * <p>The file has its entries in another order. So each pass over it collects the entries of as
 * many rows as fit into {@link #WINDOW}; a matrix that fits as a whole is read once, or twice if it
 * is sparse, because the entries of each row are counted first.
 */
final class MatrixRowsReader extends BatchReader {
  /** So many entries are kept at once. */
  private static final int WINDOW = 1 << 23;

  /** A matrix with more rows or columns is read by entries alone, as memory holds one of each. */
  private static final int LARGEST = 1 << 26;

  private final DataFile file;
  private final MatrixMarketFile.Header header;
  private final String name;

  /** How many entries each row of a sparse matrix has. */
  private final int[] counts;

  private final long window;

  /** The rows that are kept, from the first to before the last, and the next one to be given. */
  private long first;

  private long last;
  private long row;

  /** The places in which rows begin, the columns of entries, which only sparse ones have. */
  private int[] starts = new int[1];

  private long[] columns = new long[0];
  private long[] values = new long[0];

  private MatrixRowsReader(
      DataFile file,
      Schema schema,
      MatrixMarketFile.Header header,
      String name,
      int[] counts,
      long window) {
    super(file.name(), schema);
    this.file = file;
    this.header = header;
    this.name = name;
    this.counts = counts;
    this.window = window;
  }

  static RowReader open(DataFile file, MatrixMarketFile.Header header, FormatOptions options) {
    return open(file, header, options, WINDOW);
  }

  /**
   * @param window how many entries are kept at once
   */
  static RowReader open(
      DataFile file, MatrixMarketFile.Header header, FormatOptions options, long window) {
    boolean sparse = header.coordinate();
    if (header.rows() > LARGEST || header.columns() > (sparse ? Integer.MAX_VALUE : LARGEST)) {
      throw Faults.fault(
          K6105,
          "%s is a matrix of %d x %d, too large to be read by rows"
              .formatted(file.name(), header.rows(), header.columns()),
          "read it by entries, without --csr");
    }
    if (!sparse && header.columns() == 0) {
      throw Faults.fault(K6105, file.name() + " is a matrix without columns");
    }
    var fields = new ArrayList<Field>();
    if (sparse) {
      fields.add(Columns.list(LibsvmReader.INDICES, Prim.I64));
      header.type().ifPresent(t -> fields.add(Columns.list(LibsvmReader.VALUES, t)));
    } else {
      fields.add(
          Columns.vector(options.name(), header.type().orElseThrow(), (int) header.columns()));
    }
    var schema = new Schema(fields, MatrixEntriesReader.metadata(header));
    var counts = sparse ? counts(file, header) : new int[0];
    return new MatrixRowsReader(file, schema, header, options.name(), counts, window);
  }

  private static int[] counts(DataFile file, MatrixMarketFile.Header header) {
    var counts = new int[(int) header.rows()];
    try (var in = new MatrixMarketFile(file)) {
      while (in.next()) {
        count(counts, in.row());
        if (in.mirrored()) {
          count(counts, in.column());
        }
      }
    }
    return counts;
  }

  private static void count(int[] counts, long row) {
    counts[(int) row] = Math.addExact(counts[(int) row], 1);
  }

  @Override
  int fill(VectorSchemaRoot batch) {
    if (row == header.rows()) {
      return 0;
    }
    if (row == last) {
      collect();
    }
    return header.coordinate() ? sparse(batch) : dense(batch);
  }

  /** Collects the entries of the next rows in a pass over the file. */
  private void collect() {
    first = row;
    long size = 0;
    do {
      size += header.coordinate() ? counts[(int) last] : header.columns();
      last++;
    } while (last < header.rows()
        && size + (header.coordinate() ? counts[(int) last] : header.columns()) <= window);
    int n = (int) (last - first);
    starts = new int[n + 1];
    for (int i = 0; header.coordinate() && i < n; i++) {
      starts[i + 1] = starts[i] + counts[(int) first + i];
    }
    values = new long[Math.toIntExact(size)];
    columns = new long[header.coordinate() ? values.length : 0];
    var next = Arrays.copyOf(starts, n);
    try (var in = new MatrixMarketFile(file)) {
      while (in.next()) {
        keep(next, in.row(), in.column(), in.bits());
        if (in.mirrored()) {
          keep(next, in.column(), in.row(), in.mirroredBits());
        }
      }
    }
    for (int i = 0; header.coordinate() && i < n; i++) {
      sort(starts[i], starts[i + 1], first + i);
    }
  }

  private void keep(int[] next, long r, long column, long bits) {
    if (r < first || r >= last) {
      return;
    }
    int i = (int) (r - first);
    if (!header.coordinate()) {
      values[(int) (i * header.columns() + column)] = bits;
      return;
    }
    columns[next[i]] = column;
    values[next[i]++] = bits;
  }

  /** Sorts the entries of a row by their columns. */
  private void sort(int from, int to, long r) {
    boolean sorted = true;
    var order = new long[to - from];
    for (int i = from; i < to; i++) {
      sorted &= i == from || columns[i] > columns[i - 1];
      order[i - from] = columns[i] << 32 | (i - from);
    }
    if (sorted) {
      return;
    }
    Arrays.sort(order);
    var unsorted = Arrays.copyOfRange(values, from, to);
    for (int i = from; i < to; i++) {
      columns[i] = order[i - from] >>> 32;
      values[i] = unsorted[(int) order[i - from]];
      if (i > from && columns[i] == columns[i - 1]) {
        throw Faults.fault(
            K6141,
            "%s has two entries in row %d, column %d".formatted(file.name(), r + 1, columns[i] + 1),
            "read it by entries, without --csr");
      }
    }
  }

  private int sparse(VectorSchemaRoot batch) {
    var lists = new ArrayList<ListFiller>();
    for (var vector : batch.getFieldVectors()) {
      lists.add(new ListFiller((ListVector) vector));
    }
    var from = List.of(columns, values);
    int n = 0;
    for (; n < BATCH_ROWS && row < last && lists.getFirst().elements() < BATCH_ELEMENTS; n++) {
      int i = (int) (row++ - first);
      for (int c = 0; c < lists.size(); c++) {
        lists.get(c).begin();
        for (int j = starts[i]; j < starts[i + 1]; j++) {
          lists.get(c).add(from.get(c)[j]);
        }
      }
    }
    lists.forEach(ListFiller::end);
    return n;
  }

  private int dense(VectorSchemaRoot batch) {
    var lists = (FixedSizeListVector) batch.getVector(name);
    var numbers = NumberVector.of(lists.getDataVector()).orElseThrow();
    int width = (int) header.columns();
    int n = (int) Math.clamp(BATCH_ELEMENTS / width, 1, Math.min(BATCH_ROWS, last - row));
    int from = (int) (row - first) * width;
    lists.allocateNew();
    for (int i = 0; i < n; i++) {
      while (i >= lists.getValueCapacity()) {
        lists.reAlloc();
      }
      lists.setNotNull(i);
      for (int j = 0; j < width; j++) {
        numbers.set(i * width + j, values[from + i * width + j]);
      }
    }
    row += n;
    return n;
  }

  @Override
  public double fraction() {
    return (double) row / Math.max(1, header.rows());
  }
}
