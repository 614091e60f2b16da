package dev.kenaz.ir;

import static dev.kenaz.error.ErrorCode.K6301;
import static dev.kenaz.error.ErrorCode.K6302;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Arguments from outside: whether they fit the parameters, and which sizes they have. What runs a
 * function relies on it.
 */
public final class Arguments {
  /** A number that a size stands for, and whose argument said so. */
  private record Known(long value, String by) {}

  private final String function;
  private final Map<Atom, Known> known = new HashMap<>();

  /**
   * @param function as errors call it
   */
  public Arguments(String function) {
    this.function = function;
  }

  /**
   * Checks how many arguments there are, their types, and that their sizes agree.
   *
   * @param params of the function that the entry point calls
   * @param arguments one for each core value of the entry point's parameters
   * @return one for each parameter of the function: the sizes come first, then the arguments
   * @throws UserError K6301 (number, type) or K6302 (sizes)
   */
  public static List<Value> of(
      EntryPoint entry, List<Var> params, List<? extends Value> arguments) {
    int sizes = entry.sizeParams();
    var names = new ArrayList<String>();
    for (var p : entry.params()) {
      names.addAll(Collections.nCopies(p.type().flat().size(), p.name()));
    }
    return new Arguments(entry.name())
        .of(params.subList(0, sizes), params.subList(sizes, params.size()), names, arguments);
  }

  /**
   * Does the same for parameters that are no entry point's.
   *
   * @param sizes the parameters that are read off the arrays
   * @param params the others
   * @param names of those, as their author wrote them, or {@code _}
   */
  public List<Value> of(
      List<Var> sizes, List<Var> params, List<String> names, List<? extends Value> arguments) {
    if (arguments.size() != params.size()) {
      throw mismatch(function + " takes " + params.size() + " values, not " + arguments.size());
    }
    for (int i = 0; i < params.size(); i++) {
      type(params.get(i), place(names, i), arguments.get(i));
    }
    for (int i = 0; i < params.size(); i++) {
      shape(params.get(i).type().dims(), arguments.get(i).shape(), place(names, i));
    }
    var all = new ArrayList<Value>();
    for (var size : sizes) {
      var number = known.get(size);
      if (number == null) {
        throw new CompilerBug("arguments", "no argument has the size " + size);
      }
      all.add(ScalarValue.i64(number.value()));
    }
    all.addAll(arguments);
    return all;
  }

  private static String place(List<String> names, int i) {
    return names.get(i).equals("_") ? "argument " + (i + 1) : "parameter " + names.get(i);
  }

  /** A number may be a size of arrays too, of those that come before it as well. */
  private void type(Var param, String place, Value given) {
    var wanted = param.type();
    if (given.prim() != wanted.elemPrim() || given.rank() != wanted.dims().size()) {
      throw mismatch(
          "%s of %s has type %s%s, but is given a value of type %s"
              .formatted(
                  place,
                  function,
                  "[]".repeat(wanted.dims().size()),
                  wanted.elemPrim(),
                  given.typeName()));
    }
    if (given instanceof ScalarValue s && !s.prim().isFloat()) {
      known.put(param, new Known(s.asLong(), place));
    }
  }

  /** Each size that the types mention must be one number throughout. */
  public void shape(List<Atom> dims, long[] shape, String place) {
    for (int d = 0; d < shape.length; d++) {
      long given = shape[d];
      if (dims.get(d) instanceof Const(var c)) {
        agree(c.bits(), given, place, d, "its size is " + c.bits());
      } else {
        var size = known.putIfAbsent(dims.get(d), new Known(given, place));
        if (size != null) {
          var name = ((Var) dims.get(d)).name();
          var is = "the size %s is %d, as %s says".formatted(name, size.value(), size.by());
          agree(size.value(), given, place, d, is);
        }
      }
    }
  }

  private void agree(long wanted, long given, String place, int d, String otherwise) {
    if (wanted != given) {
      throw new UserError(
          K6302,
          ("entry point arguments have invalid sizes: %s of %s has %d elements in dimension %d,"
                  + " but %s")
              .formatted(place, function, given, d + 1, otherwise));
    }
  }

  private static UserError mismatch(String message) {
    return new UserError(K6301, message);
  }
}
