package dev.kenaz.interpret;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.interpret.Datum.Acc;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs the parallel operators, one element after the other. */
record Soacs(Machine machine, Counter counter) {
  Datum[] screma(Screma s) {
    int width = width(s.width());
    counter.expect(width);
    var returns = s.map().returns();
    int scanned = s.scanWidth();
    int folded = scanned + s.reduceWidth();
    var state = new Datum[folded];
    int at = 0;
    for (var scan : s.scans()) {
      at = start(state, at, scan.neutral());
    }
    for (var reduce : s.reduces()) {
      at = start(state, at, reduce.neutral());
    }
    var out = new Datum[returns.size()];
    var inputs = inputs(s.inputs());
    for (int i = 0; i < width; i++) {
      var row = apply(s.map(), inputs, i);
      at = 0;
      for (var scan : s.scans()) {
        at = fold(scan.op(), state, row, at);
      }
      for (var reduce : s.reduces()) {
        at = fold(reduce.op(), state, row, at);
      }
      for (int k = 0; k < out.length; k++) {
        if (k < scanned || k >= folded) {
          out[k] = collect(out[k], width, i, k < scanned ? state[k] : row[k]);
        }
      }
      if (i + 1 < width) {
        keepAccumulators(s.inputs(), inputs, returns, row);
      }
    }
    for (int k = 0; k < out.length; k++) {
      if (k >= scanned && k < folded) {
        out[k] = state[k];
      } else if (out[k] == null) {
        out[k] = empty(returns.get(k), s.inputs(), inputs, returns, k);
      }
    }
    return out;
  }

  private int start(Datum[] state, int at, List<Atom> neutral) {
    for (var ne : neutral) {
      var x = machine.get(ne);
      state[at++] = x instanceof Arr a ? a.copy() : x;
    }
    return at;
  }

  /** Combines the state with the next operands; they take the state's place. */
  private int fold(Lambda op, Datum[] state, Datum[] row, int at) {
    int n = op.returns().size();
    var arguments = new Datum[2 * n];
    System.arraycopy(state, at, arguments, 0, n);
    System.arraycopy(row, at, arguments, n, n);
    var next = machine.call(op, arguments);
    for (int k = 0; k < n; k++) {
      // The results may be parts of the arguments, which may be changed in place later.
      state[at + k] = next[k] instanceof Arr a ? a.copy() : next[k];
    }
    return at + n;
  }

  private Datum collect(Datum out, int width, int i, Datum x) {
    if (x instanceof Acc) {
      return x;
    }
    var all = (Arr) out;
    if (all == null) {
      var inner = x instanceof Arr a ? a.shape() : new long[0];
      var shape = new long[inner.length + 1];
      shape[0] = width;
      System.arraycopy(inner, 0, shape, 1, inner.length);
      all = Arr.scratch(x instanceof Arr a ? a.elem() : ((Num) x).value().prim(), shape);
      all.in(Arr.Place.NEW);
    }
    all.setAt(1, i, x);
    if (x instanceof Arr row) {
      counter.place(row);
    } else {
      counter.write(1);
    }
    return all;
  }

  /**
   * Checks that an accumulator goes on from row to row. It is changed in place, so nothing else has
   * to be done.
   */
  private static void keepAccumulators(
      List<Var> vars, Datum[] inputs, List<Type> returns, Datum[] row) {
    for (int k = 0; k < inputs.length; k++) {
      if (inputs[k] instanceof Acc) {
        int at = resultOf(vars.get(k), returns);
        inputs[k] = row[at];
      }
    }
  }

  private static int resultOf(Var acc, List<Type> returns) {
    var token = ((Type.Acc) acc.type()).token();
    for (int i = 0; i < returns.size(); i++) {
      if (returns.get(i) instanceof Type.Acc a && a.token() == token) {
        return i;
      }
    }
    throw new CompilerBug("interpret", acc + " is not returned");
  }

  /**
   * Returns the result of an operator over no rows: an empty array of the inner shape, or the
   * accumulator.
   */
  private Datum empty(Type type, List<Var> vars, Datum[] inputs, List<Type> returns, int k) {
    if (type instanceof Type.Acc) {
      for (int i = 0; i < inputs.length; i++) {
        if (inputs[i] instanceof Acc && resultOf(vars.get(i), returns) == k) {
          return inputs[i];
        }
      }
      throw new CompilerBug("interpret", "no such accumulator: " + type);
    }
    return Arr.zeros(type.elemPrim(), machine.shape(type.under(Atom.i64(0)).dims()));
  }

