package dev.kenaz.pipeline;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** This is a compiled program. It is immutable, and several threads may use it at once. */
public final class CompiledProgram implements AutoCloseable {
  private final Compilation<?> compilation;
  private final Map<String, CompiledEntry> entries = new LinkedHashMap<>();

  private final Executable executable;

  CompiledProgram(Compilation<?> compilation, Executable executable) {
    this.compilation = compilation;
    this.executable = executable;
    core().entries().forEach(e -> entries.put(e.name(), new CompiledEntry(e, executable)));
  }

  /** Returns the entry points in the order of the source text. */
  public List<EntryPoint> entryPoints() {
    return core().entries();
  }

  /**
   * Returns the entry point of that name.
   *
   * @throws UserError (K6303) if there is none
   */
  public CompiledEntry entry(String name) {
    return entries.get(core().entryPoint(name).name());
  }

  /** Returns the checker's warnings. */
  public List<Diagnostic> warnings() {
    return compilation.warnings();
  }

  /** Returns what all passes from lowering on did, in order. */
  public List<PassResult> passes() {
    return compilation.passes();
  }

  /** Returns the program as it was lowered. */
  public CoreProgram lowered() {
    return (CoreProgram) compilation.after(Pipelines.LOWER.name()).program();
  }

  /** Returns the program as the last pass on core programs left it. */
  public CoreProgram core() {
    return compilation.core();
  }

  /**
   * Frees memory outside of the host, such as a GPU's, that a value has as argument or result of
   * this program's entry points. Otherwise the garbage collector frees it later.
   *
   * @param value a value that is not used again
   */
  public void release(Value value) {
    executable.release(value);
  }

  /**
   * Frees all memory of a call's results, on the host too, so that the next call has it.
   *
   * @param results nobody uses them again, nor views of them
   */
  public void discard(List<Value> results) {
    for (var r : results) {
      release(r);
      if (r instanceof ArrayValue a) {
        a.release();
      }
    }
  }

  /** Frees code and threads. Results of calls stay valid. */
  @Override
  public void close() {
    executable.close();
  }
}
