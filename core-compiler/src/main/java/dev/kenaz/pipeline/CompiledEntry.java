package dev.kenaz.pipeline;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.OptionalLong;

/** This is a function of a program that can be called. Several threads may use it at once. */
public final class CompiledEntry {
  private final EntryPoint type;
  private final Executable executable;

  CompiledEntry(EntryPoint type, Executable executable) {
    this.type = type;
    this.executable = executable;
  }

  public String name() {
    return type.name();
  }

  /** Returns the names and types of parameters and results. */
  public EntryPoint type() {
    return type;
  }

  /** Compiles the function now, as the first call would otherwise have to do. */
  public void prepare() {
    executable.prepare(type);
  }

  /**
   * Calls the function. The arguments are not changed.
   *
   * @param arguments the parameters in order; one that isn't a number or an array of numbers as its
   *     flat components (see {@link EntryPoint.ExternalType#flat})
   * @return the results, likewise; the elements of a tuple one after the other
   * @throws UserError (K6301, K6302) if the arguments don't fit the parameters, or (K5xxx) if the
   *     program fails
   */
  public List<Value> call(List<? extends Value> arguments) {
    return executable.call(type, List.copyOf(arguments));
  }

  /**
   * Returns for how many nanoseconds the last call of the program computed, if a call takes longer
   * than that: with a GPU, arguments and results are copied. The number is meaningless if other
   * threads call at the same time.
   */
  public OptionalLong computeNanos() {
    return executable.nanos();
  }
}
