package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import java.util.ArrayList;
import java.util.List;

/**
 * Says how a method is kept small.
 *
 * @param limit how many bytes it may have, roughly; what is larger is cut
 * @param once whether a vector loop has its body only once
 * @param shared whether the registers of what is cut lie in an array that its pieces share, and not
 *     in the method's locals
 * @param vectors whether a loop that is cut, or that is much of a method, has vector code
 */
record Cutting(int limit, boolean once, boolean shared, boolean vectors) {
  /**
   * A method that starts parallel loops has about so many bytes: the second compiler takes seconds
   * for a large one, in which it doesn't compile loops, and little depends on how fast such a
   * method is.
   */
  private static final int OUTER = 2000;

  /** Whether a part is cut out of the method. */
  boolean isCut() {
    return limit < Integer.MAX_VALUE;
  }

  /**
   * Returns ways to cut a method's code.
   *
   * @param limit how many bytes a method may have, roughly
   */
  static List<Cutting> ladder(List<Code> code, int limit) {
    boolean outer = CodeWalk.has(code, Code.Parallel.class);
    return ladder(outer ? Math.min(OUTER, limit) : limit);
  }

  /** Ways to cut, from the fastest code to the smallest. */
  static List<Cutting> ladder(int limit) {
    int less = limit * 2 / 3;
    int little = less * 2 / 3;
    return List.of(
        new Cutting(limit, false, false, true),
        new Cutting(less, false, false, true),
        new Cutting(little, false, false, true),
        new Cutting(little * 2 / 3, false, false, true),
        new Cutting(limit, true, false, true),
        new Cutting(little, true, false, true),
        new Cutting(4000, true, true, true),
        new Cutting(3000, true, true, false),
        new Cutting(1500, true, true, false),
        new Cutting(600, true, true, false),
        new Cutting(200, true, true, false));
  }

  /**
   * Ways to cut what has been cut out of a method whose registers are shared; at first it is not
   * cut.
   */
  static List<Cutting> within(Cutting outer) {
    var all = ladder(0);
    var smaller =
        all.stream().filter(c -> c.shared && c.limit <= outer.limit || c.limit == 200).toList();
    var ladder = new ArrayList<Cutting>();
    ladder.add(new Cutting(Integer.MAX_VALUE, false, true, true));
    ladder.add(new Cutting(Integer.MAX_VALUE, true, true, true));
    ladder.addAll(smaller);
    return ladder;
  }
}
