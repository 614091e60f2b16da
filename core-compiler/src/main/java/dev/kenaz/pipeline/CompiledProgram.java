package dev.kenaz.pipeline;

import static dev.kenaz.error.ErrorCode.K6303;
import static dev.kenaz.error.ErrorCode.K7011;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.value.Value;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A compiled program. Immutable, and safe to use from several threads. */
public final class CompiledProgram implements AutoCloseable {
  /**
   * The program as one stage left it.
   *
   * @param time that the stage took
   * @param counts how often it did what, such as fuse a map into a reduction
   */
  public record Stage(
      String name,
      String description,
      CoreProgram program,
      Duration time,
      Map<String, Integer> counts) {}

  private final List<Stage> stages;
  private final List<Diagnostic> warnings;
  private final Map<String, CompiledEntry> entries = new LinkedHashMap<>();

  private final Executable executable;

  CompiledProgram(List<Stage> stages, List<Diagnostic> warnings, CompileOptions options) {
    this(stages, warnings, Executable.of(stages, options));
  }

  /**
   * @param executable of what the last stage left, or an earlier one
   */
  CompiledProgram(List<Stage> stages, List<Diagnostic> warnings, Executable executable) {
    this.stages = List.copyOf(stages);
    this.warnings = List.copyOf(warnings);
    this.executable = executable;
    for (var e : core().entries()) {
      entries.put(e.name(), new CompiledEntry(e, executable));
    }
  }

  /** In the order of the source text. */
  public List<EntryPoint> entryPoints() {
    return core().entries();
  }

  /**
   * The entry point of that name.
   *
   * @throws UserError (K6303) if there is none
   */
  public CompiledEntry entry(String name) {
    var entry = entries.get(name);
    if (entry != null) {
      return entry;
    }
    var names = new ArrayList<>(entries.keySet());
    var hint =
        NearestName.of(name, names)
            .map(n -> "did you mean " + n + "?")
            .orElse("there are: " + NearestName.few(name, names));
    throw new UserError(K6303, Span.NONE, "the program has no entry point " + name, hint);
  }

  /** What the checker had to say. */
  public List<Diagnostic> warnings() {
    return warnings;
  }

  /** All stages from lowering on, in order. */
  public List<Stage> stages() {
    return stages;
  }

  /** As the backend gets it. */
  public CoreProgram core() {
    return stages.getLast().program();
  }

  /**
   * As the stage left it; the last time, where it ran several times.
   *
   * @throws UserError (K7011) if there is no such stage
   */
  public CoreProgram core(String stage) {
    for (var s : stages.reversed()) {
      if (s.name().equals(stage)) {
        return s.program();
      }
    }
    var names = stages.stream().map(Stage::name).distinct().toList();
    throw new UserError(
        K7011, Span.NONE, "there is no stage " + stage + "; there are " + String.join(", ", names));
  }

  /**
   * Lets go of memory elsewhere, such as a GPU's, that a value has as argument or result of this
   * program's entry points. Where nobody does this, the garbage collector will.
   *
   * @param value not to be used again
   */
  public void release(Value value) {
    executable.release(value);
  }

  /** Lets go of threads; results of calls stay valid. */
  @Override
  public void close() {
    executable.close();
  }
}
