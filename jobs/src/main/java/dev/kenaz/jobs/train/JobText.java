package dev.kenaz.jobs.train;

import static dev.kenaz.jobs.train.JobFunction.LOSS;
import static dev.kenaz.jobs.train.JobFunction.METRICS;
import static dev.kenaz.jobs.train.JobFunction.MODEL;
import static dev.kenaz.jobs.train.JobFunction.PREDICT;
import static dev.kenaz.jobs.train.JobFunction.REPARAMETRISE;
import static dev.kenaz.jobs.train.JobFunction.RESIDUALS;
import static dev.kenaz.jobs.train.JobFunction.STEP;
import static java.util.stream.Collectors.joining;

import dev.kenaz.jobs.train.JobFunction.Argument;
import dev.kenaz.jobs.train.JobFunction.Kind;
import dev.kenaz.pipeline.ProgramSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Generates entry points behind a job's program. They are in a file of their own, which imports the
 * program, so that a fault in them can't be mistaken for one of the user's.
 *
 * <p>An entry point over the data takes the state or the model, then all columns in the same order,
 * so that all entry points read the same shards, and then hyperparameters. Types are inferred: a
 * function that is never called has calls of all functions that take the columns.
 */
record JobText(JobProgram program) {
  /**
   * The entry that gives loss, whether there are no more steps, whether no step is of any use, the
   * length of the gradient, that of the step, and the state at the start. A program with a step of
   * its own has none.
   */
  static final String START = "kenaz_start";

  /**
   * The entry that gives the same after another step; if the step is one's own, without what only
   * an optimiser knows.
   */
  static final String NEXT = "kenaz_next";

  /** The entry that gives the options of an optimiser. */
  static final String DEFAULTS = "kenaz_defaults";

  /** The entry that gives the model in a state. */
  static final String READ = "kenaz_read";

  /** The entry that gives the loss, if there is any, and the metrics. */
  static final String EVALUATE = "kenaz_evaluate";

  /** The entry that gives the first model by all rows. */
  static final String INIT_ALL = "kenaz_init_all";

  /** The entry that applies functions to a model and data. */
  static final String APPLY = "kenaz_apply";

  /** The entry that applies a function to a model and columns. */
  static final String ROWS = "kenaz_rows";

  private static final String OPTIONS = "kenaz_options";

  /** Returns the name of the entry point of a function. */
  static String entry(String function) {
    return "kenaz_" + function;
  }

  /** Entry points that are the functions as they are, to learn their types. */
  ProgramSource probes() {
    return behind(program.functions().values().stream().map(JobText::probe).collect(joining("\n")));
  }

  private static String probe(JobFunction f) {
    // What a function gives may be a constant of the program, which an entry point can't give away.
    return "entry %s =\n  copy (%s)\n".formatted(entry(f.call()), f.call());
  }

  /** An entry point that has a type only if the functions take what init gives. */
  ProgramSource check(List<JobFunction> functions) {
    var init = program.making();
    var names = new LinkedHashSet<String>();
    Stream.concat(Stream.of(init), functions.stream())
        .flatMap(f -> f.arguments().stream())
        .filter(a -> a.kind() != Kind.MODEL)
        .forEach(a -> names.add(a.name()));
    return behind(
        """
        entry kenaz_check %s =
          let %s = %s
          %s
          in true
        """
            .formatted(
                String.join(" ", names),
                MODEL,
                init.call(),
                types(Stream.concat(names.stream(), Stream.of(MODEL)).toList(), functions)));
  }

  /**
   * All entry points of a training by the program's own step. It begins at the first model as if
   * that came from itself.
   */
  ProgramSource ownStep() {
    var step = program.function(STEP);
    var used = new ArrayList<>(List.of(step));
    String body;
    if (program.stepGivesLoss()) {
      body = "let (kenaz_to, kenaz_loss) = " + step.call();
    } else if (program.has(LOSS)) {
      used.add(program.function(LOSS));
      body =
          "let kenaz_to = %s\n  let kenaz_loss = %s".formatted(step.call(), used.getLast().call());
    } else {
      body = "let kenaz_to = " + step.call() + "\n  let kenaz_loss = 0f64";
    }
    // The state is the next model and the one before it, whose loss is known.
    var same = "let kenaz_same () = [kenaz_model, kenaz_from, kenaz_like]";
    return behind(
        overData(
                NEXT,
                List.of(MODEL, "kenaz_from", "kenaz_like"),
                used,
                same + "\n  " + body,
                "(kenaz_loss, false, (kenaz_to, kenaz_model))")
            + """
            entry kenaz_read kenaz_model kenaz_from kenaz_like =
              %s
              %s
              in kenaz_from

            """
                .formatted(types(Set.of(MODEL), List.of(step)), same)
            + others());
  }

