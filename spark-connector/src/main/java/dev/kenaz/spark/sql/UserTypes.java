package dev.kenaz.spark.sql;

import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.UserDefinedType;

/**
 * The vectors and matrices of {@code spark.ml}, which Spark stores as structs. What a column was is
 * in the metadata of its Arrow field, so it is the same again when it is read.
 */
final class UserTypes {
  private static final String KEY = "spark.udt";

  /** A file may name any class, so only those are made that are known to do no more than this. */
  private static final Set<String> KNOWN =
      Set.of(
          "org.apache.spark.ml.linalg.VectorUDT",
          "org.apache.spark.ml.linalg.MatrixUDT",
          "org.apache.spark.mllib.linalg.VectorUDT",
          "org.apache.spark.mllib.linalg.MatrixUDT");

  private UserTypes() {}

  /** Returns what a field of Arrow says of such a column; nothing of others. */
  static Map<String, String> metadata(DataType type) {
    var name = type.getClass().getName();
    return KNOWN.contains(name) ? Map.of(KEY, name) : Map.of();
  }

  /**
   * Returns the type of the column of a field.
   *
   * @param stored the type of its vectors, which it has if it is nothing else
   */
  static DataType of(Field field, DataType stored) {
    var name = field.getMetadata().getOrDefault(KEY, "");
    if (!KNOWN.contains(name)) {
      return stored;
    }
    try {
      var loader = Thread.currentThread().getContextClassLoader();
      var made = Class.forName(name, true, loader).getDeclaredConstructor().newInstance();
      return made instanceof UserDefinedType<?> type
              && DataType.equalsIgnoreNullability(stored, type.sqlType())
          ? type
          : stored;
    } catch (ReflectiveOperationException e) {
      return stored; // This Spark has no spark.ml, and can read the struct.
    }
  }
}
