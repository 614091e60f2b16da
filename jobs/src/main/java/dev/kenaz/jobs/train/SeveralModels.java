package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K5007;
import static dev.kenaz.error.ErrorCode.K5101;
import static dev.kenaz.error.ErrorCode.K5900;
import static dev.kenaz.error.ErrorCode.K7301;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.spark.Lockstep;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Trains the models of a job that has several, each in a folder of its own.
 *
 * @param whole the training of the job itself, in whose folder theirs are
 * @param document the configuration of the job
 */
record SeveralModels(OneTraining whole, JsonNode document, JavaSparkContext spark) {
  /** Faults of a run that aren't the program's. */
  private static final Set<ErrorCode> OF_MACHINE = Set.of(K5007, K5101, K5900);

  /**
   * Trains a model for each fold on the others, and one on all rows if that is wanted.
   *
   * @param resumed where the last model goes on, if it does
   */
  TrainJob.Result folds(TrainConfig.Validation validation, Optional<TrainState> resumed) {
    int count = validation.folds().orElseThrow();
    var all = whole.files().all(spark);
    JobRows.requireFolds(all, count);
    var names = IntStream.rangeClosed(1, count).mapToObj(i -> "fold-" + i).toList();
    return inParts(names, last -> folds(names, all, validation.last(), last, resumed));
  }

  private TrainJob.Result folds(
      List<String> names,
      JobData all,
      boolean whole,
      OneTraining last,
      Optional<TrainState> resumed) {
    int together = last.files().foldsAtOnce(all);
    int uses = together == 1 ? 1 : 2 * names.size() + (whole ? 1 : 0);
    var trained = new ArrayList<Trained>();
    for (int from = 0; from < names.size(); from += together) {
      int end = Math.min(names.size(), from + together);
      noteSome("fold", from, end, names.size());
      var works = new ArrayList<Supplier<Trained>>();
      for (int i = from; i < end; i++) {
        var rows = last.files().fold(all, i, names.size(), uses);
        var variant = last.variant().named(names.get(i));
        works.add(() -> part(variant, last.trainer(), rows));
      }
      trained.addAll(inSamePasses(works));
    }
    if (!whole) {
      note("%s", Trained.text(trained));
      var folds = FoldsFile.of(document, last.output(), trained, all.rows());
      tell(new TrainEvent.Model(null, folds.means(), List.of(folds.write(last.output()))));
      last.output().discard();
      return folds.result();
    }
    note("%s; now the model of all rows", Trained.text(trained));
    return last.run(new JobRows.Divided(all, Optional.empty()), resumed, spark, trained);
  }

  /** A model, or why there is none. */
  private record Tried(Variant variant, Trained trained, UserError failure) {}

  /**
   * Trains models with several settings. The best one is the result.
   *
   * @param trainers that of each model
   * @param together how many are trained at the same time at most
   */
  TrainJob.Result variants(List<Variant> variants, List<Trainer> trainers, int together) {
    var rows = whole.files().divided(spark);
    var names = variants.stream().map(Variant::name).toList();
    return inParts(names, last -> best(last, tried(variants, trainers, together, rows)));
  }

  private List<Tried> tried(
      List<Variant> variants, List<Trainer> trainers, int together, JobRows.Divided rows) {
    whole.files().summary(whole.trainer(), rows.training()); // Models would ask at the same time.
    var tried = new ArrayList<Tried>();
    for (int from = 0; from < variants.size(); from += together) {
      int end = Math.min(variants.size(), from + together);
      noteSome("model", from, end, variants.size());
      tried.addAll(tried(variants.subList(from, end), trainers.subList(from, end), rows));
    }
    return tried;
  }

  /** Trains some models in the same passes over the data. */
  private List<Tried> tried(List<Variant> some, List<Trainer> trainers, JobRows.Divided rows) {
    var works = new ArrayList<Supplier<Tried>>();
    for (int i = 0; i < some.size(); i++) {
      var v = some.get(i);
      var trainer = trainers.get(i);
      works.add(() -> tried(v, trainer, rows));
    }
    return inSamePasses(works);
  }

