package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import java.util.List;

/**
 * Names the methods of a program's code. The options of Java in the file {@code jit-flags} go by
 * names: a method that starts parallel loops gains little from being compiled soon, and takes long;
 * one whose loops run in vectors is so slow before that its callers rather wait.
 */
final class MethodNames {
  private MethodNames() {}

  /**
   * Names a method.
   *
   * @param kind what it is, such as {@code task}
   * @param number its number among those of its kind
   */
  static String of(String kind, int number, List<Code> code) {
    if (CodeWalk.has(code, Code.Parallel.class)) {
      return "outer_" + kind + number;
    }
    return (inVectors(code) ? "vector_" : "") + kind + number;
  }

  private static boolean inVectors(List<Code> code) {
    return code.stream()
        .anyMatch(
            c ->
                c instanceof Code.For f && JvmProgram.runsInVectors(f)
                    || CodeWalk.inner(c).stream().anyMatch(MethodNames::inVectors));
  }
}
