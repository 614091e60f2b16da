package dev.kenaz.jvm;

import dev.kenaz.ir.Lists;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Removes expressions from code that would fill a method of their own: parts of them become
 * registers.
 */
final class SmallExpressions {
  private static final int MOST = 400;

  private final List<Code> out = new ArrayList<>();

  private SmallExpressions() {}

  static List<Code> in(List<Code> code) {
    var s = new SmallExpressions();
    code.forEach(s::code);
    return s.out;
  }

  private void code(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) when large(e) -> out.add(new Code.Set(reg, small(e)));
      case Code.Store(var prim, var base, var index, var value) when large(base, index, value) ->
          out.add(new Code.Store(prim, small(base), small(index), small(value)));
      case Code.Ensure(var slot, var bytes) when large(bytes) ->
          out.add(new Code.Ensure(slot, reg(bytes)));
      case Code.CopyBytes(var to, var from, var bytes) when large(to, from, bytes) ->
          out.add(new Code.CopyBytes(reg(to), reg(from), reg(bytes)));
      case Code.If(var condition, var then, var otherwise) ->
          out.add(new Code.If(condition(condition), in(then), in(otherwise)));
      case Code.For(var i, var bound, var body, var independent, var reductions) ->
          out.add(new Code.For(i, condition(bound), in(body), independent, reductions));
      case Code.While(var condition, var body) when large(condition) -> {
        // The condition is evaluated before the loop and at the end of each iteration.
        var again = Reg.fresh("again", condition.prim());
        out.addAll(in(List.of(new Code.Set(again, condition))));
        var inner = Lists.concat(in(body), in(List.of(new Code.Set(again, condition))));
        out.add(new Code.While(Expr.use(again), inner));
      }
      case Code.While(var condition, var body) -> out.add(new Code.While(condition, in(body)));
      case Code.Check(var condition, var fault, var arguments) ->
          out.add(new Code.Check(condition(condition), fault, arguments));
      case Code.Call call ->
          out.add(
              new Code.Call(
                  call.function(),
                  call.arguments().stream().map(this::reg).toList(),
                  call.outputs()));
      case Code.Print(var label, var value) -> out.add(new Code.Print(label, condition(value)));
      case Code.Plan(var chunks, var extent, var work, var most) ->
          out.add(new Code.Plan(chunks, condition(extent), condition(work), condition(most)));
      case Code.Set _,
          Code.Store _,
          Code.AtomicUpdate _,
          Code.Ensure _,
          Code.Free _,
          Code.Swap _,
          Code.CopyBytes _,
          Code.MatrixProduct _,
          Code.Parallel _,
          Code.Gpu _ ->
          out.add(c);
    }
  }

  private static boolean large(Expr... es) {
    int size = 0;
    for (var e : es) {
      size += Region.size(e);
    }
    return size > MOST;
  }

  private Expr condition(Expr e) {
    return large(e) ? reg(e) : e;
  }

  private Expr reg(Expr e) {
    if (e instanceof Expr.Use) {
      return e;
    }
    var reg = Reg.fresh("part", e.prim());
    out.add(new Code.Set(reg, small(e)));
    return Expr.use(reg);
  }

  /** Returns the same expression with small operands. */
  private Expr small(Expr e) {
    if (!large(e)) {
      return e;
    }
    UnaryOperator<Expr> operand =
        x -> {
          var y = small(x);
          return Region.size(y) > MOST / 4 ? reg(y) : y;
        };
    return e.map(operand);
  }
}