  /**
   * All entry points of a training by an optimiser.
   *
   * @param choice the optimiser; options that it takes as arguments come after hyperparameters
   * @param tolerance ends the training, as {@code settled} has it; without one, it ends once no
   *     step is of any use
   */
  ProgramSource byOptimiser(OptimiserChoice choice, OptionalDouble tolerance) {
    var loss = program.function(LOSS);
    var t = program.lossType().text();
    var at = "(\\kenaz_v -> let kenaz_model = %s in %s)";
    var objective =
        at.formatted(model("kenaz_v"), choice.isOfResiduals() ? residuals() : loss.call());
    var told =
        """
        (kenaz_optimiser.cost kenaz_to, kenaz_optimiser.%s kenaz_to,
              kenaz_optimiser.done kenaz_to,
              kenaz_vectors.norm (kenaz_optimiser.slope kenaz_to), %s, kenaz_to)\
        """;
    var end =
        tolerance.isEmpty()
            ? "done"
            : "settled " + OptimiserChoice.literal(tolerance.getAsDouble());
    var far =
        "kenaz_vectors.distance (kenaz_optimiser.place kenaz_to)"
            + " (kenaz_optimiser.place kenaz_state)";
    var arguments = choice.given().sequencedKeySet();
    var options = Stream.concat(Stream.of(OPTIONS), arguments.stream()).collect(joining(" "));
    var start = "let kenaz_to = kenaz_optimiser.start (%s) %s (kenaz_vector.pack_%s kenaz_model)";
    var next = "let kenaz_to = kenaz_optimiser.step (%s) %s kenaz_state";
    return behind(
        optimiser(choice.library(), choice.module(), options, choice.options())
            + "module kenaz_vector = import \"kenaz/vector\"\n\n"
            + overData(
                START,
                List.of(MODEL),
                List.of(loss),
                arguments,
                start.formatted(options, objective, t),
                told.formatted(end, "0f64"))
            + overData(
                NEXT,
                List.of("kenaz_state", MODEL),
                List.of(loss),
                arguments,
                next.formatted(options, objective),
                told.formatted(end, far))
            + """
            entry kenaz_read kenaz_state kenaz_model =
              %s
              in %s

            """
                .formatted(
                    types(Set.of(MODEL), List.of(loss)),
                    model("(kenaz_optimiser.place kenaz_state)"))
            + others());
  }

  /**
   * An expression: the model that an optimiser means by a vector, if it began with {@link
   * JobFunction#MODEL}.
   */
  private String model(String vector) {
    var like = "kenaz_vector.unpack_%s %s %s".formatted(program.lossType().text(), MODEL, vector);
    return program.has(REPARAMETRISE) ? "%s %s (%s)".formatted(REPARAMETRISE, MODEL, like) : like;
  }

  /**
   * @param header the name of the definition of the options, with its parameters
   */
  private String optimiser(String library, String module, String header, String options) {
    return """
    module kenaz_library = import "%5$s"
    module kenaz_optimiser = kenaz_library.%1$s %2$s
    module kenaz_lines = import "kenaz/descent"
    module kenaz_vectors = kenaz_lines.vectors %2$s
    def %3$s = kenaz_optimiser.defaults%4$s
    """
        .formatted(module, program.lossType().text(), header, options, library);
  }

  /** The entry points of a program that gives the trained model at once. */
  ProgramSource atOnce() {
    return behind(others());
  }

  /** An entry point {@link #DEFAULTS}, which gives the default options of an optimiser. */
  ProgramSource defaults(String library, String module) {
    return behind(
        optimiser(library, module, OPTIONS, "") + "entry %s = %s\n".formatted(DEFAULTS, OPTIONS));
  }

