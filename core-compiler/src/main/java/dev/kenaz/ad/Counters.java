package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Gives counters to loops within a loop whose numbers of iterations are not known beforehand, such
 * as while loops, and which overwrite what they read. A counter counts all iterations so far, so
 * that what they read can be kept one after the other ({@link ReadLog}). A copy of the nest that
 * only counts ({@link Inspector}) first finds how much that is in the end. The papers do not have
 * this rule: 001 §6.2 counts the iterations of each while loop by itself.
 */
final class Counters {
  private final Reverse r;
  private final Map<Stm, List<Var>> reads = new IdentityHashMap<>();
  private final Map<Var, Var> places = new HashMap<>();

  private Counters(Reverse r) {
    this.r = r;
  }

  /**
   * Where the values of a read lie in a flat array.
   *
   * @param counter in scope where it is read
   * @param total the array's length
   */
  record Place(Var counter, Atom total) {}

  /** The loop with counters, if it needs any. */
  static Optional<List<Stm>> apply(Reverse r, Builder b, Stm stm, Loop loop) {
    var self = new Counters(r);
    var inside = UndoLog.Inside.of(r.forms(), loop);
    if (loops(loop.body()).stream().noneMatch(l -> isUncounted(l, inside))) {
      return Optional.empty();
    }
    for (int k : ReverseLoop.changing(loop)) {
      ReadLog.uncounted(r.forms(), stm, k)
          .forEach((v, by) -> self.reads.computeIfAbsent(by, _ -> new ArrayList<>()).add(v));
    }
    return self.reads.isEmpty() ? Optional.empty() : Optional.of(self.counted(b, stm, loop));
  }

  private static boolean isUncounted(Loop loop, UndoLog.Inside inside) {
    return !(loop.form() instanceof For f) || inside.most(f).isEmpty();
  }

  /** Returns the loops in a body, except those in functions. */
  private static List<Loop> loops(Body body) {
    var all = new ArrayList<Loop>();
    for (var stm : body.stms()) {
      switch (stm.exp()) {
        case Loop loop -> {
          all.add(loop);
          all.addAll(loops(loop.body()));
        }
        case If e -> {
          all.addAll(loops(e.then()));
          all.addAll(loops(e.otherwise()));
        }
        default -> {}
      }
    }
    return all;
  }

  private List<Stm> counted(Builder b, Stm stm, Loop loop) {
    var counters = in(List.of(stm));
    var now = new IdentityHashMap<Stm, Atom>();
    counters.forEach(s -> now.put(s, i64(0)));
    var threaded = threaded(stm, now, counters);
    var totals = Inspector.last(b, "total", (Loop) threaded.exp(), counters.size());
    for (int k = 0; k < counters.size(); k++) {
      for (var v : reads.get(counters.get(k))) {
        r.forms().place(v, new Place(places.get(v), totals.get(k)));
      }
    }
    return List.of(threaded);
  }

  /** Returns those loops in the statements that need counters. */
  private List<Stm> in(List<Stm> stms) {
    var all = new ArrayList<Stm>();
    for (var stm : stms) {
      switch (stm.exp()) {
        case Loop loop -> {
          if (reads.containsKey(stm)) {
            all.add(stm);
          }
          all.addAll(in(loop.body().stms()));
        }
        case If e -> {
          all.addAll(in(e.then().stms()));
          all.addAll(in(e.otherwise().stms()));
        }
        default -> {}
      }
    }
    return all;
  }

  /**
   * Makes the counters additional results of the body.
   *
   * @param now the counters before the body
   */
  private Body threaded(Body body, Map<Stm, Atom> now, List<Stm> counters) {
    var at = new IdentityHashMap<>(now);
    var stms = new ArrayList<Stm>();
    for (var stm : body.stms()) {
      var mine = in(List.of(stm));
      stms.add(mine.isEmpty() ? stm : threaded(stm, at, mine));
    }
    var results = new ArrayList<>(body.results());
    counters.forEach(s -> results.add(at.get(s)));
    return new Body(stms, results);
  }

  /** Threads the counters through a statement, and brings {@code now} up to date. */
  private Stm threaded(Stm stm, Map<Stm, Atom> now, List<Stm> counters) {
    Exp exp =
        switch (stm.exp()) {
          case If(var c, var then, var otherwise) ->
              new If(c, threaded(then, now, counters), threaded(otherwise, now, counters));
          case Loop loop -> threaded(stm, loop, now, counters);
          default -> stm.exp();
        };
    var pattern = new ArrayList<>(stm.pattern());
    for (var s : counters) {
      var after = Names.fresh("counter", Type.I64);
      pattern.add(after);
      now.put(s, after);
    }
    return stm.with(pattern, exp);
  }

  private Loop threaded(Stm stm, Loop loop, Map<Stm, Atom> now, List<Stm> counters) {
    var params = new ArrayList<>(loop.params());
    var inside = new IdentityHashMap<Stm, Atom>();
    var b = new Builder(stm.span());
    for (var s : counters) {
      var p = Names.fresh("counter", Type.I64);
      params.add(new LoopParam(p, now.get(s)));
      if (s == stm) {
        reads.get(s).forEach(v -> places.put(v, p));
        inside.put(s, b.add(p, i64(1)));
      } else {
        inside.put(s, p);
      }
    }
    var body = threaded(loop.body(), inside, counters);
    b.addAll(body.stms());
    return new Loop(params, loop.form(), b.body(body.results()));
  }
}
