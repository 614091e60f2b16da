package dev.kenaz.jobs.train;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.distribute.report.PlanReport;
import dev.kenaz.ir.Structure;
import dev.kenaz.jobs.HiddenText;
import dev.kenaz.jobs.OwnProcess;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.spark.Batches;
import dev.kenaz.spark.GpuPieces;
import dev.kenaz.spark.KenazTab;
import dev.kenaz.spark.LostExecutors;
import dev.kenaz.value.Value;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Trains a model and writes it into a folder, which is claimed.
 *
 * @param variant which model, and by which configuration
 * @param output the model's own folder
 * @param start the model with which it begins, if that isn't what the program gives
 * @param folder the folder from which relative paths of the configuration start
 * @param observer is told what happens, beside the folder's file of events
 * @param reports whether there is a report
 */
record OneTraining(
    Variant variant,
    OutputFolder output,
    Existing existing,
    Trainer trainer,
    JobRows files,
    Optional<List<Value>> start,
    Path folder,
    Consumer<TrainEvent> observer,
    boolean reports) {

  /** Returns the training of one of several models, in a folder where no old model is. */
  OneTraining of(Variant one, Trainer by, OutputFolder into) {
    return new OneTraining(
        one,
        into,
        existing == Existing.OVERWRITE ? Existing.REFUSE : existing,
        by,
        files,
        start,
        folder,
        e -> observer.accept(new TrainEvent.OfModel(one.name(), e)),
        reports);
  }

  /** Returns the same where other files are there. */
  OneTraining over(Existing other) {
    return new OneTraining(
        variant, output, other, trainer, files, start, folder, observer, reports);
  }

  /**
   * Trains and writes the model.
   *
   * @param resumed where it goes on, if it does
   * @param before the models that were trained before it, if it is the last of several
   */
  TrainJob.Result run(
      JobRows.Divided rows,
      Optional<TrainState> resumed,
      JavaSparkContext spark,
      List<Trained> before) {
    boolean replaces = existing == Existing.OVERWRITE;
    var gauges = new TrainGauges(variant.name());
    try (var events = EventsFile.of(output, replaces)) {
      var own = gauges.andThen(events).andThen(tab(spark));
      var lost = LostExecutors.of(spark.sc()).news();
      var pieces = GpuPieces.Count.of(spark.sc());
      Consumer<TrainEvent> told =
          event -> {
            lost.next().forEach(line -> tellLoss(line, own));
            if (event instanceof TrainEvent.Ended) {
              pieces(spark, pieces).ifPresent(own.andThen(observer));
            }
            own.andThen(observer).accept(event);
          };
      Runnable makeRoom =
          () -> {
            output.setAside();
            events.take();
          };
      try {
        return run(rows, resumed, spark, told, replaces ? once(makeRoom) : () -> {}, before);
      } catch (RuntimeException | Error e) {
        tellFailure(told, files.told(e));
        throw e;
      }
    }
  }

  /** Says where pieces were computed, if it was in places of both kinds. */
  private static Optional<TrainEvent> pieces(JavaSparkContext spark, GpuPieces.Count before) {
    var count = GpuPieces.Count.of(spark.sc()).since(before);
    return count.onProcessors() == 0
        ? Optional.empty()
        : Optional.of(
            new TrainEvent.Note(
                String.format(
                    Locale.ROOT,
                    "pieces were computed %,d times on GPUs, and %,d times on the processors of"
                        + " executors without one",
                    count.onGpus(),
                    count.onProcessors())));
  }

  /** Every one of several models notes a loss; the user reads of it once, as of no single model. */
  private void tellLoss(LostExecutors.Line line, Consumer<TrainEvent> own) {
    var warning = new TrainEvent.Warning(line.text());
    own.accept(warning);
    if (line.isNew()) {
      observer.accept(new TrainEvent.OfModel("", warning));
    }
  }

  /** Shows the training in Spark's pages, if there are any. */
  private Consumer<TrainEvent> tab(JavaSparkContext spark) {
    var place = output.path().getFileName();
    var name = place == null ? output.path().toString() : place.toString();
    return KenazTab.of(spark.sc()).isEmpty() ? _ -> {} : new TrainTab(spark.sc(), name);
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
  private TrainJob.Result run(
      JobRows.Divided rows,
      Optional<TrainState> resumed,
      JavaSparkContext spark,
      Consumer<TrainEvent> told,
      Runnable makeRoom,
      List<Trained> before) {
    var data = rows.training();
    told.accept(started(spark, rows));
    told.accept(job(data));
    var judge = trainer.judge(data, rows.validation());
    var steps = trainer.on(data);
    var loop = loop(trainer.batches(data), judge, told, makeRoom);
    resumed.ifPresent(s -> told.accept(new TrainEvent.Resumed(s.round())));
    var end =
        resumed.isPresent()
            ? loop.goOn(steps, resumed.get())
            : loop.run(steps, start.orElseGet(() -> trainer.init(data)));
    var model = trainer.model(end);
    var scores = trainer.scores(data).apply(model);
    var validation = rows.validation().map(v -> trainer.scores(v).apply(model));
    makeRoom.run();
    if (reports) {
      tellFindings(rows, model, told);
    }
    var document = document(loop.rounds(end), end, model, scores, validation, before, data);
    var written = new ArrayList<>(ModelFolder.write(output, document, model, end));
    if (reports) {
      written.add("report   " + Report.write(output.path()));
    }
    var numbers = new LinkedHashMap<String, Number>();
    if (end.losses().isEmpty() && scores.loss() != null) {
      // a training of the program's own has no iterations that tell it
      numbers.put("loss", scores.loss());
    }
    numbers.putAll(scores.metrics());
    validation.ifPresent(v -> numbers.putAll(v.all("validation ")));
    told.accept(new TrainEvent.Model(null, numbers, written));
    output.discard();
    return new TrainJob.Result(
        document.iterations(), end.losses(), end.seconds(), model, data.rows());
  }

  private void tellFindings(JobRows.Divided rows, List<Value> model, Consumer<TrainEvent> told) {
    var config = variant.config();
    told.accept(files.summary(trainer, rows.training()));
    if (config.report().isPresent()) {
      var where = rows.validation().isPresent() ? "validation" : "training";
      var shown = rows.validation().orElse(rows.training());
      var label = config.report().get().label();
      told.accept(Findings.fit(trainer, model, label, where, shown, config.seed()));
    }
  }

  private ModelFolder.Document document(
      int rounds,
      TrainState end,
      List<Value> model,
      Scores scores,
      Optional<Scores> validation,
      List<Trained> before,
      JobData data) {
    var type = trainer.program().model();
    var written = trainer.program().written();
    return new ModelFolder.Document(
        OwnProcess.version(),
        Structure.text(type),
        ModelFile.parts(type, model),
        end.losses().isEmpty() ? scores.loss() : end.losses().getLast(),
        scores.metrics(),
        validation.orElse(null),
        before.isEmpty() ? null : before,
        before.isEmpty() ? null : Trained.spread(before),
        rounds,
        data.rows(),
        end.losses(),
        end.seconds(),
        HiddenText.without(written.root()),
        texts(),
        variant.document(),
        folder.toString());
  }

  private Training loop(
      Optional<Batches> batches,
      Optional<Judge> judge,
      Consumer<TrainEvent> told,
      Runnable makeRoom) {
    var config = variant.config();
    boolean whole = trainer.trainsItself();
    var subject = config.checkpoint().map(_ -> subject());
    return new Training(
        whole ? 0 : config.rounds(),
        batches.map(Batches::ofPass).orElse(0L),
        config.optimiser().isPresent() ? 0 : config.tolerance(), // The optimiser has its own.
        judge,
        whole ? Optional.empty() : trainer.stop(),
        config.checkpoint().map(TrainConfig.Checkpoint::every).orElse(0),
        state -> {
          makeRoom.run();
          Checkpoint.write(output, subject.orElseThrow(), state);
        },
        told);
  }

  /** Reads the state in which an earlier run of the same training has left it, if it has any. */
  Optional<TrainState> resumed() {
    if (existing != Existing.RESUME) {
      return Optional.empty();
    }
    var state = Checkpoint.read(output, subject());
    if (state.isEmpty() && Files.exists(output.path().resolve(OutputFolder.EVENTS))) {
      observer.accept(
          new TrainEvent.Warning(
              "there is no checkpoint in " + output.path() + ": it begins anew"));
    }
    return state;
  }

  private JsonNode subject() {
    return Subject.of(variant.document(), trainer.program(), variant.name(), files.fingerprint());
  }

  /** Returns the text of the program, by the names of its files. */
  private Map<String, String> texts() {
    var texts = new TreeMap<String, String>();
    var written = trainer.program().written();
    written.files().forEach((name, text) -> texts.put(HiddenText.without(name), text));
    return texts;
  }

  private TrainEvent.Job job(JobData data) {
    var plan = trainer.entry().plan();
    var picture = PlanReport.of(plan, Map.of(), data.cuts().getFirst().pieces()).picture();
    return new TrainEvent.Job(variant.document(), texts(), picture);
  }

  private TrainEvent.Started started(JavaSparkContext spark, JobRows.Divided rows) {
    var config = variant.config();
    return new TrainEvent.Started(
        config.program(),
        rows.training().rows(),
        rows.validation().map(JobData::rows).orElse(null),
        rows.training().cuts().getFirst().pieces(),
        spark.master(),
        config.spark().backend().text(),
        config.rounds(),
        config.batch().isPresent() ? TrainEvent.PASS : TrainEvent.ITERATION,
        OwnProcess.version(),
        Runtime.version().toString());
  }
}
