package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7103;
import static dev.kenaz.error.ErrorCode.K7302;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.Structure;
import dev.kenaz.jobs.OwnProcess;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.run.LoopCheckpoints;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Runs a training from its configuration to its model. All faults that can be found without Spark
 * are found before Spark starts, and nothing is overwritten unless the user asks for that.
 *
 * @param document the configuration as it is written
 * @param folder the folder from which its relative paths start
 * @param observer is told what happens
 */
public record TrainJob(
    TrainConfig config, JsonNode document, Path folder, Consumer<TrainEvent> observer) {

  public static TrainJob read(Path file, Consumer<TrainEvent> observer) {
    var parent = file.toAbsolutePath().normalize().getParent();
    return new TrainJob(
        ConfigReader.readTrain(file), ConfigReader.document(file), parent, observer);
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

  /** What is prepared before Spark starts. */
  private record Prepared(
      OutputFolder output,
      OutputFolder.Existing existing,
      Trainer trainer,
      ParameterData data,
      Optional<TrainState> resumed,
      OutputLock lock)
      implements AutoCloseable {
    @Override
    public void close() {
      trainer.close();
      lock.close();
    }
  }

  /**
   * Trains and writes the model, on a Spark of its own.
   *
   * @return how it ended
   */
  public Result run(OutputFolder.Existing existing) {
    if (existing == OutputFolder.Existing.RESUME) {
      var finished = ModelFolder.open(output().path());
      if (finished.isPresent()) {
        return finished(finished.get());
      }
    }
    try (var prepared = prepare(existing);
        var spark = SparkStart.open("kenaz train", config.spark().master())) {
      return run(prepared, spark);
    }
  }

  private Result finished(ModelFolder there) {
    if (!parts(there.config()).equals(parts(document))) {
      throw new UserError(
          K7103,
          there.path() + " holds a model of other data, program, parameters or optimiser",
          "name another output, or pass --overwrite");
    }
    var d = there.document();
    observer.accept(
        TrainEvent.Model.before(d.iterations(), there.path().resolve(OutputFolder.MODEL_ARROW)));
    return new Result(d.iterations(), d.losses(), d.seconds(), there.model(), d.rows());
  }

  /** Trains and writes the model, on a Spark that is there already. */
  public Result run(OutputFolder.Existing existing, JavaSparkContext spark) {
    try (var prepared = prepare(existing)) {
      return run(prepared, spark);
    }
  }

  private Prepared prepare(OutputFolder.Existing existing) {
    var trainer = Trainer.of(config, folder);
    var data = data(trainer);
    var output = output();
    var lock = output.claim(existing, 64 << 10);
    try {
      var resumed =
          existing == OutputFolder.Existing.RESUME
              ? Checkpoint.read(output, subject(trainer))
              : Optional.<TrainState>empty();
      return new Prepared(output, existing, trainer, data, resumed, lock);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private ParameterData data(Trainer trainer) {
    var path = UserPath.in(folder, config.data().path(), K6101).toString();
    var sources = new ArrayList<ParameterData.Source>();
    for (var name : config.data().columns().keySet()) {
      sources.add(new ParameterData.Source(name, path, config.data().names(name)));
    }
    var nulls =
        config.data().nulls() == TrainConfig.Nulls.DROP
            ? ReadOptions.Nulls.DROP
            : ReadOptions.Nulls.ERROR;
    boolean nans = config.data().nans() == TrainConfig.Nans.KEEP;
    var opened = ParameterData.open(trainer.entry(), sources, List.of(), nulls, nans);
    if (opened.kept().contains(0L)) {
      throw new UserError(
          K7302, path + " has no rows without nulls", "there is nothing to train on");
    }
    return opened;
  }

  private Result run(Prepared prepared, JavaSparkContext spark) {
    var partitions = config.spark().partitions();
    var data =
        JobData.of(
            spark,
            prepared.data(),
            partitions.isPresent() ? OptionalInt.of(partitions.get()) : OptionalInt.empty());
    observer.accept(started(spark, data));
    var trainer = prepared.trainer();
    var steps = trainer.on(data);
    var toPutAside = new AtomicBoolean(prepared.existing() == OutputFolder.Existing.OVERWRITE);
    Runnable makeRoom =
        () -> {
          if (toPutAside.getAndSet(false)) {
            prepared.output().setAside();
          }
        };
    var loop = loop(prepared, makeRoom);
    prepared.resumed().ifPresent(s -> observer.accept(new TrainEvent.Resumed(s.iteration())));
    var end =
        prepared.resumed().isPresent()
            ? loop.goOn(steps, prepared.resumed().get())
            : loop.run(steps, trainer.init(data));
    var model = trainer.model(end);
    var metrics = trainer.metrics(data, model);
    makeRoom.run();
    var document = document(prepared, end, model, metrics, data);
    var files = ModelFolder.write(prepared.output(), document, model, end);
    observer.accept(new TrainEvent.Model(null, metrics, files));
    prepared.output().discard();
    return new Result(end.iteration(), end.losses(), end.seconds(), model, data.rows());
  }

  private ModelFolder.Document document(
      Prepared prepared,
      TrainState end,
      List<Value> model,
      Map<String, Double> metrics,
      JobData data) {
    var type = prepared.trainer().program().model();
    var written = prepared.trainer().program().written();
    return new ModelFolder.Document(
        OwnProcess.version(),
        Structure.text(type),
        ModelFile.parts(type, model),
        end.losses().isEmpty() ? null : end.losses().getLast(),
        metrics,
        end.iteration(),
        data.rows(),
        end.losses(),
        end.seconds(),
        written.root(),
        new TreeMap<>(written.files()),
        document,
        folder.toString());
  }

  private Training loop(Prepared prepared, Runnable makeRoom) {
    return new Training(
        config.iterations(),
        config.optimiser().isPresent() ? 0 : config.tolerance(), // The optimiser has its own.
        config.checkpoint().map(TrainConfig.Checkpoint::every).orElse(0),
        state -> {
          makeRoom.run();
          Checkpoint.write(prepared.output(), subject(prepared.trainer()), state);
        },
        observer);
  }

  /** Returns what a resumed training must have too. */
  private JsonNode subject(Trainer trainer) {
    var files = new TreeMap<>(trainer.program().written().files());
    return parts(document).deepCopy().put("text", LoopCheckpoints.digest(files.toString()));
  }

  /** Returns the parts of a configuration that say what is trained, and by what. */
  private static com.fasterxml.jackson.databind.node.ObjectNode parts(JsonNode document) {
    var parts = JsonNodeFactory.instance.objectNode();
    var names = List.of("data", "program", "model", "parameters", "init", "optimiser", "seed");
    for (var name : names) {
      if (document.has(name)) {
        parts.set(name, document.get(name));
      }
    }
    return parts;
  }

  private TrainEvent.Started started(JavaSparkContext spark, JobData data) {
    return new TrainEvent.Started(
        config.program(),
        data.rows(),
        data.cuts().getFirst().pieces(),
        spark.master(),
        config.spark().backend().text(),
        config.iterations(),
        OwnProcess.version(),
        Runtime.version().toString());
  }
}
