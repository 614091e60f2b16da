package dev.kenaz.segir;

import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;

/**
 * This is a program with its parallelism decided.
 *
 * @param functions what can be called from outside, each with all the code that it needs
 * @param callees the functions that they call
 */
public record SegProgram(List<SegFun> functions, List<Callee> callees) {
  public SegProgram {
    functions = List.copyOf(functions);
    callees = List.copyOf(callees);
  }

  /**
   * A function that can be called from outside.
   *
   * @param params sizes first, as in {@link dev.kenaz.ir.FunDef}
   * @param returns the types of the body's results
   */
  public record SegFun(EntryPoint entry, List<Var> params, List<Type> returns, SegBody body) {
    public SegFun {
      params = List.copyOf(params);
      returns = List.copyOf(returns);
    }
  }

  /**
   * A function that calls itself, which is why it can't be part of its callers' code.
   *
   * @param body for a call from a place where nothing is parallel
   * @param sequential for a call from inside a parallel operator
   */
  public record Callee(FunDef function, SegBody body, SegBody sequential) {}
}
