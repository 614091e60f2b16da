package dev.kenaz.jobs.ml;

import static org.apache.spark.ml.functions.vector_to_array;
import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.arrow.ColumnNames;
import dev.kenaz.arrow.ListColumns;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.TrainJob;
import java.nio.file.Path;
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
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/** The columns of a Dataset that the settings of a training name. */
public final class SettingColumns {
  private static final String NONE = "kenaz_none";

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
   * Lets parameters of the program for which a job has nothing be the columns that have their
   * names.
   *
   * @param job has no place of the data yet
   * @param folder the folder from which its relative paths start
   * @return the job with these columns
   */
  public static ObjectNode bound(StructType schema, ObjectNode job, Path folder) {
    var all = job.deepCopy().put("output", "-");
    ((ObjectNode) all.get("data")).put("path", "-");
    // The schema of configurations wants a column; this one is no parameter's name.
    var columns = (ObjectNode) all.get("data").get("columns");
    if (columns.isEmpty()) {
      columns.put(NONE, NONE);
    }
    var unbound = TrainJob.unbound(ConfigReader.train(all, "the estimator"), folder);
    var bound = job.deepCopy();
    for (var field : schema.fieldNames()) {
      if (unbound.contains(field)) {
        ((ObjectNode) bound.get("data").get("columns")).put(field, field);
      }
    }
    return bound;
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
            "columns of programs are numbers, truth values, vectors, and arrays of numbers",
            type instanceof StringType
                ? "org.apache.spark.ml.feature.StringIndexer makes numbers of texts; put it before"
                    + " the estimator in a pipeline"
                : "cast it, or leave it out");
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
