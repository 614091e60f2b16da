package dev.kenaz.fuse;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Adds up after a loop what its iterations add to an array that they don't read otherwise:
 *
 * <pre>
 *   loop w for i &lt; n: let x = ...; in w + (with_acc 0: for b: acc[j, k] += x[b, j] * y[i, b, k])
 *     is  loop xs for i &lt; n: let x = ...; in xs with [i] = x
 *         w + (with_acc 0: for i, b: acc[j, k] += xs[i, b, j] * y[i, b, k])
 * </pre>
 *
 * <p>The reverse sweep of a loop adds to the adjoints of what all its iterations use, such as the
 * weights of a recurrent network (001 §5.1). The sum of products over the iterations is one product
 * then, whose inner dimension is longer, in place of one short product in each iteration. The sums
 * are formed in another order, as those of accumulators may be.
 *
 * <p>What an iteration makes for its sum is kept. This takes as much memory as the loop reads:
 * there must be an array that the loop reads row by row for each that is kept, of the same shape.
 */
final class LateSums implements CodeRewriter {
  private final Set<Var> counting = new HashSet<>();
  private final Map<Var, Exp> scalars = new HashMap<>();
  private final Set<Var> zeros = new HashSet<>();

  private LateSums() {}

  static CoreProgram run(CoreProgram program) {
    return new LateSums().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    switch (stm.exp()) {
      case Iota i when i.isCounter() && i.start().type().equals(Type.I64) ->
          counting.add(stm.var());
      case Replicate r when r.value().isConst(0) -> zeros.add(stm.var());
      case Binary b -> scalars.put(stm.var(), b);
      default -> {}
    }
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return inner.exp() instanceof Loop l
            && l.form() instanceof For f
            && f.bound().type().equals(Type.I64)
        ? late(inner, l, f)
        : List.of(inner);
  }

  /**
   * A sum that iterations add to an array.
   *
   * @param at the place in the array, of its outer dimensions; empty for the whole array
   * @param adding the accumulation of one iteration, into zeros or into the row itself
   */
  private record Part(List<Atom> at, Stm adding) {}

  /**
   * A parameter of the loop to which nothing else is done than that sums are added.
   *
   * @param number its number among the parameters
   */
  private record Target(int number, List<Part> parts) {}

  private List<Stm> late(Stm stm, Loop loop, For form) {
    var body = divided(loop.body());
    var code = new LoopBody(loop, form, body, this);
    var targets = new ArrayList<Target>();
    for (int k = 0; k < loop.params().size(); k++) {
      int number = k;
      parts(code, loop.params().get(k).var(), body.results().get(k))
          .filter(parts -> parts.stream().allMatch(p -> code.movable(p.adding)))
          .ifPresent(parts -> targets.add(new Target(number, parts)));
    }
    targets.forEach(t -> t.parts.forEach(p -> code.move(p.adding)));
    return !targets.isEmpty() && code.fits() ? rebuilt(stm, code, targets) : List.of(stm);
  }

  /** Makes accumulations of their own of those that make something else, too. */
  private static Body divided(Body body) {
    var stms = new ArrayList<Stm>();
    for (var stm : body.stms()) {
      var parts = stm.exp() instanceof WithAcc w ? ReadBack.of(stm, w) : Optional.<ReadBack>empty();
      parts.ifPresentOrElse(
          p -> {
            stms.addAll(p.pure());
            stms.add(p.adding());
          },
          () -> stms.add(stm));
    }
    return new Body(stms, body.results());
  }

  /** Returns the sums that an iteration adds to the parameter, if it does nothing else with it. */
  private Optional<List<Part>> parts(LoopBody code, Var param, Atom result) {
    if (!param.type().isArray() || param.equals(result)) {
      return Optional.empty();
    }
    var parts = new ArrayList<Part>();
    var places = new HashSet<List<Atom>>();
    if (!(code.made(result).orElse(null) instanceof Update)) {
      return code.uses(param) == 1
          ? sum(code, result, param).map(adding -> List.of(new Part(List.of(), adding)))
          : Optional.empty();
    }
    var v = result;
    while (!v.equals(param)) {
      if (!(code.made(v).orElse(null) instanceof Update u) || u.checked() || code.uses(v) != 1) {
        return Optional.empty();
      }
      var at = place(u, param.type());
      var adding = sum(code, u.value(), param, at);
      if (at.isEmpty() || adding.isEmpty() || !places.add(at)) {
        return Optional.empty();
      }
      parts.add(new Part(at, adding.get()));
      v = u.array();
    }
    return code.uses(param) == parts.size() + 1 ? Optional.of(parts.reversed()) : Optional.empty();
  }

  /** Returns the constant place of the row that is overwritten; empty if it is no such place. */
  private static List<Atom> place(Update u, Type type) {
    var at = new ArrayList<Atom>();
    for (int d = 0; d < u.slice().size(); d++) {
      var size = type.dims().get(d);
      boolean fixed =
          u.slice().get(d) instanceof DimSlice.Fix(Const(var i))
              && size instanceof Const(var n)
              && i.asLong() >= 0
              && i.asLong() < n.asLong();
      if (fixed && at.size() == d) {
        at.add(((DimSlice.Fix) u.slice().get(d)).index());
      } else if (!u.slice().get(d).isWhole(size)) {
        return List.of();
      }
    }
    return at;
  }

