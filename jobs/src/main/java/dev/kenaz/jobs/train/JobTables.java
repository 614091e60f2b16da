package dev.kenaz.jobs.train;

import dev.kenaz.arrow.ListColumns;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.spark.OpenedData;
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
 */
record JobTables(
    JavaSparkContext spark,
    Path jobFolder,
    boolean isResumed,
    Consumer<TrainEvent> observer,
    List<TableCopy> copies)
    implements AutoCloseable {
  JobTables(
      JavaSparkContext spark, Path jobFolder, boolean isResumed, Consumer<TrainEvent> observer) {
    this(spark, jobFolder, isResumed, observer, new ArrayList<>());
  }

  /**
   * Opens the rows of a table.
   *
   * @param what the rows are for, if not for the training itself
   */
  OpenedData open(TrainConfig config, PiecewiseEntry entry, TableRows.Source source, String what) {
    var data = config.data();
    var names = data.columns().keySet().stream().flatMap(n -> data.names(n).stream()).toList();
    boolean drops = data.nulls() == TrainConfig.Nulls.DROP;
    var reason =
        config.checkpoint().isPresent()
            ? Optional.of("a training that is resumed goes on with the same rows")
            : reason(data.copy().isPresent(), names, drops, entry);
    var from = TableCopy.in(jobFolder, source);
    if (reason.isEmpty()) {
      var kept = TableRows.keep(spark, from, names, from.toString(), drops, uses(config, what));
      if (kept.obstacle().isEmpty()) {
        var sources = sources(config, from.toString());
        var tables = Map.of(from.toString(), kept.parts().inParts());
        return new OpenedData(
            ParameterData.open(entry, sources, tables, List.of(), nulls(drops), nans(config)),
            List.of(kept.parts()));
      }
      reason = Optional.of(kept.obstacle());
      observer.accept(
          new TrainEvent.Note("the rows of %s are copied: %s".formatted(from, kept.obstacle())));
    }
    var copy = TableCopy.of(config, source, what, jobFolder, spark, isResumed, reason.get());
    copies.add(copy);
    return OpenedData.ofFiles(
        ParameterData.open(
            entry, sources(config, copy.path()), List.of(), nulls(drops), nans(config)));
  }

  /** Returns an error that names no copies, but what the user has named. */
  UserError told(UserError e) {
    var told = e;
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
