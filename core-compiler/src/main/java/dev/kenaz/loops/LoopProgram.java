package dev.kenaz.loops;

import java.util.List;

/** All entries. */
public record LoopProgram(List<LoopFun> functions) {
  public LoopProgram {
    functions = List.copyOf(functions);
  }
}
