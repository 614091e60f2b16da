package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Chooses the statements of a loop's body whose results are kept rather than computed again in the
 * return sweep: reductions, loops that only add up, and maps whose elements are such. To keep an
 * element costs a write and a read; to compute it again costs a whole reduction. 001 §4.2 keeps the
 * parameters only, and so executes a loop once more for every loop around it.
 */
final class SavedSums {
  /** A reduction of fewer elements is quickly done again. */
  private static final long FEW = 8;

  private SavedSums() {}

  /**
   * Returns the variables to which such statements are bound.
   *
   * @param inside what is bound in the loop, parameters included
   */
  static List<Var> of(Body body, Set<Var> inside) {
    var found = new ArrayList<Var>();
    for (var stm : body.stms()) {
      switch (stm.exp()) {
        case Screma s when s.isMap() && reduces(s.map()) -> {
          if (stm.pattern().stream()
              .allMatch(v -> hasFixedShape(v, inside) && isOnlyRead(v, stm, body))) {
            found.addAll(stm.pattern());
          }
        }
        case Screma s when isMany(s.width()) ->
            found.addAll(scalars(stm.pattern().subList(s.scanWidth(), operands(s)), body));
        case Loop loop when addsUp(loop) -> found.addAll(scalars(stm.pattern(), body));
        default -> {}
      }
    }
    return found;
  }

  private static int operands(Screma s) {
    return s.scanWidth() + s.reduceWidth();
  }

  /** Returns those results that are floats and that other statements read. */
  private static List<Var> scalars(List<Var> results, Body body) {
    var read = new HashSet<Var>();
    body.stms().forEach(t -> read.addAll(FreeVars.of(t)));
    return results.stream()
        .filter(v -> v.type().isScalar() && v.type().elemPrim().isFloat() && read.contains(v))
        .toList();
  }

  /** Whether the function makes its elements by reducing many. */
  private static boolean reduces(Lambda f) {
    return f.body().stms().stream()
        .anyMatch(
            t ->
                t.exp() instanceof Screma s
                        && (!s.reduces().isEmpty() && isMany(s.width()) || reduces(s.map()))
                    || t.exp() instanceof Loop loop && addsUp(loop));
  }

  /**
   * Whether a long loop's return sweep needs nothing from its forward sweep, because all that it
   * carries from iteration to iteration are sums.
   */
  private static boolean addsUp(Loop loop) {
    return loop.form() instanceof For f && isMany(f.bound()) && onlyAdds(loop);
  }

  private static boolean onlyAdds(Loop loop) {
    for (int k = 0; k < loop.params().size(); k++) {
      var p = loop.params().get(k).var();
      boolean changes = !loop.body().results().get(k).equals(p);
      if (changes && (p.type().isArray() || p.type().elemPrim().isFloat() && !isSummed(loop, p))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSummed(Loop loop, Var p) {
    var sums = new HashSet<Var>(Set.of(p));
    for (var stm : loop.body().stms()) {
      if (FreeVars.of(stm).stream().noneMatch(sums::contains)) {
        continue;
      }
      switch (stm.exp()) {
        case Alias _ -> {}
        case Binary(var op, _, _) when op == BinaryOp.ADD || op == BinaryOp.SUB -> {}
        case Unary(var op, _) when op == UnaryOp.NEG -> {}
        case Loop inner
            when onlyAdds(inner)
                && FreeVars.of(inner.body()).stream().noneMatch(sums::contains) -> {}
        default -> {
          return false;
        }
      }
      sums.addAll(stm.pattern());
    }
    return true;
  }

  private static boolean isMany(Atom width) {
    return !(width instanceof Const(var c) && c.asLong() < FEW);
  }

  private static boolean hasFixedShape(Var v, Set<Var> inside) {
    return v.type() instanceof Type.Array a
        && a.elem().isFloat()
        && a.shape().stream().noneMatch(d -> d instanceof Var x && inside.contains(x));
  }

  /** Whether no other statement may overwrite the variable, or hand it on. */
  static boolean isOnlyRead(Var v, Stm by, Body body) {
    return !body.results().contains(v)
        && body.stms().stream()
            .filter(t -> t != by && FreeVars.of(t).contains(v))
            .allMatch(t -> t.exp() instanceof Screma || t.exp() instanceof Index);
  }
}
