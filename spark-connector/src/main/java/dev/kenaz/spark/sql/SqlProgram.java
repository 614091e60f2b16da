package dev.kenaz.spark.sql;

import dev.kenaz.CoreArguments;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.Recent;
import dev.kenaz.spark.WireValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * An entry point and its first arguments, which are the same for all rows, in a form that travels.
 * Each executor compiles it when it first needs it.
 *
 * <p>It is equal to nothing but itself: a function that is registered again is another one.
 */
final class SqlProgram implements Serializable {
  private static final long serialVersionUID = 1;

  private static final Recent<String, CompiledEntry> COMPILED = new Recent<>(64);

  private final ProgramSource source;
  private final String entry;
  private final ArrayList<WireValue> first;
  private transient volatile Opened opened;

  /** What an executor makes of it. */
  private record Opened(CompiledEntry entry, List<Value> first) {}

  private SqlProgram(ProgramSource source, String entry, List<Value> first) {
    this.source = source;
    this.entry = entry;
    this.first = new ArrayList<>(WireValue.of(first));
  }

  /**
   * @param source the program with the entry point
   * @param first core values
   */
  static SqlProgram of(ProgramSource source, String entry, List<Value> first) {
    return new SqlProgram(source, entry, first);
  }

  /** Tasks use one core each. */
  static CompileOptions options() {
    return CompileOptions.of(Backend.JVM).onCores(1);
  }

  /**
   * Opens a program to learn what its entry points take.
   *
   * @throws UserError what is wrong with the program; K6303 if there is no such entry point, K6115
   *     if it has no parameters beside the first ones
   */
  static CompiledProgram open(ProgramSource source, String entry, int first) {
    var program = Compiler.open(source, options());
    var names = program.entryPoints().stream().map(EntryPoint::name).toList();
    if (!names.contains(entry)) {
      throw new UserError(
          ErrorCode.K6303,
          source.root() + " has no entry point " + entry,
          NearestName.hintOrFew(entry, names, "its entry points are"));
    }
    int parameters = program.entry(entry).type().params().size();
    if (parameters <= first) {
      throw new UserError(
          ErrorCode.K6115,
          "%s takes %d arguments, and %d are given: none is left for a column"
              .formatted(entry, parameters, first));
    }
    return program;
  }

  /** Returns a program with some text behind it. */
  static ProgramSource behind(ProgramSource source, String text) {
    var files = new HashMap<>(source.files());
    files.merge(source.root(), text, String::concat);
    return new ProgramSource(source.root(), files);
  }

  /** Returns the core values of an entry point's first arguments. */
  static List<Value> values(
      CompiledProgram program, String entry, List<? extends Serializable> of) {
    var type = program.entry(entry).type();
    return CoreArguments.first(type, program.lowered().function(type.function()), of);
  }

  ProgramSource source() {
    return source;
  }

  String entry() {
    return entry;
  }

  /** Returns the values of the first parameters. */
  List<Value> first() {
    return opened().first();
  }

  private Opened opened() {
    var is = opened;
    if (is == null) {
      var key = entry + " " + source.root() + " " + source.files();
      var compiled =
          COMPILED.get(
              key,
              () -> {
                var e = Compiler.open(source, options()).entry(entry);
                e.prepare();
                return e;
              });
      is = new Opened(compiled, WireValue.read(first));
      opened = is;
    }
    return is;
  }

  /** Calls the entry point with its first arguments and these. */
  List<Value> call(List<? extends Value> arguments) {
    var is = opened();
    var all = new ArrayList<Value>(is.first());
    all.addAll(arguments);
    return is.entry().call(all);
  }
}
