package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6106;

import dev.kenaz.arrow.ColumnData;
import dev.kenaz.arrow.ColumnInfo;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Sees to it that columns of numbers have no nulls, so that programs can compute with them. Other
 * columns keep theirs.
 *
 * @param nulls what is done with a row in which a number is null
 */
public record NullNumbers(Nulls nulls) implements RowChange {

  /** Says what happens to rows with nulls. */
  public enum Nulls {
    /** A null is an error, which names the column and the row. */
    ERROR,
    /** The row is left out, whatever column is null. */
    DROP
  }

  @Override
  public Schema schema(Schema in) {
    return new Schema(
        in.getFields().stream()
            .map(f -> ColumnInfo.of(f).prim().isPresent() ? without(f) : f)
            .toList(),
        in.getCustomMetadata());
  }

  private static Field without(Field f) {
    return new Field(
        f.getName(),
        new FieldType(false, f.getType(), null, f.getMetadata()),
        f.getChildren().stream().map(NullNumbers::without).toList());
  }

  @Override
  public Step begin(Schema in, int part, String name) {
    return new Check(in, schema(in), nulls, name);
  }

  private static final class Check implements Step {
    private final Schema schema;
    private final Nulls nulls;
    private final String name;
    private final boolean[] numbers;
    private final RowPick pick;
    private long row;

    Check(Schema in, Schema schema, Nulls nulls, String name) {
      this.schema = schema;
      this.nulls = nulls;
      this.name = name;
      this.pick = new RowPick(in);
      this.numbers = new boolean[in.getFields().size()];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = ColumnInfo.of(in.getFields().get(i)).prim().isPresent();
      }
    }

    @Override
    public VectorSchemaRoot apply(VectorSchemaRoot batch) {
      var bad = new boolean[batch.getRowCount()];
      int count = 0;
      for (int c = 0; c < numbers.length; c++) {
        if (numbers[c] || nulls == Nulls.DROP) {
          count += mark(batch.getVector(c), numbers[c], bad);
        }
      }
      row += bad.length;
      var kept = count == 0 ? batch : picked(batch, bad);
      List<FieldVector> vectors = new ArrayList<>(kept.getFieldVectors());
      return new VectorSchemaRoot(schema, vectors, kept.getRowCount());
    }

    private int mark(FieldVector v, boolean number, boolean[] bad) {
      int count = 0;
      var data = number ? ColumnData.of(v) : null;
      if (number ? !data.mayHaveNulls() : v.getNullCount() == 0) {
        return 0;
      }
      for (int i = 0; i < bad.length; i++) {
        if (number ? data.isNull(i) : v.isNull(i)) {
          if (nulls == Nulls.ERROR) {
            throw fault(
                K6106,
                "%s: column \"%s\" is null in row %d".formatted(name, v.getName(), row + i),
                "drop rows with nulls, keep them (--missing drop, --missing null), or leave the"
                    + " column out");
          }
          count += bad[i] ? 0 : 1;
          bad[i] = true;
        }
      }
      return count;
    }

    private VectorSchemaRoot picked(VectorSchemaRoot batch, boolean[] bad) {
      var rows = new int[bad.length];
      int count = 0;
      for (int i = 0; i < bad.length; i++) {
        if (!bad[i]) {
          rows[count++] = i;
        }
      }
      return pick.take(batch, rows, count);
    }

    @Override
    public void close() {
      pick.close();
    }
  }
}
