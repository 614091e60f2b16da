package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.JobTitle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.DataSource;

/**
 * A format in which Spark writes rows that are in Arrow files.
 *
 * @param format one of Spark's, such as {@code parquet}
 * @param options what the format is told
 */
public record TableOutput(String format, Map<String, String> options) {

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
   * Writes rows, in an order that Spark decides.
   *
   * @param arrow a folder of Arrow files
   * @param folder which the executors see under the same path; it holds nothing but the output then
   * @throws UserError K6111 if Spark can't write them
   */
  public void write(JavaSparkContext spark, Path arrow, Path folder) throws IOException {
    var made = folder.resolve("made");
    try {
      JobTitle.during(
          spark.sc(),
          "kenaz: writes rows as " + format,
          () -> {
            var reader = session(spark).read().format("arrow");
            // The folder's name is no pattern, whatever is in it.
            var rows = reader.option("__globPaths__", "false").load(SparkFiles.place(arrow));
            rows.write().format(format).options(options).save(SparkFiles.place(made));
            return null;
          });
    } catch (Exception e) { // Likewise.
      throw fault(e);
    }
    try (var files = Files.list(made)) {
      for (var file : files.toList()) {
        var name = file.getFileName().toString();
        if (name.startsWith(".")) { // It has the checksum of a file.
          Files.delete(file);
        } else {
          Files.move(file, folder.resolve(name));
        }
      }
    }
    Files.delete(made);
  }

  private UserError fault(Exception e) {
    var said = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return new UserError(
        ErrorCode.K6111,
        "Spark can't write the format " + format + ": " + said,
        "formats are those of the Spark in use, with its packages, such as parquet");
  }
}
