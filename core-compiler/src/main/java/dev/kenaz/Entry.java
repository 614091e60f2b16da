package dev.kenaz;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.Flat;
import dev.kenaz.value.Value;
import java.util.List;

/** A function of a program that can be called. Safe to use from several threads. */
public final class Entry {
  private final EntryPoint type;
  private final List<Flat> parameters;
  private final Executable executable;

  Entry(EntryPoint type, Executable executable) {
    this.type = type;
    this.executable = executable;
    this.parameters = type.params().stream().flatMap(p -> p.type().flat().stream()).toList();
  }

  public String name() {
    return type.name();
  }

  /** Names and types of parameters and results. */
  public EntryPoint type() {
    return type;
  }

  /**
   * Calls the function. The arguments are not changed.
   *
   * @param arguments the parameters in order; one that isn't a number or an array of numbers as its
   *     flat components (see {@link EntryPoint.ExternalType#flat})
   * @return the results, likewise; the elements of a tuple one after the other
   * @throws UserError (K6110) if the arguments don't fit the parameters, or (K5xxx) if the program
   *     fails
   */
  public List<Value> call(List<? extends Value> arguments) {
    if (arguments.size() != parameters.size()) {
      throw mismatch(name() + " takes " + parameters.size() + " values, not " + arguments.size());
    }
    for (int i = 0; i < arguments.size(); i++) {
      var given = arguments.get(i);
      var wanted = parameters.get(i);
      if (given.prim() != wanted.prim() || given.rank() != wanted.rank()) {
        throw mismatch(
            "argument "
                + (i + 1)
                + " of "
                + name()
                + " has type "
                + given.typeName()
                + ", not "
                + "[]".repeat(wanted.rank())
                + wanted.prim());
      }
    }
    return executable.call(type, List.copyOf(arguments));
  }

  private static UserError mismatch(String message) {
    return new UserError("K6110", Span.NONE, message);
  }
}
