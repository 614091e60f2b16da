package dev.kenaz.jobs.train;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A function of a job's program that has a part in the training.
 *
 * @param span where its name is defined
 */
record JobFunction(String name, Span span, List<Argument> arguments) {
  static final String INIT = "init";
  static final String LOSS = "loss";

  /** Gives what the loss has half the squares of, and takes its place. */
  static final String RESIDUALS = "residuals";

  static final String STEP = "step";
  static final String METRICS = "metrics";
  static final String PREDICT = "predict";

  /** Gives the trained model at once, and takes the place of init and of steps. */
  static final String TRAIN = "train";

  /** Gives the model that is meant where an optimiser has gone from one model to another. */
  static final String REPARAMETRISE = "reparametrise";

  /** The names of all such functions. */
  static final List<String> NAMES =
      List.of(INIT, TRAIN, LOSS, RESIDUALS, STEP, METRICS, PREDICT, REPARAMETRISE);

  /** What the generated entry points call the model. */
  static final String MODEL = "kenaz_model";

  /** What they call the model with which an optimiser has begun. */
  static final String FROM = "kenaz_from";

  /** What a parameter is. */
  enum Kind {
    MODEL,
    COLUMN,
    /** A hyperparameter, or the seed. */
    HYPERPARAMETER
  }

  /**
   * A parameter.
   *
   * @param name as the program has it; that of the model is {@link #MODEL}
   */
  record Argument(Kind kind, String name) {}

  static JobFunction ofTwoModels(String name, Span span) {
    var models = Stream.of(FROM, MODEL).map(m -> new Argument(Kind.MODEL, m));
    return new JobFunction(name, span, models.toList());
  }

  List<String> names(Kind kind) {
    return arguments.stream().filter(a -> a.kind() == kind).map(Argument::name).toList();
  }

  /** Returns a function with another name and the same parameters. */
  JobFunction named(String other) {
    return new JobFunction(other, span, arguments);
  }

  /** Returns a call, whose arguments are variables with the names of the parameters. */
  String call() {
    return arguments.stream().map(Argument::name).collect(Collectors.joining(" ", name + " ", ""));
  }
}
