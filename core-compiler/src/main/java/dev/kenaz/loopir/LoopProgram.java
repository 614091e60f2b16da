package dev.kenaz.loopir;

import dev.kenaz.error.Span;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * This is a program as imperative code.
 *
 * @param functions all entries
 * @param callees the functions that they call
 * @param constants memory that the code mentions by address, to be kept as long as the code
 * @param places what statements belong to in the source; statements differ by identity
 */
public record LoopProgram(
    List<LoopFun> functions,
    List<Callee> callees,
    List<MemorySegment> constants,
    Map<Code, Span> places) {
  public LoopProgram {
    functions = List.copyOf(functions);
    callees = List.copyOf(callees);
    constants = List.copyOf(constants);
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
