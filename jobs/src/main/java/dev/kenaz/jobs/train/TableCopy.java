package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6111;
import static dev.kenaz.error.ErrorCode.K7006;

import dev.kenaz.arrow.ListColumns;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.spark.sql.TableRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.ShutdownHookManager;

/**
 * Rows that Spark reads and can't compute again, copied into Arrow files for the time of a
 * training, which passes over its rows many times.
 */
public final class TableCopy implements AutoCloseable {
  /** What Spark writes into a folder when all else is there. */
  private static final String COMPLETE = "_SUCCESS";

  private final Path folder;
  private final TableRows.Source source;

  /** The folder of a training that has checkpoints. */
  private final Optional<Path> resumable;

  private boolean done;

  private TableCopy(Path folder, TableRows.Source source, Optional<Path> resumable) {
    this.folder = folder;
    this.source = source;
    this.resumable = resumable;
  }

  /** Returns an error that names the rows as the user does where it names this copy of them. */
  UserError told(UserError e) {
    return told(e, folder, source);
  }

  /**
   * Does the same for any copy.
   *
   * @param folder which has the copy, or had it
   */
  static UserError told(UserError e, Path folder, Object source) {
    var file = Pattern.compile(Pattern.quote(folder.toString()) + "(/part-0*(\\d+)-[^/\\s:\"]*)?");
    return e.told(
        text ->
            file.matcher(text)
                .replaceAll(
                    found -> {
                      var part = found.group(2) == null ? "" : ", partition " + found.group(2);
                      return Matcher.quoteReplacement(source + part);
                    }));
  }

  /**
   * Finds a fault of what says where the rows of a training are, and those that judge it.
   *
   * @throws UserError K7006
   */
  static void require(TrainConfig config) {
    var data = config.data();
    require(data.source(), "data");
    config.validation().ifPresent(TrainChecks::requireOneWay);
    var other = config.validation().filter(TrainConfig.Validation::hasOtherData);
    other.ifPresent(v -> require(v.source(), "validation"));
    if (other.isEmpty() && config.validation().filter(v -> !v.options().isEmpty()).isPresent()) {
      throw new UserError(
          K7006, "validation has options, but no format to which they belong", "leave them out");
    }
    if (data.copy().isPresent() && !readsTables(config)) {
      throw new UserError(
          K7006, "data.copy is given, but Arrow files aren't copied", "leave it out");
    }
  }

  /**
   * Finds a fault of what says where rows are.
   *
   * @param what has them, for messages
   * @throws UserError K7006
   */
  public static void require(TableRows.Source source, String what) {
    long ways = Stream.of(source.table(), source.sql()).filter(Optional::isPresent).count();
    ways += source.format().isPresent() || source.path().isPresent() ? 1 : 0;
    if (ways != 1) {
      throw new UserError(
          K7006,
          ways == 0
              ? what + " doesn't say where the rows are"
              : what + " says in several ways where the rows are",
          "it has one of path, table and sql; a format goes with a path");
    }
    if (!source.options().isEmpty() && source.format().isEmpty()) {
      throw new UserError(
          K7006, what + " has options, but no format to which they belong", "name the format");
    }
  }

  /** Whether Spark has to be there before the files of a training are. */
  static boolean readsTables(TrainConfig config) {
    return config.data().source().isTable()
        || config.validation().filter(v -> v.source().isTable()).isPresent();
  }

  /**
   * Returns rows with a path that holds in this process.
   *
   * @param folder the folder from which a relative path starts
   */
  public static TableRows.Source in(Path folder, TableRows.Source source) {
    if (source.path().filter(p -> !source.isTable() || !TrainConfig.isUri(p)).isEmpty()) {
      return source;
    }
    var path = UserPath.in(folder, source.path().get(), source.isTable() ? K7006 : K6101);
    return source.at(
        Optional.of((source.isTable() ? path.toAbsolutePath().normalize() : path).toString()));
  }

  /**
   * Copies rows into a folder, which all executors see.
   *
   * @param columns of the copy; all if there are none
   * @throws UserError K6114 for what Spark can't read or compute
   */
  static void write(
      JavaSparkContext spark, TableRows.Source source, List<String> columns, Path folder) {
    TableRows.write(TableRows.open(spark, source, columns), folder, source);
  }

  /**
   * Copies the rows of a training, unless one that is resumed has done so.
   *
   * @param what the rows are for, if not for the training itself
   * @param jobFolder the folder from which relative paths start
   * @param reason why they are copied, for messages
   */
  static TableCopy of(
      TrainConfig config,
      TableRows.Source source,
      String what,
      Path jobFolder,
      JavaSparkContext spark,
      boolean isResumed,
      String reason) {
    var output = UserPath.in(jobFolder, config.output(), K7006).toAbsolutePath().normalize();
    var beside =
        place(config.data().copy(), jobFolder, Optional.of(output.getParent()), spark, reason);
    var folder = beside.resolve(".kenaz-rows-" + output.getFileName() + what);
    var copy = new TableCopy(folder, in(jobFolder, source), config.checkpoint().map(_ -> output));
    if (isResumed && Files.exists(copy.folder.resolve(COMPLETE))) {
      return copy;
    }
    var columns = new ArrayList<String>();
    config.data().columns().keySet().forEach(n -> columns.addAll(config.data().names(n)));
    columns.replaceAll(ListColumns::column);
    if (copy.resumable.isEmpty()) {
      ShutdownHookManager.registerShutdownDeleteDir(copy.folder.toFile());
    }
    try {
      write(spark, in(jobFolder, source), columns, copy.folder);
      return copy;
    } catch (RuntimeException e) {
      copy.delete();
      throw e;
    }
  }

  /**
   * Returns the folder for copies.
   *
   * @param named what the user says
   * @param local a folder that serves where Spark runs on this machine
   * @param reason why there is a copy
   */
  static Path place(
      Optional<String> named,
      Path jobFolder,
      Optional<Path> local,
      JavaSparkContext spark,
      String reason) {
    if (named.isEmpty() && !spark.isLocal()) {
      throw new UserError(
          K7006,
          "the rows are copied into Arrow files, in a folder that executors must see: " + reason,
          "name such a folder: data.copy in a configuration, --copy on the command line");
    }
    return named
        .map(c -> UserPath.in(jobFolder, c, K7006))
        .or(() -> local)
        .orElseGet(() -> Path.of(System.getProperty("java.io.tmpdir")));
  }

  String path() {
    return folder.toString();
  }

  /** Says that nobody will resume the training. */
  void done() {
    done = true;
  }

  /** A copy stays where a training that has checkpoints didn't end well: it may be resumed. */
  @Override
  public void close() {
    if (done || resumable.filter(Files::exists).isEmpty()) {
      delete();
    }
  }

  private void delete() {
    if (Files.exists(folder)) {
      delete(folder);
    }
    ShutdownHookManager.removeShutdownDeleteDir(folder.toFile());
  }

  /** Removes a folder and all that is in it. */
  public static void delete(Path folder) {
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
