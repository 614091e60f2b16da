package dev.kenaz.dataset;

import java.util.function.BiPredicate;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Keeps some rows: those for which a condition holds, or a random share of them. */
public sealed interface SomeRows extends RowChange {

  /** Keeps the rows for which a condition holds. */
  record Where(RowCondition condition) implements SomeRows {}

  /**
   * Keeps each row with the same probability. The same rows are kept for any number of threads.
   *
   * @param fraction the probability
   */
  record Sample(double fraction, long seed) implements SomeRows {}

  @Override
  default Schema schema(Schema in) {
    if (this instanceof Where w) {
      w.condition().bind(in);
    }
    return in;
  }

  @Override
  default Step begin(Schema in, int part, String name) {
    return switch (this) {
      case Where w -> {
        var test = w.condition().bind(in);
        yield new Filter(in, (batch, row) -> test.holds(batch, row[0]));
      }
      case Sample s ->
          new Filter(in, (_, row) -> RowHash.uniform(s.seed(), part, row[1]) < s.fraction());
    };
  }

  /** Copies the rows that are kept. */
  final class Filter implements Step {
    private final RowPick pick;

    /** Takes the batch, and the number of the row in it and in the part. */
    private final BiPredicate<VectorSchemaRoot, long[]> keeps;

    private long row;

    Filter(Schema in, BiPredicate<VectorSchemaRoot, long[]> keeps) {
      this.pick = new RowPick(in);
      this.keeps = keeps;
    }

    @Override
    public VectorSchemaRoot apply(VectorSchemaRoot batch) {
      int n = batch.getRowCount();
      var rows = new int[n];
      var at = new long[2];
      int count = 0;
      for (int i = 0; i < n; i++) {
        at[0] = i;
        at[1] = row + i;
        if (keeps.test(batch, at)) {
          rows[count++] = i;
        }
      }
      row += n;
      return count == n ? batch : pick.take(batch, rows, count);
    }

    @Override
    public void close() {
      pick.close();
    }
  }
}
