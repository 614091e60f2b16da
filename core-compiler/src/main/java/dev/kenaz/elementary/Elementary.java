package dev.kenaz.elementary;

import dev.kenaz.value.Prim;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;

/**
 * The elementary functions of one argument, roundings, signs, and powers. Each gives the same bits
 * everywhere: it is a formula, or, where there is none or the formula doesn't hold, a method of
 * {@link StrictMath}, whose results the platform prescribes.
 */
public enum Elementary {
  EXP(StrictMath::exp, Exponentials::exp),
  EXP2(x -> StrictMath.pow(2, x), Exponentials::exp2),
  EXP10(x -> StrictMath.pow(10, x), Exponentials::exp10),
  EXPM1(StrictMath::expm1, Exponentials::expm1),
  LOG(StrictMath::log, Logarithms::log),
  LOG10(StrictMath::log10),
  LOG1P(StrictMath::log1p, Logarithms::log1p),
  SIN(StrictMath::sin, Circular::sin),
  COS(StrictMath::cos, Circular::cos),
  TAN(StrictMath::tan),
  ASIN(StrictMath::asin),
  ACOS(StrictMath::acos),
  ATAN(StrictMath::atan),
  SINH(StrictMath::sinh),
  COSH(StrictMath::cosh),
  TANH(StrictMath::tanh, Exponentials::tanh),
  CBRT(StrictMath::cbrt),
  FLOOR(StrictMath::floor, Rounding::floor),
  CEIL(StrictMath::ceil, Rounding::ceil),
  ROUND(StrictMath::rint, Rounding::round),
  TRUNC(x -> x < 0 ? StrictMath.ceil(x) : StrictMath.floor(x), Rounding::trunc),
  SGN(StrictMath::signum, Rounding::sign),
  /** Of two arguments; that of f32 is that of f64, rounded. */
  POW(Powers.pow());

  private final DoubleUnaryOperator strict;
  private final Map<Prim, Formula> formulas = new EnumMap<>(Prim.class);

  Elementary(DoubleUnaryOperator strict) {
    this.strict = strict;
  }

  Elementary(Formula ofTwo) {
    this.strict = null;
    formulas.put(ofTwo.prim(), ofTwo);
  }

  Elementary(DoubleUnaryOperator strict, Function<Prim, Formula> formula) {
    this(strict);
    formulas.put(Prim.F64, formula.apply(Prim.F64));
    formulas.put(Prim.F32, formula.apply(Prim.F32));
  }

  /**
   * Returns the formula for floats of this type, f64 or f32. Where there is none or it doesn't
   * hold, the function is the method {@link #strictName} of {@code StrictMath}, of an f64, rounded
   * to the type.
   */
  public Optional<Formula> formula(Prim prim) {
    return Optional.ofNullable(formulas.get(prim));
  }

  /** Returns the name of the method of {@code StrictMath} that computes it elsewhere. */
  public String strictName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Computes the function of a float of this type.
   *
   * @return a value that is to be rounded to the type
   */
  public double of(Prim prim, double x) {
    // Those of f16 are those of f64, rounded.
    var formula = formulas.get(prim == Prim.F32 ? prim : Prim.F64);
    var y = formula == null ? OptionalDouble.empty() : formula.at(x);
    return y.isPresent() ? y.getAsDouble() : strict.applyAsDouble(x);
  }

  /** Returns how many arguments it has. */
  public int arity() {
    return strict == null ? 2 : 1;
  }

  /**
   * Computes {@code x^y} of f64 as C does: 1 to any power and -1 to an infinite one are 1, also for
   * NaN.
   */
  public static double pow(double x, double y) {
    var z = POW.formulas.get(Prim.F64).at(x, y);
    return z.isPresent() ? z.getAsDouble() : strictPow(x, y);
  }

  /** Computes the power where the formula doesn't hold. */
  public static double strictPow(double x, double y) {
    return x == 1 || x == -1 && Double.isInfinite(y) ? 1 : StrictMath.pow(x, y);
  }
}
