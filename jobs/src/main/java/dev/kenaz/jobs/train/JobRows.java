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
import dev.kenaz.value.ArrayValue;
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
 * @param tables where Spark reads rows, those that were opened
 * @param summaries what was found of rows before, by what runs programs over them
 */
record JobRows(
    TrainConfig config,
    OpenedData training,
    Optional<OpenedData> validation,
    Optional<JobTables> tables,
    Map<SparkRunner, TrainEvent.Data> summaries) {
  /** The purpose of the order by which rows are held back. */
  private static final long SPLIT = 1;

  /** How many folds are trained at the same time at most. */
  private static final int FOLDS = TrainConfig.Models.TOGETHER;

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
    return new JobRows(config, data, validation, tables, new IdentityHashMap<>());
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
    var given = tables.flatMap(JobTables::given).filter(_ -> what.isEmpty());
    if (given.isPresent()) {
      opened = tables.orElseThrow().open(config, entry, given.get());
    } else if (source.isTable()) {
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

  /** Returns a text that other rows wouldn't have, as far as is known without reading them all. */
  String fingerprint() {
    return training.columns().fingerprint()
        + validation.map(v -> ", " + v.columns().fingerprint()).orElse("");
  }

  /** Returns what a user is told of a failure. */
  Throwable told(Throwable failure) {
    return failure instanceof UserError e && tables.isPresent() ? tables.get().told(e) : failure;
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
    requireTwoRows(all);
    return held(all, 0, Math.clamp(Math.round(all.rows() * split.get()), 1, all.rows() - 1), 1);
  }

  /**
   * Returns the rows for a fold.
   *
   * @param uses how many datasets take all rows or some of them, if executors keep all rows for
   *     that; else 1
   */
  Divided fold(JobData all, int number, int count, int uses) {
    return held(all, all.rows() * number / count, all.rows() * (number + 1) / count, uses);
  }

  /**
   * Returns how many folds executors have room for, beside all rows. A fold has as many, some to
   * train on and the others to judge by.
   */
  int foldsAtOnce(JobData all) {
    var arrays = training.columns().reading().arrays();
    long bytes = 1;
    for (int i = 0; i < arrays.size(); i++) {
      bytes += ArrayValue.byteSize(arrays.get(i).elem(), all.shapes().get(i));
    }
    return Math.clamp(all.runner().room() / bytes - 1, 1, FOLDS);
  }

  /** Requires a row for each side of a split. */
  private static void requireTwoRows(JobData all) {
    if (all.rows() < 2) {
      throw new UserError(
          K7302,
          "the data has 1 row, which can't be split into rows to train on and rows to validate by",
          "give other data for the validation: \"validation\": { \"path\": ... }");
    }
  }

  /** Requires a row for each fold. */
  static void requireFolds(JobData all, int folds) {
    long rows = all.rows();
    if (rows < folds) {
      throw new UserError(
          K7302,
          "the data has %s, and validation.folds is %d: each fold needs a row to judge by"
              .formatted(rows == 1 ? "1 row" : rows + " rows", folds),
          rows < 2
              ? "give other data for the validation: \"validation\": { \"path\": ... }"
              : "make validation.folds %d or less".formatted(rows));
    }
  }

  /** Holds those rows back whose places in an order are in a range. */
  private Divided held(JobData all, long from, long to, int uses) {
    var order = Permutation.of(all.rows(), config.seed(), SPLIT);
    return new Divided(
        all.drawn(new DrawnRows(order, from, to, true), uses),
        Optional.of(all.drawn(new DrawnRows(order, from, to, false), uses)));
  }
}
