package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7402;
import static dev.kenaz.error.ErrorCode.K7406;
import static java.util.stream.Collectors.toCollection;

import dev.kenaz.arrow.ListColumns;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.pipeline.PiecewiseEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Finds parts of a configuration that don't fit each other or the program. */
final class TrainChecks {
  private TrainChecks() {}

  /**
   * Finds what needs no plan.
   *
   * @throws UserError K7006, K7402 or K7406 with the first fault
   */
  static void require(TrainConfig config, JobProgram program) {
    if (program.has(JobFunction.TRAIN)) {
      requireNoSteps(config);
    }
    requireRounds(config);
    requireJudgement(config, program);
    config.report().ifPresent(r -> requireLabel(r.label(), config, program));
    requireChoice(config, program);
  }

  /** Restarts must differ, and something must say which one is the best. */
  private static void requireChoice(TrainConfig config, JobProgram program) {
    if (config.models().isEmpty()) {
      return;
    }
    var models = config.models().get();
    if (config.validation().flatMap(TrainConfig.Validation::folds).isPresent()) {
      throw new UserError(
          K7006,
          "a job has either validation.folds or models",
          "leave one of them out, or compare jobs with folds by kenaz sweep");
    }
    if (models.restarts() == 1 && models.grid().isEmpty()) {
      throw new UserError(
          K7006,
          "models has neither restarts nor a grid, so there is but one model",
          "write for example \"models\": { \"restarts\": 8 }");
    }
    if (config.stop().isEmpty() && !program.hasLoss()) {
      throw new UserError(
          K7006,
          "nothing says which of the models is the best one: the program has no loss",
          "define loss, or choose a metric by stop.metric");
    }
    if (models.restarts() == 1) {
      return;
    }
    boolean seeded =
        program.hyperparameters().contains(JobFunctions.SEED)
            && !config.parameters().containsKey(JobFunctions.SEED);
    var init = program.making();
    boolean sampled =
        !program.has(JobFunction.TRAIN)
            && !init.names(JobFunction.Kind.COLUMN).isEmpty()
            && config.init().sample().isPresent();
    boolean begun = config.start().isPresent() || !seeded && !sampled;
    if (begun && config.batch().isEmpty()) {
      throw new UserError(
          K7006,
          "all restarts would give the same model: no start depends on the seed",
          "let init take seed: i64, and begin with no other model");
    }
  }

  /** A program that trains by itself has no steps that a job could count, stop or save. */
  private static void requireNoSteps(TrainConfig config) {
    var of = new LinkedHashMap<String, Boolean>();
    of.put("optimiser", config.optimiser().isPresent());
    of.put("iterations", config.iterations().isPresent());
    of.put("batch", config.batch().isPresent());
    of.put("tolerance", config.tolerance() > 0);
    of.put("stop", config.stop().isPresent() && config.models().isEmpty());
    of.put("checkpoint", config.checkpoint().isPresent());
    of.put("start", config.start().isPresent());
    of.forEach(
        (key, there) -> {
          if (there) {
            throw new UserError(
                K7006,
                key + " is about steps, but the program's train does all by itself",
                key.equals("stop")
                    ? "leave it out: the metrics are told of the trained model. With models,"
                        + " stop.metric says which of them is the best one"
                    : "leave it out, or define init and step, or init and loss");
          }
        });
  }

  private static void requireRounds(TrainConfig config) {
    if (config.batch().isEmpty() && config.passes().isPresent()) {
      throw new UserError(
          K7006,
          "passes are passes over batches, but there is no batch",
          "write iterations, or for example \"batch\": { \"rows\": 1024 }");
    }
    if (config.batch().isPresent() && config.iterations().isPresent()) {
      throw new UserError(
          K7006, "a training in batches has no iterations", "write passes instead of iterations");
    }
    if (config.batch().isPresent() && config.tolerance() > 0) {
      throw new UserError(
          K7006,
          "a training in batches has no tolerance, because each step has the loss of other rows",
          "leave it out, or write for example \"stop\": { \"patience\": 5 }");
    }
  }

