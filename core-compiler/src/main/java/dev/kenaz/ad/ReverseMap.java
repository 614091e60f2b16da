package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * Differentiates map (001 §5.4). With {@code ys = map f xs} the return sweep is {@code x̄s += map
 * (\x ȳ -> ∂f/∂x · ȳ) xs ȳs}: a map that executes f again and then its return sweep. Adjoints of
 * the inputs' rows are mapped results. A free array's adjoint is turned into an accumulator for the
 * map's extent, since its elements may be read anywhere.
 *
 * <p>Where we differ: a free scalar's adjoint is a sum over the iterations, emitted as a reduction
 * in the same node; accumulators of free arrays that turn out not to be added to are left out; and
 * an adjoint that is the same for every row (what a sum leaves) is not replicated but used as a
 * free variable.
 */
final class ReverseMap {
  private ReverseMap() {}

  /** What is known of the adjoint of one result of the mapped function, iteration by iteration. */
  sealed interface Seed {
    record None() implements Seed {}

    record Rows(Var array) implements Seed {}

    record Same(Atom row) implements Seed {}

    static Seed of(Adjoint adjoint) {
      return switch (adjoint) {
        case null -> new None();
        case Adjoint.Value(var array, _) -> new Rows((Var) array);
        case Adjoint.Broadcast(var row) -> new Same(row);
        case Adjoint.Sparse _, Adjoint.Accumulator _ ->
            throw new dev.kenaz.error.CompilerBug("ad", "not one row after the other: " + adjoint);
      };
    }
  }

  /** Emits the return sweep of {@code map f inputs}, with one seed for each result of f. */
  static void emit(Reverse r, Sweep s, Atom width, List<Var> inputs, Lambda f, List<Seed> seeds) {
    new Emission(r, s, width, f, List.of()).run(inputs, seeds);
  }

  /** Emits the return sweep of a map of the program, whose results {@link LateResults} may want. */
  static void emit(Reverse r, Sweep s, List<Var> pattern, Screma e, List<Seed> seeds) {
    boolean late = r.keepsLate(s.b) && LateResults.isWorthIt(e);
    new Emission(r, s, e.width(), e.map(), late ? pattern : List.of()).run(e.inputs(), seeds);
  }

  /** The parts of the return sweep's map as they come together. */
  private static final class Emission {
    private final Reverse r;
    private final Sweep s;
    private final Sweep inner;
    private final Atom width;
    private final Lambda f;
    private final List<Var> freeScalars = new ArrayList<>();
    private final List<Var> freeArrays = new ArrayList<>();
    private final List<Var> inputs = new ArrayList<>();
    private final List<Var> params = new ArrayList<>();
    private final List<Var> late;

    Emission(Reverse r, Sweep s, Atom width, Lambda f, List<Var> late) {
      this.late = late;
      this.r = r;
      this.s = s;
      this.inner = s.inner();
      this.width = width;
      this.f = f;
      for (var v : r.activity.among(FreeVars.of(f))) {
        if (v.type().isArray()) {
          freeArrays.add(v);
        } else if (v.type().isScalar()) {
          freeScalars.add(v);
        }
      }
    }

    void run(List<Var> primalInputs, List<Seed> seeds) {
      var rows = new ArrayList<Var>();
      for (int i = 0; i < primalInputs.size(); i++) {
        var p = Names.like(f.params().get(i));
        rows.add(p);
        if (r.activity.active(primalInputs.get(i))) {
          r.activity.mark(p);
        }
        if (!(p.type() instanceof Type.Acc)) {
          inputs.add(primalInputs.get(i));
          params.add(p);
        }
      }
      var body = sweep(rows, seeds);
      var accs = accumulators();
      var back = inner(body, rows, seeds, accs);
      back.run();
      finish(primalInputs, rows, accs, body.results());
    }