  /** Returns the accumulation whose result is added to the row at the place. */
  private Optional<Stm> sum(LoopBody code, Atom total, Var param, List<Atom> at) {
    var operands =
        switch (code.made(total).orElse(null)) {
          case Screma s -> s.inputs();
          case WithAcc w -> w.inputs().getFirst().arrays();
          case null, default -> List.<Var>of();
        };
    return operands.stream()
        .filter(
            x ->
                code.made(x).orElse(null) instanceof Index(var a, var is, var checked)
                    && a.equals(param)
                    && is.equals(at)
                    && !checked
                    && code.uses(x) == 1)
        .findFirst()
        .flatMap(x -> sum(code, total, x));
  }

  /**
   * Returns the accumulation whose result is added to an array, or that accumulates in the array.
   */
  private Optional<Stm> sum(LoopBody code, Atom total, Var to) {
    var stm = code.statement(total).filter(_ -> code.uses(total) == 1);
    return switch (code.made(total).orElse(null)) {
      case WithAcc _ -> stm.filter(x -> isSum(x) && start(x).equals(to));
      case Screma s
          when s.isMap()
              && s.inputs().size() == 2
              && s.inputs().contains(to)
              && Operators.isSum(s.map()) -> {
        var added = s.inputs().get(s.inputs().getFirst().equals(to) ? 1 : 0);
        yield stm.flatMap(_ -> code.statement(added))
            .filter(x -> code.uses(added) == 1 && isSum(x) && zeros.contains(start(x)));
      }
      case null, default -> Optional.empty();
    };
  }

  /** Returns what an accumulation begins with. */
  private static Var start(Stm stm) {
    return ((WithAcc) stm.exp()).inputs().getFirst().arrays().getFirst();
  }

  /** Whether it adds up, in a nest that has an index to sum over, and does nothing else. */
  private boolean isSum(Stm stm) {
    if (!(stm.exp() instanceof WithAcc w)
        || w.inputs().size() != 1
        || w.body().returns().size() != 1) {
      return false;
    }
    var in = w.inputs().getFirst();
    boolean adds =
        in.arrays().size() == 1
            && in.arrays().getFirst().type().dims().size() == in.space().size()
            && in.combine().filter(c -> Operators.isSum(c.op())).isPresent();
    var nest = adds ? Nest.of(w, counting) : null;
    return nest != null && nest.sumsOutermost();
  }

  /** Whether it is {@code n - 1}. */
  boolean isLast(Atom x, Atom n) {
    return scalars.get(x) instanceof Binary(var op, var a, var b)
        && a.equals(n)
        && (op == BinaryOp.ADD && b.isConst(-1) || op == BinaryOp.SUB && b.isConst(1));
  }

  private static List<Stm> rebuilt(Stm stm, LoopBody code, List<Target> targets) {
    var loop = code.loop();
    var b = new Builder(stm.span());
    Map<Var, Var> kept = new LinkedHashMap<>();
    var params = new ArrayList<LoopParam>();
    var pattern = new ArrayList<Var>();
    var gone = new HashSet<Integer>();
    targets.forEach(t -> gone.add(t.number));
    for (int k = 0; k < loop.params().size(); k++) {
      if (!gone.contains(k)) {
        params.add(loop.params().get(k));
        pattern.add(stm.pattern().get(k));
      }
    }
    Map<Var, Var> updated = new HashMap<>();
    for (var v : code.kept()) {
      var type = v.type().under(code.bound());
      var room = b.bind("kept", new Scratch(type.elemPrim(), type.dims()));
      var param = Names.fresh(v.name(), type);
      params.add(new LoopParam(param, room));
      updated.put(v, param);
      kept.put(v, Names.fresh(v.name(), type));
      pattern.add(kept.get(v));
    }
    var body =
        code.without(
            targets.stream().flatMap(t -> t.parts.stream()).map(Part::adding).toList(),
            gone,
            updated);
    b.add(stm.with(pattern, new Loop(params, loop.form(), body)));
    var flats = new HashMap<Var, Var>();
    for (var t : targets) {
      var init = (Var) loop.params().get(t.number).init();
      b.bindAll(
          List.of(stm.pattern().get(t.number)), new Alias(added(b, code, t, init, kept, flats)));
    }
    return b.stms();
  }

  /** Adds up over all iterations, and adds that to what was there before the loop. */
  private static Var added(
      Builder b, LoopBody code, Target t, Var init, Map<Var, Var> kept, Map<Var, Var> flats) {
    var totals = new ArrayList<Var>();
    for (var p : t.parts) {
      var sum = code.overall(b, p.adding, kept, flats);
      var old = p.at.isEmpty() ? init : b.bind("x", new Index(init, p.at, false));
      totals.add((Var) b.plus(old, sum));
    }
    var all = init;
    for (int k = 0; k < t.parts.size(); k++) {
      var at = t.parts.get(k).at;
      all = at.isEmpty() ? totals.get(k) : b.update(all, at, totals.get(k));
    }
    return all;
  }
}
