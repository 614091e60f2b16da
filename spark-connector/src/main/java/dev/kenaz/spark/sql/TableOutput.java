package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.JobTitle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * A format in which Spark writes rows that are in Arrow files.
 *
 * @param format one of Spark's, such as {@code parquet}
 * @param options what the format is told
 */
public record TableOutput(String format, Map<String, String> options) {
  /** The files that Kenaz itself writes. */
  public static final TableOutput ARROW = new TableOutput("arrow", Map.of());

  private static final String MADE = "made";

  /** Returns the same, with lists of fixed sizes if it is the format of Arrow files. */
  TableOutput withLists(String sizes) {
    if (!isArrow()) {
      return this;
    }
    var told = new LinkedHashMap<>(options);
    told.putIfAbsent("lists", sizes);
    return new TableOutput(format, told);
  }

  private static SparkSession session(JavaSparkContext spark) {
    return SparkSession.builder().sparkContext(spark.sc()).getOrCreate();
  }

  /**
   * Requires that Spark knows the format.
   *
   * @throws UserError K6111 if it doesn't
   */
  public void require(JavaSparkContext spark) {
    try {
      DataSource.lookupDataSource(format, session(spark).sessionState().conf());
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw fault(e);
    }
  }

  /**
   * Requires that the format takes the options and all columns, by writing no rows of them.
   *
   * @param arrow an Arrow file with columns that will be written
   * @param added the columns that will be written behind them, each with the number of dimensions
   *     that its rows have: 0 for numbers, 1 for lists of numbers, and so on
   * @param folder holds nothing afterwards
   * @throws UserError K6111 if Spark can't write them
   */
  public void requireColumns(
      JavaSparkContext spark, Path arrow, Map<String, Integer> added, Path folder)
      throws IOException {
    Dataset<Row> rows;
    try {
      rows = rows(spark, arrow).limit(0);
      for (var column : added.entrySet()) {
        DataType type = DataTypes.DoubleType;
        for (int i = 0; i < column.getValue(); i++) {
          type = DataTypes.createArrayType(type);
        }
        rows = rows.withColumn(column.getKey(), functions.lit(null).cast(type));
      }
    } catch (Exception e) { // Likewise.
      throw fault(e);
    }
    requireColumns(rows, folder);
  }

  /**
   * Does the same with a table that has no rows.
   *
   * @throws UserError K6111 if Spark can't write its columns
   */
  void requireColumns(Dataset<Row> none, Path folder) throws IOException {
    try {
      save(none, folder);
    } catch (UserError e) {
      throw e;
    } catch (Exception e) { // Likewise.
      throw fault(e);
    }
    try (var all = Files.walk(folder)) {
      for (var file : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static Dataset<Row> rows(JavaSparkContext spark, Path arrow) {
    var reader = session(spark).read().format("arrow");
    // The name is no pattern, whatever is in it.
    return reader.option("__globPaths__", "false").load(SparkFiles.place(arrow));
  }

  /**
   * Writes rows, in an order that Spark decides.
   *
   * @param arrow a folder of Arrow files
   * @param folder which the executors see under the same path; it holds nothing but the output then
   * @throws UserError K6111 if Spark can't write them
   */
  public void write(JavaSparkContext spark, Path arrow, Path folder) throws IOException {
    try {
      JobTitle.writing(
          spark.sc(), "kenaz: writes rows as " + format, () -> save(rows(spark, arrow), folder));
    } catch (Exception e) { // Likewise.
      throw fault(e);
    }
    putInPlace(folder);
  }

  /** Writes a table beside its place, and fails as Spark does. */
  void save(Dataset<Row> rows, Path folder) {
    var made = SparkFiles.place(folder.resolve(MADE));
    rows.write().format(format).options(options).save(made);
  }

  /** Puts what was saved in its place. */
  void putInPlace(Path folder) throws IOException {
    var made = folder.resolve(MADE);
    int parts = 0;
    try (var files = Files.list(made)) {
      for (var file : files.sorted().toList()) {
        var name = file.getFileName().toString();
        if (name.startsWith(".") || isArrow() && !name.endsWith(".arrow")) {
          Files.delete(file); // It has the checksum of a file, or says that all files are there.
          continue;
        }
        var part = String.format(Locale.ROOT, "part-%05d.arrow", parts++);
        Files.move(file, folder.resolve(isArrow() ? part : name));
      }
    }
    Files.delete(made);
  }

  private boolean isArrow() {
    return format.equalsIgnoreCase(ARROW.format);
  }

  private UserError fault(Exception e) {
    var said = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return new UserError(
        ErrorCode.K6111,
        "Spark can't write the format " + format + ": " + said,
        "formats are those of the Spark in use, with its packages, such as parquet");
  }
}
