package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;

/**
 * How many iterations a while loop takes (001 §6.2): a copy of the loop that only counts; what the
 * condition doesn't depend on is dead code in it.
 */
final class Inspector {
  private Inspector() {}

  static Atom count(Builder b, Loop loop) {
    var copy = copy(b, loop);
    var params = new ArrayList<>(copy.params());
    var counter = Names.fresh("count", Type.I64);
    params.add(new LoopParam(counter, i64(0)));
    var inner = b.inner().addAll(copy.body().stms());
    var results = new ArrayList<>(copy.body().results());
    results.add(inner.add(counter, i64(1)));
    var counted = new Loop(params, copy.form(), inner.body(results));
    return b.bindAll("count", counted).getLast();
  }

  /** A copy of the loop that consumes nothing. */
  static Loop copy(Builder b, Loop loop) {
    var copy = (Loop) new Renaming().exp(loop);
    var params = new ArrayList<LoopParam>();
    var aliases = new Aliases();
    aliases.body(copy.body());
    for (var p : copy.params()) {
      // the loop proper still needs what a copy of it would consume
      var init =
          p.init() instanceof Var v && aliases.consumed().contains(p.var())
              ? b.bind("own", new Fresh(v))
              : p.init();
      params.add(new LoopParam(p.var(), init));
    }
    return new Loop(params, copy.form(), copy.body());
  }
}