  /** The entry points of the other functions. */
  private String others() {
    var init = program.making();
    var text = new StringBuilder(probe(init)).append("\n");
    text.append(overData(INIT_ALL, List.of(), List.of(init), "", "copy (" + init.call() + ")"));
    for (var name : List.of(LOSS, METRICS, PREDICT)) {
      if (program.has(name)) {
        var f = program.function(name);
        text.append(
            overData(entry(name), List.of(MODEL), List.of(f), "", "copy (" + f.call() + ")"));
      }
    }
    return text.append(evaluate()).toString();
  }

  private String evaluate() {
    var judging = program.judging();
    if (judging.isEmpty()) {
      return "";
    }
    var lets = new ArrayList<String>();
    for (var f : judging) {
      lets.add("let kenaz_value_of_%s = %s".formatted(f.name(), f.call()));
    }
    var given =
        judging.stream()
            .map(f -> "copy kenaz_value_of_" + f.name() + (f.name().equals(STEP) ? ".1" : ""))
            .collect(joining(", ", "(", ")"));
    return overData(EVALUATE, List.of(MODEL), judging, String.join("\n  ", lets), given);
  }

  /**
   * An entry point {@link #APPLY} for a model that there is already.
   *
   * @param result an expression, which calls some functions
   */
  ProgramSource applied(List<JobFunction> used, String result) {
    return behind(overData(APPLY, List.of(MODEL), used, "", result));
  }

  /** An entry point {@link #ROWS} that is a function, whose columns are its last parameters. */
  ProgramSource ofRows(JobFunction f) {
    var names = new LinkedHashSet<>(List.of(MODEL));
    names.addAll(f.names(Kind.HYPERPARAMETER));
    names.addAll(f.names(Kind.COLUMN));
    var types = types(names, List.of(f));
    return behind(
        "entry %s %s =\n  %s\n  in copy (%s)\n"
            .formatted(ROWS, String.join(" ", names), types, f.call()));
  }

  private String overData(
      String name, List<String> first, List<JobFunction> used, String lets, String result) {
    return overData(name, first, used, List.of(), lets, result);
  }

  private String overData(
      String name,
      List<String> first,
      List<JobFunction> used,
      Collection<String> last,
      String lets,
      String result) {
    var names = new LinkedHashSet<>(first);
    names.addAll(program.columns());
    names.addAll(hyperparameters(used));
    names.addAll(last);
    return """
    entry %s %s =
      %s
      %s
      in %s

    """
        .formatted(
            name,
            String.join(" ", names),
            types(names, program.functions().values()),
            lets,
            result);
  }

  /** Returns the hyperparameters that functions take, in the order of an entry point over data. */
  static Set<String> hyperparameters(Collection<JobFunction> used) {
    var names = new LinkedHashSet<String>();
    used.forEach(f -> names.addAll(f.names(Kind.HYPERPARAMETER)));
    return names;
  }

  /** A function that is never called, but gives variables their types. */
  private static String types(Collection<String> bound, Collection<JobFunction> functions) {
    var free =
        functions.stream()
            .flatMap(f -> f.arguments().stream())
            .map(Argument::name)
            .filter(n -> !bound.contains(n))
            .distinct()
            .toList();
    return "let kenaz_types %s = (%s)"
        .formatted(
            free.isEmpty() ? "()" : String.join(" ", free),
            functions.stream().map(JobFunction::call).collect(joining(", ")));
  }

  /** An expression: all residuals, one after the other. */
  private String residuals() {
    var call = program.function(RESIDUALS).call();
    return program.residuals().rank() == 1 ? call : "flatten (" + call + ")";
  }

  /** The loss that residuals have. */
  private String loss() {
    if (!program.has(RESIDUALS) || !program.has(LOSS)) {
      return "";
    }
    var sum = "%s.sum (map (\\kenaz_r -> kenaz_r * kenaz_r) (%s)) / 2";
    var t = program.residuals().prim().text();
    return "def %s =\n  %s\n\n"
        .formatted(program.function(LOSS).call(), sum.formatted(t, residuals()));
  }

  private ProgramSource behind(String text) {
    var written = program.written();
    var path = Path.of(written.root());
    var name = path.getFileName().toString();
    var root = path.resolveSibling("kenaz job of " + name).toString();
    var files = new HashMap<>(written.files());
    var imported = name.substring(0, name.length() - ".fut".length());
    var quoted = imported.replace("\"", "\\\"");
    files.put(root, "open import \"%s\"\n\n%s%s".formatted(quoted, loss(), text));
    return new ProgramSource(root, files);
  }
}
