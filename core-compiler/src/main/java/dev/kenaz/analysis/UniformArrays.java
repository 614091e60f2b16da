package dev.kenaz.analysis;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Collects the arrays of equal elements, from the statements that make them in the program's order.
 * All elements of such an array are the scalar that is said, which is in scope wherever the array
 * is. An array of which nothing is said may have equal elements too.
 */
public final class UniformArrays {
  private final Map<Var, Atom> elements = new HashMap<>();

  /** Returns those in all scopes of some functions. */
  public static UniformArrays of(Collection<FunDef> functions) {
    var all = new UniformArrays();
    var walk =
        new CodeRewriter() {
          @Override
          public List<Stm> stm(Stm stm) {
            all.define(stm);
            return CodeRewriter.super.stm(stm);
          }
        };
    functions.forEach(f -> walk.body(f.body()));
    return all;
  }

  /** Takes note of a statement. */
  public void define(Stm stm) {
    switch (stm.exp()) {
      case Replicate(_, var x) -> define(stm.var(), x);
      case Reshape(_, var x) -> define(stm.var(), x);
      case Copy(var x) -> define(stm.var(), x);
      case Alias(var x) -> define(stm.var(), x);
      default -> {}
    }
  }

  private void define(Var v, Atom made) {
    element(made).ifPresent(x -> elements.put(v, x));
  }

  /** Returns the scalar that all elements of the array are, or a scalar itself. */
  public Optional<Atom> element(Atom x) {
    return Optional.ofNullable(elements.get(x))
        .or(() -> x.type().isScalar() ? Optional.of(x) : Optional.empty());
  }

  /** Returns the constant that the scalar is, or that all elements of the array are. */
  public Optional<Const> constant(Atom x) {
    return element(x).filter(Const.class::isInstance).map(Const.class::cast);
  }
}
