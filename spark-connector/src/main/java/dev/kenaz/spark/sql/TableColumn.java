package dev.kenaz.spark.sql;

import dev.kenaz.value.Prim;
import java.io.Serializable;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;

/**
 * A column of a table, as Kenaz computes with it.
 *
 * @param field the column in Spark
 * @param prim its elements; null if they aren't numbers or truth values
 * @param isArray whether a row has an array of them
 * @param isVector whether the array is stored as a vector of MLlib
 */
record TableColumn(StructField field, Prim prim, boolean isArray, boolean isVector)
    implements Serializable {
  static TableColumn of(StructField field) {
    if (PlainTables.isVector(field)) {
      return new TableColumn(PlainTables.plain(field), Prim.F64, true, true);
    }
    return field.dataType() instanceof ArrayType a
        ? new TableColumn(field, prim(a.elementType()), true, false)
        : new TableColumn(field, prim(field.dataType()), false, false);
  }

  private static Prim prim(DataType type) {
    if (type.equals(DataTypes.BooleanType)) {
      return Prim.BOOL;
    } else if (type.equals(DataTypes.ByteType)) {
      return Prim.I8;
    } else if (type.equals(DataTypes.ShortType)) {
      return Prim.I16;
    } else if (type.equals(DataTypes.IntegerType)) {
      return Prim.I32;
    } else if (type.equals(DataTypes.LongType)) {
      return Prim.I64;
    } else if (type.equals(DataTypes.FloatType)) {
      return Prim.F32;
    }
    return type.equals(DataTypes.DoubleType) ? Prim.F64 : null;
  }

  /** Whether cells of the column are kept. */
  boolean isKept() {
    return prim != null;
  }

  /**
   * Returns the column of Arrow.
   *
   * @param width how many elements all arrays have; 0 or less if they have different lengths
   */
  Field arrow(int width) {
    var plain = ArrowWriterFactory.field(field);
    if (!isArray || !isKept() || width <= 0) {
      return plain;
    }
    var list = new FieldType(true, new ArrowType.FixedSizeList(width), null);
    return new Field(plain.getName(), list, plain.getChildren());
  }
}
