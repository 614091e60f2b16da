package dev.kenaz.loops;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.While;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.Owner;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.IntStream;

/** Translates branches and sequential loops. */
final class Control {
  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;

  Control(Lowering lowering) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
  }

  void branch(List<Var> pattern, SegExp.Branch b) {
    branch(pattern, scope.scalar(b.condition()), b.then(), b.otherwise());
  }

  /** Runs the first version where the product of the extents is large, else the second. */
  void versions(List<Var> pattern, SegExp.Versions v) {
    Expr extent = ArrayVal.count(scope.scalars(v.extents()));
    var wide = scope.let("wide", lowering.target().wide(extent, v));
    branch(pattern, wide, v.wide(), v.narrow());
  }

  private record Side(List<Code> code, List<Val> vals) {}

  private void branch(List<Var> pattern, Expr condition, SegBody then, SegBody otherwise) {
    List<View> places =
        IntStream.range(0, pattern.size()).mapToObj(k -> scope.wanted(pattern.get(k))).toList();
    var a = side(then, places);
    var b = side(otherwise, places);
    var moreA = new ArrayList<>(a.code);
    var moreB = new ArrayList<>(b.code);
    for (int k = 0; k < pattern.size(); k++) {
      var v = pattern.get(k);
      scope.bind(v, merge(v, a.vals.get(k), b.vals.get(k), moreA, moreB));
    }
    scope.add(new Code.If(condition, moreA, moreB));
  }

  private Side side(SegBody body, List<View> places) {
    var vals = new ArrayList<Val>();
    var code = scope.block(() -> vals.addAll(lowering.bodyInto(body, places)));
    return new Side(code, vals);
  }

  private Val merge(Var v, Val a, Val b, List<Code> codeA, List<Code> codeB) {
    if (a.equals(b)) {
      return a;
    }
    return switch (a) {
      case Val.Scalar(var x) -> {
        var reg = Reg.fresh(v.name(), x.prim());
        codeA.add(new Code.Set(reg, x));
        codeB.add(new Code.Set(reg, ((Val.Scalar) b).expr()));
        yield new Val.Scalar(Expr.use(reg));
      }
      case Val.Acc acc -> acc;
      case View x when b instanceof View y && x.sameMemory(y) && x.level() == y.level() ->
          new View(
              x.prim(),
              x.base(),
              x.offset(),
              scope.dims(v.type()),
              x.strides(),
              x.contiguous() && y.contiguous(),
              x.level(),
              x.owner());
      case ArrayVal x -> mergeArrays(v, x, (ArrayVal) b, codeA, codeB);
    };
  }

  /** A pointer to either array; both are contiguous. */
  private Val mergeArrays(Var v, ArrayVal a, ArrayVal b, List<Code> codeA, List<Code> codeB) {
    var address = Reg.index(v.name());
    var owner = Reg.index(v.name() + "_owner");
    var x = pointer(v, a, address, owner, codeA);
    var y = pointer(v, b, address, owner, codeB);
    var slots = new LinkedHashSet<>(x.owner().slots());
    slots.addAll(y.owner().slots());
    return ArrayVal.contiguous(
        a.prim(),
        Expr.use(address),
        scope.dims(v.type()),
        x.level() == y.level() ? x.level() : -1,
        new Owner(Expr.use(owner), slots));
  }

  private View pointer(Var v, ArrayVal a, Reg address, Reg owner, List<Code> code) {
    var view = new View[1];
    code.addAll(
        scope.block(
            () -> {
              view[0] = arrays.contiguous(v.name(), a);
              scope.add(new Code.Set(address, view[0].address()));
              scope.add(new Code.Set(owner, view[0].owner().address()));
            }));
    return view[0];
  }

  void loop(List<Var> pattern, SegExp.Iterate loop) {
    var carried = new Carried(scope, arrays);
    var params = loop.params();
    for (int k = 0; k < params.size(); k++) {
      var p = params.get(k);
      boolean inPlace =
          p.var().type().isArray() && inPlace(loop, p.var(), loop.body().results().get(k));
      carried.add(p.var(), scope.val(p.init()), inPlace, place(pattern.get(k), p.init()));
    }
    var vars = params.stream().map(LoopParam::var).toList();
    switch (loop.form()) {
      case For(var i, var bound) -> {
        var n = scope.scalar(bound);
        var counter = Reg.index(i.name());
        var limit = n.prim() == Prim.I64 ? n : new Expr.Conv(Prim.I64, n);
        var code =
            scope.block(
                () -> {
                  var index = Expr.use(counter);
                  scope.bindScalar(
                      i, n.prim() == Prim.I64 ? index : new Expr.Conv(n.prim(), index));
                  scope.iteration(List.of(n), () -> iteration(carried, vars, loop.body()));
                });
        scope.add(new Code.For(counter, limit, code, false, List.of()));
      }
      case While(var condition) -> {
        carried.bind(vars);
        var c = scope.scalar(condition);
        var code = scope.block(() -> iteration(carried, vars, loop.body()));
        scope.add(new Code.While(c, code));
      }
    }
    carried.results(pattern);
  }

  /**
   * Where the loop's result is wanted, or null. What it begins with may be wanted there, too; it
   * isn't there yet if all of its elements are the same.
   */
  private View place(Var result, Atom init) {
    var place = scope.wanted(result);
    return place == null
            && lowering.target().updatesInPlace()
            && init instanceof Var v
            && scope.val(v) instanceof ArrayVal.Filled
        ? scope.wanted(v)
        : place;
  }

  private void iteration(Carried carried, List<Var> vars, SegBody body) {
    carried.begin();
    carried.bind(vars);
    carried.next(lowering.body(body));
  }

  private static boolean inPlace(SegExp.Iterate loop, Var param, Atom result) {
    // sizes that change from one iteration to the next would need another layout
    boolean regular =
        param.type().dims().stream()
            .noneMatch(d -> loop.params().stream().anyMatch(p -> p.var().equals(d)));
    return regular && param.equals(MemoryClasses.inPlaceRoot(loop.body(), result));
  }
}
