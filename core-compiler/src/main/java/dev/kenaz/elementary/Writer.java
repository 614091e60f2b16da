package dev.kenaz.elementary;

import dev.kenaz.elementary.Step.Kind;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;

/** Writes a formula: the operations on its values add steps. The same step is added once. */
final class Writer {
  private final Prim prim;
  private final List<Step> steps = new ArrayList<>();
  private final Map<Step, Integer> numbers = new HashMap<>();
  private OptionalInt guard = OptionalInt.empty();
  private Optional<Formula.Shortcut> shortcut = Optional.empty();

  Writer(Prim prim) {
    this.prim = prim;
  }

  /** Notes that the formula holds only where this is true. */
  void guard(Truth holds) {
    guard = OptionalInt.of(holds.step);
  }

  /** Notes another result, which has the same bits where the argument is usual. */
  void shortcut(Truth usual, Real result) {
    shortcut = Optional.of(new Formula.Shortcut(usual.step, result.step));
  }

  /** Returns the formula with this result, without the steps that it doesn't need. */
  Formula formula(Real result) {
    var whole = new Formula(prim, steps, result.step, guard, shortcut);
    var needed = new TreeSet<>(whole.needed(result.step));
    guard.ifPresent(k -> needed.addAll(whole.needed(k)));
    shortcut.ifPresent(s -> needed.addAll(whole.needed(s.usual(), s.result())));
    var place = new HashMap<Integer, Integer>();
    var kept = new ArrayList<Step>();
    for (int k : needed) {
      place.put(k, kept.size());
      var s = steps.get(k);
      kept.add(
          new Step(s.kind(), s.operands().stream().map(place::get).toList(), s.real(), s.whole()));
    }
    return new Formula(
        prim,
        kept,
        place.get(result.step),
        guard.isPresent() ? OptionalInt.of(place.get(guard.getAsInt())) : guard,
        shortcut.map(s -> new Formula.Shortcut(place.get(s.usual()), place.get(s.result()))));
  }

  private int step(Kind kind, double real, long whole, Integer... operands) {
    var step = new Step(kind, List.of(operands), real, whole);
    return numbers.computeIfAbsent(
        step,
        s -> {
          steps.add(s);
          return steps.size() - 1;
        });
  }

  private int apply(Kind kind, Integer... operands) {
    return step(kind, 0, 0, operands);
  }

  // The type

  private boolean isSingle() {
    return prim == Prim.F32;
  }

  /** Returns the number of bits of a float's fraction. */
  int digits() {
    return isSingle() ? 23 : 52;
  }

  /** Returns what is added to an exponent. */
  int bias() {
    return isSingle() ? 127 : 1023;
  }

  /** Returns the number of a float's bits. */
  int width() {
    return isSingle() ? 32 : 64;
  }

  // Leaves

  /** Returns the argument with this number, counted from 0. */
  Real argument(int number) {
    return new Real(step(Kind.ARGUMENT, 0, number));
  }

  /** A number that both types have. */
  Real real(double x) {
    if (isSingle() && (float) x != x && !Double.isNaN(x)) {
      throw new IllegalArgumentException(x + " is no f32");
    }
    return new Real(step(Kind.REAL, x, 0));
  }

  /** A number of f64 or, in formulas of f32, another one. */
  Real real(double x, float y) {
    return real(isSingle() ? y : x);
  }

  Whole whole(long x) {
    return new Whole(step(Kind.WHOLE, 0, x));
  }

  /** Returns the bits of a number as a constant. */
  Whole bitsOf(double x) {
    return whole(isSingle() ? Float.floatToRawIntBits((float) x) : Double.doubleToRawLongBits(x));
  }

  /** Returns the polynomial with these coefficients, the constant one first. */
  Real polynomial(Real x, double[] of64, double[] of32) {
    var c = isSingle() ? of32 : of64;
    var y = real(c[c.length - 1]);
    for (int k = c.length - 2; k >= 0; k--) {
      y = y.times(x, real(c[k]));
    }
    return y;
  }

  // Values

  /** A float. */
  final class Real {
    private final int step;

    private Real(int step) {
      this.step = step;
    }

    Real plus(Real y) {
      return new Real(apply(Kind.ADD, step, y.step));
    }

    Real minus(Real y) {
      return new Real(apply(Kind.SUBTRACT, step, y.step));
    }

    Real times(Real y) {
      return new Real(apply(Kind.MULTIPLY, step, y.step));
    }

    Real over(Real y) {
      return new Real(apply(Kind.DIVIDE, step, y.step));
    }

    /** Returns the product with {@code y} and the sum of that and {@code z}, rounded once. */
    Real times(Real y, Real z) {
      return new Real(apply(Kind.FUSE, step, y.step, z.step));
    }

    Whole bits() {
      return new Whole(apply(Kind.BITS, step));
    }

    Truth less(Real y) {
      return new Truth(apply(Kind.LESS, step, y.step));
    }

    Truth atMost(Real y) {
      return new Truth(apply(Kind.AT_MOST, step, y.step));
    }

    Real magnitude() {
      return bits().and(whole(isSingle() ? Integer.MAX_VALUE : Long.MAX_VALUE)).real();
    }

    /** Returns this number, which is not negative, with the sign of another one. */
    Real withSignOf(Real y) {
      var sign = y.bits().and(whole(isSingle() ? Integer.MIN_VALUE : Long.MIN_VALUE));
      return bits().or(sign).real();
    }
  }

  /** An integer as wide as the formula's floats. */
  final class Whole {
    private final int step;

    private Whole(int step) {
      this.step = step;
    }

    Whole plus(Whole y) {
      return new Whole(apply(Kind.PLUS, step, y.step));
    }

    Whole minus(Whole y) {
      return new Whole(apply(Kind.MINUS, step, y.step));
    }

    Whole and(Whole y) {
      return new Whole(apply(Kind.AND, step, y.step));
    }

    Whole or(Whole y) {
      return new Whole(apply(Kind.OR, step, y.step));
    }

    Whole xor(Whole y) {
      return new Whole(apply(Kind.XOR, step, y.step));
    }

    Whole left(int by) {
      return new Whole(Writer.this.step(Kind.LEFT, 0, by, step));
    }

    Whole right(int by) {
      return new Whole(Writer.this.step(Kind.RIGHT, 0, by, step));
    }

    /** Takes the bits as a float. */
    Real real() {
      return new Real(apply(Kind.FLOAT, step));
    }
  }

  /** A truth value. */
  final class Truth {
    private final int step;

    private Truth(int step) {
      this.step = step;
    }

    Truth and(Truth y) {
      return new Truth(apply(Kind.BOTH, step, y.step));
    }

    Truth or(Truth y) {
      return new Truth(apply(Kind.EITHER, step, y.step));
    }

    Real choose(Real then, Real otherwise) {
      return new Real(apply(Kind.CHOOSE, step, then.step, otherwise.step));
    }
  }
}
