package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Expresses an operator along another dimension as a loop, so that its function may have stages of
 * its own, as in {@code map (\fold -> train (filter …)) (iota 5)}.
 */
final class MapAsLoop {
  private MapAsLoop() {}

  static Optional<List<Stm>> of(Labeller labeller, Stm stm) {
    if (!(stm.exp() instanceof Screma s)
        || labeller.of(s.width()) != Label.REPLICATED
        || labeller.spaces().has(s.width())
        || s.inputs().stream().anyMatch(v -> v.type() instanceof Type.Acc)) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var empty = new ArrayList<Atom>();
    for (var t : s.map().returns()) {
      empty.add(b.bind("all", new Scratch(t.elemPrim(), t.under(s.width()).dims())));
    }
    var all =
        b.forLoop(
            s.width(),
            empty,
            (i, acc) ->
                in -> {
                  var arguments = new ArrayList<Atom>();
                  for (var v : s.inputs()) {
                    arguments.add(
                        in.bind(
                            v.name(), Builder.rowType(v.type()), new Index(v, List.of(i), false)));
                  }
                  var results = in.call(s.map(), arguments);
                  var next = new ArrayList<Atom>();
                  for (int k = 0; k < acc.size(); k++) {
                    next.add(in.update(acc.get(k), List.of(i), results.get(k)));
                  }
                  return next;
                });
    if (s.scans().isEmpty() && s.reduces().isEmpty()) {
      for (int k = 0; k < all.size(); k++) {
        b.bindAll(List.of(stm.pattern().get(k)), new Alias(all.get(k)));
      }
    } else {
      b.bindAll(stm.pattern(), new Screma(s.width(), all, s.scans(), s.reduces(), b.identity(all)));
    }
    return Optional.of(b.stms());
  }
}