    private Body sweep(List<Var> rows, List<Seed> seeds) {
      var renamed = new HashMap<Var, Atom>();
      for (int i = 0; i < rows.size(); i++) {
        renamed.put(f.params().get(i), rows.get(i));
      }
      return new Renaming(renamed).body(f.body());
    }

    /** Makes the accumulators that the map's function gets, one for each free array. */
    private List<Var> accumulators() {
      var accs = new ArrayList<Var>();
      for (var v : freeArrays) {
        var acc =
            s.get(v) instanceof Adjoint.Accumulator(var outer)
                ? Names.fresh(outer.name(), outer.type())
                : Accumulate.fresh(v);
        accs.add(acc);
        inner.set(v, new Adjoint.Accumulator(acc));
      }
      return accs;
    }

    private Runnable inner(Body body, List<Var> rows, List<Seed> seeds, List<Var> accs) {
      var back = r.forward(inner.b, body);
      for (int i = 0; i < seeds.size(); i++) {
        var result = body.results().get(i);
        switch (seeds.get(i)) {
          case Seed.None _ -> {}
          case Seed.Same(var row) -> inner.add(result, row, false);
          case Seed.Rows(var array) -> {
            if (r.activity.active(result)) {
              var p = Names.fresh("adj", Builder.rowType(array.type()));
              inputs.add(array);
              params.add(p);
              inner.add(result, p, false);
            }
          }
        }
      }
      return () -> back.emit(inner);
    }

    private void finish(
        List<Var> primalInputs, List<Var> rows, List<Var> accs, List<Atom> primalResults) {
      var results = new ArrayList<Atom>();
      var summed = freeScalars.stream().filter(v -> !inner.isZero(v)).toList();
      summed.forEach(v -> results.add(inner.value(v)));
      var mapped = new ArrayList<Integer>();
      for (int i = 0; i < rows.size(); i++) {
        var row = rows.get(i);
        if (row.type() instanceof Type.Acc) {
          if (!inner.isZero(row)) {
            s.set(primalInputs.get(i), inner.get(row));
          }
        } else if (inner.get(row) instanceof Adjoint.Sparse(var entries)
            && s.get(primalInputs.get(i)) instanceof Adjoint.Accumulator) {
          accumulate(primalInputs.get(i), entries, accs);
        } else if (!inner.isZero(row)) {
          mapped.add(i);
          results.add(inner.value(row));
        }
      }
      int plain = results.size();
      if (plain > 0 || isAnyUsed(accs)) {
        results.addAll(primalResults.subList(0, late.size()));
      }
      int wanted = results.size();
      var used = new ArrayList<Integer>();
      for (int i = 0; i < accs.size(); i++) {
        var now = ((Adjoint.Accumulator) inner.get(freeArrays.get(i))).acc();
        if (!now.equals(accs.get(i))) {
          used.add(i);
          results.add(now);
        }
      }
      if (results.isEmpty()) {
        return;
      }
      var outs = bind(summed, wanted - summed.size(), used, accs, results);
      for (int k = 0; k < wanted - plain; k++) {
        r.late(late.get(k), outs.get(plain + k));
      }
      // this comes first, because an array may be both free and an input
      int at = wanted;
      for (int i : used) {
        var v = freeArrays.get(i);
        s.set(v, ReverseIf.replaced(s.get(v), outs.get(at++)));
      }
      at = 0;
      for (var v : summed) {
        s.add(v, outs.get(at++), true);
      }
      for (int i : mapped) {
        s.add(primalInputs.get(i), outs.get(at++), true);
      }
    }

    private boolean isAnyUsed(List<Var> accs) {
      for (int i = 0; i < accs.size(); i++) {
        if (!((Adjoint.Accumulator) inner.get(freeArrays.get(i))).acc().equals(accs.get(i))) {
          return true;
        }
      }
      return false;
    }

