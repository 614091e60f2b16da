package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.sql.catalyst.util.package$;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.ArrowUtils;

/** Makes the writers of Arrow files that a job needs; what options say is checked before it. */
final class ArrowWriterFactory extends OutputWriterFactory {
  private static final long serialVersionUID = 1;
  private static final Metadata NO_METADATA = Metadata.empty();

  private final String schema;
  private final String zone;
  private final CodecType codec;
  private final int rows;

  private ArrowWriterFactory(String schema, String zone, CodecType codec, int rows) {
    this.schema = schema;
    this.zone = zone;
    this.codec = codec;
    this.rows = rows;
  }

  /**
   * @throws UserError K6105 for columns that Arrow can't have, K6113 for options that make no sense
   */
  static ArrowWriterFactory of(Map<String, String> options, StructType columns, String zone) {
    var given = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    given.putAll(options);
    var sizes = sizes(given.getOrDefault("lists", ""), columns);
    var told = package$.MODULE$.removeInternalMetadata(columns);
    var fields = Arrays.stream(told.fields()).map(f -> field(f, sizes, zone)).toList();
    return new ArrowWriterFactory(
        new Schema(fields).toJson(),
        zone,
        codec(given.get("compression")),
        rows(given.get("rows")));
  }

  /**
   * Returns the field of Arrow for a column.
   *
   * @throws UserError K6105 if Arrow has none
   */
  static Field field(StructField column) {
    var bare = new StructField(column.name(), column.dataType(), column.nullable(), NO_METADATA);
    return field(bare, Map.of(), "UTC");
  }

  private static Field field(StructField column, Map<String, Integer> sizes, String zone) {
    // Schemas are what all versions of Spark convert alike: they differ in the method for a field.
    var plain = new StructField(column.name(), column.dataType(), column.nullable(), NO_METADATA);
    Field field;
    try {
      field =
          ArrowUtils.toArrowSchema(new StructType().add(plain), zone, true, false)
              .getFields()
              .getFirst();
    } catch (RuntimeException e) { // Spark has its own exception for types that Arrow lacks.
      throw new UserError(
          ErrorCode.K6105,
          "Arrow has no type for column \"%s\", which is %s"
              .formatted(column.name(), column.dataType().sql()),
          "leave the column out, or convert it");
    }
    var size = sizes.get(column.name());
    if (size == null) {
      return told(field, field.getType(), column, UserTypes.metadata(column.dataType()));
    }
    var list = new ArrowType.FixedSizeList(size);
    return told(field, list, column, tensor(column.metadata(), size));
  }

  /** Returns a field with another type, and with all that is told of the column besides. */
  private static Field told(
      Field field, ArrowType type, StructField column, Map<String, String> more) {
    var all = new HashMap<String, String>();
    if (field.getMetadata() != null) {
      all.putAll(field.getMetadata());
    }
    all.putAll(more);
    all.putAll(SparkTypes.kept(column.metadata()));
    return new Field(
        field.getName(), new FieldType(field.isNullable(), type, null, all), field.getChildren());
  }

  /** Returns what says of lists that they are tensors of a shape, if they were read as such. */
  private static Map<String, String> tensor(Metadata column, int size) {
    boolean same =
        column.contains(SparkTypes.TENSOR) && column.getLong(SparkTypes.LIST_SIZE) == size;
    return same
        ? Map.of(
            SparkTypes.EXTENSION,
            SparkTypes.TENSOR,
            SparkTypes.EXTENSION_METADATA,
            column.getString(SparkTypes.TENSOR))
        : Map.of();
  }

  /** Returns the columns of lists of fixed size: those that were such, and those of the option. */
  private static Map<String, Integer> sizes(String option, StructType columns) {
    var sizes = new TreeMap<String, Integer>(String.CASE_INSENSITIVE_ORDER);
    for (var f : columns.fields()) {
      if (f.dataType() instanceof ArrayType && f.metadata().contains(SparkTypes.LIST_SIZE)) {
        sizes.put(f.name(), Math.toIntExact(f.metadata().getLong(SparkTypes.LIST_SIZE)));
      }
    }
    for (var item : option.split(",")) {
      if (!item.isBlank()) {
        int at = item.lastIndexOf('=');
        var name = item.substring(0, Math.max(at, 0)).strip();
        boolean there =
            Arrays.stream(columns.fields())
                .anyMatch(
                    f -> f.name().equalsIgnoreCase(name) && f.dataType() instanceof ArrayType);
        if (!there) {
          throw wrong("lists", item, "COLUMN=SIZE for columns of arrays, such as features=64");
        }
        sizes.put(name, number("lists", item.substring(at + 1)));
      }
    }
    return sizes;
  }

  private static CodecType codec(String option) {
    return switch (option == null ? "none" : option.toLowerCase(Locale.ROOT)) {
      case "none", "uncompressed" -> CodecType.NO_COMPRESSION;
      case "lz4" -> CodecType.LZ4_FRAME;
      case "zstd" -> CodecType.ZSTD;
      default -> throw wrong("compression", option, "none, lz4 or zstd");
    };
  }

  /** Returns the rows of a batch, or 0 if its bytes decide. */
  private static int rows(String option) {
    return option == null ? 0 : number("rows", option);
  }

  private static int number(String option, String text) {
    try {
      int n = Integer.parseInt(text.strip());
      if (n > 0) {
        return n;
      }
    } catch (NumberFormatException e) {
      // The error below says what is wanted.
    }
    throw wrong(option, text, "a positive number");
  }

  private static UserError wrong(String option, String value, String wanted) {
    return new UserError(
        ErrorCode.K6113,
        "the option \"%s\" of format arrow can't be \"%s\": it takes %s"
            .formatted(option, value, wanted));
  }

  @Override
  public String getFileExtension(TaskAttemptContext context) {
    return ".arrow";
  }

  @Override
  public OutputWriter newInstance(String path, StructType columns, TaskAttemptContext context) {
    try {
      return new ArrowFileWriter(path, Schema.fromJSON(schema), codec, rows, context);
    } catch (IOException e) {
      throw new UserError(ErrorCode.K6111, "can't write " + path + ": " + e.getMessage());
    }
  }
}
