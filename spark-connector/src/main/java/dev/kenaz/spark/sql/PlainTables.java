package dev.kenaz.spark.sql;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.UserDefinedType;

/**
 * Tables without types of other libraries: MLlib's vectors, dense or sparse, become arrays. This
 * class doesn't name MLlib, so it works where that is absent.
 */
final class PlainTables {
  private static final String VECTOR = "org.apache.spark.ml.linalg.VectorUDT";

  /** A vector is stored as a struct of its kind, size, indices and values. */
  private static final int FIELDS = 4;

  private static final byte SPARSE = 0;

  private PlainTables() {}

  static Dataset<Row> of(Dataset<Row> table) {
    var fields = table.schema().fields();
    if (Arrays.stream(fields).noneMatch(PlainTables::isVector)) {
      return table;
    }
    var types = Arrays.stream(fields).map(StructField::dataType).toArray(DataType[]::new);
    var vectors = new boolean[fields.length];
    var plain = new StructField[fields.length];
    for (int i = 0; i < fields.length; i++) {
      vectors[i] = isVector(fields[i]);
      plain[i] = vectors[i] ? plain(fields[i]) : fields[i];
    }
    var rows =
        ((org.apache.spark.sql.classic.Dataset<Row>) table)
            .queryExecution()
            .toRdd()
            .toJavaRDD()
            .map(new WithArrays(types, vectors));
    return ((SparkSession) table.sparkSession())
        .internalCreateDataFrame(rows.rdd(), new StructType(plain), false);
  }

  /** Returns a column of arrays in the place of one of vectors. */
  static StructField plain(StructField field) {
    var arrays = new ArrayType(DataTypes.DoubleType, false);
    return new StructField(field.name(), arrays, field.nullable(), field.metadata());
  }

  /** Returns the numbers of a cell that is a vector. */
  static ArrayData numbers(SpecializedGetters row, int ordinal) {
    var vector = row.getStruct(ordinal, FIELDS);
    if (vector.getByte(0) != SPARSE) {
      return vector.getArray(3);
    }
    var all = new double[vector.getInt(1)];
    var indices = vector.getArray(2);
    var values = vector.getArray(3);
    for (int k = 0; k < indices.numElements(); k++) {
      all[indices.getInt(k)] = values.getDouble(k);
    }
    return UnsafeArrayData.fromPrimitiveArray(all);
  }

  static boolean isVector(StructField field) {
    return field.dataType() instanceof UserDefinedType<?> t
        && t.getClass().getName().equals(VECTOR);
  }

  private record WithArrays(DataType[] types, boolean[] vectors)
      implements Function<InternalRow, InternalRow>, Serializable {
    @Override
    public InternalRow call(InternalRow row) {
      var cells = new Object[types.length];
      for (int i = 0; i < cells.length; i++) {
        if (!row.isNullAt(i)) {
          cells[i] = vectors[i] ? numbers(row, i) : row.get(i, types[i]);
        }
      }
      return new GenericInternalRow(cells);
    }
  }
}
