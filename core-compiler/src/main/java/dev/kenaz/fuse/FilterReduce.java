package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Fuses a filter with the reduction of what it keeps (002 §3.4, {@code reduce2 o filter2}): {@code
 * reduce (+) 0 (map f (filter p xs))} is one reduction of {@code if p x then f x else 0}.
 *
 * <p>The order is kept, so that any reduction may take it. If the program needs how many are kept,
 * the filter stays for that, and dead-code removal makes a reduction of it.
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
    if (found.isEmpty() || !(found.get().exp() instanceof Filter f)) {
      return;
    }
    var count = found.get().pattern().getFirst();
    var kept = found.get().pattern().subList(1, found.get().pattern().size());
    if (!kept.containsAll(s.inputs())
        || block.usedElsewhere(kept, stm)
        || Join.otherUses(s).stream().anyMatch(kept::contains)) {
      return;
    }
    boolean counted =
        block.usedElsewhere(List.of(count), stm) || FreeVars.of(s.map()).contains(count);
    if (counted && Effects.observable(f)) {
      return;
    }
    var before = block.stms();
    int first = block.at(found.get());
    var fused = fused(stm, s, found.get(), f);
    var stms = counted ? beside(block, first, at, f, fused) : block.replaced(first, at, fused);
    stms.ifPresent(_ -> Tally.count("redomap ∘ filter"));
    block.set(stms.orElse(before));
  }

  /** The filter stays before the fused reduction, for the number of what it keeps. */
  private static Optional<List<Stm>> beside(Block block, int first, int at, Filter f, Stm fused) {
    var old = block.stms().get(first);
    var count = old.pattern().getFirst();
    var other = new Substitution(Map.of(count, Names.like(count)));
    var pattern = new ArrayList<Var>();
    pattern.add(other.var(count));
    old.pattern().stream().skip(1).map(other::binder).forEach(pattern::add);
    var both = new ArrayList<>(block.stms());
    both.set(first, old.with(pattern, f));
    var counting = new Renaming().lambda(f.map());
    var body = new Body(counting.body().stms(), counting.body().results().subList(0, 1));
    var map = new Lambda(counting.params(), body, counting.returns().subList(0, 1));
    var filter = new Filter(f.width(), f.inputs(), map);
    both.add(first, old.with(old.pattern().subList(0, 1), filter));
    block.set(both);
    return block.replaced(first + 1, at + 1, fused);
  }

  private static Stm fused(Stm stm, Screma s, Stm made, Filter f) {
    var results = f.map().body().results();
    var stms = new ArrayList<Stm>();
    for (int k = 0; k < s.inputs().size(); k++) {
      var value = results.get(made.pattern().indexOf(s.inputs().get(k)));
      stms.add(new Stm(List.of(s.map().params().get(k)), new Alias(value), stm.span()));
    }
    stms.addAll(s.map().body().stms());
    var neutral = new ArrayList<Atom>();
    s.reduces().forEach(r -> neutral.addAll(r.neutral()));
    var kept = s.map().returns().stream().map(t -> Names.fresh("kept", t)).toList();
    var choice =
        new If(
            results.getFirst(),
            new Body(stms, s.map().body().results()),
            new Body(List.of(), neutral));
    var all =
        Lists.with(f.map().body().stms(), new Stm(List.<Var>copyOf(kept), choice, stm.span()));
    var map = new Lambda(f.map().params(), new Body(all, List.copyOf(kept)), s.map().returns());
    return stm.with(new Screma(f.width(), f.inputs(), List.of(), s.reduces(), map));
  }
}
