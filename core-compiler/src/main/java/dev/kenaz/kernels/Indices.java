package dev.kenaz.kernels;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Removes divisions of indices whose results are only put together again: a point's number is taken
 * apart into its indices, of which an array of the same shape makes the number again. With {@code q
 * = x / m} and {@code r = x - q * m}, {@code q * m + r} is {@code x}.
 *
 * <p>Sums of products are compared as polynomials of registers; these wrap around as the machine's
 * arithmetic does.
 */
final class Indices {
  private static final int MOST_TERMS = 16;

  /** What a quotient {@code q} of a register {@code x} leaves. */
  private record Remainder(Expr x, Reg q, Expr m) {}

  private final Map<Reg, Integer> sets = new HashMap<>();
  private final Map<Reg, Expr> definitions = new HashMap<>();
  private final Map<Reg, Remainder> remainders = new HashMap<>();

  /** Registers in the order in which they are met, so that the text is the same each time. */
  private final Map<Reg, Integer> order = new HashMap<>();

  private Indices() {}

  /**
   * Returns the same code with simpler indices, and without assignments of i64 that nothing reads.
   */
  static List<Code> simplified(List<Code> body) {
    var x = new Indices();
    x.collect(body);
    return x.remainders.isEmpty() ? body : live(x.code(body));
  }

  // Registers that have one value wherever they can be read

  private void collect(List<Code> body) {
    Liveness.of(body).needed().forEach(r -> sets.merge(r, 1, Integer::sum));
    CodeWalk.code(
        body,
        c -> {
          switch (c) {
            case Code.Set(var reg, var e) -> {
              sets.merge(reg, 1, Integer::sum);
              definitions.put(reg, e);
            }
            case Code.For f -> {
              sets.merge(f.i(), 1, Integer::sum);
              carried(f.body());
            }
            case Code.While w -> carried(w.body());
            case Code.Gpu(var g) -> g.sets().forEach(r -> sets.merge(r, 1, Integer::sum));
            default -> {}
          }
        },
        _ -> {});
    definitions.keySet().removeIf(r -> r.prim() != Prim.I64 || !stable(r));
    definitions.forEach(
        (r, e) -> {
          if (e instanceof Expr.Bin(var op, var x, Expr.Bin(var by, Expr.Use(var q), var m))
              && op == BinaryOp.SUB
              && by == BinaryOp.MUL
              && definitions.get(q) instanceof Expr.Bin(var quot, var y, var n)
              && quot == BinaryOp.QUOT
              && x.equals(y)
              && m.equals(n)
              && stable(x)
              && stable(m)) {
            remainders.put(r, new Remainder(x, q, m));
          }
        });
  }

  /** Notes what an iteration may read of the one before: that has several values. */
  private void carried(List<Code> loop) {
    var set = Registers.of(loop).assigned();
    Liveness.of(loop).needed().stream()
        .filter(set::contains)
        .forEach(r -> sets.merge(r, 1, Integer::sum));
  }

  /** Whether the register is set once, or is a parameter that is never set. */
  private boolean stable(Reg r) {
    return sets.getOrDefault(r, 0) <= 1;
  }

  private boolean stable(Expr e) {
    return e instanceof Expr.Lit || e instanceof Expr.Use(var r) && stable(r);
  }

  // Polynomials: the coefficient of each product of registers

  private Map<List<Reg>, Long> polynomial(Expr e, boolean expand) {
    return switch (e) {
      case Expr.Lit(var value) -> term(List.of(), value.bits());
      case Expr.Use(var r) -> {
        if (!stable(r)) {
          yield null;
        }
        var d = expand && !remainders.containsKey(r) ? definitions.get(r) : null;
        var inner = d == null || !arithmetic(d) ? null : polynomial(d, true);
        yield inner == null ? term(List.of(r), 1) : inner;
      }
      case Expr.Bin(var op, var x, var y) when arithmetic(e) -> {
        var a = polynomial(x, expand);
        var b = polynomial(y, expand);
        yield a == null || b == null ? null : combined(op, a, b);
      }
      default -> null;
    };
  }

  private static boolean arithmetic(Expr e) {
    return e instanceof Expr.Bin(var op, _, _)
        && e.prim() == Prim.I64
        && (op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL);
  }

  private static Map<List<Reg>, Long> term(List<Reg> product, long coefficient) {
    Map<List<Reg>, Long> p = new LinkedHashMap<>();
    if (coefficient != 0) {
      p.put(product, coefficient);
    }
    return p;
  }

  private Map<List<Reg>, Long> combined(
      BinaryOp op, Map<List<Reg>, Long> a, Map<List<Reg>, Long> b) {
    Map<List<Reg>, Long> all = op == BinaryOp.MUL ? new LinkedHashMap<>() : new LinkedHashMap<>(a);
    b.forEach(
        (y, d) -> {
          if (op == BinaryOp.MUL) {
            a.forEach((x, c) -> add(all, product(x, y), c * d));
          } else {
            add(all, y, op == BinaryOp.SUB ? -d : d);
          }
        });
    return all.size() > MOST_TERMS ? null : all;
  }

