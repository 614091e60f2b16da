package dev.kenaz.jobs.train;

import dev.kenaz.arrow.ListColumns;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.arrow.TableInParts;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.spark.sql.TableParts;
import dev.kenaz.spark.sql.TableRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * The tables of a job. Executors keep their rows in memory and compute them again where they are
 * lost, or Arrow files keep them where that isn't possible.
 *
 * @param jobFolder the folder from which relative paths start
 * @param isResumed whether an earlier run may have copied the rows
 * @param observer is told why rows are copied
 * @param given the rows of the training, if they aren't those that the configuration names
 */
record JobTables(
    JavaSparkContext spark,
    Path jobFolder,
    boolean isResumed,
    Consumer<TrainEvent> observer,
    Optional<DatasetRows> given,
    List<TableCopy> copies)
    implements AutoCloseable {
  JobTables(
      JavaSparkContext spark,
      Path jobFolder,
      boolean isResumed,
      Consumer<TrainEvent> observer,
      Optional<DatasetRows> given) {
    this(spark, jobFolder, isResumed, observer, given, new ArrayList<>());
  }

  /** Opens the rows of a Dataset. */
  OpenedData open(TrainConfig config, PiecewiseEntry entry, DatasetRows rows) {
    boolean drops = config.data().nulls() == TrainConfig.Nulls.DROP;
    var reason = reason(rows.namesFolder(), names(config), drops, entry);
    if (reason.isEmpty()) {
      var kept = rows.kept(drops, uses(config, ""));
      if (kept.obstacle().isEmpty()) {
        return opened(config, entry, DatasetRows.NAME, kept.parts());
      }
      reason = Optional.of(kept.obstacle());
    }
    return ofCopy(config, entry, rows.copy(reason.get()).toString());
  }

  private static List<String> names(TrainConfig config) {
    var data = config.data();
    return data.columns().keySet().stream().flatMap(n -> data.names(n).stream()).toList();
  }

  private static OpenedData opened(
      TrainConfig config, PiecewiseEntry entry, String name, TableParts parts) {
    var tables = Map.of(name, parts.inParts());
    return new OpenedData(data(config, entry, name, tables), List.of(parts));
  }

  private static OpenedData ofCopy(TrainConfig config, PiecewiseEntry entry, String path) {
    return OpenedData.ofFiles(data(config, entry, path, Map.of()));
  }

  private static ParameterData data(
      TrainConfig config, PiecewiseEntry entry, String path, Map<String, TableInParts> tables) {
    boolean drops = config.data().nulls() == TrainConfig.Nulls.DROP;
    return ParameterData.open(
        entry, sources(config, path), tables, List.of(), nulls(drops), nans(config));
  }

  /**
   * Opens the rows of a table.
   *
   * @param what the rows are for, if not for the training itself
   */
  OpenedData open(TrainConfig config, PiecewiseEntry entry, TableRows.Source source, String what) {
    var data = config.data();
    var names = names(config);
    boolean drops = data.nulls() == TrainConfig.Nulls.DROP;
    var reason =
        config.checkpoint().isPresent()
            ? Optional.of("a training that is resumed goes on with the same rows")
            : reason(data.copy().isPresent(), names, drops, entry);
    var from = TableCopy.in(jobFolder, source);
    if (reason.isEmpty()) {
      var kept = TableRows.keep(spark, from, names, from.toString(), drops, uses(config, what));
      if (kept.obstacle().isEmpty()) {
        return opened(config, entry, from.toString(), kept.parts());
      }
      reason = Optional.of(kept.obstacle());
      observer.accept(new TrainEvent.Note(Application.copied(from, kept.obstacle())));
    }
    var copy = TableCopy.of(config, source, what, jobFolder, spark, isResumed, reason.get());
    copies.add(copy);
    return ofCopy(config, entry, copy.path());
  }

  /** Returns an error that names no copies, but what the user has named. */
  UserError told(UserError e) {
    var told = given.map(rows -> rows.told(e)).orElse(e);
    for (var copy : copies) {
      told = copy.told(told);
    }
    return told;
  }

  /**
   * Returns why rows are copied whatever they are computed from; empty if they need not be.
   *
   * @param named whether the user names a folder for copies
   */
  static Optional<String> reason(
      boolean named, List<String> columns, boolean drops, PiecewiseEntry entry) {
    if (named) {
      return Optional.of("a folder for copies is named");
    }
    if (columns.stream().anyMatch(c -> !ListColumns.column(c).equals(c))) {
      return Optional.of("some columns are lists of different lengths");
    }
    if (drops && entry.plan().pieces().datasets().size() > 1) {
      return Optional.of("rows with nulls are left out of several datasets");
    }
    return Optional.empty();
  }

  /** Returns how many datasets take their rows from a table. */
  private static int uses(TrainConfig config, String what) {
    var judged = config.validation().filter(_ -> what.isEmpty());
    return judged.flatMap(TrainConfig.Validation::split).isPresent() ? 2 : 1;
  }

  static List<ParameterData.Source> sources(TrainConfig config, String path) {
    return config.data().columns().keySet().stream()
        .map(name -> new ParameterData.Source(name, path, config.data().names(name)))
        .toList();
  }

  static ReadOptions.Nulls nulls(boolean drops) {
    return drops ? ReadOptions.Nulls.DROP : ReadOptions.Nulls.ERROR;
  }

  static boolean nans(TrainConfig config) {
    return config.data().nans() == TrainConfig.Nans.KEEP;
  }

  /** Says that nobody will resume the training. */
  void done() {
    copies.forEach(TableCopy::done);
  }

  @Override
  public void close() {
    copies.forEach(TableCopy::close);
  }
}
