package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes one loop of a loop over rows and one over their elements, if nothing depends on where a row
 * ends:
 *
 * <pre>
 *   for i &lt; n: for k &lt; m: b[i * m + k] = f(a[i * m + k])
 *     =&gt;  for t &lt; n * m: b[t] = f(a[t])
 * </pre>
 *
 * <p>Rows of three numbers, as points and colours are, fill no vector; all of them together do. All
 * that the body computes of the counters must be of the form {@code c * (i * m + k) + r}, where
 * {@code r} doesn't depend on them, as polynomials; products of sizes are equal so even where they
 * wrap around.
 *
 * <p>A part of the elements that begins or ends within a row ({@link
 * dev.kenaz.loops.Arrays#points}) is a loop over rows, too; {@code p} is its element that comes
 * next:
 *
 * <pre>
 *   while p &lt; hi:
 *     start = p - row * m
 *     for t &lt; min(m - start, hi - p): ...
 *     p += min(m - start, hi - p); row += 1
 * </pre>
 */
final class FlatRows {
  private final Map<Reg, Integer> reads;

  private FlatRows(Map<Reg, Integer> reads) {
    this.reads = reads;
  }

  /** Returns the function with fewer loops. */
  static LoopFun in(LoopFun function) {
    var code = new FlatRows(Registers.reads(function)).in(function.body());
    return code.equals(function.body()) ? function : function.with(code);
  }

  private List<Code> in(List<Code> code) {
    var out = new ArrayList<Code>();
    for (var c : code) {
      var next = CodeWalk.withInner(c, this::in);
      out.add(flat(next.equals(c) ? c : next));
    }
    return out.equals(code) ? code : out;
  }

  private Code flat(Code c) {
    try {
      return switch (c) {
        case Code.For outer -> nested(outer).orElse(c);
        case Code.While rows -> parts(rows).orElse(c);
        default -> c;
      };
    } catch (Unsuitable u) {
      return c; // The loops stay.
    }
  }

  /** Makes one loop of two. */
  private Optional<Code> nested(Code.For outer) throws Unsuitable {
    var body = outer.body();
    if (!outer.independent()
        || !outer.reductions().isEmpty()
        || body.isEmpty()
        || !(body.getLast() instanceof Code.For inner)
        || !isFlat(inner)) {
      return Optional.empty();
    }
    var width = Polynomial.of(inner.bound());
    var nest = new Nest(outer, Set.of(outer.i(), inner.i()), width, outer.i(), inner.i());
    var t = Reg.index("t");
    nest.define(body.subList(0, body.size() - 1));
    var code = nest.code(inner.body(), Polynomial.of(Expr.use(t)));
    check(List.of(outer), nest.gone);
    var count = Expr.mul(natural(outer.bound()), natural(inner.bound()));
    return Optional.of(new Code.For(t, count, code, true, List.of()));
  }

  private static Expr natural(Expr count) {
    return count instanceof Expr.Lit(var n) && n.bits() >= 0
        ? count
        : new Expr.Bin(BinaryOp.MAX, Expr.i64(0), count);
  }

  /** Makes one loop of one over parts of rows. */
  private Optional<Code> parts(Code.While rows) throws Unsuitable {
    int size = rows.body().size();
    if (size < 3
        || !(rows.condition() instanceof Expr.Cmp(var op, Expr.Use(var p), var hi))
        || op != CompareOp.LT
        || !(rows.body().get(size - 3) instanceof Code.For inner)
        || !isFlat(inner)
        || !(rows.body().get(size - 2) instanceof Code.Set(var next, var after))
        || !next.equals(p)
        || !(rows.body().get(size - 1) instanceof Code.Set(var row, var below))
        || !below.equals(Expr.add(Expr.use(row), Expr.i64(1)))) {
      return Optional.empty();
    }
    // The loop goes on where this part ends.
    var part = Polynomial.of(after).plus(Polynomial.of(Expr.use(p)), -1);
    var bound = Polynomial.of(inner.bound());
    var width = bound.equals(part) ? Polynomial.of(Expr.i64(1)) : quotient(inner.bound(), part);
    var nest = new Nest(rows, Set.of(p, row, inner.i()), width, p, inner.i());
    nest.requireFixed(hi);
    nest.define(rows.body().subList(0, size - 3));
    var t = Reg.index("t");
    // From here on p stays what it is before the loop.
    var first = Polynomial.of(Expr.use(p)).times(width);
    var code = nest.code(inner.body(), first.plus(Polynomial.of(Expr.use(t)), 1));
    check(List.of(rows), nest.gone);
    var count = Expr.mul(natural(Expr.sub(hi, Expr.use(p))), width.expr());
    return Optional.of(new Code.For(t, count, code, true, List.of()));
  }

  /** Returns by what the part is multiplied. */
  private static Polynomial quotient(Expr bound, Polynomial part) throws Unsuitable {
    if (bound instanceof Expr.Bin(var op, var x, var y)
        && op == BinaryOp.MUL
        && Polynomial.of(positive(x)).equals(part)) {
      return Polynomial.of(y);
    }
    throw new Unsuitable("has parts of other lengths");
  }

  /** A part has at least one element, or else its loop would not end. */
  private static Expr positive(Expr count) {
    return count instanceof Expr.Bin(var op, Expr.Lit(var zero), var x)
            && op == BinaryOp.MAX
            && zero.bits() == 0
        ? x
        : count;
  }

  private static boolean isFlat(Code.For inner) {
    return inner.independent()
        && inner.reductions().isEmpty()
        && Operands.canBeRenamed(inner.body());
  }

  /** Nothing outside may read what is not set any more. */
  private void check(List<Code> loop, Set<Reg> gone) throws Unsuitable {
    var inside = Registers.reads(loop);
    for (var reg : gone) {
      if (!reads.getOrDefault(reg, 0).equals(inside.getOrDefault(reg, 0))) {
        throw new Unsuitable("sets what is read after it");
      }
    }
  }

  /** The counters of two loops, and what is computed of them. */
  private static final class Nest {
    final Set<Reg> counters;
    final Set<Reg> gone = new HashSet<>();
    private final Reg inner;
    private final Polynomial number;
    private final Map<Reg, Expr> definitions = new HashMap<>();
    private final Map<Reg, Integer> sets;

    /** What the loops set, apart from counters of loops inside, which an iteration has by turns. */
    private final Set<Reg> changing;

    private Polynomial replacement;

    /**
     * Begins with the counters.
     *
     * @param width how many elements the inner loop has for each step of the outer counter
     */
    Nest(Code loops, Set<Reg> counters, Polynomial width, Reg outer, Reg inner) throws Unsuitable {
      this.counters = new HashSet<>(counters);
      this.inner = inner;
      changing = new HashSet<>(Registers.of(List.of(loops)).assigned());
      sets = Registers.sets(List.of(loops));
      requireFixed(width.expr());
      number = Polynomial.of(Expr.use(outer)).times(width).plus(Polynomial.of(Expr.use(inner)), 1);
      gone.addAll(counters);
    }

    /** The expression can be computed before the loops, with the same result. */
    void requireFixed(Expr e) throws Unsuitable {
      if (!Operands.isPure(e) || Operands.reads(e, changing) || Operands.reads(e, counters)) {
        throw new Unsuitable("has rows of varying length");
      }
    }

    /** Takes what the outer loop sets for the inner one. */
    void define(List<Code> before) throws Unsuitable {
      for (var c : before) {
        if (!(c instanceof Code.Set(var reg, var e)) || !Operands.isPure(e)) {
          throw new Unsuitable("computes more than numbers for a row");
        }
        var value = Operands.substitute(e, definitions);
        gone.add(reg);
        if (isDefinition(reg, value)) {
          definitions.put(reg, value);
        } else {
          counters.add(reg); // Nothing may read it in the end.
        }
      }
    }

    private boolean isDefinition(Reg reg, Expr e) {
      var others = new HashSet<>(changing);
      others.removeAll(counters);
      return reg.prim() == Prim.I64
          && isRing(e)
          && sets.get(reg) == 1
          && !Operands.reads(e, others);
    }

    /** Returns code of the inner loop for one counter of all elements. */
    List<Code> code(List<Code> code, Polynomial of) throws Unsuitable {
      replacement = of;
      return code(code);
    }

    private List<Code> code(List<Code> code) throws Unsuitable {
      var out = new ArrayList<Code>();
      for (var c : code) {
        switch (c) {
          case Code.Set(var reg, var e) -> {
            var value = Operands.substitute(e, definitions);
            if (Operands.reads(value, counters) && isDefinition(reg, value)) {
              gone.add(reg);
              definitions.put(reg, value);
            } else if (counters.contains(reg)) {
              throw new Unsuitable("computes numbers for a row again");
            } else {
              out.add(new Code.Set(reg, expr(value)));
            }
          }
          case Code.Store(var prim, var base, var index, var value) ->
              out.add(new Code.Store(prim, known(base), known(index), known(value)));
          case Code.If(var condition, var then, var otherwise) -> {
            var test = known(condition);
            out.add(new Code.If(test, code(then), code(otherwise)));
          }
          case Code.For f -> {
            var bound = known(f.bound());
            changing.remove(f.i());
            var inside = code(f.body());
            forget(f.i());
            out.add(new Code.For(f.i(), bound, inside, f.independent(), f.reductions()));
          }
          default -> throw new Unsuitable("has side effects");
        }
      }
      return out;
    }

    /** What is computed of the counter of a loop inside is not known after it. */
    private void forget(Reg counter) {
      changing.add(counter);
      definitions.forEach(
          (reg, e) -> {
            if (Operands.reads(e, Set.of(counter))) {
              counters.add(reg);
            }
          });
      definitions.keySet().removeAll(counters);
    }

    private Expr known(Expr e) throws Unsuitable {
      return expr(Operands.substitute(e, definitions));
    }

    /** Returns the expression with the counter of all elements. */
    private Expr expr(Expr e) throws Unsuitable {
      if (!Operands.reads(e, counters)) {
        return e;
      }
      if (e.prim() == Prim.I64 && isRing(e)) {
        var p = Polynomial.of(e);
        long c = p.factor(Expr.use(inner));
        var rest = p.plus(number, -c);
        if (!rest.reads(counters)) {
          return Expr.add(rest.expr(), Expr.mul(replacement.expr(), Expr.i64(c)));
        }
      }
      if (e instanceof Expr.Use) {
        throw new Unsuitable("depends on the row");
      }
      var failed = new boolean[1];
      var result =
          e.map(
              x -> {
                try {
                  return expr(x);
                } catch (Unsuitable u) {
                  failed[0] = true;
                  return x;
                }
              });
      if (failed[0]) {
        throw new Unsuitable("depends on the row");
      }
      return result;
    }

    /** Whether it is a sum, a difference or a product, or nothing but a number. */
    private static boolean isRing(Expr e) {
      return switch (e) {
        case Expr.Lit _, Expr.Use _ -> true;
        case Expr.Bin(var op, var x, var y) ->
            (op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL)
                && isRing(x)
                && isRing(y);
        default -> false;
      };
    }
  }
}
