package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6106;
import static dev.kenaz.error.ErrorCode.K6107;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;

/**
 * These are consecutive rows of some columns that lie in one batch.
 *
 * @param columns the columns: at least one, and all with the same number of rows
 * @param source where they come from, for messages
 * @param firstRow the number of the first row there, for messages
 */
public record RowBlock(List<ColumnData> columns, String source, long firstRow) {
  public RowBlock {
    columns = List.copyOf(columns);
  }

  public long rows() {
    return columns.getFirst().rows();
  }

  /** Returns rows {@code from} to {@code to} (exclusive) of this block. */
  public RowBlock slice(long from, long to) {
    return new RowBlock(
        columns.stream().map(c -> c.slice(from, to)).toList(), source, firstRow + from);
  }

  /** Returns how many elements a row has. */
  private long width() {
    return columns.stream().mapToLong(c -> c.info().width()).sum();
  }

  /**
   * Returns the rows of all blocks as {@code [n][d]t}, with the elements of lists side by side. It
   * is a view of the block's own memory if there is one block with one column of type {@code to}
   * and without nulls; else it is a copy that owns its memory.
   *
   * @param blocks the blocks, which all have the same columns
   * @param width the number {@code d}, which is needed if there are no blocks
   * @throws dev.kenaz.error.UserError K6106 for nulls, K6108 for numbers that don't fit {@code to}
   */
  public static ArrayValue toMatrix(
      List<RowBlock> blocks, long width, Prim to, ReadOptions.Nulls nulls) {
    return toMatrix(blocks, width, to, nulls, false);
  }

  /**
   * Does the same.
   *
   * @param exact whether integers that would be rounded are faults, and floats that are too large
   */
  static ArrayValue toMatrix(
      List<RowBlock> blocks, long width, Prim to, ReadOptions.Nulls nulls, boolean exact) {
    var parts = blocks.stream().flatMap(b -> b.withoutNulls(nulls).stream()).toList();
    long rows = parts.stream().mapToLong(RowBlock::rows).sum();
    if (parts.size() == 1 && parts.getFirst().columns.size() == 1) {
      var c = parts.getFirst().columns.getFirst();
      if (c.prim() == to && to != Prim.BOOL) {
        long rowBytes = width * to.byteSize();
        return ArrayValue.of(
            to, c.data().asSlice(c.offset() * rowBytes, rows * rowBytes), rows, width);
      }
    }
    var out = ArrayValue.allocate(to, rows, width);
    var copy = new MatrixCopy(to, out, width, exact);
    long row = 0;
    for (var p : parts) {
      if (p.width() != width) {
        throw fault(K6107, p.source + " has " + p.width() + " elements a row, not " + width);
      }
      copy.rows(p, row);
      row += p.rows();
    }
    return ArrayValue.of(to, out, rows, width);
  }

  /** Cuts the block at its null rows, or throws at the first. */
  private List<RowBlock> withoutNulls(ReadOptions.Nulls nulls) {
    if (rows() == 0) {
      return List.of();
    }
    if (columns.stream().noneMatch(ColumnData::mayHaveNulls)) {
      return List.of(this);
    }
    var runs = new ArrayList<RowBlock>();
    long start = 0;
    for (long row = 0; row <= rows(); row++) {
      if (row < rows() && !anyNull(row, nulls)) {
        continue;
      }
      if (start < row) {
        runs.add(slice(start, row));
      }
      start = row + 1;
    }
    return runs;
  }

  private boolean anyNull(long row, ReadOptions.Nulls nulls) {
    for (var c : columns) {
      if (c.isNull(row)) {
        if (nulls == ReadOptions.Nulls.DROP) {
          return true;
        }
        throw isNull(c.info().name(), firstRow + row);
      }
    }
    return false;
  }

  /** The rows of lists' elements are elements, which can't be left out. */
  private UserError isNull(String column, long row) {
    return ListColumns.ofElements(column).isPresent()
        ? fault(
            K6106,
            "%s: element %d of %s is null, counted over all lists from 0"
                .formatted(source, row, column),
            "replace nulls in lists, or make the lists without them")
        : fault(
            K6106,
            source + ": column \"" + column + "\" is null in row " + row,
            "drop rows with nulls (--nulls drop; in a configuration, data.nulls),",
            "or leave the column out");
  }
}