  Datum[] hist(Hist h) {
    var inputs = inputs(h.inputs());
    int width = width(h.width());
    counter.expect(width);
    var dests = new ArrayList<Arr>();
    h.ops().forEach(op -> op.dests().forEach(d -> dests.add(machine.arr(d))));
    dests.forEach(counter::materialise);
    for (int i = 0; i < width; i++) {
      var row = apply(h.map(), inputs, i);
      int index = 0;
      int value = h.ops().stream().mapToInt(op -> op.shape().size()).sum();
      int dest = 0;
      for (var op : h.ops()) {
        int n = op.dests().size();
        int dims = op.shape().size();
        update(
            dests.subList(dest, dest + n),
            Arrays.copyOfRange(row, index, index + dims),
            Arrays.copyOfRange(row, value, value + n),
            op.op());
        index += dims;
        value += n;
        dest += n;
      }
    }
    return dests.toArray(new Datum[0]);
  }

  Datum[] filter(Filter f) {
    var inputs = inputs(f.inputs());
    int width = width(f.width());
    counter.expect(width);
    var kept = new ArrayList<Datum[]>();
    for (int i = 0; i < width; i++) {
      var row = apply(f.map(), inputs, i);
      // To count is to add up the flags as numbers.
      counter.op();
      counter.op();
      if (((Num) row[0]).value().asBoolean()) {
        kept.add(row);
      }
    }
    var returns = f.map().returns();
    var out = new Datum[returns.size()];
    out[0] = Datum.of(ScalarValue.i64(kept.size()));
    for (int k = 1; k < out.length; k++) {
      for (int i = 0; i < kept.size(); i++) {
        out[k] = collect(out[k], kept.size(), i, kept.get(i)[k]);
      }
      out[k] = out[k] == null ? empty(returns.get(k), f.inputs(), inputs, returns, k) : out[k];
    }
    return out;
  }

  Datum[] scatter(Scatter s) {
    var inputs = inputs(s.inputs());
    int width = width(s.width());
    counter.expect(width);
    var dests = s.dests().stream().map(d -> machine.arr(d.dest())).toList();
    dests.forEach(counter::materialise);
    for (int i = 0; i < width; i++) {
      var row = apply(s.map(), inputs, i);
      int index = 0;
      int value = s.dests().stream().mapToInt(d -> d.shape().size()).sum();
      for (int k = 0; k < dests.size(); k++) {
        int dims = s.dests().get(k).shape().size();
        update(
            List.of(dests.get(k)),
            Arrays.copyOfRange(row, index, index + dims),
            new Datum[] {row[value + k]},
            null);
        index += dims;
      }
    }
    return dests.toArray(new Datum[0]);
  }

  /**
   * Combines values into places of arrays, if the place exists.
   *
   * @param op the operator; null to replace
   */
  private void update(List<Arr> dests, Datum[] index, Datum[] xs, Lambda op) {
    long flat = 0;
    for (int d = 0; d < index.length; d++) {
      long i = ((Num) index[d]).value().bits();
      long size = dests.getFirst().dim(d);
      if (i < 0 || i >= size) {
        return;
      }
      flat = flat * size + i;
    }
    var next = xs;
    if (op != null) {
      var arguments = new Datum[2 * xs.length];
      for (int k = 0; k < xs.length; k++) {
        arguments[k] = dests.get(k).at(index.length, flat);
        counter.read(arguments[k] instanceof Arr a ? a.size() : 1);
        arguments[xs.length + k] = xs[k];
      }
      next = machine.call(op, arguments);
    }
    for (int k = 0; k < next.length; k++) {
      dests.get(k).setAt(index.length, flat, next[k]);
      counter.write(next[k] instanceof Arr a ? a.size() : 1);
    }
  }

  Datum[] withAcc(WithAcc w) {
    var accs = new Datum[w.inputs().size()];
    for (int i = 0; i < accs.length; i++) {
      var in = w.inputs().get(i);
      var arrays = in.arrays().stream().map(machine::arr).toList();
      arrays.forEach(counter::materialise);
      accs[i] = new Acc(arrays, in.space().size(), in.combine());
    }
    var results = machine.call(w.body(), accs);
    var out = new ArrayList<Datum>();
    for (int i = 0; i < accs.length; i++) {
      out.addAll(((Acc) results[i]).arrays());
    }
    out.addAll(Arrays.asList(results).subList(accs.length, results.length));
    return out.toArray(new Datum[0]);
  }

  Datum updateAcc(Var acc, List<Atom> indices, List<Atom> xs) {
    var a = (Acc) machine.get(acc);
    update(
        a.arrays(),
        machine.get(indices),
        machine.get(xs),
        a.combine().map(Combine::op).orElse(null));
    return a;
  }

  private Datum[] inputs(List<Var> inputs) {
    return machine.get(inputs);
  }

  private Datum[] apply(Lambda map, Datum[] inputs, int i) {
    var row = new Datum[inputs.length];
    for (int k = 0; k < row.length; k++) {
      if (inputs[k] instanceof Arr a) {
        row[k] = a.at(1, i);
        counter.read(a, a.rank() == 1 ? 1 : 0);
      } else {
        row[k] = inputs[k];
      }
    }
    return machine.call(map, row);
  }

  private int width(Atom width) {
    return Arr.length(machine.i64(width));
  }
}
