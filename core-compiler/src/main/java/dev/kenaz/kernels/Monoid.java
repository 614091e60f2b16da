package dev.kenaz.kernels;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.Lowering;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** This is an associative operator on tuples of scalars, side by side with others. */
interface Monoid {
  List<Prim> prims();

  List<Expr> neutral();

  /** Adds code to the scope that combines two tuples; returns the result. */
  List<Expr> combine(List<Expr> left, List<Expr> right);

  /** A monoid of the operators on consecutive components. */
  static Monoid of(Lowering lowering, List<Lambda> ops, List<Atom> neutral) {
    var scope = lowering.scope();
    var elements = scope.scalars(neutral);
    return new Monoid() {
      @Override
      public List<Prim> prims() {
        return elements.stream().map(Expr::prim).toList();
      }

      @Override
      public List<Expr> neutral() {
        return elements;
      }

      @Override
      public List<Expr> combine(List<Expr> left, List<Expr> right) {
        return attempt(scope, left, () -> apply(left, right));
      }

      private List<Expr> apply(List<Expr> left, List<Expr> right) {
        var results = new ArrayList<Expr>();
        int from = 0;
        for (var op : ops) {
          int width = op.params().size() / 2;
          var arguments = new ArrayList<Val>();
          left.subList(from, from + width).forEach(e -> arguments.add(new Val.Scalar(e)));
          right.subList(from, from + width).forEach(e -> arguments.add(new Val.Scalar(e)));
          lowering.call(op, arguments).forEach(v -> results.add(((Val.Scalar) v).expr()));
          from += width;
        }
        return results;
      }
    };
  }

  /**
   * The operator with a further component, last, that tells whether a segment begins somewhere in
   * what was combined: what is before that doesn't count.
   */
  static Monoid segmented(Scope scope, Monoid m) {
    int n = m.prims().size();
    return new Monoid() {
      @Override
      public List<Prim> prims() {
        return Lists.concat(m.prims(), List.of(Prim.BOOL));
      }

      @Override
      public List<Expr> neutral() {
        return Lists.concat(m.neutral(), List.of(Expr.bool(false)));
      }

      @Override
      public List<Expr> combine(List<Expr> left, List<Expr> right) {
        var result = right.subList(0, n).stream().map(e -> Reg.fresh("x", e.prim())).toList();
        assign(scope, result, right.subList(0, n));
        var code =
            scope.block(
                () -> assign(scope, result, m.combine(left.subList(0, n), right.subList(0, n))));
        scope.add(new Code.If(right.get(n), List.of(), code));
        var all = new ArrayList<Expr>();
        result.forEach(r -> all.add(Expr.use(r)));
        all.add(
            scope.let("flag", new Expr.Bin(dev.kenaz.ir.BinaryOp.OR, left.get(n), right.get(n))));
        return all;
      }
    };
  }

  /** Sets all registers at once. */
  static void assign(Scope scope, List<Reg> regs, List<Expr> values) {
    var saved = new ArrayList<Expr>();
    for (int k = 0; k < regs.size(); k++) {
      boolean overwritten =
          values.get(k) instanceof Expr.Use(var r) && regs.subList(0, k).contains(r);
      if (overwritten) {
        var copy = Reg.fresh("old", values.get(k).prim());
        saved.add(Expr.use(copy));
        scope.add(new Code.Set(copy, values.get(k)));
      } else {
        saved.add(values.get(k));
      }
    }
    for (int k = 0; k < regs.size(); k++) {
      if (!saved.get(k).equals(Expr.use(regs.get(k)))) {
        scope.add(new Code.Set(regs.get(k), saved.get(k)));
      }
    }
  }

  /** Returns the results of the action, or the other values if something in it fails. */
  static List<Expr> attempt(Scope scope, List<Expr> otherwise, Supplier<List<Expr>> action) {
    var results = new ArrayList<Expr>();
    var code = scope.block(() -> results.addAll(action.get()));
    if (!canFail(code)) {
      code.forEach(scope::add);
      return results;
    }
    var regs = results.stream().map(e -> Reg.fresh("r", e.prim())).toList();
    for (int k = 0; k < regs.size(); k++) {
      scope.add(new Code.Set(regs.get(k), otherwise.get(k)));
    }
    var all = Lists.concat(code, scope.block(() -> assign(scope, regs, results)));
    scope.add(new Code.Gpu(new GpuCode.Attempt(all)));
    return regs.stream().<Expr>map(Expr::use).toList();
  }

  private static boolean canFail(List<Code> code) {
    var found = new boolean[1];
    CodeWalk.code(
        code, c -> found[0] |= c instanceof Code.Check || c instanceof Code.Ensure, _ -> {});
    return found[0];
  }
}
