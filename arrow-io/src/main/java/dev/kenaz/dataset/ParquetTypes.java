package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6105;

import dev.kenaz.error.UserError;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;

/** Says which columns of Arrow the columns of a Parquet file become. */
final class ParquetTypes {
  /** Under this key those who write Parquet of Arrow leave the schema of Arrow. */
  private static final String ARROW_SCHEMA = "ARROW:schema";

  private ParquetTypes() {}

  /**
   * Returns the schema of Arrow that the file was made of; one without columns, if the metadata has
   * none, or one that can't be read, as it only says more than that of Parquet.
   */
  static Schema arrow(Map<String, String> metadata) {
    var text = metadata.get(ARROW_SCHEMA);
    if (text == null) {
      return new Schema(List.of());
    }
    try {
      var bytes = new ByteArrayInputStream(Base64.getDecoder().decode(text));
      return MessageSerializer.deserializeSchema(new ReadChannel(Channels.newChannel(bytes)));
    } catch (IOException | RuntimeException _) {
      return new Schema(List.of());
    }
  }

  /** Returns a column of lists with the length that all of them had in Arrow, if there is one. */
  static Field sized(Field field, Schema arrow) {
    var was =
        arrow.getFields().stream().filter(f -> f.getName().equals(field.getName())).findFirst();
    boolean list = field.getType() instanceof ArrowType.List;
    return list && was.isPresent() && was.get().getType() instanceof ArrowType.FixedSizeList fixed
        ? new Field(
            field.getName(), new FieldType(field.isNullable(), fixed, null), field.getChildren())
        : field;
  }

  /**
   * Returns the column.
   *
   * @throws UserError K6105 if it has structs, maps, or lists of lists
   */
  static Field field(Type type, String file) {
    boolean repeated = type.isRepetition(Type.Repetition.REPEATED);
    if (type.isPrimitive()) {
      var plain = primitive(type.asPrimitiveType(), type.getName(), file);
      boolean nullable = type.isRepetition(Type.Repetition.OPTIONAL);
      var field = new Field(type.getName(), new FieldType(nullable, plain, null), List.of());
      return repeated ? list(type.getName(), false, plain, false) : field;
    }
    var element = repeated ? Optional.<Type>empty() : element(type.asGroupType());
    if (element.isEmpty() || !element.get().isPrimitive()) {
      throw fault(
          K6105,
          "column \"%s\" of %s is \"%s\", which no column can be"
              .formatted(type.getName(), file, type.toString().replaceAll("\\s+", " ")),
          "choose other columns (--columns): numbers, texts, times, and lists of them");
    }
    var cell = primitive(element.get().asPrimitiveType(), type.getName(), file);
    boolean cellNullable = element.get().isRepetition(Type.Repetition.OPTIONAL);
    return list(type.getName(), type.isRepetition(Type.Repetition.OPTIONAL), cell, cellNullable);
  }

  private static Field list(String name, boolean nullable, ArrowType cell, boolean cellNullable) {
    var item = new Field("item", new FieldType(cellNullable, cell, null), List.of());
    return new Field(name, new FieldType(nullable, ArrowType.List.INSTANCE, null), List.of(item));
  }

  /** Returns the elements of a list, which stand in two groups, or in one in old files. */
  private static Optional<Type> element(GroupType list) {
    boolean isList =
        list.getLogicalTypeAnnotation() instanceof LogicalTypeAnnotation.ListLogicalTypeAnnotation;
    if (!isList || list.getFieldCount() != 1) {
      return Optional.empty();
    }
    var inner = list.getType(0);
    if (!inner.isRepetition(Type.Repetition.REPEATED)) {
      return Optional.empty();
    }
    if (inner.isPrimitive()) {
      return Optional.of(inner);
    }
    return inner.asGroupType().getFieldCount() == 1
        ? Optional.of(inner.asGroupType().getType(0))
        : Optional.empty();
  }

  private static ArrowType primitive(PrimitiveType type, String column, String file) {
    var logical = type.getLogicalTypeAnnotation();
    return switch (type.getPrimitiveTypeName()) {
      case BOOLEAN -> ArrowType.Bool.INSTANCE;
      case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case INT32 -> integer(logical, 32, type, column, file);
      case INT64 -> integer(logical, 64, type, column, file);
      case INT96 -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC");
      case BINARY -> binary(logical);
      case FIXED_LEN_BYTE_ARRAY -> fixed(logical, type.getTypeLength());
    };
  }

  private static ArrowType integer(
      LogicalTypeAnnotation logical, int bits, PrimitiveType type, String column, String file) {
    return switch (logical) {
      case null -> new ArrowType.Int(bits, true);
      case LogicalTypeAnnotation.IntLogicalTypeAnnotation i ->
          new ArrowType.Int(i.getBitWidth(), i.isSigned());
      case LogicalTypeAnnotation.DateLogicalTypeAnnotation _ -> new ArrowType.Date(DateUnit.DAY);
      case LogicalTypeAnnotation.DecimalLogicalTypeAnnotation d -> decimal(d);
      case LogicalTypeAnnotation.TimestampLogicalTypeAnnotation t ->
          new ArrowType.Timestamp(unit(t.getUnit()), t.isAdjustedToUTC() ? "UTC" : null);
      case LogicalTypeAnnotation.TimeLogicalTypeAnnotation t ->
          new ArrowType.Time(unit(t.getUnit()), bits);
      default ->
          throw fault(
              K6105, "column \"%s\" of %s is \"%s\"".formatted(column, file, type.toString()));
    };
  }

  private static ArrowType decimal(LogicalTypeAnnotation.DecimalLogicalTypeAnnotation d) {
    return new ArrowType.Decimal(d.getPrecision(), d.getScale(), d.getPrecision() > 38 ? 256 : 128);
  }

  private static TimeUnit unit(LogicalTypeAnnotation.TimeUnit unit) {
    return switch (unit) {
      case MILLIS -> TimeUnit.MILLISECOND;
      case MICROS -> TimeUnit.MICROSECOND;
      case NANOS -> TimeUnit.NANOSECOND;
    };
  }

  private static ArrowType binary(LogicalTypeAnnotation logical) {
    return switch (logical) {
      case LogicalTypeAnnotation.StringLogicalTypeAnnotation _ -> ArrowType.Utf8.INSTANCE;
      case LogicalTypeAnnotation.EnumLogicalTypeAnnotation _ -> ArrowType.Utf8.INSTANCE;
      case LogicalTypeAnnotation.JsonLogicalTypeAnnotation _ -> ArrowType.Utf8.INSTANCE;
      case LogicalTypeAnnotation.DecimalLogicalTypeAnnotation d -> decimal(d);
      case null, default -> ArrowType.Binary.INSTANCE;
    };
  }

  private static ArrowType fixed(LogicalTypeAnnotation logical, int length) {
    return switch (logical) {
      case LogicalTypeAnnotation.Float16LogicalTypeAnnotation _ ->
          new ArrowType.FloatingPoint(FloatingPointPrecision.HALF);
      case LogicalTypeAnnotation.DecimalLogicalTypeAnnotation d -> decimal(d);
      case null, default -> new ArrowType.FixedSizeBinary(length);
    };
  }
}