    /**
     * Adds a few rows to the adjoint of the input's row one by one, where that adjoint is an
     * accumulator already, instead of making a mapped result that is mostly zeros.
     */
    private void accumulate(Var input, List<Adjoint.Entry> entries, List<Var> accs) {
      if (!freeArrays.contains(input)) {
        var acc = Names.like(((Adjoint.Accumulator) s.get(input)).acc());
        freeArrays.add(input);
        accs.add(acc);
        inner.set(input, new Adjoint.Accumulator(acc));
      }
      var index = Names.fresh("i", Type.I64);
      inputs.add(s.b.iota(width));
      params.add(index);
      for (var e : entries) {
        // an index that is out of bounds is ignored
        var acc = ((Adjoint.Accumulator) inner.get(input)).acc();
        var at = List.of(index, e.index());
        inner.set(input, new Adjoint.Accumulator(Accumulate.all(inner.b, acc, at, e.row())));
      }
    }

    /**
     * Binds the map, inside a WithAcc where it needs new accumulators; returns the results in
     * order.
     */
    private List<Var> bind(
        List<Var> summed, int mapped, List<Integer> used, List<Var> accs, List<Atom> results) {
      var fresh = new ArrayList<Var>();
      for (int i : used) {
        params.add(accs.get(i));
        if (!(s.get(freeArrays.get(i)) instanceof Adjoint.Accumulator)) {
          fresh.add(freeArrays.get(i));
        }
      }
      var sums = summed.stream().map(this::sum).toList();
      var map = Accumulate.lambda(params, inner.b, results);
      if (fresh.isEmpty()) {
        used.forEach(i -> inputs.add(((Adjoint.Accumulator) s.get(freeArrays.get(i))).acc()));
        return s.b.screma(width, inputs, List.of(), sums, map);
      }
      var arrays = fresh.stream().map(s::owned).toList();
      var accInputs = arrays.stream().map(a -> Accumulate.input(s.b, a)).toList();
      var accParams = new HashMap<Var, Var>();
      for (int i : used) {
        var v = freeArrays.get(i);
        if (fresh.contains(v)) {
          accParams.put(v, Names.like(accs.get(i)));
        }
      }
      for (int i : used) {
        var v = freeArrays.get(i);
        inputs.add(fresh.contains(v) ? accParams.get(v) : ((Adjoint.Accumulator) s.get(v)).acc());
      }
      var scope = s.b.inner();
      var outs = scope.screma(width, inputs, List.of(), sums, map);
      return withAcc(fresh, accInputs, accParams, scope, outs, summed.size() + mapped, used);
    }

    private List<Var> withAcc(
        List<Var> fresh,
        List<AccInput> accInputs,
        HashMap<Var, Var> accParams,
        Builder scope,
        List<Var> outs,
        int plain,
        List<Integer> used) {
      // the lambda's first results must be its own accumulators; put them back in order afterwards
      var own = new ArrayList<Var>();
      var others = new ArrayList<>(outs.subList(0, plain));
      for (int k = 0; k < used.size(); k++) {
        (fresh.contains(freeArrays.get(used.get(k))) ? own : others).add(outs.get(plain + k));
      }
      var results = new ArrayList<Atom>(own);
      results.addAll(others);
      var lambdaParams = fresh.stream().map(accParams::get).toList();
      var exp = new WithAcc(accInputs, Accumulate.lambda(lambdaParams, scope, results));
      var bound = s.b.bindAll("adj", exp);
      var inOrder = new ArrayList<>(bound.subList(own.size(), own.size() + plain));
      int nextOwn = 0;
      int nextOther = own.size() + plain;
      for (int i : used) {
        inOrder.add(
            fresh.contains(freeArrays.get(i)) ? bound.get(nextOwn++) : bound.get(nextOther++));
      }
      return inOrder;
    }

    private Reduce sum(Var v) {
      var prim = v.type().elemPrim();
      return new Reduce(
          s.b.operator(Builder.addition(prim), prim), List.of(Atom.of(prim, 0)), true);
    }
  }
}
