package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import java.util.List;

/**
 * Names the methods of a program's code. The options of Java in the file {@code jit-flags} go by
 * names: a method that starts parallel loops gains little from being compiled soon, and takes long.
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
    return (CodeWalk.has(code, Code.Parallel.class) ? "outer_" : "") + kind + number;
  }
}
