package dev.kenaz.loops;

import java.util.List;

/**
 * All entries.
 *
 * @param callees what they call
 */
public record LoopProgram(List<LoopFun> functions, List<Callee> callees) {
  public LoopProgram {
    functions = List.copyOf(functions);
    callees = List.copyOf(callees);
  }

  /** A function that is called, by {@link Code.Call}. */
  public record Callee(
      String name, List<LoopFun.Param> params, List<Code> body, List<LoopFun.Result> results) {
    public Callee {
      params = List.copyOf(params);
      body = List.copyOf(body);
      results = List.copyOf(results);
    }
  }
}
