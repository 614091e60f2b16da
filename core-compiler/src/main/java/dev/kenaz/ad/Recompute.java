package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Binders;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Changes code that is executed again, for variables whose values an earlier execution has kept: it
 * replaces statements that read what has been overwritten since, and the overwriting ones, which
 * have no effect now. See {@link ReadLog}.
 */
final class Recompute {
  private final Map<Var, Saved> values = new HashMap<>();

  /** Arrays that have their final contents all the time. */
  private final Set<Var> ends = new HashSet<>();

  void put(Map<Var, Saved> more) {
    values.putAll(more);
  }

  /** Puts the values of elements that have been kept; nothing is put for arrays. */
  void putElements(Map<Var, Optional<Var>> more) {
    more.forEach(
        (v, x) ->
            values.put(v, x.<Saved>map(y -> new Saved.Rows(y, 0)).orElse(new Saved.Nothing())));
  }

  /**
   * Returns the values of a loop's parameter in all iterations of that loop, if they have been
   * kept.
   */
  Optional<Var> parameter(Var v) {
    return values.get(v) instanceof Saved.Rows(var rows, int depth) && depth == 1
        ? Optional.of(rows)
        : Optional.empty();
  }

  boolean contains(Stm stm) {
    return stm.pattern().size() == 1 && values.containsKey(stm.var());
  }

  /** Notes that these arrays, bound in code to be executed again, aren't updated any more. */
  void putEnds(Collection<Var> arrays) {
    ends.addAll(arrays);
  }

  /** Whether the array has its final contents, so that nothing overwrites it. */
  boolean isEnd(Var array) {
    return ends.contains(array);
  }

  /** Whether it is a branch or a loop with such statements. */
  boolean isInside(Stm stm) {
    return !values.isEmpty()
        && (stm.exp() instanceof If || stm.exp() instanceof Loop)
        && Binders.of(new Body(List.of(stm), List.of())).stream().anyMatch(values::containsKey);
  }

  /** Returns the statement that is executed instead. */
  Stm instead(Stm stm) {
    return instead(stm, List.of());
  }

  private Stm instead(Stm stm, List<Atom> at) {
    if (contains(stm)) {
      return values.get(stm.var()).stm(stm, at);
    }
    var exp =
        switch (stm.exp()) {
          case If(var c, var then, var otherwise) ->
              new If(c, instead(then, at), instead(otherwise, at));
          case Loop(var params, var form, var body) -> {
            var indices = new ArrayList<>(at);
            if (form instanceof For f) {
              indices.add(f.i());
            }
            yield new Loop(params, form, instead(body, indices));
          }
          default -> stm.exp();
        };
    return stm.with(exp);
  }

  private Body instead(Body body, List<Atom> at) {
    return new Body(body.stms().stream().map(s -> instead(s, at)).toList(), body.results());
  }

  /** Makes what applies to a branch apply to a copy that is executed again, too. */
  void renamed(Body original, Renaming renaming) {
    renamed(original, renaming, x -> x);
  }

  /**
   * Makes what applies to a loop's body apply to a copy of one iteration that is executed again.
   */
  void renamed(Builder b, Body original, Renaming renaming, Atom iteration) {
    renamed(original, renaming, x -> x.at(b, iteration));
  }

  private void renamed(Body original, Renaming renaming, UnaryOperator<Saved> at) {
    for (var v : Binders.of(original)) {
      if (values.containsKey(v)) {
        values.put((Var) renaming.atom(v), at.apply(values.get(v)).renamed(renaming));
      }
      if (ends.contains(v)) {
        ends.add((Var) renaming.atom(v));
      }
    }
  }

  /**
   * Returns the variable from outside the body, or made in it, that a result is but another name
   * of.
   */
  static Atom origin(Body body, Atom result) {
    for (var stm : body.stms()) {
      int k = result instanceof Var v ? stm.pattern().indexOf(v) : -1;
      if (k >= 0) {
        return switch (stm.exp()) {
          case Alias(var x) -> origin(body, x);
          case If e -> {
            var x = origin(e.then(), e.then().results().get(k));
            var y = origin(e.otherwise(), e.otherwise().results().get(k));
            yield x.equals(y) ? origin(body, x) : result;
          }
          case Loop e -> {
            var p = e.params().get(k);
            boolean same = origin(e.body(), e.body().results().get(k)).equals(p.var());
            yield same ? origin(body, p.init()) : result;
          }
          default -> result;
        };
      }
    }
    return result;
  }
}
