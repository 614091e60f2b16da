package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7401;
import static dev.kenaz.error.ErrorCode.K7402;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Flat;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.ir.Structure;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.JobFunction.Kind;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.source.Parser;
import dev.kenaz.spark.Recent;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The program of a job: the user's text, and entry points that are generated behind it.
 *
 * @param written the user's program, with what it imports
 * @param functions its functions that have a part in the training, by name
 * @param columns the names of the parameters that are data, in the order of the configuration
 * @param types each function's types, as an entry point with the function's parameters
 */
record JobProgram(
    ProgramSource written,
    Map<String, JobFunction> functions,
    List<String> columns,
    Map<String, EntryPoint> types) {
  static final String BUILTIN = "builtin:";
  private static final String MODELS = "/dev/kenaz/configs/models/";

  /** An import of a neighbour, not of the library. */
  private static final Pattern IMPORT = Pattern.compile("(?m)^[^-\n]*import \"([a-z0-9-]+)\"");

  private static final String F64 = "-f64";

  /**
   * Reads a program, and finds its functions and their types.
   *
   * @param folder the folder from which a relative file name starts
   * @throws UserError K7401 if it can't be read, K7402 or K7403 if its functions don't fit
   */
  static JobProgram read(TrainConfig config, Path folder) {
    var written = written(config, folder);
    return of(written, config.data().columns().keySet(), config.parameters().keySet());
  }

  private static ProgramSource written(TrainConfig config, Path folder) {
    var program = config.program();
    return program.startsWith(BUILTIN)
        ? builtin(program.substring(BUILTIN.length()))
        : ProgramSource.read(file(folder, program), JobProgram::imported);
  }

  /** Returns the parameters of a program that are neither columns nor hyperparameters of a job. */
  static Set<String> unbound(TrainConfig config, Path folder) {
    var written = written(config, folder);
    return JobFunctions.unbound(
        Parser.parse(written.root(), written.files().get(written.root())),
        written,
        config.data().columns().keySet(),
        config.parameters().keySet());
  }

  /** A program that was read, and the names by which a configuration knows its parameters. */
  private record Key(ProgramSource written, List<String> columns, Set<String> hyperparameters) {}

  /** The programs that were read last: a pipeline trains by one of them again and again. */
  private static final Recent<Key, JobProgram> READ = new Recent<>(32);

  /** Finds the functions of a program that was read before, and their types. */
  static JobProgram of(ProgramSource written, Set<String> columns, Set<String> hyperparameters) {
    var key = new Key(written, List.copyOf(columns), Set.copyOf(hyperparameters));
    return READ.get(key, () -> found(written, columns, hyperparameters));
  }

  private static JobProgram found(
      ProgramSource written, Set<String> columns, Set<String> hyperparameters) {
    var file = Parser.parse(written.root(), written.files().get(written.root()));
    var functions = JobFunctions.of(file, written, columns, hyperparameters);
    var program = new JobProgram(written, functions, List.copyOf(columns), Map.of()).typed();
    if (program.has(JobFunction.RESIDUALS)) {
      program.requireResiduals();
      program = program.withLoss().typed();
    }
    program.requireTypes();
    return program;
  }

  /** Finds the types of all functions. */
  private JobProgram typed() {
    var lowered = lowered(written, text().probes());
    var found = new LinkedHashMap<String, EntryPoint>();
    functions.keySet().forEach(f -> found.put(f, lowered.entryPoint(JobText.entry(f))));
    return new JobProgram(written, functions, columns, found);
  }

  /** Returns the program with a loss, which is generated behind it. */
  private JobProgram withLoss() {
    var all = new LinkedHashMap<>(functions);
    all.put(JobFunction.LOSS, function(JobFunction.RESIDUALS).named(JobFunction.LOSS));
    return new JobProgram(written, all, columns, types);
  }

  /** Returns the type of the residuals. */
  Flat residuals() {
    return flat(JobFunction.RESIDUALS).getFirst();
  }

  private void requireResiduals() {
    var results = types.get(JobFunction.RESIDUALS).results();
    boolean array =
        results.size() == 1
            && results.getFirst().type() instanceof Transparent(var prim, var rank)
            && (prim == Prim.F32 || prim == Prim.F64)
            && (rank == 1 || rank == 2);
    if (!array) {
      throw fault(
          JobFunction.RESIDUALS,
          "residuals gives "
              + shown(JobFunction.RESIDUALS)
              + ", not an array of f32 or f64 with one dimension or two");
    }
  }

  private static Path file(Path folder, String program) {
    var file = UserPath.in(folder, program, K7401);
    if (!file.toString().endsWith(".fut")) {
      throw new UserError(K7401, file + " is no program", "the name of a program ends in .fut");
    }
    return file;
  }

  /** Returns the text of a program that comes with Kenaz, if an import names it. */
  private static Optional<String> imported(String path) {
    if (!path.startsWith(BUILTIN)) {
      return Optional.empty();
    }
    var name = path.substring(BUILTIN.length());
    boolean f64 = name.endsWith(F64);
    var plain = f64 ? name.substring(0, name.length() - F64.length()) : name;
    var text = resource(plain).orElseThrow(() -> missing(name));
    // Neighbours are beside it wherever it is imported, and not beside the user's file.
    var suffix = f64 ? F64 : "";
    var named =
        IMPORT
            .matcher(text)
            .replaceAll(
                m -> m.group().replace("\"" + m.group(1), "\"" + BUILTIN + m.group(1) + suffix));
    return Optional.of(f64 ? named.replaceAll("\\bf32\\b", "f64") : named);
  }

  private static UserError missing(String name) {
    return new UserError(
        K7401,
        "there is no program " + BUILTIN + name,
        "docs/models.md lists what comes with Kenaz, such as builtin:kmeans");
  }

  /** Reads a program that comes with Kenaz, and what it imports of its neighbours. */
  private static ProgramSource builtin(String name) {
    boolean f64 = name.endsWith(F64);
    var plain = f64 ? name.substring(0, name.length() - F64.length()) : name;
    var files = new LinkedHashMap<String, String>();
    var wanted = new ArrayDeque<>(List.of(plain));
    while (!wanted.isEmpty()) {
      var next = wanted.pop();
      var text = resource(next).orElseThrow(() -> missing(name));
      var file = (next.equals(plain) ? name : next) + ".fut";
      if (files.put(file, f64 ? text.replaceAll("\\bf32\\b", "f64") : text) == null) {
        IMPORT.matcher(text).results().forEach(m -> wanted.add(m.group(1)));
      }
    }
    return new ProgramSource(name + ".fut", files);
  }

  private static Optional<String> resource(String name) {
    try (var in = JobProgram.class.getResourceAsStream(MODELS + name + ".fut")) {
      return in == null || !name.matches("[a-z0-9-]+")
          ? Optional.empty()
          : Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the same program, whose data are only the columns that some of its functions take. */
  JobProgram over(List<JobFunction> used) {
    var taken =
        columns.stream()
            .filter(c -> used.stream().anyMatch(f -> f.names(Kind.COLUMN).contains(c)))
            .toList();
    return new JobProgram(written, functions, taken.isEmpty() ? columns : taken, types);
  }

  boolean has(String function) {
    return functions.containsKey(function);
  }

  JobFunction function(String name) {
    return functions.get(name);
  }

  JobText text() {
    return new JobText(this);
  }

  /** Returns the function that makes the model, or the first one. */
  JobFunction making() {
    return functions.get(has(JobFunction.TRAIN) ? JobFunction.TRAIN : JobFunction.INIT);
  }

  /** Returns the type of the model, by a function that takes it. */
  ExternalType model() {
    for (var name :
        List.of(JobFunction.LOSS, JobFunction.STEP, JobFunction.METRICS, JobFunction.PREDICT)) {
      if (has(name)) {
        return types.get(name).params().stream()
            .filter(p -> p.name().equals(JobFunction.MODEL))
            .findFirst()
            .orElseThrow()
            .type();
      }
    }
    return types.get(JobFunction.TRAIN).results().getFirst().type();
  }

  /** Returns the type of a hyperparameter, by any function that has it. */
  Optional<ExternalType> hyperparameter(String name) {
    return functions.values().stream()
        .filter(f -> f.names(Kind.HYPERPARAMETER).contains(name))
        .flatMap(f -> types.get(f.name()).params().stream())
        .filter(p -> p.name().equals(name))
        .map(EntryPoint.Param::type)
        .findFirst();
  }

  /** Returns the names of all hyperparameters, the seed among them if a function takes it. */
  Set<String> hyperparameters() {
    var all = new LinkedHashSet<String>();
    functions.values().forEach(f -> all.addAll(f.names(Kind.HYPERPARAMETER)));
    return all;
  }

  /** Whether the step of the program gives a loss too, that of the model that it takes. */
  boolean stepGivesLoss() {
    if (!has(JobFunction.STEP)) {
      return false;
    }
    var given = flat(JobFunction.STEP);
    return given.size() == model().flat().size() + 1 && isNumber(given.getLast());
  }

  /** Whether there is a number to be lowered. */
  boolean hasLoss() {
    return has(JobFunction.LOSS) || stepGivesLoss();
  }

  /** Returns the functions that say what a model is worth: the one with the loss, and metrics. */
  List<JobFunction> judging() {
    var loss = has(JobFunction.LOSS) ? JobFunction.LOSS : JobFunction.STEP;
    return Stream.of(loss, JobFunction.METRICS)
        .filter(f -> f.equals(JobFunction.STEP) ? stepGivesLoss() : has(f))
        .map(functions::get)
        .toList();
  }

  /** Returns the type of the loss. */
  Prim lossType() {
    return flat(JobFunction.LOSS).getFirst().prim();
  }

  private List<Flat> flat(String function) {
    return types.get(function).results().stream().flatMap(r -> r.type().flat().stream()).toList();
  }

  /** Whether there is a function of that name, and it gives a number for each row. */
  boolean givesNumbers(String function) {
    return has(function)
        && types.get(function).results().size() == 1
        && flat(function).size() == 1
        && flat(function).getFirst().rank() == 1;
  }

  /** Whether a parameter that is data has a number for each row. */
  boolean isColumnOfNumbers(String parameter) {
    return types.values().stream()
        .flatMap(t -> t.params().stream())
        .filter(p -> p.name().equals(parameter))
        .allMatch(p -> p.type().flat().size() == 1 && p.type().flat().getFirst().rank() == 1);
  }

  private static boolean isNumber(Flat f) {
    return f.rank() == 0 && (f.prim() == Prim.F32 || f.prim() == Prim.F64);
  }

  private void requireTypes() {
    if (has(JobFunction.LOSS)) {
      var results = types.get(JobFunction.LOSS).results();
      if (results.size() != 1
          || !(results.getFirst().type() instanceof Transparent t)
          || !isNumber(t.flat().getFirst())) {
        throw fault(
            JobFunction.LOSS,
            "loss gives " + shown(JobFunction.LOSS) + ", not a number f32 or f64");
      }
    }
    if (has(JobFunction.REPARAMETRISE)
        && !shown(JobFunction.REPARAMETRISE).equals(modelOf(function(JobFunction.REPARAMETRISE)))) {
      throw fault(
          JobFunction.REPARAMETRISE,
          "reparametrise takes %s and gives %s, which are different models"
              .formatted(
                  modelOf(function(JobFunction.REPARAMETRISE)), shown(JobFunction.REPARAMETRISE)));
    }
    if (has(JobFunction.METRICS) && metrics().isEmpty()) {
      throw fault(
          JobFunction.METRICS,
          "metrics gives " + shown(JobFunction.METRICS) + ", not a record of numbers or a number");
    }
    if (has(JobFunction.PREDICT)
        && flat(JobFunction.PREDICT).stream().anyMatch(f -> f.rank() < 1)) {
      throw fault(
          JobFunction.PREDICT,
          "predict gives " + shown(JobFunction.PREDICT) + ", not arrays with a row for each row");
    }
  }

  /** Returns the names of the metrics; none if what metrics gives isn't a record of numbers. */
  List<String> metrics() {
    if (!has(JobFunction.METRICS)) {
      return List.of();
    }
    var results = types.get(JobFunction.METRICS).results();
    if (results.size() != 1) {
      return List.of();
    }
    return switch (results.getFirst().type()) {
      case Transparent(var prim, var rank) when rank == 0 && prim != Prim.BOOL -> List.of("metric");
      case EntryPoint.RecordType(_, var fields)
          when fields.stream()
              .allMatch(
                  f -> f.type() instanceof Transparent(var p, var r) && r == 0 && p != Prim.BOOL) ->
          fields.stream().map(EntryPoint.Field::name).toList();
      case Transparent _,
          EntryPoint.RecordType _,
          EntryPoint.SumType _,
          EntryPoint.OpaqueArray _,
          EntryPoint.Abstract _ ->
          List.of();
    };
  }

  private String shown(String function) {
    var texts = types.get(function).results().stream().map(r -> Structure.text(r.type())).toList();
    return texts.size() == 1 ? texts.getFirst() : "(" + String.join(", ", texts) + ")";
  }

  private UserError fault(String function, String message, String... hints) {
    return new UserError(K7402, function(function).span(), message, hints);
  }

  /**
   * Finds out whether all functions take the model that init gives, and all else as the same types.
   *
   * @throws UserError K7402 with the first function that doesn't
   */
  void requireSameTypes() {
    functions.values().forEach(this::requireSameColumns);
    for (var function : functions.values()) {
      if (!function.equals(making())) {
        try {
          lowered(written, text().check(List.of(function)));
        } catch (UserError e) {
          if (e.isInterruption()) {
            throw e;
          }
          throw fault(
              function.name(),
              "%s doesn't take the model that %s gives: it gives %s, and the model of %s is %s"
                  .formatted(
                      function.name(),
                      making().name(),
                      shown(making().name()),
                      function.name(),
                      modelOf(function)),
              e.diagnostics().getFirst().message());
        }
      }
    }
  }

  private void requireSameColumns(JobFunction function) {
    for (var p : types.get(function.name()).params()) {
      for (var other : functions.keySet()) {
        for (var q : types.get(other).params()) {
          var is = Structure.text(p.type());
          var was = Structure.text(q.type());
          if (p.name().equals(q.name()) && !p.name().equals(JobFunction.MODEL) && !is.equals(was)) {
            throw fault(
                function.name(),
                "%s takes %s as %s, but %s takes it as %s"
                    .formatted(function.name(), p.name(), is, other, was));
          }
        }
      }
    }
  }

  private String modelOf(JobFunction function) {
    return types.get(function.name()).params().stream()
        .filter(p -> p.name().equals(JobFunction.MODEL))
        .map(p -> Structure.text(p.type()))
        .findFirst()
        .orElse("");
  }

  /**
   * Compiles entry points behind the program.
   *
   * @throws UserError the program's own fault, at its place; K7402 for one in what is generated
   */
  static CoreProgram lowered(ProgramSource written, ProgramSource generated) {
    try {
      var options = CompileOptions.of(Backend.JVM);
      return Compiler.run(generated, Pipelines.lowered(), options).program();
    } catch (UserError e) {
      var own = e.diagnostics().stream().filter(d -> !isGenerated(d, generated)).toList();
      if (!own.isEmpty()) {
        throw new UserError(own);
      }
      var first = e.diagnostics().getFirst();
      throw new UserError(
          K7402,
          "the functions of "
              + written.root()
              + " can't be used as they are: "
              + first.message().replaceAll("\\bkenaz_(?=[a-z]+\\b)", ""),
          first.hints().toArray(String[]::new));
    }
  }

  private static boolean isGenerated(Diagnostic d, ProgramSource generated) {
    return d.span().file().equals(generated.root());
  }
}
