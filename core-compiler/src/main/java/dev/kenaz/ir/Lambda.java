package dev.kenaz.ir;

import java.util.List;

/**
 * This is a function written where it is used; its body may use variables of the enclosing scopes.
 *
 * @param returns the types of the body's results. Their sizes must be constants, variables from
 *     outside the lambda, or the lambda's parameters.
 */
public record Lambda(List<Var> params, Body body, List<Type> returns) {
  public Lambda {
    params = List.copyOf(params);
    returns = List.copyOf(returns);
    if (TypeRules.WHEN_MADE) {
      TypeRules.agreeAll("lambda's result", returns, body.results());
    }
  }

  /** Returns a function with only the results at these positions, in their order. */
  public Lambda pick(List<Integer> positions) {
    return new Lambda(params, body.pick(positions), Lists.pick(returns, positions));
  }

  /** Whether it returns its arguments as they are. */
  public boolean isIdentity() {
    return body.stms().isEmpty() && body.results().equals(params);
  }
}
