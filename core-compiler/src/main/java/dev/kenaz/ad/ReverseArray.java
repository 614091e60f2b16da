package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Differentiates statements that move data. Each is linear, {@code y = A x}, so the return sweep
 * applies the transpose, {@code x̄ += Aᵀ ȳ} (001 equation 3):
 *
 * <pre>{@code
 * y = a[i]                ā[i] += ȳ                                 (001 §4.2)
 * y = a with [i] <- x     x̄ += ȳ[i];  ā += ȳ with [i] <- 0          (001 §5.3)
 * y = replicate n x       x̄ += Σ ȳ
 * y = concat a b          ā += the first rows of ȳ;  b̄ += the rest
 * y = transpose a         ā += transpose ȳ, and likewise for every permutation and reshape
 * }</pre>
 */
final class ReverseArray {
  private ReverseArray() {}

  static void emit(Sweep s, Stm stm) {
    var y = stm.var();
    if (s.isZero(y)) {
      return;
    }
    switch (reached(s, stm.exp())) {
      case Index(var a, var is, _) -> s.addAt(a, is, s.takeValue(y));
      case Slice(var a, var dims, _) -> s.addSlice(a, dims, s.takeValue(y));
      case Copy(var a) -> s.add(a, s.take(y));
      case Update u -> update(s, y, u);
      case Replicate(var shape, var x) -> {
        if (s.activity.active(x)) {
          s.add(x, replicated(s, y, shape), true);
        }
      }
      case ArrayLit(var xs, _) -> {
        var adjoint = (Var) s.takeValue(y);
        for (int i = 0; i < xs.size(); i++) {
          if (s.activity.active(xs.get(i))) {
            s.add(xs.get(i), s.b.index(adjoint, i64(i)), false);
          }
        }
      }
      case Concat(var dim, var xs, _) -> concat(s, (Var) s.takeValue(y), dim, xs);
      case Rearrange(var perm, var a) -> {
        var inverse = new Integer[perm.size()];
        for (int i = 0; i < inverse.length; i++) {
          inverse[perm.get(i)] = i;
        }
        var adjoint = (Var) s.takeValue(y);
        s.add(a, s.b.bind("tr", new Rearrange(List.of(inverse), adjoint)), false);
      }
      case Reshape(_, var a) -> {
        var adjoint = (Var) s.takeValue(y);
        s.add(a, s.b.bind("re", new Reshape(a.type().dims(), adjoint)), false);
      }
      case Iota i -> iota(s, (Var) s.takeValue(y), i);
      case UpdateAcc(var acc, var is, var xs) -> {
        // the accumulator's adjoint is that of the array it becomes: see ReverseAccumulators
        var adjoint = s.take(y);
        s.set(acc, adjoint);
        ReverseAccumulators.update(s, (Adjoint.Value) adjoint, acc, is, xs);
      }
      default -> throw new CompilerBug("ad", "not an array statement: " + stm.exp());
    }
  }

  /**
   * Returns the expression at checked indices, except where what is added outside of the array is
   * ignored.
   */
  private static Exp reached(Sweep s, Exp exp) {
    boolean ignores = exp instanceof Index(var a, _, _) && s.get(a) instanceof Adjoint.Accumulator;
    return ignores ? exp : CheckedIndices.of(s.b, exp);
  }

  private static void update(Sweep s, Var y, Update u) {
    if (s.activity.active(u.value())) {
      var part = s.b.bind("x", Sweep.slice((Var) s.value(y), u.slice()));
      // what was read must not be a view of what is cleared next
      boolean clears = s.activity.active(u.array());
      s.add(
          u.value(),
          part.type().isArray() && clears ? s.b.bind("own", new Copy(part)) : part,
          clears);
    }
    if (s.activity.active(u.array())) {
      var adjoint = s.owned(y);
      s.take(y);
      var zero = s.b.zero(u.value().type());
      var cleared = s.b.bind(adjoint.name(), new Update(adjoint, u.slice(), zero, false));
      s.add(u.array(), cleared, true);
    } else {
      s.take(y);
    }
  }

