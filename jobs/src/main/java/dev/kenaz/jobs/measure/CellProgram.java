package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.ad.Derivation;
import dev.kenaz.ad.DerivedEntry.Form;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.interpret.WorkLimit;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.jobs.bench.BenchInputs;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.simplify.InPlace;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * This is a cell's function, compiled, with its arguments.
 *
 * @param entry the function itself, or the derivative that is measured
 * @param arguments those of the function, with adjoints and tangents if the derivative takes some
 * @param own how many of the arguments are the function's own
 * @param compileSeconds how long Kenaz took to compile
 */
record CellProgram(
    List<CompiledProgram> programs,
    CompiledEntry entry,
    List<Value> arguments,
    int own,
    double compileSeconds)
    implements CellFunction {
  private static final String BUILTIN = "builtin:";

  /** What is measured of a function. */
  enum Mode {
    VALUE,
    JVP(Form.JVP2),
    VJP(Form.VJP2),
    GRADIENT(Form.VALUE_AND_GRADIENT),
    JACOBIAN(Form.JACOBIAN),
    HESSIAN(Form.HESSIAN),
    HESSIAN_VECTOR(Form.GRADIENT, Form.JVP);

    /** The derivatives that lead from the function to what is measured, one after the other. */
    final List<Form> forms;

    Mode(Form... forms) {
      this.forms = List.of(forms);
    }

    static Mode of(String text) {
      return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * Compiles the program of a cell.
   *
   * @param folder the folder from which paths start
   */
  static CellProgram of(ObjectNode settings, Path folder) {
    var file = file(settings, folder);
    var source = source(file);
    var options = options(settings);
    long begin = System.nanoTime();
    var program = Compiler.compile(source, options);
    var function = program.entry(settings.path("entry").asText("main"));
    long compiled = System.nanoTime() - begin;
    var inputs = new CellInputs(file, folder, program, function).of(settings.path("input"));
    requireCount(function, inputs);
    begin = System.nanoTime();
    var mode = Mode.of(settings.path("mode").asText("value"));
    var by = CellInputs.texts(settings.path("by")).toList();
    var programs = new ArrayList<>(List.of(program));
    var entry = function;
    for (var form : mode.forms) {
      var positions = positions(entry.type(), by);
      var core = new Derivation(entry.name(), form, positions).of(programs.getLast().lowered());
      programs.add(Compiler.compile(core, options));
      entry = programs.getLast().entry(programs.getLast().entryPoints().getFirst().name());
    }
    entry.prepare();
    compiled += System.nanoTime() - begin;
    var arguments = new ArrayList<>(inputs);
    if (mode == Mode.VJP) {
      arguments.addAll(BenchInputs.like(function.call(inputs)));
    } else if (mode == Mode.JVP || mode == Mode.HESSIAN_VECTOR) {
      arguments.addAll(BenchInputs.like(chosen(function.type(), inputs, by)));
    }
    return new CellProgram(
        List.copyOf(programs), entry, List.copyOf(arguments), inputs.size(), compiled / 1e9);
  }

  /** Returns the file of the program, or a name that begins with {@code builtin:}. */
  private static Path file(ObjectNode settings, Path folder) {
    var name = settings.path("program").asText();
    return name.startsWith(BUILTIN) ? Path.of(name) : UserPath.in(folder, name, K7006);
  }

  private static ProgramSource source(Path file) {
    var name = file.toString();
    return name.startsWith(BUILTIN)
        ? BenchInputs.program(name.substring(BUILTIN.length()))
        : ProgramSource.read(file);
  }

  /** Returns the text of a cell's program. */
  static ProgramSource source(ObjectNode settings, Path folder) {
    return source(file(settings, folder));
  }

  static CompileOptions options(ObjectNode settings) {
    var backend = settings.path("backend").asText("jvm").toUpperCase(Locale.ROOT);
    var options =
        CompileOptions.of(Backend.valueOf(backend)).onCores(settings.path("cores").asInt(1));
    if (settings.has("device")) {
      options = options.onDevice(settings.get("device").asInt());
    }
    options = options.without(leftOut(settings));
    return settings.has("loop-memory")
        ? options.withLoopMemory(settings.get("loop-memory").asLong() << 20)
        : options;
  }

  private static Set<String> leftOut(ObjectNode settings) {
    var known = Pipelines.CAN_BE_LEFT_OUT;
    var names = CellInputs.texts(settings.path("without")).collect(Collectors.toSet());
    for (var name : names) {
      if (!known.contains(name)) {
        throw new UserError(
            K7006,
            "\"without\" names " + name + ", which can't be left out",
            NearestName.hintOrFew(name, known, "these can be"));
      }
    }
    return names;
  }

  private static void requireCount(CompiledEntry entry, List<Value> inputs) {
    int wanted = entry.type().params().stream().mapToInt(p -> p.type().flat().size()).sum();
    if (inputs.size() != wanted) {
      throw new UserError(
          K7006,
          "%s takes %d values, but its input has %d".formatted(entry.name(), wanted, inputs.size()),
          "its parameters are "
              + entry.type().params().stream()
                  .map(p -> p.name() + ": " + p.type().text())
                  .collect(Collectors.joining(", ")));
    }
  }

  /** Returns the positions of parameters. */
  static Set<Integer> positions(EntryPoint entry, List<String> by) {
    var names = entry.params().stream().map(EntryPoint.Param::name).toList();
    var positions = new TreeSet<Integer>();
    for (var name : by) {
      if (!names.contains(name)) {
        throw new UserError(
            K7006,
            entry.name() + " has no parameter " + name,
            NearestName.hintOrFew(name, names, "its parameters are"));
      }
      positions.add(names.indexOf(name));
    }
    return positions;
  }

  /** Returns the arguments by which the derivative is taken. */
  private static List<Value> chosen(EntryPoint entry, List<Value> inputs, List<String> by) {
    var chosen = new ArrayList<Value>();
    int at = 0;
    for (var param : entry.params()) {
      var flat = param.type().flat();
      var own = inputs.subList(at, at + flat.size());
      at += flat.size();
      boolean floats = own.stream().anyMatch(v -> v.prim().isFloat());
      if (by.isEmpty() ? floats : by.contains(param.name())) {
        chosen.addAll(own);
      }
    }
    return chosen;
  }

  @Override
  public List<Value> call() {
    return entry.call(arguments);
  }

  /** Counting is slow; who wants to count more gives a formula. */
  private static final long STEPS = 200_000_000;

  @Override
  public CellWork work(boolean counted) {
    var results = call();
    double bytes = bytes(arguments) + bytes(results);
    release(results);
    return new CellWork(counted ? operations() : null, bytes);
  }

  private static double bytes(List<Value> values) {
    return values.stream().mapToDouble(v -> ArrayValue.byteSize(v.prim(), v.shape())).sum();
  }

  /** Returns the scalars that a call computes; nothing if there are too many to count. */
  private Double operations() {
    var core = programs.getLast().core();
    try {
      return WorkLimit.within(
          STEPS,
          () -> {
            var counter = new Counter(InPlace.of(core));
            Interpreter.call(core, entry.name(), arguments, counter);
            return (double) counter.scalarOps();
          });
    } catch (WorkLimit.Exceeded _) {
      return null;
    }
  }

  @Override
  public OptionalLong computeNanos() {
    return entry.computeNanos();
  }

  @Override
  public void release(List<Value> results) {
    results.forEach(programs.getLast()::release);
  }

  @Override
  public List<Value> ownArguments() {
    return arguments.subList(0, own);
  }

  @Override
  public void close() {
    programs.forEach(CompiledProgram::close);
  }
}
