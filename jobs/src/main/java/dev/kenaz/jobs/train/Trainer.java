package dev.kenaz.jobs.train;

import com.fasterxml.jackson.databind.node.LongNode;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.JobFunction.Kind;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.spark.Batches;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a job trains, and how: its program, compiled and planned. It knows nothing of files. */
public final class Trainer implements AutoCloseable {
  private static final Set<ErrorCode> OF_OPTIONS = Set.of(ErrorCode.K7404, ErrorCode.K7405);

  private final TrainConfig config;
  private final JobProgram program;
  private final JobEntries entries;
  private final Optional<JobEntries.Planned> start;
  private final JobEntries.Planned next;

  /** The values by name, the seed among them. */
  private final Map<String, Value> hyperparameters;

  /** The values of the optimiser's options that differ between models. */
  private final List<Value> options;

  /** Whether nothing else closes the entry points. */
  private final boolean owns;

  private Trainer(TrainConfig config, JobProgram program, Generated generated) {
    this.config = config;
    this.program = program;
    this.hyperparameters = hyperparameters(config, program);
    this.options = generated.options();
    TrainChecks.require(config, program);
    this.entries = JobEntries.of(program, generated.text(), config.spark().backend());
    this.owns = true;
    this.start =
        config.optimiser().isPresent()
            ? Optional.of(entries.plan(JobText.START, false))
            : Optional.empty();
    this.next = entries.plan(trainsItself() ? JobText.INIT_ALL : JobText.NEXT, false);
    TrainChecks.requireOneDataset(config, program, next.entry());
  }

  /**
   * Reads and plans the program of a configuration.
   *
   * @param folder the folder from which relative paths start
   * @throws dev.kenaz.error.UserError K74xx if the program doesn't fit the configuration
   * @throws dev.kenaz.error.Limitation K8001 if it can't be computed in pieces
   */
  public static Trainer of(TrainConfig config, Path folder) {
    var program = JobProgram.read(config, folder);
    return new Trainer(config, program, Generated.of(config, program));
  }

  /**
   * Finds faults of the optimiser and its options, which the program's types tell, without planning
   * anything. Other faults are left to the training.
   *
   * @throws dev.kenaz.error.UserError K7404, K7405
   */
  public static void checkOptimiser(TrainConfig config, Path folder) {
    try {
      Generated.of(config, JobProgram.read(config, folder));
    } catch (UserError e) {
      if (OF_OPTIONS.contains(e.diagnostics().getFirst().code())) {
        throw e;
      }
    }
  }

  private Trainer(Trainer other, TrainConfig config, Generated generated) {
    this.config = config;
    this.program = other.program;
    this.hyperparameters = hyperparameters(config, program);
    this.options = generated.options();
    TrainChecks.require(config, program);
    this.entries = other.entries;
    this.owns = false;
    this.start = other.start;
    this.next = other.next;
  }

  /**
   * Returns trainers of the same program by other settings. What differs in numbers alone is
   * compiled once.
   *
   * @return those of the configurations, which are closed before this one
   */
  public List<Trainer> with(List<TrainConfig> configs) {
    var all = new ArrayList<Trainer>();
    try {
      for (var c : configs) {
        var generated = Generated.of(c, program);
        var same =
            Stream.concat(Stream.of(this), all.stream())
                .filter(t -> t.entries.source().equals(generated.text()))
                .findFirst();
        all.add(
            same.isPresent()
                ? new Trainer(same.get(), c, generated)
                : new Trainer(c, program, generated));
      }
    } catch (RuntimeException e) {
      all.forEach(Trainer::close);
      throw e;
    }
    return all;
  }

  JobProgram program() {
    return program;
  }

  /** Whether the program gives the trained model at once. */
  boolean trainsItself() {
    return program.has(JobFunction.TRAIN);
  }

  /** Returns the values of a program's hyperparameters by name, the seed among them. */
  static Map<String, Value> hyperparameters(TrainConfig config, JobProgram program) {
    var values = new LinkedHashMap<String, Value>();
    for (var name : program.hyperparameters()) {
      var type = program.hyperparameter(name).orElseThrow();
      var given = config.parameters().get(name);
      values.put(
          name,
          given != null
              ? Hyperparameters.value(type, given, "parameters." + name)
              : Hyperparameters.value(type, LongNode.valueOf(config.seed()), JobFunctions.SEED));
    }
    return values;
  }

  /** Returns the entry point whose parameters the data are. */
  PiecewiseEntry entry() {
    return next.entry();
  }

  /** Returns which of the data's arrays a parameter is, or is the first one of. */
  int arrayOf(String parameter) {
    int at = 0;
    for (var p : entry().type().params()) {
      if (p.name().equals(parameter)) {
        break;
      }
      at += program.columns().contains(p.name()) ? p.type().flat().size() : 0;
    }
    return at;
  }

  /** Returns what a model predicts for rows that are in this process. */
  List<Value> predicted(List<Value> model, List<Value> columns) {
    var arguments = new ArrayList<>(model);
    arguments.addAll(columns);
    arguments.addAll(values(List.of(program.function(JobFunction.PREDICT))));
    return entries.call(JobText.entry(JobFunction.PREDICT), arguments);
  }

