package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7302;
import static dev.kenaz.error.ErrorCode.K7502;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.spark.ArrowShards;
import dev.kenaz.spark.DataCheck;
import dev.kenaz.spark.RowPick;
import dev.kenaz.spark.SourceText;
import dev.kenaz.spark.SparkEngine;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Runs a training from its configuration to its model. All faults that can be found without Spark
 * are found before Spark starts, and nothing is overwritten unless the user asks for that.
 *
 * @param document the configuration as it is written
 * @param folder the folder from which its relative paths start
 * @param say takes lines for the user
 */
public record TrainJob(TrainConfig config, JsonNode document, Path folder, Consumer<String> say) {

  public static TrainJob read(Path file, Consumer<String> say) {
    var parent = file.toAbsolutePath().normalize().getParent();
    return new TrainJob(ConfigReader.readTrain(file), ConfigReader.document(file), parent, say);
  }

  private OutputFolder output() {
    return new OutputFolder(UserPath.in(folder, config.output(), K7006));
  }

  /**
   * How a training ended.
   *
   * @param rows how many rows the data has
   */
  public record Result(TrainState end, long rows) {}

  /** What is prepared before Spark starts. */
  private record Prepared(
      OutputFolder output,
      OutputFolder.Existing existing,
      Optimiser optimiser,
      SourceText text,
      Optional<TrainState> resumed,
      OutputLock lock)
      implements AutoCloseable {
    @Override
    public void close() {
      lock.close();
    }
  }

  /**
   * Trains and writes the model, on a Spark of its own.
   *
   * @return how it ended
   */
  public TrainState run(OutputFolder.Existing existing) {
    if (existing == OutputFolder.Existing.RESUME) {
      var finished = output().readFinished(other -> subject(other).equals(subject(document)));
      if (finished.isPresent()) {
        int iterations = finished.get().iteration();
        say.accept("the training is finished, after " + iterations + " iterations:");
        say.accept("model    " + output().path().resolve(OutputFolder.MODEL_ARROW));
        return finished.get();
      }
    }
    try (var prepared = prepare(existing);
        var spark = SparkStart.open("kenaz train", config.spark().master())) {
      return run(prepared, spark).end();
    }
  }

  /** Trains and writes the model, on a Spark that is there already. */
  public Result run(OutputFolder.Existing existing, JavaSparkContext spark) {
    try (var prepared = prepare(existing)) {
      return run(prepared, spark);
    }
  }

