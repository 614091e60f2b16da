package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BOOLEAN;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.DOUBLE;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FLOAT;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT64;

import dev.kenaz.arrow.Faults;
import dev.kenaz.arrow.TypeText;
import java.math.BigInteger;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;

/** Says which type of Parquet a column of Arrow has. */
final class ParquetFields {
  private ParquetFields() {}

  static MessageType message(Schema schema) {
    var columns = schema.getFields().stream().map(f -> type(f, f.getName(), f.getName())).toList();
    return new MessageType("schema", columns);
  }

  /**
   * @param name what it is called in Parquet
   * @param column what errors call it
   */
  private static Type type(Field field, String name, String column) {
    var repetition = field.isNullable() ? Repetition.OPTIONAL : Repetition.REQUIRED;
    return switch (field.getType()) {
      case ArrowType.List _, ArrowType.LargeList _, ArrowType.FixedSizeList _ -> {
        var element = type(field.getChildren().getFirst(), "element", column);
        yield Types.list(repetition).setElementType(element).named(name);
      }
      case ArrowType.Struct _ -> {
        if (field.getChildren().isEmpty()) {
          throw refused(field, column);
        }
        var group = Types.buildGroup(repetition);
        for (var child : field.getChildren()) {
          group = group.addField(type(child, child.getName(), column));
        }
        yield group.named(name);
      }
      case ArrowType.Map _ -> {
        var entry = field.getChildren().getFirst().getChildren();
        yield Types.map(repetition)
            .key(type(entry.get(0), "key", column))
            .value(type(entry.get(1), "value", column))
            .named(name);
      }
      default -> scalar(field, repetition, name, column);
    };
  }

  private static Type scalar(Field field, Repetition repetition, String name, String column) {
    return switch (field.getType()) {
      case ArrowType.Bool _ -> plain(BOOLEAN, repetition, null, name);
      case ArrowType.Int i -> {
        boolean plain = i.getIsSigned() && i.getBitWidth() >= 32;
        yield plain(
            i.getBitWidth() == 64 ? INT64 : INT32,
            repetition,
            plain ? null : LogicalTypeAnnotation.intType(i.getBitWidth(), i.getIsSigned()),
            name);
      }
      case ArrowType.FloatingPoint f ->
          switch (f.getPrecision()) {
            case SINGLE -> plain(FLOAT, repetition, null, name);
            case DOUBLE -> plain(DOUBLE, repetition, null, name);
            case HALF -> fixed(2, repetition, LogicalTypeAnnotation.float16Type(), name);
          };
      case ArrowType.Utf8 _, ArrowType.LargeUtf8 _ ->
          plain(BINARY, repetition, LogicalTypeAnnotation.stringType(), name);
      case ArrowType.Binary _, ArrowType.LargeBinary _ -> plain(BINARY, repetition, null, name);
      case ArrowType.FixedSizeBinary b -> fixed(b.getByteWidth(), repetition, null, name);
      case ArrowType.Decimal d ->
          fixed(
              decimalBytes(d.getPrecision()),
              repetition,
              LogicalTypeAnnotation.decimalType(d.getScale(), d.getPrecision()),
              name);
      case ArrowType.Date _ -> plain(INT32, repetition, LogicalTypeAnnotation.dateType(), name);
      case ArrowType.Timestamp t ->
          plain(
              INT64,
              repetition,
              LogicalTypeAnnotation.timestampType(t.getTimezone() != null, unit(t.getUnit())),
              name);
      case ArrowType.Time t ->
          plain(
              t.getBitWidth() == 32 ? INT32 : INT64,
              repetition,
              LogicalTypeAnnotation.timeType(false, unit(t.getUnit())),
              name);
      default -> throw refused(field, column);
    };
  }

  private static RuntimeException refused(Field field, String column) {
    return Faults.fault(
        K6143,
        "Parquet can't hold column \"%s\", which has %s".formatted(column, TypeText.of(field)),
        "leave the column out, or write Arrow");
  }

  private static Type plain(
      PrimitiveTypeName type, Repetition repetition, LogicalTypeAnnotation as, String name) {
    return Types.primitive(type, repetition).as(as).named(name);
  }

  private static Type fixed(
      int bytes, Repetition repetition, LogicalTypeAnnotation as, String name) {
    return Types.primitive(FIXED_LEN_BYTE_ARRAY, repetition).length(bytes).as(as).named(name);
  }

  /** Returns how many bytes the greatest decimal of so many digits takes, with its sign. */
  static int decimalBytes(int precision) {
    return BigInteger.TEN.pow(precision).bitLength() / 8 + 1;
  }

  /** Returns the unit of times in Parquet, which has no seconds. */
  static TimeUnit unit(org.apache.arrow.vector.types.TimeUnit unit) {
    return switch (unit) {
      case SECOND, MILLISECOND -> TimeUnit.MILLIS;
      case MICROSECOND -> TimeUnit.MICROS;
      case NANOSECOND -> TimeUnit.NANOS;
    };
  }
}
