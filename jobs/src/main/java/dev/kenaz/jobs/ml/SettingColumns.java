package dev.kenaz.jobs.ml;

import static org.apache.spark.ml.functions.vector_to_array;
import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.arrow.ColumnNames;
import dev.kenaz.arrow.ListColumns;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructType;

/** The columns of a Dataset that the settings of a training name. */
public final class SettingColumns {
  private SettingColumns() {}

  private static List<String> wanted(StructType schema, JsonNode job) {
    var written = new ArrayList<String>();
    for (var names : job.path("data").path("columns")) {
      if (names.isTextual()) {
        written.add(ListColumns.column(names.asText()));
      }
      names.forEach(n -> written.add(ListColumns.column(n.asText())));
    }
    var there = List.of(schema.fieldNames());
    var wanted = ColumnNames.resolve(written, there, "the dataset");
    for (var name : wanted) {
      if (!there.contains(name)) {
        throw new UserError(
            ErrorCode.K6104,
            "the dataset has no column \"" + name + "\"",
            NearestName.hintOrFew(name, there, "its columns are"));
      }
    }
    return List.copyOf(new LinkedHashSet<>(wanted));
  }

  /**
   * Requires that the columns are there, and are numbers, truth values, vectors, or arrays.
   *
   * @throws UserError K6104, K6105
   */
  public static void require(StructType schema, JsonNode job) {
    for (var name : wanted(schema, job)) {
      var type = schema.apply(name).dataType();
      if (!isNumber(type)
          && !(type instanceof VectorUDT)
          && !(type instanceof ArrayType a && isNumber(a.elementType()))) {
        throw new UserError(
            ErrorCode.K6105,
            "the column \"%s\" of the dataset is of type %s".formatted(name, type.sql()),
            "columns of programs are numbers, truth values, vectors, and arrays of numbers");
      }
    }
  }

  private static boolean isNumber(DataType type) {
    return type instanceof NumericType || type instanceof BooleanType;
  }

  /** Returns the columns that a job names. */
  public static Dataset<Row> select(Dataset<?> rows, JsonNode job) {
    var names = wanted(rows.schema(), job);
    return rows.select(names.stream().map(SettingColumns::quoted).toArray(Column[]::new));
  }

  /**
   * Returns an expression for a parameter that is some columns.
   *
   * @param names as a configuration has them
   */
  public static Column argument(Dataset<?> rows, List<String> names) {
    var there = List.of(rows.columns());
    var resolved = ColumnNames.resolve(names, there, "the dataset");
    if (resolved.size() > 1 || !names.equals(resolved)) {
      return array(resolved.stream().map(SettingColumns::quoted).toArray(Column[]::new));
    }
    var only = quoted(resolved.getFirst());
    boolean vector = rows.schema().apply(resolved.getFirst()).dataType() instanceof VectorUDT;
    return vector ? vector_to_array(only, "float64") : only;
  }

  private static Column quoted(String name) {
    return col("`" + name.replace("`", "``") + "`");
  }
}
