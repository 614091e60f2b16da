package dev.kenaz.jobs.ml;

import static dev.kenaz.error.ErrorCode.K6111;
import static dev.kenaz.error.ErrorCode.K7006;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.spark.KenazKey;
import dev.kenaz.spark.sql.TableRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.SparkSession;

/**
 * The rows of a Dataset as Arrow files, and what trainings on them write, in a folder that is
 * removed in the end. Where executors are elsewhere, {@code spark.kenaz.copy} names a folder that
 * they see under the same path.
 */
public final class RowsCopy implements AutoCloseable {
  private static final String ROWS = "rows";

  private final SparkSession session;
  private final Path folder;
  private int outputs;

  private RowsCopy(SparkSession session, Path folder) {
    this.session = session;
    this.folder = folder;
  }

  /**
   * Copies all columns of a Dataset.
   *
   * @throws UserError K7006 if executors are elsewhere and no folder is named, K6114 if Spark can't
   *     compute the rows
   */
  public static RowsCopy of(Dataset<Row> rows) {
    var session = (SparkSession) rows.sparkSession();
    var copy = new RowsCopy(session, folder(session));
    try {
      TableRows.write(rows, copy.folder.resolve(ROWS), "the dataset");
      return copy;
    } catch (RuntimeException e) {
      copy.close();
      throw e;
    }
  }

  private static Path folder(SparkSession session) {
    var named = session.conf().getOption(KenazKey.COPY.key());
    if (named.isEmpty() && !session.sparkContext().isLocal()) {
      throw new UserError(
          K7006,
          "the rows are copied into Arrow files, in a folder that executors must see",
          "name such a folder: set " + KenazKey.COPY.key() + " of the Spark session");
    }
    var place = Path.of(named.isEmpty() ? System.getProperty("java.io.tmpdir") : named.get());
    try {
      return Files.createTempDirectory(Files.createDirectories(place), "kenaz-rows-");
    } catch (IOException e) {
      throw new UserError(K6111, "can't write into " + place + ": " + UserPath.reason(place, e));
    }
  }

  SparkSession session() {
    return session;
  }

  /** Returns the folder of the Arrow files. */
  Path rows() {
    return folder.resolve(ROWS);
  }

  /** Returns a new folder for a training. */
  synchronized Path output() {
    return folder.resolve("model-" + ++outputs);
  }

  @Override
  public void close() {
    delete(folder);
  }

  /** Removes a folder and all that is in it. */
  static void delete(Path folder) {
    try (var all = Files.walk(folder)) {
      for (var p : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
    } catch (IOException e) {
      throw new UserError(
          K6111, "can't remove " + folder + ": " + UserPath.reason(folder, e), "remove it");
    }
  }
}
