package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;

/**
 * Estimates how much code has to do: counts statements that compute; views, copies and operators
 * themselves are free.
 */
final class WorkEstimate {
  /** A sum of fewer elements is no work that pays for keeping its result. */
  private static final long FEW = 8;

  private WorkEstimate() {}

  /** Whether it adds up many elements, or is a map of maps of such. */
  static boolean isOfSums(Stm s) {
    return s.exp() instanceof Screma m
        && (isSum(m)
            || m.isMap() && m.map().body().stms().stream().anyMatch(WorkEstimate::isOfSums));
  }

  private static boolean isSum(Screma m) {
    return m.scans().isEmpty()
        && !m.reduces().isEmpty()
        && !(m.width() instanceof Const(var n) && n.asLong() < FEW);
  }

  /** How large a space is: a product of some sizes that aren't known, and of one that is. */
  private record Space(int variables, long constant) {
    static final Space POINT = new Space(0, 1);

    Space by(Atom size) {
      return size instanceof Const(var n)
          ? new Space(variables, constant * Math.max(n.asLong(), 1))
          : new Space(variables + 1, constant);
    }

    static Space of(Type type) {
      return type.dims().stream().reduce(POINT, Space::by, (x, _) -> x);
    }

    boolean isLargerThan(Space other, long times) {
      return variables > other.variables
          || variables == other.variables && constant >= times * other.constant;
    }

    Space orLarger(Space other) {
      return other.isLargerThan(this, 1) ? other : this;
    }
  }

  /** Whether an operator's function does so much, if not more, for each element of its inputs. */
  static boolean isIntense(Screma s, long times) {
    var rows =
        s.map().params().stream().map(p -> Space.of(p.type())).reduce(Space.POINT, Space::orLarger);
    return inside(s.map().body(), Space.POINT).isLargerThan(rows, times);
  }

  /** Returns the space of the deepest nest of operators. */
  private static Space inside(Body body, Space around) {
    var largest = around;
    for (var stm : body.stms()) {
      if (stm.exp() instanceof Screma s) {
        largest = largest.orLarger(inside(s.map().body(), around.by(s.width())));
      }
    }
    return largest;
  }

  static int of(Body body) {
    int sum = 0;
    for (var stm : body.stms()) {
      sum += of(stm.exp()) + Effects.bodies(stm.exp()).mapToInt(WorkEstimate::of).sum();
    }
    return sum;
  }

  private static int of(Exp exp) {
    return switch (exp) {
      case Alias _, Index _, Slice _, Rearrange _, Reshape _, Iota _, Replicate _, Screma _ -> 0;
      default -> 1;
    };
  }
}
