package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K7302;

import dev.kenaz.arrow.ParameterData;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.spark.DrawnRows;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.spark.Permutation;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.sql.TableRows;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * The rows of a job's data: open files, and tables.
 *
 * @param training those that it is trained on
 * @param validation other ones that judge the model, if there are any
 * @param summaries what was found of rows before, by what runs programs over them
 */
record JobRows(
    TrainConfig config,
    OpenedData training,
    Optional<OpenedData> validation,
    Map<SparkRunner, TrainEvent.Data> summaries) {
  /** The purpose of the order by which rows are held back. */
  private static final long SPLIT = 1;

  /**
   * The rows that a model is trained on, and those that judge it.
   *
   * @param validation empty if nothing judges it
   */
  record Divided(JobData training, Optional<JobData> validation) {}

  /**
   * Opens the rows.
   *
   * @param folder the folder from which relative paths start
   * @param entry takes the columns
   * @param tables opens those that Spark reads, if there are any
   */
  static JobRows open(
      TrainConfig config, Path folder, PiecewiseEntry entry, Optional<JobTables> tables) {
    var data = open(config, folder, entry, config.data().source(), "", tables);
    var validation =
        config
            .validation()
            .filter(TrainConfig.Validation::hasOtherData)
            .map(v -> open(config, folder, entry, v.source(), "-validation", tables));
    validation.ifPresent(v -> requireSameShapes(config, data.columns(), v.columns()));
    return new JobRows(config, data, validation, new IdentityHashMap<>());
  }

  private static OpenedData open(
      TrainConfig config,
      Path folder,
      PiecewiseEntry entry,
      TableRows.Source source,
      String what,
      Optional<JobTables> tables) {
    OpenedData opened;
    var name = source.toString();
    if (source.isTable()) {
      opened = tables.orElseThrow().open(config, entry, source, what);
    } else {
      name = UserPath.in(folder, source.path().orElseThrow(), K6101).toString();
      var sources = JobTables.sources(config, name);
      var nulls = JobTables.nulls(config.data().nulls() == TrainConfig.Nulls.DROP);
      boolean nans = JobTables.nans(config);
      opened = OpenedData.ofFiles(ParameterData.open(entry, sources, List.of(), nulls, nans));
    }
    JobData.requireRows(opened.columns(), name, "train on");
    return opened;
  }

  /** A row of other data has the shape that a row of the training's has. */
  private static void requireSameShapes(
      TrainConfig config, ParameterData data, ParameterData other) {
    var names = List.copyOf(config.data().columns().keySet());
    for (int i = 0; i < data.shapes().size(); i++) {
      var expected = data.shapes().get(i);
      var found = other.shapes().get(i);
      if (!Arrays.equals(expected, 1, expected.length, found, 1, found.length)) {
        throw new UserError(
            K6107,
            "a row of the validation has other sizes for %s than one of the training"
                .formatted(String.join(" or ", names)),
            "validation data has the columns of the training's data");
      }
    }
  }

  /** Returns all rows of the training. */
  JobData all(JavaSparkContext spark) {
    return data(spark, training, config.batch().isPresent());
  }

  private JobData data(JavaSparkContext spark, OpenedData data, boolean few) {
    var wanted = config.spark().partitions();
    var partitions = wanted.isPresent() ? OptionalInt.of(wanted.get()) : OptionalInt.empty();
    return JobData.of(spark, data, partitions, few);
  }

  /** Summarises rows; models of the same rows share the summary. */
  TrainEvent.Data summary(Trainer trainer, JobData rows) {
    var there = summaries.get(rows.runner());
    if (there == null) {
      there = Findings.data(config, trainer, training.columns(), rows);
      summaries.put(rows.runner(), there);
    }
    return there;
  }

  /** Returns the rows for one model. */
  Divided divided(JavaSparkContext spark) {
    var all = all(spark);
    var split = config.validation().flatMap(TrainConfig.Validation::split);
    if (split.isEmpty()) {
      return new Divided(all, validation.map(other -> data(spark, other, false)));
    }
    requireRows(all, 2);
    return held(all, 0, Math.clamp(Math.round(all.rows() * split.get()), 1, all.rows() - 1));
  }

  /** Returns the rows for a fold. */
  Divided fold(JobData all, int number, int count) {
    return held(all, all.rows() * number / count, all.rows() * (number + 1) / count);
  }

  /** Requires a row for each fold, or for each side of a split. */
  static void requireRows(JobData all, int least) {
    if (all.rows() < least) {
      throw new UserError(
          K7302,
          "%d rows can't be split into %s"
              .formatted(
                  all.rows(),
                  least == 2
                      ? "rows to train on and rows to validate by"
                      : least + " folds that each have a row"),
          "give other data for the validation: \"validation\": { \"path\": ... }");
    }
  }

  /** Holds those rows back whose places in an order are in a range. */
  private Divided held(JobData all, long from, long to) {
    var order = Permutation.of(all.rows(), config.seed(), SPLIT);
    return new Divided(
        all.drawn(new DrawnRows(order, from, to, true)),
        Optional.of(all.drawn(new DrawnRows(order, from, to, false))));
  }
}
