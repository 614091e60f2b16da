package dev.kenaz.spark.sql;

import dev.kenaz.arrow.MemoryBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.util.ArrowUtils;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Collects the rows of a part of a table, as batches of columns in native memory. Columns of mapped
 * files are kept where they are, others are copied.
 */
final class PartBuilder {
  /** The rows of a batch of what is copied. */
  private static final int ROWS = 1 << 18;

  /** The rows that a mapped batch has at least to stay a batch of its own. */
  private static final int LEAST_ROWS = 1 << 10;

  /** What Arrow calls the memory of mapped files that is kept. */
  static final String KEPT = "kenaz tables";

  /** It owns what is kept of mapped files, which lives longer than the tasks that have read it. */
  private static final BufferAllocator OWNER =
      ArrowUtils.rootAllocator().newChildAllocator(KEPT, 0, Long.MAX_VALUE);

  private final boolean drops;
  private final boolean keeps;
  private final int[] places;
  private final List<CellColumn> columns = new ArrayList<>();
  private final List<TableColumn> kept = new ArrayList<>();
  private final List<Integer> numbers = new ArrayList<>();
  private final List<MemoryBatch> batches = new ArrayList<>();
  private int rows;
  private long flushed;
  private long leftOut;
  private final CRC32C sum = new CRC32C();

  /**
   * @param places for each column, its place in rows and batches
   * @param drops whether rows with a null are left out
   * @param keeps whether cells are kept, rather than their checksum alone
   */
  PartBuilder(List<TableColumn> table, int[] places, boolean drops, boolean keeps) {
    this.drops = drops;
    this.keeps = keeps;
    this.places = places;
    for (int i = 0; i < table.size(); i++) {
      if (table.get(i).isKept()) {
        columns.add(new CellColumn(table.get(i)));
        kept.add(table.get(i));
        numbers.add(i);
      }
    }
  }

  /** Appends a row. */
  void add(InternalRow row) {
    if (drops && hasNull(row)) {
      leftOut++;
      return;
    }
    for (int k = 0; k < columns.size(); k++) {
      columns.get(k).add(row, place(k));
    }
    if (++rows == ROWS) {
      flush();
    }
  }

  private int place(int k) {
    return places[numbers.get(k)];
  }

  /** Whether a row has a null in one of the columns. */
  boolean hasNull(InternalRow row) {
    for (int k = 0; k < kept.size(); k++) {
      if (row.isNullAt(place(k))) {
        return true;
      }
      if (kept.get(k).isArray() && !kept.get(k).isVector()) {
        var array = row.getArray(place(k));
        for (int i = 0; i < array.numElements(); i++) {
          if (array.isNullAt(i)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Appends the rows of a batch. */
  void add(ColumnarBatch batch) {
    if (keep(batch)) {
      return;
    }
    boolean byRow = false;
    for (int k = 0; k < columns.size(); k++) {
      byRow |= kept.get(k).isArray() || drops && batch.column(place(k)).hasNull();
    }
    if (byRow) {
      Iterator<InternalRow> all = batch.rowIterator();
      all.forEachRemaining(this::add);
      return;
    }
    for (int from = 0; from < batch.numRows(); ) {
      int n = Math.min(ROWS - rows, batch.numRows() - from);
      for (int k = 0; k < columns.size(); k++) {
        columns.get(k).addAll(batch.column(place(k)), from, n);
      }
      rows += n;
      from += n;
      if (rows == ROWS) {
        flush();
      }
    }
  }

  /** Takes the columns of a mapped file, if all of the batch's are that and have no nulls. */
  private boolean keep(ColumnarBatch batch) {
    int n = batch.numRows();
    var vectors = new ArrayList<FieldVector>();
    for (int k = 0; k < columns.size(); k++) {
      boolean whole =
          batch.column(place(k)) instanceof MappedVector m
              && vectors.add(m.vector())
              && m.vector().getNullCount() == 0
              && isWhole(k, m.vector(), n);
      if (!whole) {
        return false;
      }
    }
    if (n < LEAST_ROWS || columns.isEmpty() || new HashSet<>(vectors).size() < vectors.size()) {
      return false;
    }
    flush();
    note(((MappedVector) batch.column(place(0))).version());
    flushed += n;
    var all = new ArrayList<MemoryBatch.Buffers>();
    for (int k = 0; k < columns.size(); k++) {
      if (vectors.get(k) instanceof ListVector l) {
        columns.get(k).hasWidth(l.getElementEndIndex(0) - l.getElementStartIndex(0));
      }
      if (keeps) {
        var cells = taken(vectors.get(k));
        all.add(new MemoryBatch.Buffers(CellColumn.none(), CellColumn.none(), cells));
      }
    }
    if (keeps) {
      batches.add(new MemoryBatch(n, all));
    }
    return true;
  }

  /** Whether lists have the same size, and nothing is null in them. */
  private boolean isWhole(int k, FieldVector v, int rows) {
    if (!(v instanceof ListVector l)) {
      return true;
    }
    int width = rows == 0 ? 0 : l.getElementEndIndex(0) - l.getElementStartIndex(0);
    boolean whole =
        width > 0
            && l.getDataVector().getNullCount() == 0
            && (columns.get(k).width() == CellColumn.UNKNOWN || columns.get(k).width() == width);
    for (int i = 0; whole && i < rows; i++) {
      whole = l.getElementStartIndex(i) == i * width && l.getElementEndIndex(i) == (i + 1) * width;
    }
    return whole;
  }

  /** Makes the elements of a vector those of a vector of this process, and returns them. */
  private static MemorySegment taken(FieldVector vector) {
    var pair = vector.getTransferPair(OWNER);
    pair.transfer();
    var mine = (FieldVector) pair.getTo();
    ArrowBuf cells = (mine instanceof ListVector l ? l.getDataVector() : mine).getDataBuffer();
    return MemorySegment.ofAddress(cells.memoryAddress())
        .reinterpret(cells.capacity(), Arena.ofAuto(), _ -> mine.close());
  }

  private void flush() {
    if (rows > 0) {
      var taken = columns.stream().map(CellColumn::take).toList();
      for (var of : taken) {
        sum.update(of.validity().asByteBuffer());
        sum.update(of.cellValidity().asByteBuffer());
        sum.update(of.cells().asByteBuffer());
      }
      if (keeps) {
        batches.add(new MemoryBatch(rows, taken));
      }
      flushed += rows;
      rows = 0;
    }
  }

  /** Mapped columns are the same if their file is; their cells aren't looked at for that. */
  private void note(String version) {
    sum.update(version.getBytes(StandardCharsets.UTF_8));
  }

  /** What was collected. */
  Part part() {
    flush();
    return new Part(leftOut, sum.getValue(), widths(), batches);
  }

  private List<Integer> widths() {
    return columns.stream().map(CellColumn::width).toList();
  }

  /** What is known of the rows so far. */
  PartFacts facts() {
    flush();
    return new PartFacts(flushed, leftOut, sum.getValue(), new ArrayList<>(widths()));
  }

  /**
   * The rows of a part.
   *
   * @param leftOut how many rows weren't collected because they have nulls
   * @param checksum the same for the same cells
   * @param widths how many elements the arrays of each column have that is kept: 1 for numbers
   */
  record Part(long leftOut, long checksum, List<Integer> widths, List<MemoryBatch> batches) {}
}
