package dev.kenaz.analysis;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * This is the affine form {@code constant + Σ factor · variable} over the integers, which don't
 * wrap around; factors are not zero. Operations are exact, or throw {@link ArithmeticException}
 * where numbers get too large.
 */
public record Affine(long constant, Map<Var, Long> terms) {
  public static final Affine ZERO = of(0);

  public static Affine of(long constant) {
    return new Affine(constant, Map.of());
  }

  public static Affine of(Var v) {
    return new Affine(0, Map.of(v, 1L));
  }

  public Affine plus(long more) {
    return new Affine(Math.addExact(constant, more), terms);
  }

  public Affine plus(Affine other) {
    return plus(other, 1);
  }

  public Affine minus(Affine other) {
    return plus(other, -1);
  }

  public Affine plus(Affine other, long factor) {
    var sum = new TreeMap<Var, Long>(Comparator.comparingInt(Var::tag));
    sum.putAll(terms);
    other.terms.forEach((v, f) -> sum.merge(v, Math.multiplyExact(f, factor), Math::addExact));
    sum.values().removeIf(f -> f == 0);
    return new Affine(Math.addExact(constant, Math.multiplyExact(other.constant, factor)), sum);
  }

  public Affine times(long factor) {
    return ZERO.plus(this, factor);
  }

  public long factor(Var v) {
    return terms.getOrDefault(v, 0L);
  }

  public boolean isConstant() {
    return terms.isEmpty();
  }

  /** Returns the form with another form in the variable's place. */
  public Affine with(Var v, Affine value) {
    long f = factor(v);
    return f == 0 ? this : plus(of(v), -f).plus(value, f);
  }

  public Affine renamed(UnaryOperator<Var> names) {
    var sum = of(constant);
    for (var t : terms.entrySet()) {
      sum = sum.plus(of(names.apply(t.getKey())), t.getValue());
    }
    return sum;
  }

  /** Emits code that computes the form, as an i64. */
  public Atom emit(Builder b) {
    Atom sum = i64(constant);
    for (var t : terms.entrySet()) {
      sum = b.add(sum, b.mul(b.convert(Prim.I64, t.getKey()), i64(t.getValue())));
    }
    return sum;
  }
}
