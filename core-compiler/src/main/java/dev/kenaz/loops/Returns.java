package dev.kenaz.loops;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;

/**
 * Ends a function: every array result gets a buffer of its own, by taking over the one that it lies
 * in where no other result has done so, or else by a copy.
 */
final class Returns {
  private final Scope scope;
  private final Arrays arrays;

  Returns(Lowering lowering) {
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
  }

  private record Pending(View view, Slot slot, Expr address, Expr owner) {}

  List<LoopFun.Result> results(List<Val> vals) {
    var pending = new ArrayList<Pending>();
    for (var val : vals) {
      if (val instanceof ArrayVal a) {
        var view = arrays.contiguous("result", a);
        var address = register("address", view.address());
        var owner = register("owner", view.owner().address());
        pending.add(new Pending(view, scope.slot("result"), address, owner));
      }
    }
    pending.forEach(this::take);
    pending.forEach(this::copyIfNotTaken);
    var results = new ArrayList<LoopFun.Result>();
    int next = 0;
    for (var val : vals) {
      results.add(
          switch (val) {
            case Val.Scalar(var e) -> new LoopFun.ScalarResult(e);
            case ArrayVal a -> {
              var p = pending.get(next++);
              yield new LoopFun.ArrayResult(a.prim(), p.slot, p.address, a.dims());
            }
            case Val.Acc _ -> throw new CompilerBug("loops", "an accumulator is returned");
          });
    }
    return results;
  }

  /** Returns a new register that is set to the expression here, and again later. */
  private Expr register(String name, Expr e) {
    var reg = Reg.index(name);
    scope.add(new Code.Set(reg, e));
    return Expr.use(reg);
  }

  private void take(Pending p) {
    for (var slot : p.view.owner().slots()) {
      var real = new Expr.Un(UnaryOp.NOT, Scope.equal(p.owner, Expr.i64(0)), Prim.BOOL);
      var here = Scope.and(real, Scope.equal(Expr.use(slot.base()), p.owner));
      scope.add(new Code.If(here, List.of(new Code.Swap(slot, p.slot)), List.of()));
    }
  }

  private void copyIfNotTaken(Pending p) {
    var own = Expr.use(p.slot.base());
    var bytes = p.view.bytes();
    var copy =
        List.<Code>of(
            new Code.Ensure(p.slot, bytes),
            new Code.CopyBytes(own, p.address, bytes),
            new Code.Set(((Expr.Use) p.address).reg(), own));
    scope.add(new Code.If(Scope.equal(own, Expr.i64(0)), copy, List.of()));
  }
}
