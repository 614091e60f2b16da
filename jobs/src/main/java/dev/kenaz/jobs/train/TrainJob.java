package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7407;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.Structure;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Runs a training from its configuration to its model. All faults that can be found without Spark
 * are found before Spark starts, and nothing is overwritten unless the user asks for that.
 *
 * @param document the configuration as it is written
 * @param folder the folder from which its relative paths start
 * @param observer is told what happens
 * @param reports whether the folder gets a report, for which the rows are summarised
 */
public record TrainJob(
    TrainConfig config,
    JsonNode document,
    Path folder,
    Consumer<TrainEvent> observer,
    boolean reports) {
  /** Makes a job with a report. */
  public TrainJob(
      TrainConfig config, JsonNode document, Path folder, Consumer<TrainEvent> observer) {
    this(config, document, folder, observer, true);
  }

  public static TrainJob read(Path file, Consumer<TrainEvent> observer) {
    return read(file, List.of(), observer);
  }

  /**
   * Reads a job.
   *
   * @param settings take the place of those in the file
   */
  public static TrainJob read(
      Path file, List<Settings.Setting> settings, Consumer<TrainEvent> observer) {
    var parent = file.toAbsolutePath().normalize().getParent();
    var document = ConfigReader.document(file, settings);
    var config = ConfigReader.train(document, file.toString());
    return new TrainJob(config, document, parent, observer);
  }

  /**
   * Whether a job that trains one model could train several: something must say which of them is
   * the best one.
   */
  public static boolean canHaveModels(TrainConfig config, Path folder) {
    boolean folds = config.validation().flatMap(TrainConfig.Validation::folds).isPresent();
    boolean judged = config.stop().isPresent() || JobProgram.read(config, folder).hasLoss();
    return config.models().isEmpty() && !folds && judged;
  }

  /**
   * Returns the parameters of a job's program that are neither its columns nor its hyperparameters.
   *
   * @throws UserError what is wrong with the program's text
   */
  public static Set<String> unbound(TrainConfig config, Path folder) {
    return JobProgram.unbound(config, folder);
  }

  private OutputFolder output() {
    return new OutputFolder(UserPath.in(folder, config.output(), K7006));
  }

  /**
   * How a training ended.
   *
   * @param losses the losses at the start and after each iteration; empty if there is no loss
   * @param seconds how long the start and each iteration took
   * @param rows how many rows the data has
   */
  public record Result(
      int iterations, List<Double> losses, List<Double> seconds, List<Value> model, long rows) {}

  /**
   * What is prepared before Spark starts.
   *
   * @param trainers of the models, if there are several
   */
  private record Prepared(
      OneTraining training,
      List<Variant> variants,
      List<Trainer> trainers,
      Optional<TrainState> resumed,
      OutputLock lock)
      implements AutoCloseable {
    @Override
    public void close() {
      trainers.forEach(Trainer::close);
      training.trainer().close();
      lock.close();
    }
  }

  /**
   * Trains and writes the model, on a Spark of its own.
   *
   * @return how it ended
   */
  public Result run(OutputFolder.Existing existing) {
    var finished = finished(existing);
    if (finished.isPresent()) {
      return finished.get();
    }
    TableCopy.require(config);
    if (TableCopy.readsTables(config)) {
      try (var spark = open()) {
        return run(existing, spark);
      }
    }
    try (var prepared = prepare(existing, Optional.empty());
        var spark = open()) {
      return run(prepared, spark);
    }
  }

  private JavaSparkContext open() {
    var spark = config.spark();
    return SparkStart.open("kenaz train", spark.master(), spark.backend(), spark.fallback());
  }

  /** Returns how an earlier run of the training has ended, if it has. */
  private Optional<Result> finished(OutputFolder.Existing existing) {
    if (existing != OutputFolder.Existing.RESUME) {
      return Optional.empty();
    }
    var there = ModelFolder.open(output().path());
    if (there.isPresent()) {
      var variants = Variant.of(config, document);
      observer.accept(there.get().finished(variants.stream().map(v -> v.ofJob(document)).toList()));
      var d = there.get().document();
      var model = there.get().model();
      return Optional.of(new Result(d.iterations(), d.losses(), d.seconds(), model, d.rows()));
    }
    var folds = FoldsFile.read(output());
    folds.ifPresent(f -> observer.accept(f.finished(output().path(), document)));
    return folds.map(FoldsFile::result);
  }

  /** Trains and writes the model, on a Spark that is there already. */
  public Result run(OutputFolder.Existing existing, JavaSparkContext spark) {
    var finished = finished(existing);
    if (finished.isPresent()) {
      return finished.get();
    }
    TableCopy.require(config);
    if (TableCopy.readsTables(config)) {
      return overTables(existing, spark, Optional.empty());
    }
    try (var prepared = prepare(existing, Optional.empty())) {
      return run(prepared, spark);
    }
  }

  /**
   * Trains on the rows of a Dataset, in the place of those that the configuration names, and writes
   * the model into a new folder.
   */
  public Result run(DatasetRows rows) {
    TableCopy.require(config);
    var spark = JavaSparkContext.fromSparkContext(rows.session().sparkContext());
    return overTables(OutputFolder.Existing.REFUSE, spark, Optional.of(rows));
  }

  /**
   * @param given the rows of the training, if they aren't those that the configuration names
   */
  private Result overTables(
      OutputFolder.Existing existing, JavaSparkContext spark, Optional<DatasetRows> given) {
    boolean isResumed = existing == OutputFolder.Existing.RESUME;
    try (var tables = new JobTables(spark, folder, isResumed, observer, given)) {
      try (var prepared = prepare(existing, Optional.of(tables))) {
        var result = run(prepared, spark);
        tables.done();
        return result;
      } catch (UserError e) {
        throw tables.told(e);
      }
    }
  }

  private Prepared prepare(OutputFolder.Existing existing, Optional<JobTables> tables) {
    var variants = Variant.of(config, document);
    var first = variants.getFirst();
    var trainer = Trainer.of(first.config(), folder);
    var several =
        config.models().isEmpty()
            ? List.<Trainer>of()
            : trainer.with(variants.stream().map(Variant::config).toList());
    var files = JobRows.open(first.config(), folder, trainer.entry(), tables);
    var start = config.start().map(s -> start(s, trainer));
    var output = output();
    if (existing == OutputFolder.Existing.RESUME) {
      output.requireModels(!several.isEmpty());
    }
    var training =
        new OneTraining(
            first.named(""), output, existing, trainer, files, start, folder, observer, reports);
    var lock = output.claim(existing, OutputFolder.LEAST_ROOM);
    try {
      return new Prepared(training, variants, several, training.resumed(), lock);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /** Reads the model with which the training begins. */
  private List<Value> start(TrainConfig.Start start, Trainer trainer) {
    var there = SavedModel.folder(UserPath.in(folder, start.model(), K7006));
    var type = Structure.text(trainer.program().model());
    if (!type.equals(there.document().type())) {
      throw new UserError(
          K7407,
          "the model in %s has another type than that of the program".formatted(there.path()),
          "there it is     " + there.document().type(),
          "the program has " + type);
    }
    return there.model();
  }

  private Result run(Prepared prepared, JavaSparkContext spark) {
    var training = prepared.training();
    var several = new SeveralModels(training, document, spark);
    var validation = config.validation();
    if (validation.flatMap(TrainConfig.Validation::folds).isPresent()) {
      return several.folds(validation.get(), prepared.resumed());
    }
    if (config.models().isPresent()) {
      int together = config.models().get().together();
      return several.variants(prepared.variants(), prepared.trainers(), together);
    }
    var rows = training.files().divided(spark);
    return training.run(rows, prepared.resumed(), spark, List.of());
  }
}
