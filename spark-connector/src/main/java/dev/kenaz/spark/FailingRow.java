package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K5002;
import static dev.kenaz.error.ErrorCode.K5003;
import static dev.kenaz.error.ErrorCode.K5004;
import static dev.kenaz.error.ErrorCode.K5005;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongUnaryOperator;

/**
 * A fault of a program at one row of a shard. The row is found by computing fewer and fewer of the
 * rows: all that is known of a compiled program that fails is at which place of its text it did.
 */
final class FailingRow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What a single row can be the reason of. */
  private static final Set<ErrorCode> OF_ROWS = Set.of(K5001, K5002, K5003, K5004, K5005);

  private final UserError fault;
  private final long row;

  private FailingRow(UserError fault, long row) {
    super(fault.getMessage(), fault);
    this.fault = fault;
    this.row = row;
  }

  /** Computes some of the rows. */
  interface Part {
    /**
     * @param from the first of the rows that {@code columns} have
     */
    void compute(long from, List<Value> columns);
  }

  /**
   * Returns what to throw instead of a fault: the same, if it isn't that of a single row.
   *
   * @param columns those for which the program failed
   * @param numbers the numbers of their rows in the shard
   * @param part computes some of them
   */
  static RuntimeException of(
      UserError fault, List<? extends Value> columns, LongUnaryOperator numbers, Part part) {
    var code = fault.diagnostics().getFirst().code();
    long rows = rows(columns);
    if (!OF_ROWS.contains(code) || rows <= 0) {
      return fault;
    }
    long from = 0;
    long end = rows;
    while (end - from > 1) {
      long middle = (from + end) >>> 1;
      if (fails(fault, columns, from, middle, part)) {
        end = middle;
      } else if (fails(fault, columns, middle, end, part)) {
        from = middle;
      } else {
        return fault;
      }
    }
    return new FailingRow(fault, numbers.applyAsLong(from));
  }

  /** Returns how many rows all arrays have; -1 if these aren't equally many. */
  private static long rows(List<? extends Value> arrays) {
    var counts = arrays.stream().map(v -> v instanceof ArrayValue a ? a.dim(0) : -1L).distinct();
    var all = counts.toList();
    return all.size() == 1 ? all.getFirst() : -1;
  }

  private static boolean fails(
      UserError fault, List<? extends Value> columns, long from, long end, Part part) {
    try {
      part.compute(from, columns.stream().map(c -> (Value) rows(c, from, end)).toList());
      return false;
    } catch (UserError e) {
      return e.diagnostics().getFirst().equals(fault.diagnostics().getFirst());
    } catch (RuntimeException e) {
      return false; // It isn't what is looked for, so the row can't be named.
    }
  }

  private static ArrayValue rows(Value array, long from, long end) {
    return ((ArrayValue) array).rows(from, end);
  }

  UserError fault() {
    return fault;
  }

  /** Returns the fault with a hint that names the row, if what it is a row of can do so. */
  UserError told(ShardSource source, int shard, List<? extends Value> values) {
    if (rows(values) <= row) {
      return fault;
    }
    var d = fault.diagnostics().getFirst();
    var hints = new ArrayList<>(d.hints());
    var at = values.stream().map(v -> rows(v, row, row + 1)).toList();
    source.row(shard, row, at).ifPresent(hints::addFirst);
    return new UserError(List.of(new Diagnostic(d.code(), d.span(), d.message(), hints)));
  }
}