  /** Does pieces of work that pass over the data together; if one fails, all do. */
  private static <T> List<T> inSamePasses(List<Supplier<T>> works) {
    var ends = Lockstep.run(works, _ -> true);
    Throwable first = null;
    for (var end : ends) {
      boolean follows = end.failure() == null || end.failure() instanceof Lockstep.Abandoned;
      first = first != null || follows ? first : end.failure();
    }
    switch (first) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(first);
    }
    return ends.stream().map(Lockstep.End::value).toList();
  }

  /** Trains a model; that it can't be trained is no reason not to train the others. */
  private Tried tried(Variant v, Trainer trainer, JobRows.Divided rows) {
    try {
      return new Tried(v, part(v, trainer, rows).of(v.settings()), null);
    } catch (UserError e) {
      var d = e.diagnostics().getFirst();
      if (d.code() != K7301 && (!d.code().isOfRun() || OF_MACHINE.contains(d.code()))) {
        throw e;
      }
      tell(new TrainEvent.Warning(v.title() + " has failed: " + d.message()));
      return new Tried(v, Trained.failed(v, d.message()), e);
    }
  }

  private TrainJob.Result best(OneTraining last, List<Tried> tried) {
    var done = tried.stream().filter(t -> t.failure() == null).toList();
    if (done.isEmpty()) {
      throw tried.getFirst().failure();
    }
    var stop = whole.trainer().stop().orElse(new Stop(TrainConfig.Stop.LOSS, 1, false, 0));
    var best = done.getFirst();
    for (var t : done) {
      best = stop.isBetter(number(stop, t), number(stop, best)) ? t : best;
    }
    var title = best.variant().title();
    note("the best model is %s, whose %s is %s", title, stop.metric(), number(stop, best));
    var path = last.output().path();
    var there = ModelFolder.open(path.resolve(best.variant().name())).orElseThrow();
    var all = tried.stream().map(Tried::trained).toList();
    var d = there.document().of(best.variant().ofJob(document), all);
    var written = new ArrayList<>(ModelFolder.copy(there, last.output(), d));
    if (whole.reports()) {
      written.add("report   " + Report.write(path));
    }
    tell(new TrainEvent.Model(null, d.metrics(), written));
    last.output().discard();
    return new TrainJob.Result(d.iterations(), d.losses(), d.seconds(), there.model(), d.rows());
  }

  private Number number(Stop stop, Tried t) {
    boolean byMetric = whole.trainer().stop().isPresent();
    return byMetric ? t.trained().number(stop.metric()) : t.trained().loss();
  }

  private void noteSome(String what, int from, int end, int count) {
    var some = end - from == 1 ? "%1$s %2$d" : "%1$ss %2$d to %3$d";
    note(some + " of %4$d", what, from + 1, end, count);
  }

  private void note(String format, Object... parts) {
    tell(new TrainEvent.Note(String.format(Locale.ROOT, format, parts)));
  }

  private void tell(TrainEvent event) {
    whole.observer().accept(event);
  }

  /** Trains models in folders of their own; an old model is put aside before. */
  private TrainJob.Result inParts(
      List<String> names, Function<OneTraining, TrainJob.Result> training) {
    var output = whole.output();
    boolean replaces = whole.existing() == Existing.OVERWRITE;
    if (replaces) {
      output.setAside();
    }
    output.namesParts(names);
    try {
      return training.apply(replaces ? whole.over(Existing.REFUSE) : whole);
    } finally {
      output.forgetsParts();
    }
  }

  /** Trains one of the models in a folder of its own, if it isn't there already. */
  private Trained part(Variant variant, Trainer trainer, JobRows.Divided rows) {
    var name = variant.name();
    var output = new OutputFolder(whole.output().path().resolve(name));
    var training = whole.of(variant, trainer, output);
    var there =
        whole.existing() == Existing.RESUME
            ? ModelFolder.open(output.path())
            : Optional.<ModelFolder>empty();
    if (there.isPresent()) {
      training.observer().accept(there.get().finished(List.of(variant.document())));
      return Trained.of(name, there.get().document());
    }
    try (var _ = output.claim(whole.existing(), OutputFolder.LEAST_ROOM)) {
      if (whole.existing() == Existing.OVERWRITE) {
        output.setAside(); // Earlier versions didn't name the folders of their models.
      }
      training.run(rows, training.resumed(), spark, List.of());
    }
    return Trained.of(name, ModelFolder.open(output.path()).orElseThrow().document());
  }
}
