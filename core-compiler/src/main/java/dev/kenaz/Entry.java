package dev.kenaz;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.Flat;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.HashMap;
import java.util.List;
import java.util.OptionalLong;

/** A function of a program that can be called. Safe to use from several threads. */
public final class Entry {
  private final EntryPoint type;
  private final FunDef function;
  private final List<Flat> parameters;
  private final Executable executable;

  Entry(EntryPoint type, FunDef function, Executable executable) {
    this.type = type;
    this.function = function;
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

  /** Does now what the first call would have to do before it can run: compilation. */
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
    checkSizes(arguments);
    return executable.call(type, List.copyOf(arguments));
  }

  /**
   * How long the last call of the program computed, where a call takes longer than that: with a
   * GPU, arguments and results are copied. Nanoseconds; meaningless if others call at the same
   * time.
   */
  public OptionalLong computeNanos() {
    return executable.nanos();
  }

  /** Each size that the parameters' types mention must be one number throughout. */
  private void checkSizes(List<? extends Value> arguments) {
    var params = function.params().subList(type.sizeParams(), function.params().size());
    var sizes = new HashMap<Atom, Long>();
    for (int i = 0; i < params.size(); i++) {
      if (arguments.get(i) instanceof ScalarValue s && !s.prim().isFloat()) {
        sizes.put(params.get(i), s.asLong());
      }
    }
    for (int i = 0; i < params.size(); i++) {
      var shape = arguments.get(i).shape();
      var dims = params.get(i).type().dims();
      for (int d = 0; d < shape.length; d++) {
        Long wanted =
            dims.get(d) instanceof Const(var c) ? (Long) c.bits() : sizes.get(dims.get(d));
        if (wanted == null) {
          sizes.put(dims.get(d), shape[d]);
        } else if (wanted != shape[d]) {
          var what = dims.get(d) instanceof Var v ? "the size " + v.name() : "its size";
          throw new UserError(
              "K6302",
              Span.NONE,
              ("entry point arguments have invalid sizes: argument %d of %s has %d elements in"
                      + " dimension %d, but %s is %d")
                  .formatted(i + 1, name(), shape[d], d + 1, what, wanted));
        }
      }
    }
  }

  private static UserError mismatch(String message) {
    return new UserError("K6301", Span.NONE, message);
  }
}
