package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * Moves a producer that only operators in the branches of one conditional use into the branches
 * that use it (002 §3.1, case 4 of figure 9): {@code let y = map f xs in if c then map g y else map
 * h y} is {@code if c then map g (map f xs) else map h (map f xs)}. The branches are on disjoint
 * paths, so that nothing is computed twice, and there the producer fuses.
 */
final class IntoBranches {
  /** How large a producer may be that is copied into both branches. */
  private static final int MAX_COPIED = 60;

  private IntoBranches() {}

  static void run(Block block) {
    if (block.stms().stream().noneMatch(s -> s.exp() instanceof If)) {
      return;
    }
    int at = block.stms().size() - 1;
    while (at >= 0) {
      sink(block, at);
      at--;
    }
  }

  private static void sink(Block block, int at) {
    var stm = block.stms().get(at);
    if (!(stm.exp() instanceof Screma s)
        || !s.isMap()
        || Effects.observable(s)
        || stm.pattern().stream().anyMatch(v -> v.type() instanceof Type.Acc || block.isResult(v))
        || at + 1 == block.stms().size()
        || !block.mayMove(at, at + 1)) {
      return;
    }
    var users = block.stms().subList(at + 1, block.stms().size()).stream();
    var user = users.filter(u -> readsAny(block, u, stm)).findFirst().orElse(stm);
    if (!(user.exp() instanceof If(var c, var then, var otherwise))
        || stm.pattern().contains(c)
        || block.usedElsewhere(stm.pattern(), user)) {
      return;
    }
    boolean inThen = uses(then, stm);
    boolean inElse = uses(otherwise, stm);
    if (inThen && inElse && Effects.size(s) > MAX_COPIED
        || inThen && !fuses(then, stm)
        || inElse && !fuses(otherwise, stm)) {
      return;
    }
    Exp moved =
        new If(c, inThen ? with(stm, then) : then, inElse ? with(stm, otherwise) : otherwise);
    var by = user.with(moved);
    block.replaced(at, block.at(user), by).ifPresent(block::set);
  }

  private static boolean readsAny(Block block, Stm user, Stm maker) {
    return block.reads(user).stream().anyMatch(maker.pattern()::contains);
  }

  private static boolean uses(Body body, Stm stm) {
    return FreeVars.of(body).stream().anyMatch(stm.pattern()::contains);
  }

  /** Whether all users are operators that get it row by row. */
  private static boolean fuses(Body body, Stm stm) {
    return body.results().stream().noneMatch(stm.pattern()::contains)
        && body.stms().stream()
            .filter(u -> FreeVars.of(u).stream().anyMatch(stm.pattern()::contains))
            .allMatch(
                u ->
                    Join.inputs(u.exp()).stream().anyMatch(stm.pattern()::contains)
                        && Join.otherUses(u.exp()).stream().noneMatch(stm.pattern()::contains));
  }

  private static Body with(Stm stm, Body body) {
    var copy = new Renaming().stm(stm).getFirst();
    var names = new HashMap<Var, Var>();
    for (int k = 0; k < stm.pattern().size(); k++) {
      names.put(stm.pattern().get(k), copy.pattern().get(k));
    }
    var stms = new ArrayList<>(List.of(copy));
    var inner = new Substitution(names).body(body);
    stms.addAll(inner.stms());
    return new Body(stms, inner.results());
  }
}
