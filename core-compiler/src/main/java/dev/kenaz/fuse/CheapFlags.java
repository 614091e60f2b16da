package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Exp.Filter;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies a map that computes next to nothing for each of several filters that read its results, as
 * the two of a partition do. Each copy then becomes part of its filter, so that nothing is written
 * to memory in between.
 */
final class CheapFlags {
  /** To compute so much again is cheaper than to keep it. */
  private static final int CHEAP = 2;

  private CheapFlags() {}

  static void run(Block block) {
    for (var stm : List.copyOf(block.stms())) {
      if (stm.exp() instanceof Screma s && isCheap(s)) {
        var users = users(block, stm, s);
        for (var user : users.subList(0, Math.max(0, users.size() - 1))) {
          copy(block, stm, user);
        }
      }
    }
  }

  private static boolean isCheap(Screma s) {
    var stms = s.map().body().stms();
    return s.isMap()
        && stms.size() <= CHEAP
        && stms.stream().allMatch(t -> Effects.safeScalar(t.exp()))
        && s.map().returns().stream().allMatch(t -> t.isScalar());
  }

  /** Returns the filters that take the results row by row; none if there are other uses. */
  private static List<Stm> users(Block block, Stm stm, Screma s) {
    if (stm.pattern().stream().anyMatch(block::isResult)) {
      return List.of();
    }
    var reads = List.copyOf(block.reads(stm));
    var later = block.stms().subList(block.at(stm) + 1, block.stms().size());
    var users =
        later.stream()
            .filter(t -> stm.pattern().stream().anyMatch(block.reads(t)::contains))
            .toList();
    boolean filters =
        users.stream()
            .allMatch(
                t ->
                    t.exp() instanceof Filter f
                        && f.width().equals(s.width())
                        && stm.pattern().stream().noneMatch(Join.otherUses(f)::contains));
    boolean stays = later.stream().noneMatch(t -> block.consumes(t, reads));
    return filters && stays ? users : List.of();
  }

  private static void copy(Block block, Stm stm, Stm user) {
    var own = new Renaming().stm(stm).getFirst();
    var takes = Substitution.of(stm.pattern(), own.pattern()).stm(user).getFirst();
    int at = block.at(user);
    var stms = new ArrayList<Stm>(block.stms());
    stms.set(at, takes);
    stms.add(at, own);
    block.set(stms);
  }
}
