package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Views;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds which arrays may share memory, and which are consumed, in a body and the scopes inside it.
 * The roots of an array are the variables whose memory it may be. An array that the code at hand
 * makes, or gets from outside, is its own root.
 */
final class Aliases {
  private final Map<Var, Set<Var>> roots = new HashMap<>();
  private final Set<Var> made = new HashSet<>();
  private final Set<Var> consumed = new HashSet<>();

  Set<Var> rootsOf(Atom x) {
    return x instanceof Var v && v.type().isArray() ? roots.getOrDefault(v, Set.of(v)) : Set.of();
  }

  /** Whether nothing outside the code that was walked can be the array's memory. */
  boolean isMadeHere(Var v) {
    return made.containsAll(rootsOf(v));
  }

  /** The variables consumed so far, with the roots of their memory. */
  Set<Var> consumed() {
    return consumed;
  }

  /** Notes that the code at hand makes these arrays. */
  void own(List<Var> pattern) {
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

  void body(Body body) {
    body.stms().forEach(this::stm);
  }

  void stm(Stm stm) {
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
        body(w.body().body());
        own(pattern);
      }
      case Screma s -> {
        rows(s.inputs(), s.map());
        own(pattern);
      }
      case Simple _, Jvp _, Vjp _ -> own(pattern);
    }
  }

  /** Notes that a map whose function consumes its parameters' rows consumes the inputs. */
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
    for (int i = 0; i < pattern.size(); i++) {
      var p = loop.params().get(i);
      var shared = new HashSet<>(rootsOf(loop.body().results().get(i)));
      shared.remove(p.var());
      if (!consumed.contains(p.var())) {
        shared.addAll(rootsOf(p.init()));
      } else if (p.init() instanceof Var v) {
        consume(v);
        // the loop has made this memory its own: nothing refers to what was there before
        shared.add(pattern.get(i));
        made.add(pattern.get(i));
      }
      alias(pattern.get(i), shared);
    }
  }
}
