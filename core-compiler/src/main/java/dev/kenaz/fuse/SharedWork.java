package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.Simplify;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Hands over the results of an earlier neighbour's reductions to an operator inside another that
 * repeats them, for the same rows. The return sweep of a nest executes it again (001 §4.1): that
 * costs no memory, but where each element is a reduction of many, keeping it is cheaper. Outermost
 * operators are left alone: their arrays are large, and may be distributed.
 */
final class SharedWork implements CodeRewriter {
  /** A reduction of fewer elements is quickly done again. */
  private static final long FEW = 4;

  private int depth;

  private SharedWork() {}

  static CoreProgram run(CoreProgram program) {
    return new SharedWork().program(program);
  }

  @Override
  public Exp exp(Exp exp) {
    depth += exp instanceof Screma ? 1 : 0;
    var result = CodeRewriter.super.exp(exp);
    depth -= exp instanceof Screma ? 1 : 0;
    return result;
  }

  @Override
  public Body body(Body body) {
    var inner = CodeRewriter.super.body(body);
    if (depth == 0) {
      return inner;
    }
    var stms = new ArrayList<>(inner.stms());
    for (int j = 1; j < stms.size(); j++) {
      for (int i = 0; i < j; i++) {
        if (stms.get(i).exp() instanceof Screma a && stms.get(j).exp() instanceof Screma b) {
          var shared = new Pair(new HashMap<>()).share(a, b);
          if (shared != null) {
            stms.set(i, extended(stms.get(i), shared));
            stms.set(j, stms.get(j).with(shared.second));
          }
        }
      }
    }
    return inner.with(stms);
  }

  private static Stm extended(Stm stm, Shared shared) {
    var pattern = Lists.concat(stm.pattern(), shared.handed);
    return stm.with(pattern, shared.first);
  }

  /**
   * These are two operators after sharing.
   *
   * @param handed arrays that the first makes in addition, and the second takes
   */
  private record Shared(Screma first, Screma second, List<Var> handed) {}

  /**
   * Two operators over the same rows, one after the other.
   *
   * @param same for variables of the second those of the first that have the same value
   */
  private record Pair(Map<Var, Var> same) implements Rewriter {
    @Override
    public Atom atom(Atom atom) {
      return atom instanceof Var v ? same.getOrDefault(v, v) : atom;
    }

    @Override
    public Var binder(Var v) {
      return v;
    }

    @Override
    public Type type(Type type) {
      return type instanceof Type.Array ? Rewriter.super.type(type) : type;
    }

    /** Null if there is nothing to share. */
    Shared share(Screma a, Screma b) {
      if (!a.width().equals(atom(b.width()))) {
        return null;
      }
      for (int k = 0; k < b.inputs().size(); k++) {
        int at = a.inputs().indexOf(atom(b.inputs().get(k)));
        if (at >= 0) {
          same.put(b.map().params().get(k), a.map().params().get(at));
        }
      }
      var inside = bound(a.map());
      var first = new ArrayList<>(a.map().body().stms());
      var second = new ArrayList<Stm>();
      var results = new ArrayList<Atom>();
      var params = new ArrayList<Var>();
      var known = new HashMap<Exp, Stm>();
      first.stream()
          .filter(s -> Effects.repeatable(s.exp()))
          .forEach(s -> known.put(key(s.exp()), s));
      for (var stm : b.map().body().stms()) {
        var twin = Effects.repeatable(stm.exp()) ? known.get(key(exp(stm.exp()))) : null;
        if (twin != null) {
          for (int k = 0; k < stm.pattern().size(); k++) {
            same.put(stm.pattern().get(k), twin.pattern().get(k));
          }
          if (expensive(stm)) {
            results.addAll(twin.pattern());
            params.addAll(stm.pattern());
            continue;
          }
        } else if (stm.exp() instanceof Screma nested) {
          stm = nested(first, stm, nested, inside, results, params);
        }
        second.add(stm);
      }
      return results.isEmpty() ? null : handOver(a, b, first, second, results, params);
    }

    /**
     * Treats a second statement that is an operator itself: finds what it shares with one of the
     * first's.
     */
    private Stm nested(
        List<Stm> first, Stm stm, Screma b, Set<Var> inside, List<Atom> results, List<Var> params) {
      for (int i = 0; i < first.size(); i++) {
        if (!(first.get(i).exp() instanceof Screma a) || inside.contains(a.width())) {
          continue;
        }
        var shared = share(a, b);
        if (shared != null) {
          first.set(i, extended(first.get(i), shared));
          var inputs = new ArrayList<>(shared.second.inputs());
          for (var e : shared.handed) {
            var row = Names.like(e);
            results.add(e);
            params.add(row);
            inputs.set(inputs.indexOf(e), row);
          }
          var s = shared.second;
          return stm.with(new Screma(s.width(), inputs, s.scans(), s.reduces(), s.map()));
        }
      }
      return stm;
    }

    private static Shared handOver(
        Screma a,
        Screma b,
        List<Stm> first,
        List<Stm> second,
        List<Atom> results,
        List<Var> params) {
      var handed = new ArrayList<Var>();
      var returns = new ArrayList<>(a.map().returns());
      for (var p : params) {
        handed.add(Names.fresh(p.name(), p.type().under(a.width())));
        returns.add(p.type());
      }
      var all = Lists.concat(a.map().body().results(), results);
      var makes = new Lambda(a.map().params(), new Body(first, all), returns);
      var inputs = Lists.concat(b.inputs(), handed);
      var rows = Lists.concat(b.map().params(), params);
      var takes = new Lambda(rows, new Body(second, b.map().body().results()), b.map().returns());
      return new Shared(
          new Screma(a.width(), a.inputs(), a.scans(), a.reduces(), makes),
          new Screma(b.width(), inputs, b.scans(), b.reduces(), takes),
          handed);
    }

    private static Exp key(Exp exp) {
      return Simplify.key(exp);
    }

    private static Set<Var> bound(Lambda lambda) {
      var inside = new HashSet<>(lambda.params());
      lambda.body().stms().forEach(s -> inside.addAll(s.pattern()));
      return inside;
    }

    /** Whether the statement is a reduction to scalars. */
    private static boolean expensive(Stm stm) {
      return stm.exp() instanceof Screma s
          && !s.reduces().isEmpty()
          && stm.pattern().stream().allMatch(v -> v.type().isScalar())
          && !(s.width() instanceof Const(var c) && c.asLong() < FEW);
    }
  }
}