  /**
   * Requires that rows can be drawn, where they are: all columns have the same rows, or elements of
   * lists of these rows.
   *
   * @param program whose init may take a sample of the rows
   * @throws UserError K7402 if the program takes columns as datasets of their own
   */
  static void requireOneDataset(TrainConfig config, JobProgram program, PiecewiseEntry entry) {
    boolean sampled =
        !program.has(JobFunction.TRAIN)
            && !program.making().names(JobFunction.Kind.COLUMN).isEmpty()
            && config.init().sample().isPresent()
            && config.start().isEmpty();
    boolean split = config.validation().filter(v -> !v.hasOtherData()).isPresent();
    boolean batch = config.batch().isPresent();
    boolean one = split || batch || config.report().isPresent() || sampled;
    if (!one || entry.plan().pieces().datasets().size() == 1) {
      return;
    }
    var what =
        split ? "validation" : batch ? "batch" : sampled ? "a sample for init" : "report.label";
    var leave = sampled ? "let init take all rows: \"init\": { \"rows\": \"all\" }" : null;
    var rows = new TreeSet<Integer>();
    var elements = new TreeSet<Integer>();
    datasets(config, entry, rows, elements);
    var names = config.data().columns().keySet().stream();
    boolean counted =
        names.anyMatch(p -> config.data().names(p).stream().anyMatch(ListColumns::isLengths));
    if (!elements.isEmpty() && !counted) {
      throw new UserError(
          K7402,
          what + " takes rows with the elements of their lists, so lengths must be a column too",
          leave != null ? leave : "for example \"length\": \"lengths(words)\"");
    }
    rows.removeAll(elements);
    if (rows.size() != 1 || entry.plan().pieces().datasets().size() != 1 + elements.size()) {
      throw new UserError(
          K7402,
          what + " needs columns that have the same number of rows in the program",
          leave != null
              ? leave
              : "let one function take all columns, and give them the same size there, such as"
                  + " [n]");
    }
  }

  /**
   * Adds the numbers of the datasets that have rows, and of those that have elements of lists. A
   * file's own column may have the name of elements; then both do.
   */
  private static void datasets(
      TrainConfig config, PiecewiseEntry entry, Set<Integer> rows, Set<Integer> elements) {
    int column = 0;
    for (var p : entry.type().params()) {
      if (config.data().columns().containsKey(p.name())) {
        var to = ListColumns.hasElements(config.data().names(p.name())) ? elements : rows;
        for (int part = p.type().flat().size(); part > 0; part--) {
          to.add(entry.plan().datasetOf(column++));
        }
      }
    }
  }

  private static void requireLabel(String label, TrainConfig config, JobProgram program) {
    if (!config.data().columns().containsKey(label)) {
      throw new UserError(
          K7402,
          "report.label is \"%s\", but data.columns has no such parameter".formatted(label),
          NearestName.hintOrFew(label, config.data().columns().keySet(), "there are"));
    }
    if (!program.givesNumbers(JobFunction.PREDICT) || !program.isColumnOfNumbers(label)) {
      throw new UserError(
          K7402,
          "a report compares a column with what predict gives, each a number for each row",
          "let predict give an array such as [n]f64, or leave report.label out");
    }
  }

  /** Requires that a validation says in one way which rows judge. */
  static void requireOneWay(TrainConfig.Validation v) {
    long ways = Stream.of(v.split(), v.folds()).filter(Optional::isPresent).count();
    ways += v.hasOtherData() ? 1 : 0;
    if (ways != 1) {
      throw new UserError(
          K7006,
          "validation has "
              + (ways == 0 ? "none" : "more than one")
              + " of split, folds and other data",
          "a split holds some of the rows back, folds take turns, and path, table or sql name"
              + " other data");
    }
  }

  private static void requireJudgement(TrainConfig config, JobProgram program) {
    if (config.validation().isPresent()) {
      var v = config.validation().get();
      requireOneWay(v);
      if (program.judging().isEmpty()) {
        throw new UserError(
            K7402,
            program.function(JobFunction.STEP).span(),
            "the program has neither a loss nor metrics, by which a model could be validated",
            "define loss or metrics, or leave validation out");
      }
    }
    if (config.stop().isPresent()) {
      var metric = config.stop().get().metric();
      var known =
          program.metrics().stream().map(Scores::shown).collect(toCollection(ArrayList::new));
      if (program.hasLoss()) {
        known.add(TrainConfig.Stop.LOSS);
      }
      if (!known.contains(Scores.found(metric, known))) {
        throw new UserError(
            K7406,
            "stop.metric is \"%s\", but the program has no such metric".formatted(metric),
            known.isEmpty()
                ? new String[] {"it has neither a loss nor metrics"}
                : NearestName.hintOrFew(metric, known, "there are"));
      }
    }
  }
}