  private Prepared prepare(OutputFolder.Existing existing) {
    var optimiser = Optimiser.of(config.optimiser());
    var text = program(optimiser);
    checkData();
    var output = output();
    var lock = output.claim(existing, roughSize());
    try {
      var resumed =
          existing == OutputFolder.Existing.RESUME
              ? output.readCheckpoint(subject(document)).map(OutputFolder.Checkpoint::state)
              : Optional.<TrainState>empty();
      return new Prepared(output, existing, optimiser, text, resumed, lock);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private Result run(Prepared prepared, JavaSparkContext spark) {
    var output = prepared.output();
    var text = prepared.text();
    var runner = new SparkRunner(spark, shards(spark), SparkStart.cacheBytes(spark));
    var check = DataCheck.of(runner);
    requireNumbers(check);
    introduce(spark, check);
    var objective =
        new DistributedObjective(
            text.plan(),
            new SparkEngine(runner, text, check.rowsOfShards()),
            text.caller(1),
            type(),
            config.model().k());
    var start = prepared.resumed().orElseGet(() -> TrainState.initial(initial(runner, check)));
    prepared.resumed().ifPresent(s -> say.accept("resuming after iteration " + s.iteration()));
    var toPutAside = new AtomicBoolean(prepared.existing() == OutputFolder.Existing.OVERWRITE);
    Runnable makeRoom =
        () -> {
          if (toPutAside.getAndSet(false)) {
            output.setAside();
          }
        };
    var end = loop(output, makeRoom).run(objective, prepared.optimiser(), start);
    makeRoom.run();
    new ModelWriter(output, config.data().columns(), config.model().k(), document)
        .write(end, check.rows(), type())
        .forEach(say);
    output.discard();
    return new Result(end, check.rows());
  }

  /** Returns roughly how many bytes a checkpoint, a model in JSON and Arrow, and a picture have. */
  private long roughSize() {
    long numbers = (long) config.model().k() * config.data().columns().size();
    return 100 * numbers + 60 * config.iterations() + (64 << 10);
  }

  private Training loop(OutputFolder output, Runnable makeRoom) {
    return new Training(
        config.iterations(),
        config.tolerance(),
        config.checkpoint().map(TrainConfig.Checkpoint::every).orElse(0),
        state -> {
          makeRoom.run();
          output.writeCheckpoint(new OutputFolder.Checkpoint(subject(document), state));
        },
        say);
  }

  private SourceText program(Optimiser optimiser) {
    var program = ObjectiveProgram.read(config.program(), folder);
    var entry = optimiser.needsCurvature() ? program.curvature() : ObjectiveProgram.GRADIENT;
    var text = new SourceText(program.source(), entry, Set.of(0), config.spark().backend());
    try {
      text.plan(); // This throws if the program is wrong or can't be distributed.
    } catch (UserError e) {
      throw program.explain(e);
    }
    return text;
  }

  /** Returns the parts of the configuration that a resumed training must have too. */
  private static JsonNode subject(JsonNode document) {
    var parts = JsonNodeFactory.instance.objectNode();
    for (var name : List.of("data", "program", "model", "optimiser")) {
      if (document.has(name)) {
        parts.set(name, document.get(name));
      }
    }
    return parts;
  }

  private Prim type() {
    return Prim.named(config.program().type()).orElseThrow();
  }

  private ReadOptions options() {
    var nulls =
        config.data().nulls() == TrainConfig.Nulls.DROP
            ? ReadOptions.Nulls.DROP
            : ReadOptions.Nulls.ERROR;
    return new ReadOptions(config.data().columns(), nulls);
  }

  private String data() {
    return UserPath.in(folder, config.data().path(), K6101).toString();
  }

  private void checkData() {
    var dataset = ArrowDataset.open(List.of(data()), options());
    dataset.commonType();
    if (dataset.rowCount() == 0) {
      throw new UserError(K7302, data() + " has no rows", "there is nothing to train on");
    }
    if (config.model().k() > dataset.rowCount()) {
      throw new UserError(
          K7302,
          "model.k is %s, but %s has only %s rows"
              .formatted(config.model().k(), data(), dataset.rowCount()),
          "choose a smaller k");
    }
  }

  private ArrowShards shards(JavaSparkContext spark) {
    int shards = config.spark().partitions().orElse(Math.max(1, spark.defaultParallelism()));
    return ArrowShards.of(data(), options(), type(), shards);
  }

  private void requireNumbers(DataCheck check) {
    var columns = config.data().columns();
    var faults = new ArrayList<String>();
    for (int i = 0; i < check.nans().length; i++) {
      if (check.nans()[i] > 0) {
        var name =
            columns.size() == check.nans().length
                ? columns.get(i)
                : columns.getFirst() + "[" + i + "]";
        faults.add(String.format(Locale.ROOT, "%,d in \"%s\"", check.nans()[i], name));
      }
    }
    if (!faults.isEmpty()) {
      throw new UserError(
          K7502,
          "the data has NaNs: " + String.join(", ", faults),
          "remove or replace these rows; k-means has no use for what is not a number");
    }
  }

  private void introduce(JavaSparkContext spark, DataCheck check) {
    say.accept(
        String.format(
            Locale.ROOT,
            "%,d rows of %d numbers in %d partitions on Spark %s, backend %s",
            check.rows(),
            check.nans().length,
            check.rowsOfShards().length,
            spark.master(),
            config.spark().backend().text()));
  }

  private double[] initial(SparkRunner runner, DataCheck check) {
    var rows =
        new Initialisation(
            check.rows(),
            check.nans().length,
            indices -> RowPick.rows(runner, indices, check.rowsOfShards()));
    return switch (config.model().init()) {
      case ROWS -> rows.distinctRows(config.model().k(), config.model().seed());
      case PLUS_PLUS -> rows.plusPlus(config.model().k(), config.model().seed());
    };
  }
}
