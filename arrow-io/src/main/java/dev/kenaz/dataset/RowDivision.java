package dev.kenaz.dataset;

import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Divides the rows of a part among the shares of the output. */
final class RowDivision implements AutoCloseable {
  private final RowOutput output;
  private final int part;
  private final RowPick pick;
  private long row;

  RowDivision(Schema schema, RowOutput output, int part) {
    this.output = output;
    this.part = part;
    this.pick = output.shares().isEmpty() ? null : new RowPick(schema);
  }

  void write(VectorSchemaRoot batch, List<PartFiles> shares) {
    if (pick == null) {
      shares.getFirst().write(batch);
      return;
    }
    int n = batch.getRowCount();
    var of = new int[n];
    for (int i = 0; i < n; i++) {
      of[i] = share(RowHash.uniform(output.seed(), part, row + i));
    }
    row += n;
    var rows = new int[n];
    for (int s = 0; s < shares.size(); s++) {
      int count = 0;
      for (int i = 0; i < n; i++) {
        if (of[i] == s) {
          rows[count++] = i;
        }
      }
      if (count > 0) {
        shares.get(s).write(pick.take(batch, rows, count));
      }
    }
  }

  private int share(double x) {
    double sum = 0;
    int last = output.shares().size() - 1;
    for (int s = 0; s < last; s++) {
      sum += output.shares().get(s).part();
      if (x < sum) {
        return s;
      }
    }
    return last;
  }

  @Override
  public void close() {
    if (pick != null) {
      pick.close();
    }
  }
}
