package dev.kenaz.analysis;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Derives what statements and comparisons say about integers: which affine form of other variables
 * a variable is, in which interval it lies, and which inequalities hold between it and others.
 *
 * <p>Forms are over the integers, which don't wrap around. A variable has a form only if its type
 * holds every value that the form can have, as far as is known. What might wrap around, or has
 * numbers that are too large, is a variable of its own, of which nothing is known. So everything
 * that is said here is true wherever the variables are in scope and what was noted of them holds;
 * what is not said may be true all the same.
 *
 * <p>A subclass walks a program. It knows the statements, and notes ranges and facts.
 */
public abstract class Integers {
  private static final Interval SIZES = new Interval(0, Sizes.LONGEST);
  private static final int MOST_TERMS = 16;

  /** How many statements are followed, one from the other; an inequality counts twice. */
  private static final int MOST_STEPS = 10;

  /** Returns the expression to which the variable alone is bound, or null if it is unknown. */
  protected abstract Exp exp(Var v);

  /** Whether the variable is an array's size or counts iterations: 0 to {@link Sizes#LONGEST}. */
  protected abstract boolean isSize(Var v);

  /** Returns forms with the variable that were noted not to be negative. */
  protected abstract List<Affine> noted(Var v);

  /** Whether it is known that the form is not negative. */
  protected abstract boolean isNotNegative(Affine form);

  // Forms

  public final Affine form(Atom x) {
    return form(x, 0);
  }

  private Affine form(Atom x, int steps) {
    return switch (x) {
      case Const(var c) -> Affine.of(c.asLong());
      case Var v -> form(v, steps);
    };
  }

  /** Returns the form of a variable, to which so many steps led. */
  protected abstract Affine form(Var v, int steps);

  /** Returns the form that the variable's statement gives it, or else the variable itself. */
  protected final Affine formOfStatement(Var v, int steps) {
    var self = Affine.of(v);
    if (steps > MOST_STEPS || !isInteger(v.type())) {
      return self;
    }
    try {
      var form =
          switch (exp(v)) {
            case Alias(var x) -> form(x, steps + 1);
            case Convert(_, var x) when isInteger(x.type()) || x.type().equals(Type.BOOL) ->
                form(x, steps + 1);
            case Binary(var op, var x, var y) -> form(self, op, x, y, steps + 1);
            case Index(var all, var is, _) when length(all) != null ->
                form(is.getFirst(), steps + 1);
            case null, default -> self;
          };
      return form == self || form.terms().size() <= MOST_TERMS && fits(form, v, steps)
          ? form
          : self;
    } catch (ArithmeticException tooLarge) {
      return self;
    }
  }

  private Affine form(Affine self, BinaryOp op, Atom x, Atom y, int steps) {
    return switch (op) {
      case ADD -> form(x, steps).plus(form(y, steps));
      case SUB -> form(x, steps).minus(form(y, steps));
      case MUL -> {
        var a = form(x, steps);
        var b = form(y, steps);
        yield b.isConstant()
            ? a.times(b.constant())
            : a.isConstant() ? b.times(a.constant()) : self;
      }
      default -> self;
    };
  }

  /** Whether an i64 holds every value of the type, as an integer; it does not for u64. */
  private static boolean isInteger(Type type) {
    return type.isScalar() && type.elemPrim().isInteger() && type.elemPrim() != Prim.U64;
  }

  /** Returns the length of an array of i64 that holds 0, 1, 2, …; otherwise null. */
  private Atom length(Var array) {
    return exp(array) instanceof Iota i && i.isCounter() && i.start().type().equals(Type.I64)
        ? i.n()
        : null;
  }

  /** Returns the size below which a variable is that is read from 0, 1, 2, …; otherwise null. */
  protected final Atom indexOf(Var v) {
    return exp(v) instanceof Index(var all, _, _) ? length(all) : null;
  }

  // Intervals

  /** Whether the variable's type holds every value that the form can have. */
  public final boolean fits(Affine form, Var v) {
    return fits(form, v, 0);
  }

  private boolean fits(Affine form, Var v, int steps) {
    var all = Interval.of(v.type().elemPrim());
    try {
      return isInteger(v.type())
          && end(form, null, false, steps) >= all.low()
          && end(form, null, true, steps) <= all.high();
    } catch (ArithmeticException tooLarge) {
      return false;
    }
  }

  /** Returns the largest, or the smallest, value that the form can have, if an i64 holds it. */
  protected final OptionalLong end(Affine form, boolean largest) {
    return end(form, largest, 0);
  }

  /**
   * Does the same where something is asked for another question's sake.
   *
   * @param steps how many were taken for that
   */
  protected final OptionalLong end(Affine form, boolean largest, int steps) {
    try {
      return OptionalLong.of(end(form, null, largest, steps));
    } catch (ArithmeticException tooLarge) {
      return OptionalLong.empty();
    }
  }

  /**
   * Returns the largest, or the smallest, value that the form can have without one of its terms.
   *
   * @throws ArithmeticException if that is more than an i64 holds
   */
  private long end(Affine form, Var without, boolean largest, int steps) {
    long sum = form.constant();
    for (var t : form.terms().entrySet()) {
      long f = t.getValue();
      if (!t.getKey().equals(without)) {
        sum = Math.addExact(sum, Math.multiplyExact(f, end(t.getKey(), f > 0 == largest, steps)));
      }
    }
    return sum;
  }

