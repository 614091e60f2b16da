package dev.kenaz.ir;

import static dev.kenaz.error.ErrorCode.K6301;
import static dev.kenaz.error.ErrorCode.K6302;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.HashMap;
import java.util.List;

/** Whether arguments fit an entry point, which whatever runs it relies on. */
public final class Arguments {
  private Arguments() {}

  /**
   * Checks how many there are, their types, and that their sizes agree.
   *
   * @param function what the entry point calls
   * @param arguments one for each core value of the parameters
   * @throws UserError K6301 (number, type) or K6302 (sizes)
   */
  public static void check(EntryPoint entry, FunDef function, List<? extends Value> arguments) {
    var parameters = entry.params().stream().flatMap(p -> p.type().flat().stream()).toList();
    if (arguments.size() != parameters.size()) {
      throw mismatch(
          entry.name() + " takes " + parameters.size() + " values, not " + arguments.size());
    }
    for (int i = 0; i < arguments.size(); i++) {
      var given = arguments.get(i);
      var wanted = parameters.get(i);
      if (given.prim() != wanted.prim() || given.rank() != wanted.rank()) {
        throw mismatch(
            "argument "
                + (i + 1)
                + " of "
                + entry.name()
                + " has type "
                + given.typeName()
                + ", not "
                + "[]".repeat(wanted.rank())
                + wanted.prim());
      }
    }
    sizes(entry, function, arguments);
  }

  /** Each size that the parameters' types mention must be one number throughout. */
  private static void sizes(EntryPoint entry, FunDef function, List<? extends Value> arguments) {
    var params = function.params().subList(entry.sizeParams(), function.params().size());
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
              K6302,
              Span.NONE,
              ("entry point arguments have invalid sizes: argument %d of %s has %d elements in"
                      + " dimension %d, but %s is %d")
                  .formatted(i + 1, entry.name(), shape[d], d + 1, what, wanted));
        }
      }
    }
  }

  private static UserError mismatch(String message) {
    return new UserError(K6301, Span.NONE, message);
  }
}
