package dev.kenaz;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * A compiled program. May be used from several threads at once.
 *
 * <p>A program holds its code, and on a GPU the device's memory, until it is closed or the garbage
 * collector finds that nobody has it any more.
 */
public final class Program implements AutoCloseable {
  private final CompiledProgram compiled;
  private final CompileOptions options;
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  /** Derivatives are programs of their own. */
  private final List<CompiledProgram> derivatives = new CopyOnWriteArrayList<>();

  /** Calls hold it for reading, so that closing waits for them. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  private boolean closed;

  Program(CompiledProgram compiled, CompileOptions options) {
    this.compiled = compiled;
    this.options = options;
    for (var e : compiled.entryPoints()) {
      entries.put(e.name(), new Entry(this, compiled, e));
    }
  }

  /**
   * The entry point of that name.
   *
   * @throws UserError K6303 if there is none; it tells which there are
   */
  public Entry entry(String name) {
    return entries.get(compiled.entry(name).name());
  }

  /** All entry points, in the order of the text. */
  public List<Entry> entries() {
    return List.copyOf(entries.values());
  }

  /** What the checker advises against; the program is valid. */
  public List<Diagnostic> warnings() {
    return compiled.warnings();
  }

  /**
   * Lets go at once of the memory of a GPU that a value has as argument or result of this program.
   * Otherwise the garbage collector does that at some time, which may be late: it doesn't see how
   * full the GPU is. Does nothing on other backends.
   *
   * @param value not to be used again, but where its elements were fetched before
   */
  public void release(Value value) {
    during(
        () -> {
          value.flat().forEach(compiled::release);
          derivatives.forEach(d -> value.flat().forEach(d::release));
          return null;
        });
  }

  /**
   * Lets go of code, threads and a GPU's memory, once calls that are under way have ended. Results
   * of calls stay valid. Afterwards calls end with {@link IllegalStateException}.
   */
  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        derivatives.forEach(CompiledProgram::close);
        compiled.close();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Does something that needs the program not to be closed. */
  <T> T during(Supplier<T> work) {
    lock.readLock().lock();
    try {
      if (closed) {
        throw new IllegalStateException("the program is closed");
      }
      return work.get();
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Compiles a program that belongs to this one. */
  CompiledProgram derivative(CoreProgram lowered) {
    var derivative = Compiler.compile(lowered, options);
    derivatives.add(derivative);
    return derivative;
  }
}
