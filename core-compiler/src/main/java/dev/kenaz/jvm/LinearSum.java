package dev.kenaz.jvm;

import dev.kenaz.loopir.Expr;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A sum of multiples of i64, and a constant: {@code 2 * i - n + 1}.
 *
 * <p>If all that is multiplied lies in ±{@link #LARGEST_TERM}, neither the sum nor a part of it
 * wraps around: the factors of a sum together are at most 2^6, and its constant is at most 2^60, so
 * that it is less than 2^6 * 2^55 + 2^60 &lt; 2^62.
 */
record LinearSum(Map<Expr, Long> factors, long constant) {
  static final long LARGEST_TERM = 1L << 55;
  private static final long LARGEST_CONSTANT = 1L << 60;
  private static final long MOST_FACTORS = 1L << 6;

  LinearSum {
    factors = Collections.unmodifiableMap(new LinkedHashMap<>(factors));
  }

  static LinearSum of(Expr term) {
    return new LinearSum(Map.of(term, 1L), 0);
  }

  static Optional<LinearSum> of(long constant) {
    return small(Map.of(), constant);
  }

  private static Optional<LinearSum> small(Map<Expr, Long> factors, long constant) {
    long all = factors.values().stream().mapToLong(Math::abs).sum();
    return all <= MOST_FACTORS && constant >= -LARGEST_CONSTANT && constant <= LARGEST_CONSTANT
        ? Optional.of(new LinearSum(factors, constant))
        : Optional.empty();
  }

  /** Returns this and a multiple of another sum; nothing if that may wrap around. */
  Optional<LinearSum> plus(LinearSum other, long times) {
    if (times < -MOST_FACTORS || times > MOST_FACTORS) {
      return Optional.empty();
    }
    var all = new LinkedHashMap<>(factors);
    other.factors.forEach((term, f) -> all.merge(term, times * f, Long::sum));
    all.values().removeIf(f -> f == 0);
    return Math.abs(other.constant) <= LARGEST_CONSTANT / MOST_FACTORS || Math.abs(times) <= 1
        ? small(all, constant + times * other.constant)
        : Optional.empty();
  }

  Optional<LinearSum> times(long factor) {
    return new LinearSum(Map.of(), 0).plus(this, factor);
  }

  long factor(Expr term) {
    return factors.getOrDefault(term, 0L);
  }

  /** Returns the sum with another in place of a term. */
  Optional<LinearSum> with(Expr term, LinearSum value) {
    var others = new LinkedHashMap<>(factors);
    others.remove(term);
    return new LinearSum(others, constant).plus(value, factor(term));
  }

  boolean isConstant() {
    return factors.isEmpty();
  }

  Expr expr() {
    Expr sum = Expr.i64(constant);
    for (var e : factors.entrySet()) {
      sum = Expr.add(sum, Expr.mul(e.getKey(), Expr.i64(e.getValue())));
    }
    return sum;
  }
}