  private static void add(Map<List<Reg>, Long> to, List<Reg> product, long coefficient) {
    if (to.merge(product, coefficient, Long::sum) == 0) {
      to.remove(product);
    }
  }

  private List<Reg> product(List<Reg> x, List<Reg> y) {
    var all = new ArrayList<>(x);
    all.addAll(y);
    all.forEach(r -> order.computeIfAbsent(r, _ -> order.size()));
    all.sort(Comparator.comparing(order::get));
    return List.copyOf(all);
  }

  /** Puts one number together again; returns false if none is taken apart. */
  private boolean joined(Map<List<Reg>, Long> p) {
    for (var t : List.copyOf(p.entrySet())) {
      for (var r : t.getKey()) {
        var found = remainders.get(r);
        var m = found == null ? null : polynomial(found.m, true);
        if (m == null || m.size() != 1) {
          continue;
        }
        var factors = new ArrayList<>(t.getKey());
        factors.remove(r);
        var by = m.entrySet().iterator().next();
        var partner = product(product(factors, List.of(found.q)), by.getKey());
        long needed = t.getValue() * by.getValue();
        if (needed == 0 || p.getOrDefault(partner, 0L) != needed) {
          continue;
        }
        p.remove(t.getKey());
        p.remove(partner);
        polynomial(found.x, false).forEach((x, c) -> add(p, product(factors, x), c * t.getValue()));
        return true;
      }
    }
    return false;
  }

  // Rewriting

  private Expr expr(Expr e) {
    if (arithmetic(e)) {
      var p = polynomial(e, true);
      boolean changed = false;
      while (p != null && joined(p)) {
        changed = true;
      }
      if (changed) {
        return sum(p);
      }
    }
    return e.map(this::expr);
  }

  private static Expr sum(Map<List<Reg>, Long> p) {
    Expr all = Expr.i64(0);
    for (var t : p.entrySet()) {
      Expr product = Expr.i64(1);
      for (var r : t.getKey()) {
        product = Expr.mul(product, Expr.use(r));
      }
      all =
          t.getValue() == -1 && !t.getKey().isEmpty()
              ? Expr.sub(all, product)
              : Expr.add(all, Expr.mul(product, Expr.i64(t.getValue())));
    }
    return all;
  }

  private List<Code> code(List<Code> code) {
    return code.stream().map(this::code).toList();
  }

  private Code code(Code c) {
    return switch (c) {
      case Code.Set(var reg, var e) -> new Code.Set(reg, expr(e));
      case Code.Store(var prim, var base, var index, var value) ->
          new Code.Store(prim, expr(base), expr(index), expr(value));
      case Code.AtomicUpdate(var op, var prim, var base, var index, var value) ->
          new Code.AtomicUpdate(op, prim, expr(base), expr(index), expr(value));
      case Code.If(var condition, var then, var otherwise) ->
          new Code.If(expr(condition), code(then), code(otherwise));
      case Code.For(var i, var bound, var body, var independent, var reductions) ->
          new Code.For(i, expr(bound), code(body), independent, reductions);
      case Code.While(var condition, var body) -> new Code.While(expr(condition), code(body));
      case Code.Gpu(GpuCode.Attempt(var body)) -> new Code.Gpu(new GpuCode.Attempt(code(body)));
      case Code.Gpu(GpuCode.Locked(var base, var index, var body)) ->
          new Code.Gpu(new GpuCode.Locked(base, index, code(body)));
      default -> c;
    };
  }

  private static List<Code> live(List<Code> body) {
    Set<Reg> read = new HashSet<>(Registers.of(body).read());
    var less = live(body, read);
    return less.equals(body) ? body : live(less);
  }

  private static List<Code> live(List<Code> body, Set<Reg> read) {
    var kept = new ArrayList<Code>();
    for (var c : body) {
      switch (c) {
        case Code.Set(var reg, _) when reg.prim() == Prim.I64 && !read.contains(reg) -> {}
        case Code.If(var condition, var then, var otherwise) ->
            kept.add(new Code.If(condition, live(then, read), live(otherwise, read)));
        case Code.For(var i, var bound, var inner, var independent, var reductions) ->
            kept.add(new Code.For(i, bound, live(inner, read), independent, reductions));
        case Code.While(var condition, var inner) ->
            kept.add(new Code.While(condition, live(inner, read)));
        case Code.Gpu(GpuCode.Attempt(var inner)) ->
            kept.add(new Code.Gpu(new GpuCode.Attempt(live(inner, read))));
        default -> kept.add(c);
      }
    }
    return kept;
  }
}
