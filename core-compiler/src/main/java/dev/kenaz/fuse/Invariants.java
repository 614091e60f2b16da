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

  /** Whether it may be worth an array: it reduces, iterates, or computes elementary functions. */
  private static boolean expensive(Stm stm) {
    return switch (stm.exp()) {
      case Loop _, Hist _, Scatter _, Filter _ -> true;
      case Screma s when !s.isMap() -> true;
      case Unary(var op, _) ->
          switch (op) {
            case NEG, NOT, ABS, SGN, SQRT, FLOOR, CEIL, ROUND, TRUNC -> false;
            case ISNAN, ISINF, TO_BITS, FROM_BITS, POPC, CLZ, CTZ -> false;
            case CBRT, EXP, EXP2, EXP10, EXPM1, LOG, LOG2, LOG10, LOG1P -> true;
            case SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH -> true;
            case ASINH, ACOSH, ATANH, GAMMA, LGAMMA, ERF, ERFC -> true;
          };
      default ->
          Effects.bodies(stm.exp()).flatMap(b -> b.stms().stream()).anyMatch(Invariants::expensive);
    };
  }

  /** One map. */
  private static final class Split {
    private final Set<Var> varying;

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
      var rows = new ArrayList<Var>();
      kept.forEach(v -> rows.add(arrayOf(v, stm)));
      var all = kept.isEmpty() ? stm : withResults(stm, kept, rows);
      inside.add(kept.isEmpty() ? stm : withInputs(stm, kept, rows));
      var same = all.pattern().stream().filter(v -> !varying.contains(v)).toList();
      if (same.isEmpty()) {
        return;
      }
      var part = DeadCode.only(same, all);
      outside.add(part);
      boolean nested = Effects.bodies(part.exp()).findAny().isPresent();
      if (nested && expensive(part) && FreeVars.of(part).stream().noneMatch(varying::contains)) {
        moved.addAll(same);
      }
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
      var own = new HashSet<>(s.map().params());
      own.addAll(Stm.bound(stms));
      if (varying.contains(s.width()) || s.map().params().stream().anyMatch(this::accumulates)) {
        return List.of();
      }
      var kept = new ArrayList<Var>();
      for (int i = 0; i < stms.size(); i++) {
        var same = stms.get(i).pattern().stream().filter(v -> !varying.contains(v)).toList();
        if (same.isEmpty() || !expensive(DeadCode.only(same, stms.get(i)))) {
          continue;
        }
        var later = stms.subList(i + 1, stms.size());
        same.stream()
            .filter(v -> FreeVars.of(v.type()).stream().noneMatch(own::contains))
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
