package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Sharing;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.pass.Pass;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.pass.Tally;
import dev.kenaz.simplify.Simplify;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Computes a function's value and its gradient in one pass.
 *
 * <p>By redundant execution (001 §4) the return sweep of {@code reduce (map f xs)} computes f
 * again, in an accumulation over the same xs. Where the two compute the same things, the reduction
 * moves into the accumulation, next to its map, with which it is joined:
 *
 * <pre>
 *   let y = redomap (+) 0 f xs
 *   let a = with_acc a0 (map (\x -> .. f x .. acc[..] += ..) xs)
 *     is  let (a, y) = with_acc a0 (redomap (+) 0 (\x -> .. (acc[..] += .., f x)) xs)
 * </pre>
 *
 * <p>What both computed is then computed once. One pair is tried at a time, and the result is kept
 * only where the program has less to do afterwards.
 */
final class AccJoin implements CodeRewriter {
  private static final int MAX_TRIALS = 24;
  private static final int ROUNDS = 6;

  private static final Pipeline<CoreProgram, CoreProgram> JOINED =
      Pipeline.<CoreProgram>start()
          .then(Simplify.SIMPLIFY)
          .then(
              Pass.fixpoint(
                  "join",
                  "Joins what was moved together.",
                  ROUNDS,
                  List.of(Fuse.FUSION, Fuse.SAME_REDUCTIONS, Simplify.SIMPLIFY)));

  private final Sharing sharing;
  private final int wanted;
  private int seen;
  private boolean joined;

  private AccJoin(Sharing sharing, int wanted) {
    this.sharing = sharing;
    this.wanted = wanted;
  }

  static CoreProgram run(CoreProgram program) {
    return program.with(Rewriter.each(program.functions(), AccJoin::improved));
  }

  private static FunDef improved(FunDef f) {
    var best = f;
    int candidate = 0;
    for (int trial = 0; trial < MAX_TRIALS; trial++) {
      var alone = new CoreProgram(List.of(best), List.of());
      var join = new AccJoin(Sharing.of(alone), candidate);
      var changed = join.program(alone);
      if (!join.joined) {
        break;
      }
      var better = Tally.without(() -> JOINED.apply(changed)).functions().getFirst();
      if (WorkEstimate.of(better.body()) < WorkEstimate.of(best.body())) {
        best = better;
        candidate = 0;
      } else {
        candidate++;
      }
    }
    return best;
  }

  @Override
  public Body body(Body body) {
    if (joined) {
      return body;
    }
    var block = new Block(sharing, body.stms(), body.results());
    for (int w = 0; w < body.stms().size(); w++) {
      boolean accumulates = body.stms().get(w).exp() instanceof WithAcc;
      for (int s = 0; accumulates && s < w; s++) {
        var stms = attempt(block, s, w);
        if (stms.isPresent() && seen++ == wanted) {
          joined = true;
          return new Body(stms.get(), body.results());
        }
      }
    }
    return CodeRewriter.super.body(body);
  }

  private static Optional<List<Stm>> attempt(Block block, int from, int into) {
    var first = block.stms().get(from);
    var second = block.stms().get(into);
    if (!(first.exp() instanceof Screma s && second.exp() instanceof WithAcc w)
        || Effects.observable(s)
        || s.inputs().stream().anyMatch(in -> in.type() instanceof Type.Acc)
        || block.reads(second).stream().anyMatch(first.pattern()::contains)) {
      return Optional.empty();
    }
    return joined(first, s, second, w).flatMap(by -> block.replaced(from, into, by));
  }

  /**
   * Joins the operator to the first map inside the accumulation that goes over the same elements.
   */
  private static Optional<Stm> joined(Stm first, Screma s, Stm second, WithAcc w) {
    var body = w.body().body();
    for (int i = 0; i < body.stms().size(); i++) {
      var inner = body.stms().get(i);
      if (inner.exp() instanceof Screma t
          && t.width().equals(s.width())
          && t.inputs().stream().anyMatch(s.inputs()::contains)) {
        var stms = new ArrayList<>(body.stms());
        stms.set(i, Join.horizontal(first, inner));
        var results = Lists.concat(body.results(), first.pattern());
        var returns = new ArrayList<>(w.body().returns());
        first.pattern().forEach(v -> returns.add(v.type()));
        return Optional.of(extended(first, second, w, new Body(stms, results), returns));
      }
    }
    return Optional.empty();
  }

  private static Stm extended(Stm first, Stm second, WithAcc w, Body body, List<Type> returns) {
    // inside the accumulation, the results have other names
    var outer = Lists.concat(second.pattern(), first.pattern());
    var lambda = new Lambda(w.body().params(), body, returns);
    var renamed = RenamedBinders.binders(new HashSet<>(first.pattern()), lambda);
    Exp exp = new WithAcc(w.inputs(), renamed);
    return second.with(outer, exp);
  }
}
