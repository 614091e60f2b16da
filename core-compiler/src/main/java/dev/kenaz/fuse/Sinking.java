package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Replicate;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * Moves what accumulates a branch's results into the branch, where in the other branch they are
 * zeros: {@code acc += if c then v else 0} becomes {@code if c then acc += v else acc}. The update
 * then fuses with what makes {@code v}, and nothing is added where nothing is to be.
 */
final class Sinking {
  private Sinking() {}

  static void run(Block block) {
    for (int at = 0; at < block.stms().size(); at++) {
      var stm = block.stms().get(at);
      if (stm.exp() instanceof If i && hasZeros(block, i)) {
        sink(block, at, stm, i);
      }
    }
  }

  private static void sink(Block block, int at, Stm branch, If i) {
    for (int k = at + 1; k < block.stms().size(); k++) {
      var user = block.stms().get(k);
      if (block.reads(user).stream().noneMatch(branch.pattern()::contains)) {
        continue;
      }
      if (!accumulates(user)
          || block.usedElsewhere(branch.pattern(), user)
          || user.pattern().stream()
              .anyMatch(v -> sizes(v).stream().anyMatch(branch.pattern()::contains))) {
        return;
      }
      var joined =
          new Stm(
              user.pattern(),
              new If(
                  i.condition(),
                  extended(i.then(), branch.pattern(), user),
                  extended(i.otherwise(), branch.pattern(), user)),
              branch.attrs(),
              user.span());
      block.replaced(at, k, joined).ifPresent(block::set);
      return;
    }
  }

  private static List<Atom> sizes(Var v) {
    return v.type().dims();
  }

  /** Whether only accumulators come out of the statement. */
  private static boolean accumulates(Stm stm) {
    boolean kind = stm.exp() instanceof UpdateAcc || stm.exp() instanceof Screma;
    return kind && stm.pattern().stream().allMatch(v -> v.type() instanceof Type.Acc);
  }

  /** Whether all results of one branch are zeros. */
  private static boolean hasZeros(Block block, If i) {
    return zeros(block, i.then()) || zeros(block, i.otherwise());
  }

  private static boolean zeros(Block block, Body body) {
    return !body.results().isEmpty()
        && body.results().stream()
            .allMatch(r -> r.isConst(0) || r instanceof Var v && isZeros(block, body, v));
  }

  private static boolean isZeros(Block block, Body body, Var v) {
    var stms = new ArrayList<>(body.stms());
    stms.addAll(block.stms());
    return stms.stream()
        .anyMatch(
            s ->
                s.pattern().contains(v)
                    && s.exp() instanceof Replicate(_, var value)
                    && value.isConst(0));
  }

  /** Returns the branch, and after it the statement on its results. */
  private static Body extended(Body branch, List<Var> pattern, Stm user) {
    var results = new HashMap<Var, Atom>();
    for (int i = 0; i < pattern.size(); i++) {
      results.put(pattern.get(i), branch.results().get(i));
    }
    var copy = new Renaming(results).body(new Body(List.of(user), List.copyOf(user.pattern())));
    var stms = new ArrayList<>(branch.stms());
    stms.addAll(copy.stms());
    return new Body(stms, copy.results());
  }
}
