package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * A polynomial of numbers of type i64, {@code 2 * i * m + k - 1}. All arithmetic is modulo 2^64, as
 * that of the numbers is, so that equal polynomials are equal numbers whatever wraps around.
 *
 * @param terms the factor of each product; a product has the power of each of its factors
 */
record Polynomial(Map<Map<Expr, Integer>, Long> terms) {
  Polynomial {
    terms = Collections.unmodifiableMap(new LinkedHashMap<>(terms));
  }

  /** Returns what the expression is; all but sums, differences and products are its variables. */
  static Polynomial of(Expr e) {
    return switch (e) {
      case Expr.Lit(var n) -> new Polynomial(n.bits() == 0 ? Map.of() : Map.of(Map.of(), n.bits()));
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.ADD -> of(x).plus(of(y), 1);
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.SUB -> of(x).plus(of(y), -1);
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.MUL -> of(x).times(of(y));
      default -> new Polynomial(Map.of(Map.of(e, 1), 1L));
    };
  }

  /** Returns this and a multiple of another. */
  Polynomial plus(Polynomial other, long times) {
    var sum = new LinkedHashMap<>(terms);
    other.terms.forEach((product, factor) -> sum.merge(product, times * factor, Long::sum));
    sum.values().removeIf(factor -> factor == 0);
    return new Polynomial(sum);
  }

  Polynomial times(Polynomial other) {
    var all = new Polynomial(Map.of());
    for (var a : terms.entrySet()) {
      for (var b : other.terms.entrySet()) {
        // In this order, so that the same program always becomes the same code.
        var product = new LinkedHashMap<>(a.getKey());
        b.getKey().forEach((e, power) -> product.merge(e, power, Integer::sum));
        all = all.plus(new Polynomial(Map.of(product, 1L)), a.getValue() * b.getValue());
      }
    }
    return all;
  }

  /** Returns the factor of the variable itself, apart from products with others. */
  long factor(Expr variable) {
    return terms.getOrDefault(Map.of(variable, 1), 0L);
  }

  /** Whether a variable is one of these, or reads one. */
  boolean reads(Set<Reg> regs) {
    return terms.keySet().stream()
        .anyMatch(product -> product.keySet().stream().anyMatch(e -> Operands.reads(e, regs)));
  }

  Expr expr() {
    Expr sum = Expr.i64(0);
    for (var term : terms.entrySet()) {
      Expr product = Expr.i64(term.getValue());
      for (var factor : term.getKey().entrySet()) {
        for (int k = 0; k < factor.getValue(); k++) {
          product = Expr.mul(factor.getKey(), product);
        }
      }
      sum = Expr.add(sum, product);
    }
    return sum;
  }
}
