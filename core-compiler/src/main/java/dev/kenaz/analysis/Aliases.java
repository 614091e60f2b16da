package dev.kenaz.analysis;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Views;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds which arrays may share memory, and which are consumed, in some code and the scopes inside
 * it. The roots of an array are the variables whose memory it may be. An array that the code makes,
 * or gets from outside, is its own root; so is what an update makes of an array, as the old one is
 * gone.
 *
 * <p>It promises that arrays without a common root share no memory, and that what is not consumed
 * keeps its contents. For this it relies on what the verifier checks: the body of a loop consumes
 * nothing from outside but what its parameters start with. A call consumes nothing and returns
 * arrays of its own: the callee does not own its arguments, so that it updates a copy of them, and
 * its results lie in buffers that the caller takes over. What it says depends on the order of
 * statements, unlike {@link Sharing}, which is about a whole program.
 */
public final class Aliases {
  private final Map<Var, Set<Var>> roots = new HashMap<>();
  private final Set<Var> made = new HashSet<>();
  private final Set<Var> consumed = new HashSet<>();

  /** Walks these statements; {@link #stm} adds further ones. */
  public static Aliases of(List<Stm> stms) {
    var aliases = new Aliases();
    stms.forEach(aliases::stm);
    return aliases;
  }

  public static Aliases of(Body body) {
    return of(body.stms());
  }

  public static Aliases of(Stm stm) {
    return of(List.of(stm));
  }

  public Set<Var> rootsOf(Atom x) {
    return x instanceof Var v && v.type().isArray() ? roots.getOrDefault(v, Set.of(v)) : Set.of();
  }

  /** Whether nothing outside the code that was walked can be the array's memory. */
  public boolean isMadeHere(Var v) {
    return made.containsAll(rootsOf(v));
  }

  /** Returns the variables consumed so far, with the roots of their memory. */
  public Set<Var> consumed() {
    return consumed;
  }

  /** Whether the array's memory, or a part of it, has been consumed so far. */
  public boolean isConsumed(Var v) {
    return rootsOf(v).stream().anyMatch(consumed::contains);
  }

  /** Notes that the code at hand makes these arrays. */
  public void own(List<Var> pattern) {
    for (var v : pattern) {
      if (v.type().isArray()) {
        roots.put(v, Set.of(v));
        made.add(v);
      }
    }
  }

  private void alias(Var v, Set<Var> sources) {
    if (sources.isEmpty()) {
      own(List.of(v));
    } else if (v.type().isArray()) {
      roots.put(v, Set.copyOf(sources));
    }
  }

  private void consume(Var v) {
    consumed.add(v);
    consumed.addAll(rootsOf(v));
  }

  private void body(Body body) {
    body.stms().forEach(this::stm);
  }

  public void stm(Stm stm) {
    var pattern = stm.pattern();
    switch (stm.exp()) {
      case View _ -> alias(pattern.getFirst(), rootsOf(Views.operand(stm.exp()).orElseThrow()));
      case If(_, var then, var otherwise) -> {
        body(then);
        body(otherwise);
        for (int i = 0; i < pattern.size(); i++) {
          var shared = new HashSet<>(rootsOf(then.results().get(i)));
          shared.addAll(rootsOf(otherwise.results().get(i)));
          alias(pattern.get(i), shared);
        }
      }
      case Loop loop -> loop(pattern, loop);
      case WithVjp e -> {
        for (var v : pattern) {
          var shared = new HashSet<Var>();
          e.arguments().forEach(x -> shared.addAll(rootsOf(x)));
          alias(v, shared);
        }
      }
      case Update u -> {
        consume(u.array());
        own(pattern);
      }
      case Hist h -> {
        rows(h.inputs(), h.map());
        h.ops().forEach(o -> body(o.op().body()));
        h.ops().forEach(o -> o.dests().forEach(this::consume));
        own(pattern);
      }
      case Scatter s -> {
        rows(s.inputs(), s.map());
        s.dests().forEach(d -> consume(d.dest()));
        own(pattern);
      }
      case Filter f -> {
        rows(f.inputs(), f.map());
        own(pattern);
      }
      case WithAcc w -> {
        w.inputs().forEach(in -> in.arrays().forEach(this::consume));
        w.inputs().forEach(in -> in.combine().ifPresent(c -> body(c.op().body())));
        body(w.body().body());
        int others = pattern.size() - w.body().returns().size() + w.inputs().size();
        own(pattern.subList(0, others));
        for (int i = others; i < pattern.size(); i++) {
          var result = w.body().body().results().get(i - others + w.inputs().size());
          alias(pattern.get(i), rootsOf(result));
        }
      }
      case Screma s -> {
        rows(s.inputs(), s.map());
        s.scans().forEach(o -> body(o.op().body()));
        s.reduces().forEach(o -> body(o.op().body()));
        own(pattern);
      }
      case Simple _, Jvp _, Vjp _ -> own(pattern);
    }
  }

  /** Notes that a map consumes its inputs, if its function consumes their rows. */
  private void rows(List<Var> inputs, Lambda map) {
    body(map.body());
    for (int i = 0; i < inputs.size(); i++) {
      if (consumed.contains(map.params().get(i))) {
        consume(inputs.get(i));
      }
    }
  }

  private void loop(List<Var> pattern, Loop loop) {
    body(loop.body());
    for (var p : loop.params()) {
      if (consumed.contains(p.var()) && p.init() instanceof Var v) {
        consume(v);
      }
    }
    for (int i = 0; i < pattern.size(); i++) {
      var p = loop.params().get(i).var();
      var shared = outside(loop, p);
      if (consumed.contains(p)) {
        // The loop has made this memory its own: nothing refers to what was there before.
        shared.add(pattern.get(i));
        made.add(pattern.get(i));
      }
      alias(pattern.get(i), shared);
    }
  }

  /**
   * Returns the roots that a parameter may have after any number of iterations, without other
   * parameters.
   */
  private Set<Var> outside(Loop loop, Var param) {
    var found = new HashSet<Var>();
    var open = new ArrayDeque<Var>(List.of(param));
    var seen = new HashSet<Var>();
    while (!open.isEmpty()) {
      var v = open.pop();
      int i = position(loop, v);
      if (i < 0) {
        found.add(v);
      } else if (seen.add(v)) {
        open.addAll(rootsOf(loop.body().results().get(i)));
        if (!consumed.contains(v)) {
          open.addAll(rootsOf(loop.params().get(i).init()));
        }
      }
    }
    return found;
  }

  private static int position(Loop loop, Var param) {
    return loop.params().stream().map(LoopParam::var).toList().indexOf(param);
  }
}