  /**
   * Adds the sum of ȳ to the adjoints of the start and of n, as in {@link Forward} each element has
   * the tangent of n, and {@code Σ i · ȳ[i]} to that of the step.
   */
  private static void iota(Sweep s, Var adjoint, Iota i) {
    var sum = sumRows(s.b, adjoint);
    s.add(i.start(), sum, true);
    if (s.activity.active(i.n())) {
      s.add(i.n(), s.b.convert(i.n().type().elemPrim(), sum), true);
    }
    if (s.activity.active(i.step())) {
      var prim = adjoint.type().elemPrim();
      var at = s.b.bind("at", new Iota(i.n(), Atom.of(prim, 0), Atom.of(prim, 1)));
      var terms =
          s.b.map(i.n(), List.of(adjoint, at), (in, p) -> List.of(in.mul(p.get(0), p.get(1))));
      s.add(i.step(), sumRows(s.b, terms.getFirst()), true);
    }
  }

  private static void concat(Sweep s, Var adjoint, int dim, List<Var> arrays) {
    Atom start = i64(0);
    for (var a : arrays) {
      var size = a.type().dims().get(dim);
      if (s.activity.active(a)) {
        var slice = new ArrayList<DimSlice>();
        for (int d = 0; d < a.type().dims().size(); d++) {
          slice.add(new DimSlice.Range(d == dim ? start : i64(0), a.type().dims().get(d), i64(1)));
        }
        s.add(a, s.b.bind("part", new Slice(adjoint, slice, false)), false);
      }
      start = s.b.add(start, size);
    }
  }

  private static Atom replicated(Sweep s, Var y, List<Atom> shape) {
    if (s.get(y) instanceof Adjoint.Broadcast(var row) && shape.size() == 1) {
      s.take(y);
      return times(s.b, row, shape.getFirst());
    }
    return sumOuter(s.b, (Var) s.takeValue(y), shape.size());
  }

  /** Computes {@code n · x}. */
  private static Atom times(Builder b, Atom x, Atom n) {
    if (x.type().isScalar()) {
      return b.mul(b.convert(x.type().elemPrim(), n), x);
    }
    return b.map(
            x.type().dims().getFirst(),
            List.of((Var) x),
            (in, p) -> List.of(times(in, p.getFirst(), n)))
        .getFirst();
  }

  /** Returns the sum over this many outer dimensions. */
  static Atom sumOuter(Builder b, Var array, int outer) {
    var flat = array;
    var dims = array.type().dims();
    if (outer > 1) {
      Atom n = i64(1);
      for (var d : dims.subList(0, outer)) {
        n = b.sizes(n, d);
      }
      var shape = new ArrayList<Atom>();
      shape.add(n);
      shape.addAll(dims.subList(outer, dims.size()));
      flat = b.bind("flat", new Reshape(shape, array));
    }
    return sumRows(b, flat);
  }

  /**
   * Returns the sum of the rows. Arrays are summed element by element, so that no operator works on
   * arrays.
   */
  static Atom sumRows(Builder b, Var array) {
    var dims = array.type().dims();
    if (dims.size() == 1) {
      var prim = array.type().elemPrim();
      var sum =
          new Reduce(b.operator(Builder.addition(prim), prim), List.of(Atom.of(prim, 0)), true);
      var identity = b.lambda(List.of(Type.scalar(prim)), (_, p) -> p);
      return b.screma(dims.getFirst(), List.of(array), List.of(), List.of(sum), identity)
          .getFirst();
    }
    var columns = b.transposed(array);
    return b.map(dims.get(1), List.of(columns), (in, p) -> List.of(sumRows(in, p.getFirst())))
        .getFirst();
  }
}
