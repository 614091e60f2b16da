package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.ArrowUtils;

/**
 * Spark's types for Arrow's. Spark knows fewer: no unsigned integers, no half floats, no lists of
 * fixed size, and timestamps in microseconds only. Such a column has the next wider type.
 */
final class SparkTypes {
  /** The key in a Spark column's metadata under which the size of its Arrow lists is. */
  static final String LIST_SIZE = "arrow.list_size";

  /** The key under which is what Arrow's extension of tensors says of their shape. */
  static final String TENSOR = "arrow.fixed_shape_tensor";

  /** The keys in an Arrow field's metadata under which its extension is. */
  static final String EXTENSION = "ARROW:extension:name";

  static final String EXTENSION_METADATA = "ARROW:extension:metadata";

  /** The key in an Arrow field's metadata under which that of Spark's column is, as JSON. */
  private static final String METADATA = "spark.metadata";

  private static final int BITS_OF_DECIMALS = 128;

  private static final int DIGITS_OF_U64 = 20;

  private SparkTypes() {}

  /**
   * Returns the schema that Spark sees of a file.
   *
   * @throws UserError K6105 for a column that Spark can't have
   */
  static StructType of(Schema schema, String file) {
    var fields =
        schema.getFields().stream()
            .map(
                f ->
                    new StructField(
                        f.getName(), UserTypes.of(f, of(f, file)), f.isNullable(), metadata(f)))
            .toArray(StructField[]::new);
    return new StructType(fields);
  }

  private static Metadata metadata(Field field) {
    var metadata =
        new MetadataBuilder()
            .withMetadata(told(field.getMetadata().get(METADATA)))
            .remove(LIST_SIZE)
            .remove(TENSOR);
    if (field.getType() instanceof ArrowType.FixedSizeList lists) {
      metadata.putLong(LIST_SIZE, lists.getListSize());
      if (TENSOR.equals(field.getMetadata().get(EXTENSION))) {
        metadata.putString(TENSOR, field.getMetadata().getOrDefault(EXTENSION_METADATA, ""));
      }
    }
    return metadata.build();
  }

  private static Metadata told(String json) {
    try {
      return json == null ? Metadata.empty() : Metadata.fromJson(json);
    } catch (RuntimeException e) { // Others may mean something else by this key; it says nothing.
      return Metadata.empty();
    }
  }

  /**
   * Returns what an Arrow field says so that the metadata of a Spark column is read again, such as
   * its comment, or what MLlib knows of the values. What the type of the field says is left out.
   */
  static Map<String, String> kept(Metadata column) {
    var rest = new MetadataBuilder().withMetadata(column).remove(LIST_SIZE).remove(TENSOR).build();
    return rest.equals(Metadata.empty()) ? Map.of() : Map.of(METADATA, rest.json());
  }

  /** Returns the type of a column or of a part of it; that of an encoded one is of its values. */
  static DataType of(Field field, String file) {
    requireDecimals(field, field, file);
    try {
      return ArrowUtils.fromArrowField(plain(field));
    } catch (RuntimeException e) { // Spark has its own exception for types that it does not know.
      throw unreadable(field, file);
    }
  }

  /** Refuses decimals whose vectors Spark can't read, though it has a type for their numbers. */
  private static void requireDecimals(Field column, Field part, String file) {
    boolean wrong =
        part.getType() instanceof ArrowType.Decimal d
            && (d.getBitWidth() != BITS_OF_DECIMALS || d.getScale() < 0);
    if (wrong) {
      throw unreadable(column, file);
    }
    part.getChildren().forEach(child -> requireDecimals(column, child, file));
  }

  static UserError unreadable(Field field, String file) {
    return new UserError(
        ErrorCode.K6105,
        "Spark has no type for column \"%s\" of %s, which is %s"
            .formatted(field.getName(), file, field.getType()),
        "name the columns that are wanted by a schema: .schema(\"a double, b int\")");
  }

  /** Returns the field that has the values of another one and is of a kind that Spark can read. */
  static Field plain(Field field) {
    var type = plain(field.getType());
    var children = field.getChildren().stream().map(SparkTypes::plain).toList();
    return new Field(
        field.getName(),
        new FieldType(field.isNullable(), type, null, field.getMetadata()),
        children);
  }

  private static ArrowType plain(ArrowType type) {
    return switch (type) {
      case ArrowType.Int i when !i.getIsSigned() -> signed(i.getBitWidth());
      case ArrowType.FloatingPoint f when f.getPrecision() == FloatingPointPrecision.HALF ->
          new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case ArrowType.FixedSizeBinary _ -> ArrowType.Binary.INSTANCE;
      case ArrowType.Date _ -> new ArrowType.Date(DateUnit.DAY);
      case ArrowType.Timestamp t -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, t.getTimezone());
      case ArrowType.FixedSizeList _, ArrowType.LargeList _ -> ArrowType.List.INSTANCE;
      default -> type;
    };
  }

  private static ArrowType signed(int bits) {
    return bits < Long.SIZE
        ? new ArrowType.Int(2 * bits, true)
        : new ArrowType.Decimal(DIGITS_OF_U64, 0, BITS_OF_DECIMALS);
  }

  /** Whether Spark reads vectors of this field as they are. */
  static boolean isPlain(Field field) {
    return field.getType().equals(plain(field.getType()))
        && field.getChildren().stream().allMatch(SparkTypes::isPlain);
  }

  /**
   * Returns the columns of a file that a query needs, by their numbers there; {@link
   * RowNumbers#COLUMN} stands for the numbers of rows.
   */
  static int[] columns(StructType wanted, Schema schema, String file, boolean caseSensitive) {
    return Arrays.stream(wanted.fields())
        .mapToInt(
            f ->
                RowNumbers.are(f)
                    ? RowNumbers.COLUMN
                    : column(f, schema.getFields(), file, caseSensitive))
        .toArray();
  }

  private static int column(
      StructField wanted, List<Field> fields, String file, boolean caseSensitive) {
    int found = -1;
    for (int i = 0; i < fields.size(); i++) {
      var name = fields.get(i).getName();
      if (caseSensitive ? name.equals(wanted.name()) : name.equalsIgnoreCase(wanted.name())) {
        if (found >= 0) {
          throw new UserError(
              ErrorCode.K6104,
              file + " has two columns \"" + wanted.name() + "\": either may be meant");
        }
        found = i;
      }
    }
    if (found < 0) {
      throw differs(file + " has no column \"" + wanted.name() + "\"");
    }
    var type = of(fields.get(found), file);
    if (!DataType.equalsIgnoreNullability(type, stored(wanted, file))) {
      throw differs(
          "column \"%s\" is %s in %s, but %s in the schema"
              .formatted(wanted.name(), type.sql(), file, wanted.dataType().sql()));
    }
    return found;
  }

  /**
   * Returns the type that a column has once it was written. Arrow knows neither collations nor the
   * fields of intervals, and what a program defines is the struct that Spark stores, also in lists.
   */
  private static DataType stored(StructField column, String file) {
    return of(ArrowWriterFactory.field(column), file);
  }

  private static UserError differs(String message) {
    return new UserError(
        ErrorCode.K6107, message, "all files of a table must have the columns of its schema");
  }
}
