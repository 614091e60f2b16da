package dev.kenaz.fuse;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.DeadCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Moves out of a map what is expensive and the same for all of its rows. Forward derivatives in
 * many directions are such maps: each direction would compute the function's value again, side by
 * side with the tangents. So the results of an operator, loop or branch are told apart, and what an
 * inner operator needs in each of its rows of what doesn't vary is kept in an array:
 *
 * <pre>
 *   map (\d -> map (\x -> let r = f x in r * g d) xs) ds
 *   let rs = map f xs in map (\d -> map (\r -> r * g d) rs) ds
 * </pre>
 *
 * <p>It is computed where the map stands, so the map must have a row at least: its width is a
 * constant. What follows an assertion stays, as it may rely on it.
 */
final class Invariants implements CodeRewriter {
  private Invariants() {}

  static CoreProgram run(CoreProgram program) {
    return new Invariants().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return inner.exp() instanceof Screma s && s.width() instanceof Const(var n) && n.asLong() > 1
        ? new Split(s.map()).apply(inner, s)
        : List.of(inner);
  }

  /**
   * Returns how much of the statement may be worth an array: what reduces, iterates, or computes
   * elementary functions.
   */
  private static int cost(Stm stm) {
    int own =
        switch (stm.exp()) {
          case Loop _, Hist _, Scatter _, Filter _ -> 1;
          case Screma s -> s.scanWidth() + s.reduceWidth();
          case Unary(var op, _) ->
              switch (op) {
                case NEG, NOT, ABS, SGN, SQRT, FLOOR, CEIL, ROUND, TRUNC -> 0;
                case ISNAN, ISINF, TO_BITS, FROM_BITS, POPC, CLZ, CTZ -> 0;
                case CBRT, EXP, EXP2, EXP10, EXPM1, LOG, LOG2, LOG10, LOG1P -> 1;
                case SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH -> 1;
                case ASINH, ACOSH, ATANH, GAMMA, LGAMMA, ERF, ERFC -> 1;
              };
          default -> 0;
        };
    return own
        + Effects.bodies(stm.exp())
            .flatMap(b -> b.stms().stream())
            .mapToInt(Invariants::cost)
            .sum();
  }

  /** One map. */
  private static final class Split {
    private final Set<Var> varying;

    /** What the map's function binds, without the scopes inside. */
    private final Set<Var> own;

    /**
     * The statements of the map's function up to the first that can be noticed, as it needs them.
     */
    private final List<Stm> inside = new ArrayList<>();

    /** The same statements, with what of them doesn't vary. */
    private final List<Stm> outside = new ArrayList<>();

    /** What the map's function shall get from outside. */
    private final List<Var> moved = new ArrayList<>();

    Split(Lambda f) {
      varying = Varying.in(f);
      own = new HashSet<>(f.params());
      own.addAll(Stm.bound(f.body().stms()));
    }

    List<Stm> apply(Stm stm, Screma s) {
      var stms = s.map().body().stms();
      int end = 0;
      while (end < stms.size() && !Effects.observable(stms.get(end).exp())) {
        split(stms.get(end++));
      }
      if (moved.isEmpty()) {
        return List.of(stm);
      }
      var slice = new Body(BackwardSlice.of(outside, moved).stms(), List.copyOf(moved));
      if (FreeVars.of(slice).stream().anyMatch(varying::contains)) {
        return List.of(stm);
      }
      var code = new Renaming().body(slice);
      var replaced = new HashMap<Var, Var>();
      for (int i = 0; i < moved.size(); i++) {
        replaced.put(moved.get(i), (Var) code.results().get(i));
      }
      var rest = Lists.concat(inside, stms.subList(end, stms.size()));
      var body = new Substitution(replaced).body(new Body(rest, s.map().body().results()));
      var aliases = Aliases.of(body);
      if (replaced.values().stream().anyMatch(aliases::isConsumed)) {
        return List.of(stm);
      }
      var map = new Lambda(s.map().params(), body, s.map().returns());
      var smaller = new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map);
      return Lists.with(code.stms(), stm.with(smaller));
    }

