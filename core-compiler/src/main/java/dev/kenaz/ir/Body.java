package dev.kenaz.ir;

import java.util.List;
import java.util.Optional;

/**
 * A body consists of statements, which run in order, and of results, which are known after them.
 */
public record Body(List<Stm> stms, List<Atom> results) {
  public Body {
    stms = List.copyOf(stms);
    results = List.copyOf(results);
  }

  /** The body with these statements instead; the body itself if they are the very same. */
  public Body with(List<Stm> others) {
    return same(others, stms) ? this : new Body(others, results);
  }

  /** Returns a body with only the results at these positions, in their order. */
  public Body pick(List<Integer> positions) {
    return new Body(stms, Lists.pick(results, positions));
  }

  /** Whether the elements are the very same. */
  static boolean same(List<?> some, List<?> others) {
    boolean same = some.size() == others.size();
    for (int k = 0; same && k < some.size(); k++) {
      same = some.get(k) == others.get(k);
    }
    return same;
  }

  /** The statement that is all that this does: its results are the body's, in order. */
  public Optional<Stm> onlyStm() {
    return stms.size() == 1 && results.equals(stms.getFirst().pattern())
        ? Optional.of(stms.getFirst())
        : Optional.empty();
  }
}
