package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7402;

import com.fasterxml.jackson.databind.node.LongNode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.JobFunction.Kind;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.Batches;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/** What a job trains, and how: its program, compiled and planned. It knows nothing of files. */
public final class Trainer implements AutoCloseable {
  private final TrainConfig config;
  private final JobProgram program;
  private final JobEntries entries;
  private final Optional<JobEntries.Planned> start;
  private final JobEntries.Planned next;

  /** The values by name, the seed among them. */
  private final Map<String, Value> hyperparameters;

  private Trainer(TrainConfig config, JobProgram program) {
    this.config = config;
    this.program = program;
    this.hyperparameters = hyperparameters(config, program);
    TrainChecks.require(config, program);
    this.entries = JobEntries.of(program, generated(config, program), config.spark().backend());
    this.start =
        config.optimiser().isPresent()
            ? Optional.of(entries.plan(JobText.START, false))
            : Optional.empty();
    this.next = entries.plan(trainsItself() ? JobText.INIT_ALL : JobText.NEXT, false);
    TrainChecks.requireOneDataset(config, next.entry());
  }

  /**
   * Reads and plans the program of a configuration.
   *
   * @param folder the folder from which relative paths start
   * @throws UserError K74xx if the program doesn't fit the configuration
   * @throws dev.kenaz.error.Limitation K8001 if it can't be computed in pieces
   */
  public static Trainer of(TrainConfig config, Path folder) {
    return new Trainer(config, JobProgram.read(config, folder));
  }

  private Trainer(Trainer other, long seed) {
    this.config = other.config.withSeed(seed);
    this.program = other.program;
    this.hyperparameters = hyperparameters(config, program);
    this.entries = other.entries;
    this.start = other.start;
    this.next = other.next;
  }

  /** Returns the same with another seed; only one of both is closed. */
  Trainer seeded(long seed) {
    return new Trainer(this, seed);
  }

  JobProgram program() {
    return program;
  }

  /** Whether the program gives the trained model at once. */
  boolean trainsItself() {
    return program.has(JobFunction.TRAIN);
  }

  private static ProgramSource generated(TrainConfig config, JobProgram program) {
    if (program.has(JobFunction.TRAIN)) {
      program.requireSameTypes(); // No entry point has both train and what takes the model.
      return program.text().atOnce();
    }
    if (config.optimiser().isEmpty()) {
      if (!program.has(JobFunction.STEP)) {
        throw new UserError(
            K7402,
            program.function(JobFunction.LOSS).span(),
            "the program has a loss, but nothing says how it is lowered",
            "choose an optimiser in the configuration, such as { \"name\": \"l-bfgs\" },"
                + " or define step");
      }
      if (config.tolerance() > 0 && !program.hasLoss()) {
        throw new UserError(
            K7402,
            program.function(JobFunction.STEP).span(),
            "a tolerance is about the loss, but the program has none",
            "define loss, let step give (model, loss), or leave the tolerance out");
      }
      return program.text().ownStep();
    }
    if (!program.has(JobFunction.LOSS)) {
      throw new UserError(
          K7402,
          program.function(JobFunction.STEP).span(),
          "an optimiser lowers a loss, but the program has none",
          "define loss, or leave the optimiser out, so that step is taken");
    }
    boolean batches = config.batch().isPresent();
    var choice = OptimiserChoice.of(config.optimiser().get(), batches, program);
    var tolerance = batches ? OptionalDouble.empty() : OptionalDouble.of(config.tolerance());
    return program.text().byOptimiser(choice.module(), choice.options(), tolerance);
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
    var improving = improving();
    return new JobSteps(
        start.map(s -> s.on(data)),
        next.on(data),
        batches(data),
        values(improving),
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
        : scores(data).apply(model).metrics().values().iterator().next();
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
      var metrics = new LinkedHashMap<String, Double>();
      for (int i = 0; i < names.size(); i++) {
        metrics.put(names.get(i), number(results.get(first + i)));
      }
      return new Scores(first == 0 ? null : number(results.getFirst()), metrics);
    };
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
    return config.stop().isPresent() && program.metrics().contains(config.stop().get().metric());
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
    entries.close();
  }
}
