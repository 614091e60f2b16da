package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7103;
import static dev.kenaz.error.ErrorCode.K7302;
import static dev.kenaz.error.ErrorCode.K7407;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.distribute.report.PlanReport;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.Structure;
import dev.kenaz.jobs.HiddenText;
import dev.kenaz.jobs.OwnProcess;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.run.LoopCheckpoints;
import dev.kenaz.spark.Batches;
import dev.kenaz.spark.DrawnRows;
import dev.kenaz.spark.Permutation;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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

  /** The purpose of the order by which rows are held back. */
  private static final long SPLIT = 1;

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
   * @param part the name of the model, if it is one of several
   */
  private record Prepared(
      String part,
      OutputFolder output,
      OutputFolder.Existing existing,
      Trainer trainer,
      ParameterData data,
      Optional<ParameterData> validation,
      Optional<List<Value>> start,
      Optional<TrainState> resumed,
      OutputLock lock)
      implements AutoCloseable {
    /** Returns the same for another folder, which the owner of this one closes. */
    Prepared in(
        String other,
        OutputFolder folder,
        OutputFolder.Existing files,
        Trainer by,
        Optional<TrainState> from) {
      return new Prepared(other, folder, files, by, data, validation, start, from, lock);
    }

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
    var data = data(trainer, config.data().path());
    var other = config.validation().flatMap(TrainConfig.Validation::path);
    var validation = other.map(path -> data(trainer, path));
    validation.ifPresent(v -> requireSameShapes(data, v, other.orElseThrow()));
    var start = config.start().map(s -> start(s, trainer));
    var output = output();
    var lock = output.claim(existing, 64 << 10);
    try {
      var resumed =
          existing == OutputFolder.Existing.RESUME
              ? Checkpoint.read(output, subject(trainer, ""))
              : Optional.<TrainState>empty();
      return new Prepared("", output, existing, trainer, data, validation, start, resumed, lock);
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

  private ParameterData data(Trainer trainer, String where) {
    var path = UserPath.in(folder, where, K6101).toString();
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

  /** A row of other data has the shape that a row of the training's has. */
  private void requireSameShapes(ParameterData data, ParameterData other, String where) {
    var names = List.copyOf(config.data().columns().keySet());
    for (int i = 0; i < data.shapes().size(); i++) {
      var expected = data.shapes().get(i);
      var found = other.shapes().get(i);
      if (!Arrays.equals(expected, 1, expected.length, found, 1, found.length)) {
        throw new UserError(
            K6107,
            "a row of %s has other sizes for %s than one of %s"
                .formatted(where, String.join(" or ", names), config.data().path()),
            "validation data has the columns of the training's data");
      }
    }
  }

  /** The rows that a model is trained on, and those that judge it. */
  private record Divided(JobData training, Optional<JobData> validation) {}

  private JobData data(JavaSparkContext spark, ParameterData data, boolean few) {
    var wanted = config.spark().partitions();
    var partitions = wanted.isPresent() ? OptionalInt.of(wanted.get()) : OptionalInt.empty();
    return JobData.of(spark, data, partitions, few);
  }

  private Divided divided(JavaSparkContext spark, Prepared prepared, JobData all) {
    var split = config.validation().flatMap(TrainConfig.Validation::split);
    if (split.isEmpty()) {
      return new Divided(all, prepared.validation().map(other -> data(spark, other, false)));
    }
    requireRows(all, 2);
    return held(all, 0, Math.clamp(Math.round(all.rows() * split.get()), 1, all.rows() - 1));
  }

  private static void requireRows(JobData all, int least) {
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

  private Result run(Prepared prepared, JavaSparkContext spark) {
    var all = data(spark, prepared.data(), config.batch().isPresent());
    int folds = config.validation().flatMap(TrainConfig.Validation::folds).orElse(0);
    if (folds > 0) {
      return folds(prepared, spark, all, folds);
    }
    if (config.models().isPresent()) {
      return restarts(prepared, spark, all, config.models().get().restarts());
    }
    return run(prepared, divided(spark, prepared, all), spark, List.of());
  }

  /** Trains a model for each fold on the others, and one on all rows. */
  private Result folds(Prepared prepared, JavaSparkContext spark, JobData all, int count) {
    requireRows(all, count);
    var whole = beforeParts(prepared);
    var trained = new ArrayList<Trained>();
    for (int i = 0; i < count; i++) {
      note("fold %d of %d", i + 1, count);
      var rows = held(all, all.rows() * i / count, all.rows() * (i + 1) / count);
      trained.add(part(prepared, "fold-" + (i + 1), prepared.trainer(), rows, spark));
    }
    note("%s; now the model of all rows", Trained.text(trained));
    return run(whole, new Divided(all, Optional.empty()), spark, trained);
  }

  /** Trains models with several seeds. The best one is the result. */
  private Result restarts(Prepared prepared, JavaSparkContext spark, JobData all, int count) {
    note(
        "%d models, one after the other: they share the rows in the executors' memory, but each"
            + " passes over them by itself",
        count);
    var whole = beforeParts(prepared);
    var rows = divided(spark, prepared, all);
    var trained = new ArrayList<Trained>();
    for (int i = 0; i < count; i++) {
      note("model %d of %d", i + 1, count);
      var trainer = prepared.trainer().seeded(config.seed() + i);
      trained.add(part(prepared, "model-" + (i + 1), trainer, rows, spark));
    }
    var stop = prepared.trainer().stop().orElse(new Stop("loss", 1, false, 0));
    var best = trained.getFirst();
    for (var t : trained) {
      best = stop.isBetter(number(stop, t), number(stop, best)) ? t : best;
    }
    note("the best model is %s, whose %s is %s", best.name(), stop.metric(), number(stop, best));
    var there = ModelFolder.open(whole.output().path().resolve(best.name())).orElseThrow();
    var d = there.document().of(trained);
    var files = ModelFolder.copy(there, whole.output(), d);
    observer.accept(new TrainEvent.Model(null, d.metrics(), files));
    whole.output().discard();
    return new Result(d.iterations(), d.losses(), d.seconds(), there.model(), d.rows());
  }

  private double number(Stop stop, Trained t) {
    return config.stop().isPresent() ? t.number(stop.metric()) : t.loss();
  }

  private void note(String format, Object... parts) {
    observer.accept(new TrainEvent.Note(String.format(Locale.ROOT, format, parts)));
  }

  /** Puts an old model aside, before its parts are replaced. */
  private static Prepared beforeParts(Prepared p) {
    if (p.existing() != OutputFolder.Existing.OVERWRITE) {
      return p;
    }
    p.output().setAside();
    return p.in(p.part(), p.output(), OutputFolder.Existing.REFUSE, p.trainer(), p.resumed());
  }

  /** Trains one of several models in a folder of its own, if it isn't there already. */
  private Trained part(
      Prepared whole, String name, Trainer trainer, Divided rows, JavaSparkContext spark) {
    var output = new OutputFolder(whole.output().path().resolve(name));
    boolean resumes = whole.existing() == OutputFolder.Existing.RESUME;
    var there = resumes ? ModelFolder.open(output.path()) : Optional.<ModelFolder>empty();
    if (there.isPresent()) {
      finished(there.get());
      return Trained.of(name, there.get().document());
    }
    try (var _ = output.claim(whole.existing(), 64 << 10)) {
      var resumed =
          resumes ? Checkpoint.read(output, subject(trainer, name)) : Optional.<TrainState>empty();
      run(whole.in(name, output, whole.existing(), trainer, resumed), rows, spark, List.of());
    }
    return Trained.of(name, ModelFolder.open(output.path()).orElseThrow().document());
  }

  /**
   * Trains and writes a model.
   *
   * @param folds the models that were trained on parts of the rows before
   */
  private Result run(
      Prepared prepared, Divided divided, JavaSparkContext spark, List<Trained> folds) {
    boolean replaces = prepared.existing() == OutputFolder.Existing.OVERWRITE;
    try (var events = EventsFile.of(prepared.output(), replaces)) {
      var told = new TrainGauges().andThen(events).andThen(observer);
      Runnable makeRoom =
          () -> {
            prepared.output().setAside();
            events.take();
          };
      try {
        return run(prepared, divided, spark, told, replaces ? once(makeRoom) : () -> {}, folds);
      } catch (RuntimeException | Error e) {
        tellFailure(told, e);
        throw e;
      }
    }
  }

  private static void tellFailure(Consumer<TrainEvent> told, Throwable failure) {
    try {
      told.accept(new TrainEvent.Failed(failure.getMessage()));
    } catch (RuntimeException e) { // A full disk may be what has failed.
      failure.addSuppressed(e);
    }
  }

  private static Runnable once(Runnable work) {
    var open = new AtomicBoolean(true);
    return () -> {
      if (open.getAndSet(false)) {
        work.run();
      }
    };
  }

  /**
   * @param makeRoom puts an old model aside; it is called before the first file is written
   */
  private Result run(
      Prepared prepared,
      Divided divided,
      JavaSparkContext spark,
      Consumer<TrainEvent> told,
      Runnable makeRoom,
      List<Trained> folds) {
    var data = divided.training();
    told.accept(started(spark, data));
    told.accept(job(prepared.trainer(), data));
    divided
        .validation()
        .ifPresent(
            v -> {
              var text = String.format(Locale.ROOT, "%,d rows for the validation", v.rows());
              told.accept(new TrainEvent.Note(text));
            });
    var trainer = prepared.trainer();
    var judge = trainer.judge(data, divided.validation());
    var steps = trainer.on(data);
    var loop = loop(prepared, trainer.batches(data), judge, told, makeRoom);
    prepared.resumed().ifPresent(s -> told.accept(new TrainEvent.Resumed(s.round())));
    var end =
        prepared.resumed().isPresent()
            ? loop.goOn(steps, prepared.resumed().get())
            : loop.run(steps, prepared.start().orElseGet(() -> trainer.init(data)));
    var model = trainer.model(end);
    var scores = trainer.scores(data).apply(model);
    var metrics = scores.metrics();
    var validation = divided.validation().map(v -> trainer.scores(v).apply(model));
    makeRoom.run();
    told.accept(Findings.data(config, trainer, prepared.data(), data));
    config
        .report()
        .ifPresent(
            r -> {
              var where = divided.validation().isPresent() ? "validation" : "training";
              var rows = divided.validation().orElse(data);
              told.accept(Findings.fit(trainer, model, r.label(), where, rows, config.seed()));
            });
    var document =
        document(prepared, loop.rounds(end), end, model, scores, validation, folds, data);
    var files = new ArrayList<>(ModelFolder.write(prepared.output(), document, model, end));
    files.add("report   " + Report.write(prepared.output().path()));
    var numbers = new LinkedHashMap<>(metrics);
    validation.ifPresent(v -> numbers.putAll(v.all("validation ")));
    told.accept(new TrainEvent.Model(null, numbers, files));
    prepared.output().discard();
    return new Result(document.iterations(), end.losses(), end.seconds(), model, data.rows());
  }

  private ModelFolder.Document document(
      Prepared prepared,
      int rounds,
      TrainState end,
      List<Value> model,
      Scores scores,
      Optional<Scores> validation,
      List<Trained> folds,
      JobData data) {
    var type = prepared.trainer().program().model();
    var written = prepared.trainer().program().written();
    return new ModelFolder.Document(
        OwnProcess.version(),
        Structure.text(type),
        ModelFile.parts(type, model),
        end.losses().isEmpty() ? scores.loss() : end.losses().getLast(),
        scores.metrics(),
        validation.orElse(null),
        folds.isEmpty() ? null : folds,
        folds.isEmpty() ? null : Trained.spread(folds),
        rounds,
        data.rows(),
        end.losses(),
        end.seconds(),
        HiddenText.without(written.root()),
        files(prepared.trainer()),
        document,
        folder.toString());
  }

  private Training loop(
      Prepared prepared,
      Optional<Batches> batches,
      Optional<Judge> judge,
      Consumer<TrainEvent> told,
      Runnable makeRoom) {
    return new Training(
        prepared.trainer().trainsItself() ? 0 : config.rounds(),
        batches.map(Batches::ofPass).orElse(0L),
        config.optimiser().isPresent() ? 0 : config.tolerance(), // The optimiser has its own.
        judge,
        prepared.trainer().trainsItself() ? Optional.empty() : prepared.trainer().stop(),
        config.checkpoint().map(TrainConfig.Checkpoint::every).orElse(0),
        state -> {
          makeRoom.run();
          Checkpoint.write(prepared.output(), subject(prepared.trainer(), prepared.part()), state);
        },
        told);
  }

  /** Returns what a resumed training must have too. */
  private JsonNode subject(Trainer trainer, String part) {
    var files = new TreeMap<>(trainer.program().written().files());
    var subject = parts(document).put("text", LoopCheckpoints.digest(files.toString()));
    return part.isEmpty() ? subject : subject.put("part", part);
  }

  /** Returns the parts of a configuration that say what is trained, and by what. */
  private static com.fasterxml.jackson.databind.node.ObjectNode parts(JsonNode document) {
    var parts = JsonNodeFactory.instance.objectNode();
    var names =
        List.of(
            "data",
            "program",
            "model",
            "parameters",
            "init",
            "start",
            "optimiser",
            "seed",
            "validation",
            "stop",
            "batch",
            "models");
    for (var name : names) {
      if (document.has(name)) {
        parts.set(name, document.get(name));
      }
    }
    return parts;
  }

  /** Returns the text of the program, by the names of its files. */
  private static Map<String, String> files(Trainer trainer) {
    var files = new TreeMap<String, String>();
    var written = trainer.program().written();
    written.files().forEach((name, text) -> files.put(HiddenText.without(name), text));
    return files;
  }

  private TrainEvent.Job job(Trainer trainer, JobData data) {
    var plan = trainer.entry().plan();
    var picture = PlanReport.of(plan, Map.of(), data.cuts().getFirst().pieces()).picture();
    return new TrainEvent.Job(document, files(trainer), picture);
  }

  private TrainEvent.Started started(JavaSparkContext spark, JobData data) {
    return new TrainEvent.Started(
        config.program(),
        data.rows(),
        data.cuts().getFirst().pieces(),
        spark.master(),
        config.spark().backend().text(),
        config.rounds(),
        OwnProcess.version(),
        Runtime.version().toString());
  }
}
