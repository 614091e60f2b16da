package dev.kenaz;

import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import java.util.List;

/**
 * For engines of Kenaz itself: arguments of Java as the core values that a program's functions
 * take. Modules can't use it, as its types aren't exported.
 */
public final class CoreArguments {
  private CoreArguments() {}

  /**
   * Returns the core values of an entry point's first parameters.
   *
   * @param function the function that the entry point calls
   * @param first as {@link Entry#callAll} takes them; they may be fewer than the parameters
   * @throws dev.kenaz.error.UserError K6301 if an argument has another type than its parameter, or
   *     there are more of them
   */
  public static List<dev.kenaz.value.Value> first(
      EntryPoint entry, FunDef function, List<?> first) {
    int n = Math.min(first.size(), entry.params().size());
    var params = entry.params().subList(0, n);
    int leaves = params.stream().mapToInt(p -> p.type().flat().size()).sum();
    var taken =
        new EntryPoint(
            entry.name(),
            entry.function(),
            entry.sizeParams(),
            params,
            entry.resultSizes(),
            entry.results());
    var taking =
        new FunDef(
            function.name(),
            function.params().subList(0, entry.sizeParams() + leaves),
            function.returns(),
            function.returnSizes(),
            function.body());
    return Arguments.of(Value.NOWHERE, taken, taking, first);
  }
}
