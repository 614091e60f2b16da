package dev.kenaz.ir;

import java.util.List;

/**
 * A function of the top level can be called by name.
 *
 * @param params sizes first (i64), then the rest, whose types may mention them
 * @param returns types of the results; a result's type may mention a parameter, or, for a size that
 *     the function decides, {@code results} holds that size itself as an earlier i64 result and the
 *     type mentions the variable in {@code returnSizes} of the same position
 * @param returnSizes one a result: a variable that names the result for the types of later results;
 *     unused ones are harmless
 */
public record FunDef(
    String name, List<Var> params, List<Type> returns, List<Var> returnSizes, Body body) {
  public FunDef {
    params = List.copyOf(params);
    returns = List.copyOf(returns);
    returnSizes = List.copyOf(returnSizes);
    if (TypeRules.WHEN_MADE) {
      TypeRules.agreeAll("function's result", returns, body.results());
    }
  }

  /** Whether it calls itself. */
  public boolean recursive() {
    return Callees.of(body).contains(name);
  }

  /** Returns the name that its author gave to the function. */
  public static String title(String name) {
    return name.replaceFirst("_(rec)?\\d+$", "");
  }
}
