package dev.kenaz;

import static java.util.Objects.requireNonNull;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * This is a compiled program. Several threads may use it at once.
 *
 * <p>A program holds its code, and on a GPU the device's memory, until it is closed or is garbage.
 */
public final class Program implements AutoCloseable {
  private final CompiledProgram compiled;
  private final CompileOptions options;
  private final ProgramSource source;
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  /** The derivatives that were asked for; each is a compiled program of its own. */
  private final List<CompiledProgram> derivatives = new CopyOnWriteArrayList<>();

  /** Calls hold this lock for reading, so that closing waits for them. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  /** Stands for the program in its values, without keeping it alive. */
  private final Object origin = new Object();

  private boolean closed;

  Program(ProgramSource source, CompiledProgram compiled, CompileOptions options) {
    this.source = source;
    this.compiled = compiled;
    this.options = options;
    for (var e : compiled.entryPoints()) {
      entries.put(e.name(), new Entry(this, compiled, e, List.of()));
    }
  }

  /**
   * Returns the entry point of that name.
   *
   * @throws UserError K6303 if there is none; the message lists those that there are
   */
  public Entry entry(String name) {
    return entries.get(compiled.entry(requireNonNull(name, "name")).name());
  }

  /** Returns all entry points, in the order of the text. */
  public List<Entry> entries() {
    return List.copyOf(entries.values());
  }

  /** Returns what the checker advises against; the program is valid all the same. */
  public List<Diagnostic> warnings() {
    return compiled.warnings();
  }

  /**
   * Frees at once the memory of a GPU that a value holds as argument or result of this program.
   * Otherwise the garbage collector frees it at some later time, perhaps too late, since it doesn't
   * see how full the GPU is. On other backends this method does nothing.
   *
   * @param value a value that is not used again, unless its elements were fetched before
   */
  public void release(Value value) {
    requireNonNull(value, "value");
    during(
        () -> {
          value.flat().forEach(compiled::release);
          derivatives.forEach(d -> value.flat().forEach(d::release));
          return null;
        });
  }

  /**
   * Frees code, threads and a GPU's memory, once the calls that are under way have ended. Results
   * of calls stay valid. Later calls throw {@link IllegalStateException}.
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

  Object origin() {
    return origin;
  }

  /** Does some work during which the program must not be closed. */
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

  CompileOptions options() {
    return options;
  }

  ProgramSource source() {
    return source;
  }

  /** Compiles a program that belongs to this one. */
  CompiledProgram derivative(CoreProgram lowered) {
    var derivative = Compiler.open(lowered, options);
    derivatives.add(derivative);
    return derivative;
  }
}
