package dev.kenaz.ir;

import java.util.List;

/** Statements in order, then what they come to. */
public record Body(List<Stm> stms, List<Atom> results) {
  public Body {
    stms = List.copyOf(stms);
    results = List.copyOf(results);
  }
}
