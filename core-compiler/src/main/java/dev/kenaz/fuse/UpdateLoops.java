package dev.kenaz.fuse;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.Trace;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * Makes maps of loops that carry nothing but accumulators. Updates of accumulators may be done in
 * any order, so the iterations may run at the same time. An accumulator without an operator keeps
 * the last of two updates of one element, of which a program must not make two.
 *
 * <pre>
 *   loop acc = acc for i &lt; n do update acc [i] (f i)
 *     =&gt;  map (\acc i -&gt; update acc [i] (f i)) acc (iota n)
 * </pre>
 */
public final class UpdateLoops implements CodeRewriter {
  private UpdateLoops() {}

  /** Makes maps of such loops in a function. */
  public static Lambda in(Lambda f) {
    return new UpdateLoops().lambda(f);
  }

  static CoreProgram run(CoreProgram program) {
    return new UpdateLoops().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    if (!(inner.exp() instanceof Loop loop)
        || !(loop.form() instanceof For(var i, var bound))
        || loop.params().isEmpty()
        || !loop.params().stream().allMatch(p -> p.var().type() instanceof Type.Acc)
        || traces(loop.body())) {
      return List.of(inner);
    }
    var b = new Builder(stm.span());
    var wide = b.convert(Prim.I64, bound);
    var width = b.binary(BinaryOp.MAX, wide, i64(0));
    var places = b.iota(width);
    b.add(inner.with(map(b, loop, i, width, places)));
    return b.stms();
  }

  private static boolean traces(Body body) {
    return body.stms().stream()
        .anyMatch(
            s -> s.exp() instanceof Trace || Effects.bodies(s.exp()).anyMatch(UpdateLoops::traces));
  }

  private static Exp map(Builder b, Loop loop, Var i, Atom width, Var places) {
    var place = Names.fresh(i.name(), Type.I64);
    var body = b.inner();
    body.bindAll(
        List.of(i),
        i.type().equals(Type.I64)
            ? new Exp.Alias(place)
            : new Exp.Convert(i.type().elemPrim(), place));
    body.addAll(loop.body().stms());
    var params = loop.params().stream().map(Exp.LoopParam::var).toList();
    var inits = loop.params().stream().map(p -> (Var) p.init()).toList();
    var map =
        new Lambda(
            Lists.concat(List.of(place), params),
            body.body(loop.body().results()),
            params.stream().map(Var::type).toList());
    return new Exp.Screma(width, Lists.concat(List.of(places), inits), List.of(), List.of(), map);
  }
}
