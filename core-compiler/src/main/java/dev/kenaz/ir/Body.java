package dev.kenaz.ir;

import java.util.List;

/** Statements in order, then what they come to. */
public record Body(List<Stm> stms, List<Atom> results) {
  public Body {
    stms = List.copyOf(stms);
    results = List.copyOf(results);
  }

  /** The body with these statements instead; the body itself if they are the very same. */
  public Body with(List<Stm> others) {
    return same(others, stms) ? this : new Body(others, results);
  }

  /** Whether the elements are the very same. */
  static boolean same(List<?> some, List<?> others) {
    boolean same = some.size() == others.size();
    for (int k = 0; same && k < some.size(); k++) {
      same = some.get(k) == others.get(k);
    }
    return same;
  }
}
