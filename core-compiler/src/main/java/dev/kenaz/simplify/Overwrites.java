package dev.kenaz.simplify;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * Keeps values that outlive code (a cached column, a broadcast array, what a later kernel reads)
 * from being overwritten by it, which then works on copies.
 */
public final class Overwrites {
  private Overwrites() {}

  /** The body with copies of those variables that it overwrites. */
  public static Body protect(List<Var> params, Body body) {
    var overwritten = Aliases.of(body).consumed();
    var copies = new ArrayList<Stm>();
    var renamed = new HashMap<Var, Atom>();
    for (var p : params) {
      if (overwritten.contains(p) && p.type().isArray()) {
        var copy = Names.like(p);
        copies.add(new Stm(List.of(copy), new Copy(p), Span.NONE));
        renamed.put(p, copy);
      }
    }
    if (copies.isEmpty()) {
      return body;
    }
    var replaced = new Substitution(renamed).body(body);
    copies.addAll(replaced.stms());
    return new Body(copies, replaced.results());
  }
}
