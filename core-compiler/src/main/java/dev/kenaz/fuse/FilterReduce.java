package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Tally;
import dev.kenaz.simplify.Effects;
import dev.kenaz.simplify.Operators;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Fuses a filter with the reduction of what it keeps (002 §3.4, {@code reduce2 o filter2}): {@code
 * reduce (+) 0 (map f (filter p xs))} is one reduction of {@code if p x then f x else 0}.
 *
 * <p>In core a filter is a count ({@code scan (+)} of the kept), then a scatter of the kept
 * elements to where their counts say, into an array as long as the last count. The order is kept,
 * so that any reduction may take it. The count stays only where its result is needed.
 */
final class FilterReduce {
  private FilterReduce() {}

  static void run(Block block) {
    for (int at = 0; at < block.stms().size(); at++) {
      var stm = block.stms().get(at);
      if (stm.exp() instanceof Screma s
          && s.scans().isEmpty()
          && s.reduceWidth() == stm.pattern().size()
          && !s.inputs().isEmpty()
          && !Effects.observable(s)) {
        fuse(block, at, stm, s);
      }
    }
  }

  private static void fuse(Block block, int at, Stm stm, Screma s) {
    var found =
        block.stms().subList(0, at).stream()
            .filter(p -> p.pattern().contains(s.inputs().getFirst()))
            .findFirst();
    if (found.isEmpty()
        || !(found.get().exp() instanceof Scatter scatter)
        || !found.get().pattern().containsAll(s.inputs())
        || block.usedElsewhere(found.get().pattern(), stm)
        || Join.otherUses(s).stream().anyMatch(found.get().pattern()::contains)) {
      return;
    }
    var keep = kept(block, scatter, s.width());
    if (keep.isPresent()) {
      var fused = fused(stm, s, found.get(), scatter, keep.get());
      var stms = block.replaced(block.stms().indexOf(found.get()), at, fused);
      stms.ifPresent(
          all -> {
            Tally.count("redomap ∘ filter");
            block.set(all);
          });
    }
  }

  /** The scatter's parameter that tells which elements are kept, if it does as filters do. */
  private static Optional<Var> kept(Block block, Scatter s, Atom total) {
    var stms = s.map().body().stms();
    int n = s.dests().size();
    var index = s.map().body().results().getFirst();
    if (!s.map().body().results().subList(0, n).stream().allMatch(index::equals)
        || !s.dests().stream().allMatch(d -> d.shape().equals(List.of(total)) && scratch(block, d))
        || stms.size() != 1
        || !stms.getFirst().pattern().contains(index)
        || !(stms.getFirst().exp() instanceof If(Var keep, var then, var otherwise))
        || !otherwise.results().equals(List.of(Atom.i64(-1)))
        || then.stms().size() != 1
        || !(then.stms().getFirst().exp() instanceof Binary(var op, Var count, var minus))
        || op != BinaryOp.ADD
        || !minus.isConst(-1)
        || !then.results().equals(List.<Atom>copyOf(then.stms().getFirst().pattern()))) {
      return Optional.empty();
    }
    var counts = input(s, count);
    var kept = input(s, keep);
    return counts != null
            && kept != null
            && counts(block, counts, kept)
            && last(block, total, counts)
        ? Optional.of(keep)
        : Optional.empty();
  }

  private static Var input(Scatter s, Var param) {
    int k = s.map().params().indexOf(param);
    return k < 0 ? null : s.inputs().get(k);
  }

  private static Optional<Stm> definition(Block block, Atom v) {
    return block.stms().stream().filter(s -> s.pattern().contains(v)).findFirst();
  }

  private static boolean scratch(Block block, ScatterDest d) {
    return definition(block, d.dest()).filter(s -> s.exp() instanceof Scratch).isPresent();
  }

  /** Whether one is the running count of the other. */
  private static boolean counts(Block block, Var counts, Var kept) {
    var made = definition(block, counts);
    if (made.isEmpty()
        || !(made.get().exp() instanceof Screma s)
        || made.get().pattern().indexOf(counts) != 0
        || s.scans().isEmpty()
        || s.scans().getFirst().neutral().size() != 1
        || !s.scans().getFirst().neutral().getFirst().isConst(0)
        || !Operators.elementwise(s.scans().getFirst().op()).equals(Optional.of(BinaryOp.ADD))) {
      return false;
    }
    var body = s.map().body();
    var operand = body.results().getFirst();
    var flag =
        made.get().pattern().contains(kept)
            ? body.results().get(made.get().pattern().indexOf(kept))
            : s.inputs().contains(kept) ? s.map().params().get(s.inputs().indexOf(kept)) : null;
    return flag != null
        && body.stms().stream()
            .anyMatch(
                t ->
                    t.pattern().contains(operand)
                        && t.exp() instanceof Convert(_, var from)
                        && from.equals(flag));
  }

  /** Whether the number is the last of the counts, or 0 if there are none. */
  private static boolean last(Block block, Atom total, Var counts) {
    var made = definition(block, total);
    if (made.isPresent() && made.get().exp() instanceof Index(var array, var is, _)) {
      return array.equals(counts)
          && counts.type().dims().getFirst() instanceof Const(var n)
          && is.equals(List.of(Atom.i64(n.asLong() - 1)));
    }
    return made.isPresent()
        && made.get().exp() instanceof If(_, var then, var otherwise)
        && then.results().equals(List.of(Atom.i64(0)))
        && otherwise.stms().size() == 2
        && otherwise.stms().getLast().exp() instanceof Index(var array, _, _)
        && array.equals(counts)
        && otherwise.results().equals(List.<Atom>copyOf(otherwise.stms().getLast().pattern()));
  }

  private static Stm fused(Stm stm, Screma s, Stm made, Scatter scatter, Var keep) {
    int n = scatter.dests().size();
    var values = scatter.map().body().results().subList(n, 2 * n);
    var stms = new ArrayList<Stm>();
    for (int k = 0; k < s.inputs().size(); k++) {
      var value = values.get(made.pattern().indexOf(s.inputs().get(k)));
      stms.add(new Stm(List.of(s.map().params().get(k)), new Alias(value), stm.span()));
    }
    stms.addAll(s.map().body().stms());
    var neutral = new ArrayList<Atom>();
    s.reduces().forEach(r -> neutral.addAll(r.neutral()));
    var results = s.map().returns().stream().map(t -> Names.fresh("kept", t)).toList();
    var choice =
        new If(keep, new Body(stms, s.map().body().results()), new Body(List.of(), neutral));
    var body = new Body(List.of(new Stm(results, choice, stm.span())), List.copyOf(results));
    var map = new Lambda(scatter.map().params(), body, s.map().returns());
    return new Stm(
        stm.pattern(),
        new Screma(scatter.width(), scatter.inputs(), List.of(), s.reduces(), map),
        stm.attrs(),
        stm.span());
  }
}
