package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6111;
import static dev.kenaz.error.ErrorCode.K7006;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.spark.sql.TableRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Rows that Spark reads, copied into Arrow files for the time of a training. A training passes over
 * its rows many times, and asks for some of them by their numbers; so they are read once.
 */
final class TableCopy implements AutoCloseable {
  /** What Spark writes into a folder when all else is there. */
  private static final String COMPLETE = "_SUCCESS";

  private final Path folder;
  private final boolean resumable;
  private boolean done;

  private TableCopy(Path folder, boolean resumable) {
    this.folder = folder;
    this.resumable = resumable;
  }

  /**
   * Finds a fault of what says where the rows are.
   *
   * @throws UserError K7006
   */
  static void require(TrainConfig.Data data) {
    long sources = Stream.of(data.table(), data.sql()).filter(Optional::isPresent).count();
    sources += data.format().isPresent() || data.path().isPresent() ? 1 : 0;
    if (sources != 1) {
      throw new UserError(
          K7006,
          sources == 0
              ? "data doesn't say where the rows are"
              : "data says in several ways where the rows are",
          "it has one of path, table and sql; a format goes with a path");
    }
    if (!data.options().isEmpty() && data.format().isEmpty()) {
      throw new UserError(
          K7006, "data has options, but no format to which they belong", "name data.format");
    }
    if (data.copy().isPresent() && !data.isTable()) {
      throw new UserError(
          K7006, "data.copy is given, but Arrow files aren't copied", "leave it out");
    }
  }

  /**
   * Copies the rows, unless a training that is resumed has done so.
   *
   * @param jobFolder the folder from which relative paths start
   */
  static TableCopy of(
      TrainConfig config, Path jobFolder, JavaSparkContext spark, boolean isResumed) {
    var data = config.data();
    var output = UserPath.in(jobFolder, config.output(), K7006).toAbsolutePath().normalize();
    var copy =
        new TableCopy(place(data, jobFolder, output, spark), config.checkpoint().isPresent());
    if (isResumed && Files.exists(copy.folder.resolve(COMPLETE))) {
      return copy;
    }
    var source =
        new TableRows.Source(
            data.table(),
            data.sql(),
            data.format(),
            data.options(),
            data.path().map(p -> TrainConfig.isUri(p) ? p : absolute(jobFolder, p)));
    var columns = new ArrayList<String>();
    data.columns().keySet().forEach(name -> columns.addAll(data.names(name)));
    var rows = TableRows.open(spark, source, columns);
    try {
      TableRows.write(rows, copy.folder, source);
      return copy;
    } catch (RuntimeException e) {
      copy.delete();
      throw e;
    }
  }

  private static String absolute(Path jobFolder, String path) {
    return UserPath.in(jobFolder, path, K7006).toAbsolutePath().normalize().toString();
  }

  private static Path place(
      TrainConfig.Data data, Path jobFolder, Path output, JavaSparkContext spark) {
    if (data.copy().isEmpty() && !spark.isLocal()) {
      throw new UserError(
          K7006,
          "the rows are copied into Arrow files, and executors don't see the output's folder",
          "name a folder that they see by data.copy");
    }
    var beside =
        data.copy().map(c -> UserPath.in(jobFolder, c, K7006)).orElseGet(output::getParent);
    return beside.resolve(".kenaz-rows-" + output.getFileName());
  }

  /** Returns the job over the copy. */
  TrainConfig over(TrainConfig config) {
    return config.over(config.data().at(folder.toString()));
  }

  /** Says that nobody will resume the training. */
  void done() {
    done = true;
  }

  /** A copy stays where a training that has checkpoints didn't end well: it may be resumed. */
  @Override
  public void close() {
    if (done || !resumable) {
      delete();
    }
  }

  private void delete() {
    if (!Files.exists(folder)) {
      return;
    }
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
