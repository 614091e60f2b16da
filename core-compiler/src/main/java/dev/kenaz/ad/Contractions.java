package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Statements of a loop's body whose results are kept rather than computed again in the return
 * sweep: maps whose elements are reductions, such as matrix products. To keep an element costs a
 * write and a read, to compute it again a whole reduction; seed 001 (section 4.2) keeps the
 * parameters only.
 */
final class Contractions {
  /** Fewer elements are quickly reduced again. */
  private static final long FEW = 8;

  private Contractions() {}

  /**
   * Their results' variables.
   *
   * @param inside what is bound in the loop, parameters included
   */
  static List<Var> of(Body body, Set<Var> inside) {
    var found = new ArrayList<Var>();
    for (var stm : body.stms()) {
      if (stm.exp() instanceof Screma s
          && s.isMap()
          && reduces(s.map())
          && stm.pattern().stream()
              .allMatch(v -> hasFixedShape(v, inside) && isOnlyRead(v, stm, body))) {
        found.addAll(stm.pattern());
      }
    }
    return found;
  }

  /** Whether elements are made by reducing many. */
  private static boolean reduces(Lambda f) {
    return f.body().stms().stream()
        .anyMatch(
            t ->
                t.exp() instanceof Screma s
                    && (!s.reduces().isEmpty() && isMany(s.width()) || reduces(s.map())));
  }

  private static boolean isMany(Atom width) {
    return !(width instanceof Const(var c) && c.asLong() < FEW);
  }

  private static boolean hasFixedShape(Var v, Set<Var> inside) {
    return v.type() instanceof Type.Array a
        && a.elem().isFloat()
        && a.shape().stream().noneMatch(d -> d instanceof Var x && inside.contains(x));
  }

  /** Whether nothing may overwrite the array or hand it on. */
  private static boolean isOnlyRead(Var v, Stm by, Body body) {
    return !body.results().contains(v)
        && body.stms().stream()
            .filter(t -> t != by && FreeVars.of(t).contains(v))
            .allMatch(t -> t.exp() instanceof Screma || t.exp() instanceof Index);
  }
}
