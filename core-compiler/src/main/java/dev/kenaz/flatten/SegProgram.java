package dev.kenaz.flatten;

import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;

/** What can be called from outside, each with all the code that it needs. */
public record SegProgram(List<SegFun> functions) {
  public SegProgram {
    functions = List.copyOf(functions);
  }

  /**
   * @param params sizes first, as in {@link dev.kenaz.ir.FunDef}
   * @param returns one a result of the body
   */
  public record SegFun(EntryPoint entry, List<Var> params, List<Type> returns, SegBody body) {
    public SegFun {
      params = List.copyOf(params);
      returns = List.copyOf(returns);
    }
  }
}
