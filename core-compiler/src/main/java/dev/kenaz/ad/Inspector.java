package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.DeadCode;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the iterations of a while loop (001 §6.2) by a copy of the loop that does nothing else.
 * What the numbers of iterations don't depend on is left out of the copy. In a derivative of a
 * derivative that is needed even for correctness: the loop may add to an accumulator, which exists
 * only once.
 */
final class Inspector {
  private Inspector() {}

  static Atom count(Builder b, Loop loop) {
    var params = new ArrayList<>(loop.params());
    var counter = Names.fresh("count", Type.I64);
    params.add(new LoopParam(counter, i64(0)));
    var inner = b.inner().addAll(loop.body().stms());
    var results = Lists.with(loop.body().results(), inner.add(counter, i64(1)));
    var counted = new Loop(params, loop.form(), inner.body(results));
    return last(b, "count", counted, 1).getFirst();
  }

  /** Returns the last {@code results} results of the loop, by a copy that computes nothing else. */
  static List<Var> last(Builder b, String name, Loop loop, int results) {
    var draft = b.inner();
    var all = draft.bindAll(name, new Renaming().exp(loop));
    var wanted = all.subList(all.size() - results, all.size());
    var copy = DeadCode.only(wanted, draft.stms().getLast());
    b.add(copy.with(owning(b, (Loop) copy.exp())));
    return wanted;
  }

  /** The loop on copies of what it consumes, which the loop itself still needs. */
  private static Loop owning(Builder b, Loop loop) {
    var params = new ArrayList<LoopParam>();
    var aliases = Aliases.of(loop.body());
    for (var p : loop.params()) {
      var init =
          p.init() instanceof Var v && aliases.consumed().contains(p.var())
              ? b.bind("own", new Copy(v))
              : p.init();
      params.add(new LoopParam(p.var(), init));
    }
    return new Loop(params, loop.form(), loop.body());
  }
}