    private void split(Stm stm) {
      var kept = stm.exp() instanceof Screma s ? keptRows(s) : List.<Var>of();
      if (kept.isEmpty()) {
        move(stm, stm);
        inside.add(stm);
      } else {
        var rows = kept.stream().map(v -> arrayOf(v, stm)).toList();
        var rest = withInputs(stm, kept, rows);
        inside.add(move(withResults(stm, kept, rows), rest) ? rest : stm);
      }
    }

    /**
     * Puts outside what of a statement doesn't vary; tells whether the map shall get it there. That
     * is of use if less is left for the rows to do.
     *
     * @param rest the statement if the map gets it
     */
    private boolean move(Stm stm, Stm rest) {
      var same = stm.pattern().stream().filter(v -> !varying.contains(v)).toList();
      if (same.isEmpty()) {
        return false;
      }
      var part = DeadCode.only(same, stm);
      var left = rest.pattern().stream().filter(varying::contains).toList();
      boolean nested = Effects.bodies(part.exp()).findAny().isPresent();
      int again = left.isEmpty() ? 0 : cost(DeadCode.only(left, rest));
      // of a branch it is not known which side is taken
      boolean less = again < (stm.exp() instanceof If ? Math.min(1, cost(stm)) : cost(stm));
      boolean free = FreeVars.of(part).stream().noneMatch(varying::contains);
      boolean moves = nested && less && free && same.stream().allMatch(this::hasSizesOutside);
      outside.add(part);
      if (moves) {
        moved.addAll(same);
      }
      return moves;
    }

    /** Sizes that are made in the map would have two names. */
    private boolean hasSizesOutside(Var v) {
      return FreeVars.of(v.type()).stream().noneMatch(own::contains);
    }

    private static Var arrayOf(Var row, Stm stm) {
      return Names.fresh(row.name(), row.type().under(((Screma) stm.exp()).width()));
    }

    /**
     * The variables of an operator's function that don't vary, are expensive, and are needed for
     * what varies.
     */
    private List<Var> keptRows(Screma s) {
      var stms = s.map().body().stms();
      var bound = new HashSet<>(s.map().params());
      bound.addAll(Stm.bound(stms));
      if (varying.contains(s.width()) || s.map().params().stream().anyMatch(this::accumulates)) {
        return List.of();
      }
      var kept = new ArrayList<Var>();
      for (int i = 0; i < stms.size(); i++) {
        var same = stms.get(i).pattern().stream().filter(v -> !varying.contains(v)).toList();
        if (same.isEmpty() || cost(DeadCode.only(same, stms.get(i))) == 0) {
          continue;
        }
        var later = stms.subList(i + 1, stms.size());
        same.stream()
            .filter(v -> FreeVars.of(v.type()).stream().noneMatch(bound::contains))
            .filter(v -> later.stream().anyMatch(t -> varies(t) && FreeVars.of(t).contains(v)))
            .forEach(kept::add);
      }
      return kept;
    }

    private boolean accumulates(Var v) {
      return v.type() instanceof Type.Acc;
    }

    private boolean varies(Stm stm) {
      return stm.pattern().stream().anyMatch(varying::contains);
    }

    /** The operator with further results, the arrays of what its function computes in each row. */
    private static Stm withResults(Stm stm, List<Var> kept, List<Var> rows) {
      var s = (Screma) stm.exp();
      var f = s.map();
      var returns = Lists.concat(f.returns(), kept.stream().map(Var::type).toList());
      var body = new Body(f.body().stms(), Lists.concat(f.body().results(), kept));
      var map = new Lambda(f.params(), body, returns);
      var more = new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map);
      return stm.with(Lists.concat(stm.pattern(), rows), more);
    }

    /** The operator with further inputs, from which its function takes what it computed before. */
    private static Stm withInputs(Stm stm, List<Var> kept, List<Var> rows) {
      var s = (Screma) stm.exp();
      var f = s.map();
      var stms = new ArrayList<Stm>();
      for (var t : f.body().stms()) {
        var pattern = t.pattern().stream().map(v -> kept.contains(v) ? Names.like(v) : v).toList();
        stms.add(t.with(pattern, t.exp()));
      }
      var map =
          new Lambda(
              Lists.concat(f.params(), kept), new Body(stms, f.body().results()), f.returns());
      var inputs = Lists.concat(s.inputs(), rows);
      return stm.with(new Screma(s.width(), inputs, s.scans(), s.reduces(), map));
    }
  }
}
