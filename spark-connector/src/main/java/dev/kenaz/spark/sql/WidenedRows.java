package dev.kenaz.spark.sql;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.error.CompilerBug;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The rows of a part of a table with new columns behind their own. They stream; of the new columns
 * only some rows are in memory. A checksum tells after the last row whether the rows are those that
 * the new columns were computed for.
 */
final class WidenedRows implements Iterator<InternalRow> {
  /** The rows of which new cells are in memory at a time. */
  private static final int ROWS = 1 << 16;

  /**
   * What is the same for all parts.
   *
   * @param columns those for which the new ones were computed
   * @param needed where they are in the table
   * @param places where all columns of the table are in batches
   * @param drops whether rows with a null in one of the columns have no new cells, but nulls
   * @param parts what was found of each part the first time
   */
  record Plan(
      ArrayList<TableColumn> columns,
      int[] needed,
      int[] places,
      boolean drops,
      TableParts parts,
      ArrayList<WidenedTable.Added> added)
      implements Serializable {}

  /** Widens a part; it knows for each part and each new column the rows that it is. */
  record Make(Plan plan, ArrayList<ArrayList<ArrayList<RowRange>>> values)
      implements Function2<Integer, Iterator<Object>, Iterator<InternalRow>> {
    @Override
    public Iterator<InternalRow> call(Integer part, Iterator<Object> rows) {
      return new WidenedRows(plan, part, values.get(part), rows);
    }
  }

  private final Plan plan;
  private final int part;
  private final Iterator<Object> given;
  private final PartBuilder seen;
  private final List<ArrowDataset> values;
  private final InternalRow nulls;
  private final JoinedRow wide = new JoinedRow();
  private Iterator<InternalRow> rows = Collections.emptyIterator();

  /** New cells: those of some rows, from the first of them on. */
  private ColumnarBatch cells;

  private long firstOfCells;
  private long at;
  private boolean ended;

  private WidenedRows(
      Plan plan, int part, List<? extends List<RowRange>> values, Iterator<Object> given) {
    this.plan = plan;
    this.part = part;
    this.given = given;
    this.seen = new PartBuilder(plan.columns, plan.needed, plan.drops, false);
    this.values =
        facts().rows() == 0
            ? List.of()
            : values.stream().map(v -> ArrowDataset.openRanges(v, ReadOptions.ALL)).toList();
    this.nulls = new GenericInternalRow(plan.added.size());
  }

  private PartFacts facts() {
    return plan.parts.facts().get(part);
  }

  @Override
  public boolean hasNext() {
    while (!rows.hasNext() && given.hasNext()) {
      switch (given.next()) {
        case ColumnarBatch b -> {
          var batch = ordered(b);
          seen.add(batch);
          rows = batch.rowIterator();
        }
        case InternalRow r -> {
          seen.add(r);
          rows = List.of(r).iterator();
        }
        case Object o -> throw new CompilerBug("table", "a row is " + o.getClass());
      }
    }
    if (!rows.hasNext() && !ended) {
      ended = true;
      requireSame(seen.facts().equals(facts()));
    }
    return rows.hasNext();
  }

  private void requireSame(boolean same) {
    if (!same) {
      throw TableParts.changed(plan.parts.name(part));
    }
  }

  /** Returns a batch with the columns of the table, in their order. */
  private ColumnarBatch ordered(ColumnarBatch batch) {
    var columns = IntStream.of(plan.places).mapToObj(batch::column).toArray(ColumnVector[]::new);
    return new ColumnarBatch(columns, batch.numRows());
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    var row = rows.next();
    if (plan.drops && seen.hasNull(row)) {
      return wide.apply(row, nulls);
    }
    requireSame(at < facts().rows());
    if (cells == null || at == firstOfCells + cells.numRows()) {
      firstOfCells = at;
      cells = cells(at, Math.min(facts().rows(), at + ROWS));
    }
    return wide.apply(row, cells.getRow((int) (at++ - firstOfCells)));
  }

  private ColumnarBatch cells(long from, long to) {
    int n = (int) (to - from);
    var columns = new ColumnVector[plan.added.size()];
    for (int i = 0; i < columns.length; i++) {
      var of = values.get(i);
      var some = of.rows(from, to).toValue(of.commonType());
      columns[i] = ResultColumns.of(plan.added.get(i).cell(), List.of(some), n);
    }
    return new ColumnarBatch(columns, n);
  }
}