  /** Returns the steps over data. */
  public Steps on(JobData data) {
    if (trainsItself()) {
      var train = next.on(data);
      return new WholeTraining(train, values(List.of(program.making())));
    }
    var others = new ArrayList<>(values(improving()));
    others.addAll(options);
    return new JobSteps(
        start.map(s -> s.on(data)),
        next.on(data),
        batches(data),
        (at, like) -> lossOf(scores(data).apply(model(at, like))),
        others,
        config.optimiser().isPresent() || program.hasLoss());
  }

  /** Returns the rows of each step, if these aren't all. */
  Optional<Batches> batches(JobData data) {
    return config
        .batch()
        .map(
            b ->
                new Batches(data.rows(), b.rows(), b.by() == TrainConfig.By.WINDOW, config.seed()));
  }

  /** Returns the functions that a step calls. */
  private List<JobFunction> improving() {
    if (config.optimiser().isPresent()) {
      return List.of(program.function(JobFunction.LOSS));
    }
    var step = program.function(JobFunction.STEP);
    return program.stepGivesLoss() || !program.has(JobFunction.LOSS)
        ? List.of(step)
        : List.of(step, program.function(JobFunction.LOSS));
  }

  /** Returns the hyperparameters that functions take, in the order of an entry point over data. */
  private List<Value> values(List<JobFunction> functions) {
    return JobText.hyperparameters(functions).stream().map(hyperparameters::get).toList();
  }

  /** Returns the first model. */
  public List<Value> init(JobData data) {
    if (trainsItself()) {
      return List.of();
    }
    var init = program.making();
    boolean columns = !init.names(Kind.COLUMN).isEmpty();
    var sample = config.init().sample();
    if (columns && sample.isEmpty()) {
      var all = entries.plan(JobText.INIT_ALL, true).on(data);
      return all.call(values(List.of(init)));
    }
    var drawn = new LinkedHashMap<String, List<Value>>();
    if (columns) {
      var values = data.sample(sample.getAsLong(), config.seed());
      int at = 0;
      for (var p : entry().type().params()) {
        if (program.columns().contains(p.name())) {
          int end = at + p.type().flat().size();
          drawn.put(p.name(), values.subList(at, end));
          at = end;
        }
      }
    }
    var arguments = new ArrayList<Value>();
    for (var a : init.arguments()) {
      arguments.addAll(
          a.kind() == Kind.COLUMN ? drawn.get(a.name()) : List.of(hyperparameters.get(a.name())));
    }
    return entries.call(JobText.entry(JobFunction.INIT), arguments);
  }

  /** Returns the model of a state. */
  public List<Value> model(TrainState state) {
    return model(state.place(), state.like());
  }

  private List<Value> model(Steps.Place place, List<Value> like) {
    if (trainsItself()) {
      return place.state();
    }
    var arguments = new ArrayList<>(place.state());
    arguments.addAll(like);
    return entries.call(JobText.READ, arguments);
  }

  /** Returns the loss of a model; its first metric, if the program has no loss. */
  public double worth(JobData data, List<Value> model) {
    var steps = on(data);
    return steps.hasLoss()
        ? steps.start(model).loss()
        : scores(data).apply(model).metrics().values().iterator().next().doubleValue();
  }

  /** Returns what says what a model is worth by some data. */
  Function<List<Value>, Scores> scores(JobData data) {
    var judging = program.judging();
    if (judging.isEmpty()) {
      return _ -> new Scores(null, Map.of());
    }
    var over = entries.plan(JobText.EVALUATE, true).on(data);
    return model -> {
      var arguments = new ArrayList<>(model);
      arguments.addAll(values(judging));
      var results = over.call(arguments);
      var names = program.metrics();
      int first = results.size() - names.size();
      var metrics = new LinkedHashMap<String, Number>();
      for (int i = 0; i < names.size(); i++) {
        metrics.put(names.get(i), Scores.exact(results.get(first + i)));
      }
      return new Scores(first == 0 ? null : number(results.getFirst()), metrics);
    };
  }

  private static double lossOf(Scores scores) {
    return scores.loss() == null ? Double.NaN : scores.loss();
  }

  private static double number(Value v) {
    return ((ScalarValue) v).asDouble();
  }

  /**
   * Returns what judges the models on the way.
   *
   * @param data that of the training
   * @param validation other data, if there is any
   */
  Optional<Judge> judge(JobData data, Optional<JobData> validation) {
    var by = validation.or(() -> stopsByMetric() ? Optional.of(data) : Optional.empty());
    int every = config.validation().map(TrainConfig.Validation::every).orElse(1);
    return by.map(
        d -> {
          var scores = scores(d);
          return new Judge(
              every, validation.isPresent(), (at, like) -> scores.apply(model(at, like)));
        });
  }

  private boolean stopsByMetric() {
    return config
        .stop()
        .filter(s -> !s.metric().equals(TrainConfig.Stop.LOSS) || !program.hasLoss())
        .isPresent();
  }

  /** Returns what ends the training early, if anything does. */
  Optional<Stop> stop() {
    return config
        .stop()
        .map(
            s ->
                new Stop(
                    s.metric(), s.patience(), s.goal() == TrainConfig.Goal.MOST, s.leastChange()));
  }

  @Override
  public void close() {
    if (owns) {
      entries.close();
    }
  }
}
