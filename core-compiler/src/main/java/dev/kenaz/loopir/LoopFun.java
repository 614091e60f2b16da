package dev.kenaz.loopir;

import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * This is an entry as imperative code.
 *
 * @param params those of the core function: sizes first
 * @param results where the results lie when the code has run
 */
public record LoopFun(EntryPoint entry, List<Param> params, List<Code> body, List<Result> results) {
  public LoopFun {
    params = List.copyOf(params);
    body = List.copyOf(body);
    results = List.copyOf(results);
  }

  /** Returns the entry with other code. */
  public LoopFun with(List<Code> body) {
    return new LoopFun(entry, params, body, results);
  }

  /** Returns the core function's parameters. */
  public List<Var> variables() {
    return params.stream().map(Param::variable).toList();
  }

  /**
   * A register that the caller sets: the scalar, or the address of a contiguous row-major array.
   *
   * @param variable the core function's parameter; its type says which sizes an array must have
   * @param dims these sizes; empty for a scalar
   */
  public record Param(Var variable, Reg reg, List<Expr> dims) {
    public Param {
      dims = List.copyOf(dims);
    }

    public Prim prim() {
      return variable.type().elemPrim();
    }
  }

  public sealed interface Result {}

  public record ScalarResult(Expr value) implements Result {}

  /**
   * A contiguous array.
   *
   * @param slot whose buffer the caller takes over
   * @param address within the buffer
   */
  public record ArrayResult(Prim prim, Slot slot, Expr address, List<Expr> dims) implements Result {
    public ArrayResult {
      dims = List.copyOf(dims);
    }
  }
}
