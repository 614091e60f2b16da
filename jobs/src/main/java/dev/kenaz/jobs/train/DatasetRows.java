package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6111;
import static dev.kenaz.error.ErrorCode.K7006;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.spark.KenazKey;
import dev.kenaz.spark.sql.TableParts;
import dev.kenaz.spark.sql.TableRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.util.ShutdownHookManager;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The rows of a Dataset for one training or several, and a folder for what these write, which is
 * removed in the end. Executors keep the rows, or Arrow files do where that isn't possible.
 */
public final class DatasetRows implements AutoCloseable {
  /** What messages call the rows. */
  public static final String NAME = "the dataset";

  private final Dataset<Row> rows;
  private final SparkSession session;
  private final Path folder;
  private final Map<Boolean, TableRows.Kept> kept = new HashMap<>();
  private Path copy;
  private int outputs;

  /** Takes all columns of a Dataset. */
  public DatasetRows(Dataset<Row> rows) {
    this.rows = rows;
    this.session = (SparkSession) rows.sparkSession();
    var set = CollectionConverters.asJava(session.conf().getAll());
    KenazKey.check(session.sparkContext().conf(), set);
    this.folder = temporary(Path.of(System.getProperty("java.io.tmpdir")));
  }

  private static Path temporary(Path place) {
    try {
      var made = Files.createTempDirectory(Files.createDirectories(place), "kenaz-rows-");
      // Ctrl-C ends the process, and no training before.
      ShutdownHookManager.registerShutdownDeleteDir(made.toFile());
      return made;
    } catch (IOException e) {
      throw new UserError(K6111, "can't write into " + place + ": " + UserPath.reason(place, e));
    }
  }

  public SparkSession session() {
    return session;
  }

  /** Whether the user names a folder for copies. */
  boolean namesFolder() {
    return session.conf().getOption(KenazKey.COPY.key()).isDefined();
  }

  /**
   * Lets executors keep the rows, unless they can't compute them again, or they have no room for
   * them where a copy is easily made.
   *
   * @param drops whether rows with a null are left out
   * @param uses how many datasets of a training take their rows from them
   */
  synchronized TableRows.Kept kept(boolean drops, int uses) {
    return kept.computeIfAbsent(
        drops,
        d -> {
          var found = TableRows.keep(rows, NAME, NAME, d, uses);
          return found.obstacle().isEmpty() && isTooLarge(found.parts())
              ? new TableRows.Kept(null, "they don't fit the memory for loaded rows")
              : found;
        });
  }

  private boolean isTooLarge(TableParts parts) {
    return session.sparkContext().isLocal() && parts.bytes() > parts.cacheBytes();
  }

  /**
   * Copies the rows into Arrow files, unless that has been done. Where executors are elsewhere,
   * {@code spark.kenaz.copy} names a folder that they see under the same path.
   *
   * @param reason why they are copied, for messages
   * @throws UserError K7006 if executors are elsewhere and no folder is named, K6114 if Spark can't
   *     compute the rows
   */
  synchronized Path copy(String reason) {
    if (copy == null) {
      var named = session.conf().getOption(KenazKey.COPY.key());
      if (named.isEmpty() && !session.sparkContext().isLocal()) {
        throw new UserError(
            K7006,
            "the rows are copied into Arrow files, in a folder that executors must see: " + reason,
            "name such a folder: set " + KenazKey.COPY.key() + " of the Spark session");
      }
      copy = (named.isEmpty() ? folder : temporary(Path.of(named.get()))).resolve("rows");
      TableRows.write(rows, copy, NAME);
    }
    return copy;
  }

  /** Returns an error that names no copy, but the dataset. */
  synchronized UserError told(UserError e) {
    return copy == null ? e : TableCopy.told(e, copy, NAME);
  }

  /** Returns a new folder for a training. */
  public synchronized Path output() {
    return folder.resolve("model-" + ++outputs);
  }

  @Override
  public synchronized void close() {
    remove(folder);
    if (copy != null && Files.exists(copy.getParent())) {
      remove(copy.getParent());
    }
  }

  private static void remove(Path made) {
    TableCopy.delete(made);
    ShutdownHookManager.removeShutdownDeleteDir(made.toFile());
  }
}
