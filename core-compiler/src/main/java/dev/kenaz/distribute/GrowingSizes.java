package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Binders;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tells which sizes in the function of a row grow with the number of all rows, such as {@code n /
 * 2} or the row's own number. With lists of such sizes, all rows together would need far more than
 * all rows of what they read.
 */
final class GrowingSizes {
  private final Spaces spaces;
  private final Map<Var, Exp> definitions = new HashMap<>();

  /** The parameters that are the number of the row. */
  private final Set<Var> numbers = new HashSet<>();

  /** What the function binds, in any scope. */
  private final Set<Var> inside;

  GrowingSizes(Labeller labeller, Screma map) {
    this.spaces = labeller.spaces();
    for (int i = 0; i < map.inputs().size(); i++) {
      if (labeller.definition(map.inputs().get(i)) instanceof Iota) {
        numbers.add(map.map().params().get(i));
      }
    }
    new Rewriter() {
      @Override
      public List<Stm> stm(Stm stm) {
        if (stm.pattern().size() == 1) {
          definitions.put(stm.var(), stm.exp());
        }
        return Rewriter.super.stm(stm);
      }
    }.lambda(map.map());
    inside = Binders.of(map.map());
  }

  /** Returns the variables that the function binds, in any scope. */
  Set<Var> inside() {
    return inside;
  }

  boolean grows(Atom size) {
    if (isNumber(size) || size instanceof Var v && (spaces.has(v) || spaces.isLarge(v))) {
      return true;
    }
    return switch (definition(size)) {
      case Alias(var x) -> grows(x);
      case Binary(var op, var x, var y) ->
          switch (op) {
            case ADD, MUL, MAX -> grows(x) || grows(y);
            case SUB -> grows(x) && (isShared(y) || isNumber(y) && !isNumber(x));
            case QUOT, DIV, SHR -> grows(x);
            default -> false;
          };
      case null, default -> false;
    };
  }

  private Exp definition(Atom x) {
    return x instanceof Var v ? definitions.get(v) : null;
  }

  /** Whether it is the number of the row, or a fixed distance from it. */
  private boolean isNumber(Atom x) {
    return numbers.contains(x)
        || definition(x) instanceof Binary(var op, var a, var b)
            && switch (op) {
              case ADD, MAX -> isNumber(a) && isShared(b) || isNumber(b) && isShared(a);
              case SUB -> isNumber(a) && isShared(b);
              default -> false;
            };
  }

  /** Whether all rows have the same. */
  private boolean isShared(Atom x) {
    return !(x instanceof Var v) || !inside.contains(v);
  }
}
