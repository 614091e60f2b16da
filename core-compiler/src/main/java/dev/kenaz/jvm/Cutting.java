package dev.kenaz.jvm;

import java.util.ArrayList;
import java.util.List;

/**
 * How a method is kept small.
 *
 * @param limit bytes that it may have, roughly; what is larger is cut
 * @param shared whether the registers of what is cut lie in an array that its pieces share, and not
 *     in the method's locals
 * @param vectors whether a loop that is cut, or that is much of a method, has vector code
 */
record Cutting(int limit, boolean shared, boolean vectors) {
  /** Whether anything is cut out of the method. */
  boolean isCut() {
    return limit < Integer.MAX_VALUE;
  }

  /** From what is fastest to what is smallest. */
  static List<Cutting> ladder(int limit) {
    return List.of(
        new Cutting(limit, false, true),
        new Cutting(limit * 2 / 3, false, true),
        new Cutting(limit * 2 / 3 * 2 / 3, false, true),
        new Cutting(limit * 2 / 3 * 2 / 3 * 2 / 3, false, true),
        new Cutting(4000, true, true),
        new Cutting(3000, true, false),
        new Cutting(1500, true, false),
        new Cutting(600, true, false),
        new Cutting(200, true, false));
  }

  /** Of what has been cut out of a method whose registers are shared; at first it is not cut. */
  static List<Cutting> within(Cutting outer) {
    var all = ladder(0);
    var smaller =
        all.stream().filter(c -> c.shared && c.limit <= outer.limit || c.limit == 200).toList();
    var ladder = new ArrayList<Cutting>();
    ladder.add(new Cutting(Integer.MAX_VALUE, true, true));
    ladder.addAll(smaller);
    return ladder;
  }
}
