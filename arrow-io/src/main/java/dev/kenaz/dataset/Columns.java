package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.value.Prim;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** Makes the fields of schemas: columns of numbers without nulls, and of lists of them. */
final class Columns {
  private Columns() {}

  static Schema schema(Map<String, String> metadata, Field... fields) {
    return new Schema(List.of(fields), metadata);
  }

  static Field scalar(String name, Prim type) {
    return new Field(name, FieldType.notNullable(type(type)), List.of());
  }

  /** Returns a column of lists of different lengths. */
  static Field list(String name, Prim type) {
    return new Field(
        name, FieldType.notNullable(new ArrowType.List()), List.of(scalar("item", type)));
  }

  /** Returns a column of lists of one length. */
  static Field vector(String name, Prim type, int width) {
    return new Field(
        name,
        FieldType.notNullable(new ArrowType.FixedSizeList(width)),
        List.of(scalar("item", type)));
  }

  static ArrowType type(Prim prim) {
    return switch (prim) {
      case BOOL -> new ArrowType.Bool();
      case F16 -> new ArrowType.FloatingPoint(FloatingPointPrecision.HALF);
      case F32 -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case F64 -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case I8, I16, I32, I64, U8, U16, U32, U64 ->
          new ArrowType.Int(8 * prim.byteSize(), prim.isSigned());
    };
  }

  /**
   * Returns a schema whose columns have different names.
   *
   * @throws dev.kenaz.error.UserError K6104 if two have one
   */
  static Schema distinct(Schema schema) {
    var seen = new HashSet<String>();
    for (var f : schema.getFields()) {
      if (!seen.add(f.getName())) {
        throw Faults.fault(
            ErrorCode.K6104,
            "two columns are called \"" + f.getName() + "\"",
            "give one another name");
      }
    }
    return schema;
  }
}