  private long end(Var v, boolean largest, int steps) {
    var all = Interval.of(v.type().elemPrim());
    var known = isSize(v) ? all.and(SIZES) : all;
    long end = largest ? known.high() : known.low();
    if (steps > MOST_STEPS) {
      return end;
    }
    long sign = largest ? -1 : 1;
    for (var f : inequalities(v, steps + 2)) {
      if (f.factor(v) == sign) {
        try {
          long other = -sign * end(f, v, true, steps + 2);
          end = largest ? Math.min(end, other) : Math.max(end, other);
        } catch (ArithmeticException tooLarge) {
          // this inequality tells nothing
        }
      }
    }
    try {
      long other = endByStatement(v, largest, steps + 2);
      return largest ? Math.min(end, other) : Math.max(end, other);
    } catch (ArithmeticException tooLarge) {
      return end;
    }
  }

  /** Returns what follows from the variable's statement besides inequalities. */
  private long endByStatement(Var v, boolean largest, int steps) {
    return switch (exp(v)) {
      case Binary(var op, var x, var y) when op == BinaryOp.MIN && isInteger(v.type()) ->
          Math.min(end(x, largest, steps), end(y, largest, steps));
      case Binary(var op, var x, var y) when op == BinaryOp.MAX && isInteger(v.type()) ->
          Math.max(end(x, largest, steps), end(y, largest, steps));
      case Binary(var op, var x, Const(var c)) when isInteger(v.type()) && c.asLong() > 0 ->
          switch (op) {
            case DIV -> Math.floorDiv(end(x, largest, steps), c.asLong());
            case QUOT -> end(x, largest, steps) / c.asLong();
            case AND -> largest ? c.asLong() : 0;
            default -> largest ? Long.MAX_VALUE : Long.MIN_VALUE;
          };
      case null, default -> largest ? Long.MAX_VALUE : Long.MIN_VALUE;
    };
  }

  private long end(Atom x, boolean largest, int steps) {
    return end(form(x, steps), null, largest, steps);
  }

  // Inequalities

  /** Returns forms with the variable that are not negative where it is in scope. */
  public final List<Affine> inequalities(Var v) {
    return inequalities(v, 0);
  }

  /** Returns those for another question's sake, for which so many steps were taken. */
  protected final List<Affine> inequalities(Var v, int steps) {
    var byStatement = byStatement(v, steps);
    if (byStatement.isEmpty()) {
      return noted(v);
    }
    return Lists.concat(noted(v), byStatement);
  }

  private List<Affine> byStatement(Var v, int steps) {
    if (steps > MOST_STEPS || !isInteger(v.type())) {
      return List.of();
    }
    var self = Affine.of(v);
    if (indexOf(v) != null) {
      return List.of(self, form(indexOf(v), steps).minus(self).plus(-1));
    }
    if (!(exp(v) instanceof Binary(var op, var x, var y))) {
      return List.of();
    }
    try {
      return switch (op) {
        case MIN -> List.of(form(x, steps).minus(self), form(y, steps).minus(self));
        case MAX -> List.of(self.minus(form(x, steps)), self.minus(form(y, steps)));
        // the quotient is rounded down, so the remainder has the divisor's sign
        case MOD ->
            end(y, false, steps) >= 0
                ? List.of(self, form(y, steps).minus(self).plus(-1))
                : List.of();
        case DIV -> {
          if (!(y instanceof Const(var c)) || c.asLong() <= 0) {
            yield List.of();
          }
          var rest = form(x, steps).plus(self, -c.asLong());
          yield List.of(rest, Affine.of(c.asLong() - 1).minus(rest));
        }
        default -> List.of();
      };
    } catch (ArithmeticException tooLarge) {
      return List.of();
    }
  }

  // Conditions

  /** Returns forms that are not negative where the condition holds, or where it doesn't. */
  public final List<Affine> where(Atom condition, boolean holds) {
    var all = new ArrayList<Affine>();
    where(condition, holds, all::add, 0);
    return all;
  }

  /** Hands on the same forms, one by one: what is noted of one may tell more about the next. */
  protected final void where(Atom condition, boolean holds, Consumer<Affine> each) {
    where(condition, holds, each, 0);
  }

  private void where(Atom condition, boolean holds, Consumer<Affine> each, int steps) {
    if (!(condition instanceof Var v) || steps > MOST_STEPS) {
      return;
    }
    switch (exp(v)) {
      case Alias(var x) -> where(x, holds, each, steps + 1);
      case Compare(var op, var x, var y) -> where(op, x, y, holds).forEach(each);
      case Unary(var op, var x) when op == UnaryOp.NOT -> where(x, !holds, each, steps + 1);
      case Binary(var op, var x, var y) when op == (holds ? BinaryOp.AND : BinaryOp.OR) -> {
        where(x, holds, each, steps + 1);
        where(y, holds, each, steps + 1);
      }
      // c && x, and c || x
      case If(var c, var then, var otherwise)
          when holds && otherwise.results().getFirst().isConst(0) -> {
        where(c, true, each, steps + 1);
        where(then.results().getFirst(), true, each, steps + 1);
      }
      case If(var c, var then, var otherwise)
          when !holds && then.results().getFirst().isConst(1) -> {
        where(c, false, each, steps + 1);
        where(otherwise.results().getFirst(), false, each, steps + 1);
      }
      case null, default -> {}
    }
  }

  /** Returns the same for a comparison. */
  public final List<Affine> where(CompareOp op, Atom x, Atom y, boolean holds) {
    if (!isInteger(x.type())) {
      return List.of();
    }
    try {
      var more = form(y).minus(form(x));
      var less = more.times(-1);
      return switch (op) {
        case LT -> List.of(holds ? more.plus(-1) : less);
        case LE -> List.of(holds ? more : less.plus(-1));
        case EQ -> {
          if (holds) {
            yield List.of(more, less);
          }
          yield isNotNegative(more)
              ? List.of(more.plus(-1))
              : isNotNegative(less) ? List.of(less.plus(-1)) : List.of();
        }
      };
    } catch (ArithmeticException tooLarge) {
      return List.of();
    }
  }
}
