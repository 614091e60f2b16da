package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.fuse.Fuse;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Binders;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Pass;
import dev.kenaz.simplify.Simplify;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Computes with all pairs of rows: {@code map (\x -> reduce op ne (map (f x) ys)) xs}, where ys has
 * rows too.
 *
 * <p>The reduction goes over one piece of ys after the other: a loop, in each iteration of which
 * one piece's rows of ys are sent to all, and every row of xs is combined with them. So no machine
 * needs more of ys than one piece. For this the function of a row is first fused by itself, which
 * joins the reduction and what it reduces.
 */
final class Pairs {
  private static final Pass<CoreProgram, CoreProgram> FUSED =
      Pass.fixpoint(
          "fuse-rows",
          "Joins the operators of one row's function.",
          4,
          List.of(Simplify.SIMPLIFY, Fuse.ROW_INPUTS, Fuse.VERTICAL, Fuse.FUSION));

  private final Labeller labeller;
  private final Spaces spaces;
  private final Pieces pieces;

  Pairs(Labeller labeller, Pieces pieces) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
    this.pieces = pieces;
  }

  /** Returns statements in the place of a map over rows that reduces other rows for each. */
  Optional<List<Stm>> of(Stm stm) {
    if (!(stm.exp() instanceof Screma s)
        || !spaces.has(s.width())
        || !needsRows(s.map())
        || s.inputs().stream().anyMatch(v -> v.type() instanceof Type.Acc)) {
      return Optional.empty();
    }
    var outside = new ArrayList<Stm>();
    var alone = fused(PairedUpdates.reducing(labeller, s.map()));
    if (!needsRows(alone)) {
      // The other rows were needed only for what nothing uses.
      var exp = new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), alone);
      return Optional.of(List.of(stm.with(exp)));
    }
    var fused = neutralOutside(alone, outside);
    return of(stm, s, fused)
        .map(stms -> Lists.concat(outside, stms))
        .or(() -> exchanged(stm, s, alone));
  }

  private Optional<List<Stm>> exchanged(Stm stm, Screma s, Lambda alone) {
    var outside = new ArrayList<Stm>();
    return MappedReductions.exchanged(spaces, alone)
        .flatMap(f -> of(stm, s, neutralOutside(f, outside)))
        .map(stms -> Lists.concat(outside, stms));
  }

  private Optional<List<Stm>> of(Stm stm, Screma s, Lambda fused) {
    for (var map = Optional.of(fused); map.isPresent(); map = outwards(map.get())) {
      for (int k = 0; k < map.get().body().stms().size(); k++) {
        if (isReduction(map.get(), map.get().body().stms().get(k)) && canHand(map.get(), k)) {
          return Optional.of(split(stm, s, map.get(), k));
        }
      }
    }
    return ReducedColumns.of(labeller, stm, s, fused);
  }

  /**
   * Has reductions in the function of a row start from neutral elements that are made outside of
   * it. What the function makes stays there, too, as it may be overwritten.
   */
  private Lambda neutralOutside(Lambda map, List<Stm> outside) {
    var inside = Binders.of(map);
    var made = new HashMap<Var, Var>();
    for (var stm : map.body().stms()) {
      if (stm.exp() instanceof Replicate
          && !spaces.inType(stm.var().type())
          && Collections.disjoint(FreeVars.of(stm), inside)) {
        made.put(stm.var(), Names.like(stm.var()));
        outside.add(stm.with(List.of(made.get(stm.var())), stm.exp()));
      }
    }
    var stms = new ArrayList<Stm>();
    for (var stm : map.body().stms()) {
      if (stm.exp() instanceof Screma s && !s.reduces().isEmpty()) {
        var reduces = s.reduces().stream().map(r -> from(r, made)).toList();
        stms.add(stm.with(new Screma(s.width(), s.inputs(), s.scans(), reduces, s.map())));
      } else {
        stms.add(stm);
      }
    }
    return new Lambda(map.params(), map.body().with(stms), map.returns());
  }

  private static Reduce from(Reduce r, Map<Var, Var> made) {
    var neutral =
        r.neutral().stream().map(x -> x instanceof Var v ? made.getOrDefault(v, v) : x).toList();
    return new Reduce(r.op(), neutral, r.commutative());
  }

  private Optional<Lambda> outwards(Lambda map) {
    return RowFunction.outOfBranch(map, s -> isReduction(map, s))
        .or(() -> RowFunction.recomputed(spaces, map));
  }

  private boolean needsRows(Lambda map) {
    return FreeVars.of(map).stream().anyMatch(v -> labeller.of(v) instanceof Label.Sharded);
  }

  private static Lambda fused(Lambda map) {
    var params = new ArrayList<Var>(FreeVars.of(map));
    params.sort((a, b) -> Boolean.compare(a.type().isArray(), b.type().isArray()));
    params.addAll(map.params());
    var function = StepFunctions.of("row", params, map.body());
    var program = FUSED.apply(new CoreProgram(List.of(function), List.of()));
    FunDef f = program.functions().getFirst();
    return new Lambda(map.params(), f.body(), map.returns());
  }

  /** Whether the statement reduces rows of other arrays, and what is reduced has a fixed size. */
  private boolean isReduction(Lambda map, Stm stm) {
    if (!(stm.exp() instanceof Screma inner)
        || !spaces.has(inner.width())
        || !inner.scans().isEmpty()
        || inner.reduces().isEmpty()
        || inner.reduceWidth() != stm.pattern().size()) {
      return false;
    }
    var inside = Binders.of(map);
    boolean rows =
        inner.inputs().stream().allMatch(v -> labeller.of(v).equals(new Label.Sharded(0)));
    boolean sizes =
        stm.pattern().stream()
            .flatMap(v -> FreeVars.of(v.type()).stream())
            .noneMatch(inside::contains);
    var used = new HashSet<>(FreeVars.of(inner.map()));
    inner.reduces().forEach(r -> used.addAll(FreeVars.of(r.op())));
    boolean others =
        used.stream().anyMatch(v -> !inside.contains(v) && labeller.of(v) instanceof Label.Sharded);
    boolean neutral =
        inner.reduces().stream()
            .flatMap(r -> FreeVars.of(r.neutral()).stream())
            .noneMatch(inside::contains);
    boolean operators =
        inner.reduces().stream()
            .flatMap(r -> FreeVars.of(r.op()).stream())
            .noneMatch(inside::contains);
    return rows && sizes && neutral && operators && !others && !spaces.asSize(inner.map());
  }

  /** Whether what is computed before the reduction has sizes that are the same for all rows. */
  private static boolean canHand(Lambda map, int k) {
    var before = map.body().stms().subList(0, k);
    var inside = new HashSet<>(map.params());
    inside.addAll(Stm.bound(before));
    return handed(map, k).stream()
        .allMatch(v -> Collections.disjoint(FreeVars.of(v.type()), inside));
  }

  private List<Stm> split(Stm stm, Screma s, Lambda map, int k) {
    var b = new Builder(stm.span());
    var body = map.body();
    var reduction = body.stms().get(k);
    var inner = (Screma) reduction.exp();
    var before = body.stms().subList(0, k);
    var handed = handed(map, k);
    var inputs = new ArrayList<>(s.inputs());
    var params = new ArrayList<>(map.params());
    if (!handed.isEmpty()) {
      var slice = BackwardSlice.withEffects(before, handed).stms();
      var types = handed.stream().map(Var::type).toList();
      var first =
          new Renaming()
              .lambda(new Lambda(map.params(), new Body(slice, List.copyOf(handed)), types));
      var arrays = types.stream().map(t -> t.under(s.width())).toList();
      inputs.addAll(
          b.bindAll(
              "of_row", arrays, new Screma(s.width(), s.inputs(), List.of(), List.of(), first)));
      params.addAll(handed);
    }
    var reduced = blocks(b, s.width(), inputs, params, reduction, inner);
    var rest = new ArrayList<Stm>();
    if (handed.isEmpty()) {
      // Nothing is handed from a first map, but there may be assertions.
      rest.addAll(BackwardSlice.withEffects(before, List.of()).stms());
    }
    rest.addAll(body.stms().subList(k + 1, body.stms().size()));
    inputs.addAll(reduced);
    params.addAll(reduction.pattern());
    var last = new Lambda(params, new Body(rest, body.results()), map.returns());
    b.with(stm.attrs())
        .bindAll(stm.pattern(), new Screma(s.width(), inputs, s.scans(), s.reduces(), last));
    return b.stms();
  }

  /** Returns what is computed before the reduction and used by it or after it. */
  private static List<Var> handed(Lambda map, int k) {
    var stms = map.body().stms();
    var used = FreeVars.of(new Body(stms.subList(k, stms.size()), map.body().results()));
    var handed = new ArrayList<Var>();
    for (var v : Stm.bound(stms.subList(0, k))) {
      if (used.contains(v)) {
        handed.add(v);
      }
    }
    return handed;
  }

  /** Emits the loop over the pieces of what is reduced; returns the reduced values of all rows. */
  private List<Var> blocks(
      Builder b, Atom width, List<Var> inputs, List<Var> params, Stm reduction, Screma inner) {
    var space = spaces.of(inner.width());
    var neutral = inner.reduces().stream().flatMap(r -> r.neutral().stream()).toList();
    var starts = neutral.stream().<Atom>map(x -> b.replicate(List.of(width), x)).toList();
    return b.forLoop(
        pieces.pieces(),
        starts,
        (q, acc) ->
            in -> {
              var from = in.index(space.cut(), q);
              var count = in.sub(in.index(space.cut(), in.add(q, Atom.i64(1))), from);
              var rows = in.bind("block", new Alias(count));
              var blocks = inner.inputs().stream().map(v -> block(in, v, from, rows)).toList();
              var all = new ArrayList<>(acc);
              all.addAll(inputs);
              return in.map(
                  width,
                  all,
                  (row, xs) -> combined(row, xs, params, inner, rows, blocks, reduction));
            });
  }

  private static Var block(Builder in, Var v, Atom from, Var rows) {
    return in.map(
            rows,
            List.of(in.iota(rows)),
            (at, j) -> List.of(at.index(v, at.add(from, j.getFirst()))))
        .getFirst();
  }

  /** Combines what a row has so far with what it has of one block. */
  private static List<Atom> combined(
      Builder row,
      List<Var> xs,
      List<Var> params,
      Screma inner,
      Var rows,
      List<Var> blocks,
      Stm reduction) {
    int n = reduction.pattern().size();
    var own = new HashMap<Var, Atom>();
    for (int i = 0; i < params.size(); i++) {
      own.put(params.get(i), xs.get(n + i));
    }
    var map = new Renaming(own).lambda(inner.map());
    var reduces =
        inner.reduces().stream()
            .map(r -> new Reduce(new Renaming().lambda(r.op()), r.neutral(), r.commutative()))
            .toList();
    var types = reduction.pattern().stream().map(Var::type).toList();
    var here = row.bindAll("reduced", types, new Screma(rows, blocks, List.of(), reduces, map));
    var results = new ArrayList<Atom>();
    int at = 0;
    for (var r : inner.reduces()) {
      int width = r.neutral().size();
      var operands = new ArrayList<Atom>(xs.subList(at, at + width));
      operands.addAll(here.subList(at, at + width));
      results.addAll(row.call(r.op(), operands));
      at += width;
    }
    return results;
  }
}
