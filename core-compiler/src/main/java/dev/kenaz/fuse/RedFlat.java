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
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Makes one reduction of a reduction of reductions by the same operator (002 §4.2, RedFlat): it
 * reduces the flattened arrays, and all of it is parallel, at any depth.
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

  /** Takes the outermost reduction first, so that it takes in all levels below it at once. */
  @Override
  public List<Stm> stm(Stm stm) {
    var flat = stm.exp() instanceof Screma s && onlyReduces(s) ? flattened(stm, s) : List.of(stm);
    return flat.stream().flatMap(f -> CodeRewriter.super.stm(f).stream()).toList();
  }

  private static List<Stm> flattened(Stm stm, Screma s) {
    for (int depth = levels(s); depth > 1; depth--) {
      var nest = MapNest.of(asMaps(s, depth), depth);
      var all = IntStream.range(0, depth).boxed().toList();
      // all levels must index every leaf, or its flat form would be a larger array
      if (nest.isPresent() && nest.get().leaves().stream().allMatch(l -> l.levels().equals(all))) {
        return flat(stm, s, nest.get());
      }
    }
    return List.of(stm);
  }

  /** Returns how many reductions by the same operator are nested perfectly. */
  private static int levels(Screma s) {
    var inside = inside(s);
    return inside.isPresent() && same(s.reduces().getFirst(), inside.get().reduces().getFirst())
        ? 1 + levels(inside.get())
        : 1;
  }

  private static Optional<Screma> inside(Screma s) {
    return s.map().body().onlyStm().isPresent()
            && s.map().body().onlyStm().get().exp() instanceof Screma inside
            && onlyReduces(inside)
        ? Optional.of(inside)
        : Optional.empty();
  }

  private static List<Stm> flat(Stm stm, Screma s, MapNest nest) {
    var b = new Builder(stm.span());
    var width = nest.widths().stream().reduce(b::sizes).orElseThrow();
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    for (var leaf : nest.leaves()) {
      var dims = new ArrayList<Atom>(List.of(width));
      var all = leaf.array().type().dims();
      dims.addAll(all.subList(nest.widths().size(), all.size()));
      inputs.add(b.bind("flat", new Reshape(dims, leaf.array())));
      params.add(leaf.param());
    }
    var map = new Lambda(params, nest.body(), s.map().returns());
    b.with(stm.attrs())
        .bindAll(stm.pattern(), new Screma(width, inputs, List.of(), s.reduces(), map));
    return b.stms();
  }

  /** Returns the reductions as maps, whose leaves tell what reads which array. */
  private static Screma asMaps(Screma s, int depth) {
    if (depth == 1) {
      return new Screma(s.width(), s.inputs(), List.of(), List.of(), s.map());
    }
    var stm = s.map().body().stms().getFirst();
    var inner = asMaps(inside(s).orElseThrow(), depth - 1);
    var types = inner.map().returns().stream().map(t -> t.under(inner.width())).toList();
    var rows = types.stream().map(t -> Names.fresh("row", t)).toList();
    var body = new Body(List.of(new Stm(rows, inner, stm.span())), List.copyOf(rows));
    var map = new Lambda(s.map().params(), body, types);
    return new Screma(s.width(), s.inputs(), List.of(), List.of(), map);
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
