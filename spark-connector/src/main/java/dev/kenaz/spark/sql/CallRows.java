package dev.kenaz.spark.sql;

import dev.kenaz.Value;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.sql.RowFunction.Cells;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.metric.SQLMetric;

/**
 * Calls functions for the rows of a partition, in batches.
 *
 * @param input the columns of a row
 * @param output these and the results
 */
record CallRows(
    List<KenazCall> calls,
    List<Attribute> input,
    List<Attribute> output,
    SQLMetric count,
    SQLMetric time)
    implements FlatMapFunction<Iterator<InternalRow>, InternalRow>, Serializable {
  private static final int BATCH = 8192;

  @Override
  public Iterator<InternalRow> call(Iterator<InternalRow> rows) {
    return new Batches(rows);
  }

  /** The rows with their results; rows come in batches. */
  private final class Batches implements Iterator<InternalRow> {
    private final Iterator<InternalRow> rows;
    private final List<UnsafeProjection> arguments;
    private final UnsafeProjection all =
        UnsafeProjection.create(Seqs.<Expression>of(output), Seqs.of(output));
    private final JoinedRow joined = new JoinedRow();
    private List<InternalRow> batch = List.of();
    private Object[][] results = {};
    private int at;

    Batches(Iterator<InternalRow> rows) {
      this.rows = rows;
      this.arguments =
          calls.stream().map(c -> UnsafeProjection.create(c.children(), Seqs.of(input))).toList();
    }

    @Override
    public boolean hasNext() {
      return at < batch.size() || rows.hasNext();
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      if (at == batch.size()) {
        fill();
      }
      var result = new GenericInternalRow(results[at]);
      return all.apply(joined.apply(batch.get(at++), result));
    }

    private void fill() {
      var read = new ArrayList<InternalRow>();
      while (read.size() < BATCH && rows.hasNext()) {
        read.add(rows.next().copy()); // Spark uses the memory of a row again.
      }
      batch = read;
      at = 0;
      results = new Object[batch.size()][calls.size()];
      long start = System.nanoTime();
      for (int c = 0; c < calls.size(); c++) {
        compute(c);
      }
      time.add(System.nanoTime() - start);
      count.add(batch.size());
    }

    /** Rows whose arrays have the same sizes are computed together; a null gives a null. */
    private void compute(int call) {
      var function = calls.get(call).function();
      var groups = new LinkedHashMap<List<Integer>, List<Integer>>();
      var given = new InternalRow[batch.size()];
      for (int i = 0; i < given.length; i++) {
        var row = arguments.get(call).apply(batch.get(i)).copy();
        var sizes = sizes(row, function.columns());
        if (sizes != null) {
          given[i] = row;
          groups.computeIfAbsent(sizes, _ -> new ArrayList<>()).add(i);
        }
      }
      for (var group : groups.values()) {
        var cells = results(function, group.stream().map(i -> given[i]).toList());
        for (int k = 0; k < group.size(); k++) {
          results[group.get(k)][call] = cells.get(k);
        }
      }
    }

    private List<Object> results(RowFunction function, List<InternalRow> given) {
      try {
        return CellArrays.cells(function.result(), called(function, given));
      } catch (UserError e) {
        throw given.size() == 1 ? inRow(function, given.getFirst(), e) : found(function, given, e);
      }
    }

    /** Returns the fault of the first row that has one by itself. */
    private RuntimeException found(RowFunction function, List<InternalRow> given, UserError e) {
      for (var row : given) {
        try {
          called(function, List.of(row));
        } catch (UserError one) {
          return inRow(function, row, one);
        }
      }
      return e;
    }

    private UserError inRow(RowFunction function, InternalRow row, UserError e) {
      var d = e.diagnostics().getFirst();
      var shown =
          IntStream.range(0, function.columns().size())
              .mapToObj(i -> CellArrays.shown(row, i, function.columns().get(i)))
              .toList();
      return new UserError(
          d.code(),
          d.span(),
          d.message() + ", for " + function.name() + "(" + String.join(", ", shown) + ")",
          d.hints().toArray(String[]::new));
    }

    private Value called(RowFunction function, List<InternalRow> given) {
      var arrays = new ArrayList<Value>();
      for (int i = 0; i < function.columns().size(); i++) {
        arrays.add(CellArrays.column(given, i, function.columns().get(i)));
      }
      return function.rows(arrays);
    }
  }

  /** Returns the sizes of the arrays in a row of arguments; null if anything in it is null. */
  private static List<Integer> sizes(InternalRow row, List<Cells> columns) {
    var sizes = new ArrayList<Integer>();
    for (int i = 0; i < columns.size(); i++) {
      if (row.isNullAt(i)) {
        return null;
      }
      if (columns.get(i).array()) {
        var array = row.getArray(i);
        for (int k = 0; k < array.numElements(); k++) {
          if (array.isNullAt(k)) {
            return null;
          }
        }
        sizes.add(array.numElements());
      }
    }
    return sizes;
  }
}
