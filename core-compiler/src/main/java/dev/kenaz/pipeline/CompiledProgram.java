package dev.kenaz.pipeline;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.value.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A compiled program. Immutable, and safe to use from several threads. */
public final class CompiledProgram implements AutoCloseable {
  private final Compilation<?> compilation;
  private final Map<String, CompiledEntry> entries = new LinkedHashMap<>();

  private final Executable executable;

  CompiledProgram(Compilation<?> compilation, Executable executable) {
    this.compilation = compilation;
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
    return entries.get(core().entryPoint(name).name());
  }

  /** What the checker had to say. */
  public List<Diagnostic> warnings() {
    return compilation.warnings();
  }

  /** What all passes from lowering on did, in order. */
  public List<PassResult> passes() {
    return compilation.passes();
  }

  /** As it was lowered. */
  public CoreProgram lowered() {
    return (CoreProgram) compilation.after(Pipelines.LOWER.name()).program();
  }

  /** As the last pass on core programs left it. */
  public CoreProgram core() {
    return compilation.core();
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
