package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.AlphaKey;
import java.util.ArrayList;
import java.util.List;

/**
 * RedFlat (seed 002 section 5.2): a reduction of reductions by the same operator is one reduction
 * of the flattened arrays, all of it parallel.
 *
 * <pre>
 *   reduce (+) 0 (map (\x -> reduce (+) 0 (map f x)) a)  is  reduce (+) 0 (map f (flatten a))
 * </pre>
 */
final class RedFlat implements CodeRewriter {
  private RedFlat() {}

  static CoreProgram run(CoreProgram program) {
    return new RedFlat().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return inner.exp() instanceof Screma s ? flattened(inner, s) : List.of(inner);
  }

  private static List<Stm> flattened(Stm stm, Screma s) {
    var body = s.map().body();
    if (!onlyReduces(s)
        || body.stms().size() != 1
        || !(body.stms().getFirst().exp() instanceof Screma inside)
        || !onlyReduces(inside)
        || !body.results().equals(List.<Atom>copyOf(body.stms().getFirst().pattern()))
        || !same(s.reduces().getFirst(), inside.reduces().getFirst())) {
      return List.of(stm);
    }
    // the two as a nest of maps, whose leaves must be indexed by both
    var maps =
        new Screma(
            s.width(), s.inputs(), List.of(), List.of(), asMaps(s.map().params(), inside, stm));
    var nest = MapNest.of(maps, 2);
    if (nest.isEmpty()
        || !nest.get().leaves().stream().allMatch(l -> l.levels().equals(List.of(0, 1)))) {
      return List.of(stm);
    }
    var b = new Builder(stm.span());
    var width = b.mul(s.width(), inside.width());
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    for (var leaf : nest.get().leaves()) {
      var dims = new ArrayList<Atom>(List.of(width));
      var all = leaf.array().type().dims();
      dims.addAll(all.subList(2, all.size()));
      inputs.add(b.bind("flat", new Reshape(dims, leaf.array())));
      params.add(leaf.param());
    }
    var map = new Lambda(params, inside.map().body(), inside.map().returns());
    b.with(stm.attrs())
        .bindAll(stm.pattern(), new Screma(width, inputs, List.of(), s.reduces(), map));
    return b.stms();
  }

  private static Lambda asMaps(List<Var> params, Screma inside, Stm stm) {
    var types = inside.map().returns().stream().map(t -> t.under(inside.width())).toList();
    var rows = types.stream().map(t -> Names.fresh("row", t)).toList();
    var map = new Screma(inside.width(), inside.inputs(), List.of(), List.of(), inside.map());
    var body = new Body(List.of(new Stm(rows, map, stm.span())), List.copyOf(rows));
    return new Lambda(params, body, types);
  }

  private static boolean same(Reduce a, Reduce b) {
    return a.neutral().equals(b.neutral()) && AlphaKey.of(a.op()).equals(AlphaKey.of(b.op()));
  }

  private static boolean onlyReduces(Screma s) {
    return s.scans().isEmpty()
        && s.reduces().size() == 1
        && s.reduceWidth() == s.map().returns().size();
  }
}
