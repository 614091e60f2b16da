package dev.kenaz.spark.sql;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Computes calls for batches of rows, in one task. */
final class CallBatch {
  private final List<One> calls = new ArrayList<>();

  /**
   * @param input the columns of a row
   */
  CallBatch(List<KenazCall> calls, List<Attribute> input) {
    calls.forEach(c -> this.calls.add(new One(c, input)));
  }

  /** Whether a call takes columns as they are. */
  static boolean takesColumns(KenazCall call, List<Attribute> input) {
    return columns(call, input).isPresent();
  }

  private static Optional<List<ColumnArgument>> columns(KenazCall call, List<Attribute> input) {
    var all = new ArrayList<ColumnArgument>();
    for (int i = 0; i < call.children().size(); i++) {
      var argument =
          ColumnArgument.of(call.children().apply(i), call.function().columns().get(i), input);
      if (argument.isEmpty()) {
        return Optional.empty();
      }
      all.add(argument.get());
    }
    return Optional.of(all);
  }

  /** Returns a column for each call, with the results for these rows. */
  ColumnVector[] ofRows(List<InternalRow> rows) {
    return calls.stream().map(c -> c.ofRows(rows)).toArray(ColumnVector[]::new);
  }

  /** Returns a column for each call, with the results for the rows of a batch. */
  ColumnVector[] ofColumns(ColumnarBatch batch) {
    return calls.stream().map(c -> c.ofColumns(batch)).toArray(ColumnVector[]::new);
  }

  /** A call in a task. */
  private static final class One {
    private final RowFunction function;
    private final Optional<List<ColumnArgument>> columns;
    private final List<ColumnArgument.Scratch> scratch;
    private final UnsafeProjection arguments;

    One(KenazCall call, List<Attribute> input) {
      function = call.function();
      columns = columns(call, input);
      scratch = function.columns().stream().map(_ -> new ColumnArgument.Scratch()).toList();
      arguments = UnsafeProjection.create(call.children(), Seqs.of(input));
      arguments.initialize(TaskContext.getPartitionId()); // Random numbers depend on it.
    }

    WritableColumnVector ofColumns(ColumnarBatch batch) {
      var arrays = columns.flatMap(all -> read(all, batch));
      if (arrays.isPresent() && batch.numRows() > 0) {
        try {
          var results = function.rows(arrays.get());
          return ResultColumns.of(function.result(), results, batch.numRows());
        } catch (UserError e) { // The rows will tell which of them is at fault.
          return ofRows(rows(batch));
        }
      }
      return ofRows(rows(batch));
    }

    private Optional<List<ArrayValue>> read(List<ColumnArgument> all, ColumnarBatch batch) {
      var arrays = new ArrayList<ArrayValue>();
      for (int i = 0; i < all.size(); i++) {
        var read = all.get(i).read(batch, scratch.get(i));
        if (read.isEmpty()) {
          return Optional.empty();
        }
        arrays.add(read.get());
      }
      return Optional.of(arrays);
    }

    /**
     * Returns the rows of a batch; each is valid until the next one is asked for. To copy them
     * would copy columns that are no arguments, and Spark can't copy Arrow's arrays that hold
     * nulls.
     */
    private static List<InternalRow> rows(ColumnarBatch batch) {
      return new AbstractList<>() {
        @Override
        public InternalRow get(int i) {
          return batch.getRow(i);
        }

        @Override
        public int size() {
          return batch.numRows();
        }
      };
    }

    /** Rows whose arrays have the same sizes are computed together; a null gives a null. */
    WritableColumnVector ofRows(List<InternalRow> rows) {
      var groups = new LinkedHashMap<List<Integer>, Group>();
      Group last = null;
      for (int i = 0; i < rows.size(); i++) {
        var row = arguments.apply(rows.get(i));
        if (hasNull(row)) {
          continue;
        }
        if (last == null || !last.fits(row)) {
          last = groups.computeIfAbsent(sizes(row), _ -> new Group(rows.size()));
        }
        last.add(row, i);
      }
      var column = ResultColumns.nulls(function.result(), rows.size());
      for (var group : groups.values()) {
        ResultColumns.put(column, function.result(), results(group, rows), group.numbers());
      }
      return column;
    }

    private boolean hasNull(InternalRow row) {
      var columns = function.columns();
      for (int i = 0; i < columns.size(); i++) {
        if (CellBuffer.hasNull(row, i, columns.get(i))) {
          return true;
        }
      }
      return false;
    }

    private List<Integer> sizes(InternalRow row) {
      var sizes = new ArrayList<Integer>();
      for (int i = 0; i < function.columns().size(); i++) {
        if (function.columns().get(i).rank() > 0) {
          sizes.add(row.getArray(i).numElements());
        }
      }
      return sizes;
    }

    /** Rows whose arrays have the same sizes. */
    private final class Group {
      private final List<CellBuffer> cells =
          function.columns().stream().map(CellBuffer::new).toList();
      private final int[] at;
      private int count;

      Group(int most) {
        at = new int[most];
      }

      boolean fits(InternalRow row) {
        for (int i = 0; i < cells.size(); i++) {
          if (!cells.get(i).fits(row, i)) {
            return false;
          }
        }
        return true;
      }

      void add(InternalRow row, int number) {
        for (int i = 0; i < cells.size(); i++) {
          try {
            cells.get(i).add(row, i);
          } catch (UserError e) {
            throw inRow(row, e);
          }
        }
        at[count++] = number;
      }

      int[] numbers() {
        return Arrays.copyOf(at, count);
      }

      List<ArrayValue> values() {
        return cells.stream().map(CellBuffer::value).toList();
      }
    }

    private List<ArrayValue> results(Group group, List<InternalRow> rows) {
      try {
        return function.rows(group.values());
      } catch (UserError e) {
        throw found(group, rows, e);
      }
    }

    /** Returns the fault of the first row that has one by itself. */
    private UserError found(Group group, List<InternalRow> rows, UserError e) {
      for (int i : group.numbers()) {
        var row = arguments.apply(rows.get(i));
        var alone = new Group(1);
        alone.add(row, i);
        try {
          function.rows(alone.values());
        } catch (UserError one) {
          return inRow(row, one);
        }
      }
      return e;
    }

    private UserError inRow(InternalRow row, UserError e) {
      var shown =
          IntStream.range(0, function.columns().size())
              .mapToObj(i -> CellBuffer.shown(row, i, function.columns().get(i)))
              .toList();
      return SqlFaults.in(e, function.name() + "(" + String.join(", ", shown) + ")");
    }
  }
}
