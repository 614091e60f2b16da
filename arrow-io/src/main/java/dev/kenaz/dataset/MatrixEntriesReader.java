package dev.kenaz.dataset;

import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Reads a sparse matrix in the Matrix Market format as a row for each entry: {@code row}, {@code
 * column} (i64, from 0) and {@code value}, which a pattern hasn't. Entries that a symmetric file
 * leaves out follow their mirror images.
 */
final class MatrixEntriesReader extends BatchReader {
  static final String ROW = "row";
  static final String COLUMN = "column";
  static final String VALUE = "value";

  private final MatrixMarketFile in;
  private boolean mirror;

  private MatrixEntriesReader(DataFile file, Schema schema, MatrixMarketFile in) {
    super(file.name(), schema);
    this.in = in;
  }

  static RowReader open(DataFile file, MatrixMarketFile in) {
    var columns = new ArrayList<Field>();
    columns.add(Columns.scalar(ROW, Prim.I64));
    columns.add(Columns.scalar(COLUMN, Prim.I64));
    in.header().type().ifPresent(t -> columns.add(Columns.scalar(VALUE, t)));
    return new MatrixEntriesReader(file, new Schema(columns, metadata(in.header())), in);
  }

  /** Returns what the schema says of a matrix besides its columns: its size. */
  static Map<String, String> metadata(MatrixMarketFile.Header header) {
    return Map.of("rows", Long.toString(header.rows()), "columns", Long.toString(header.columns()));
  }

  @Override
  int fill(VectorSchemaRoot batch) {
    var rows = NumberVector.of(batch.getVector(ROW)).orElseThrow();
    var columns = NumberVector.of(batch.getVector(COLUMN)).orElseThrow();
    var values = in.header().type().map(_ -> NumberVector.of(batch.getVector(VALUE)).orElseThrow());
    int n = 0;
    for (; n < BATCH_ROWS && (mirror || in.next()); n++) {
      rows.set(n, mirror ? in.column() : in.row());
      columns.set(n, mirror ? in.row() : in.column());
      if (values.isPresent()) {
        values.get().set(n, mirror ? in.mirroredBits() : in.bits());
      }
      mirror = !mirror && in.mirrored();
    }
    return n;
  }

  @Override
  public double fraction() {
    return in.fraction();
  }

  @Override
  public void close() {
    super.close();
    in.close();
  }
}
