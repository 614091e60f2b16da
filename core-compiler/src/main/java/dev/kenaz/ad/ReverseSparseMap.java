package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Differentiates a map whose results' adjoints are sparse (001 §5.1.1): iterations whose results
 * have adjoint zero contribute nothing, so the return sweep is that of the few other iterations,
 * {@code x̄_k += ∂f/∂x(x_k) · ȳ_k} for those k, without a map. What they contribute to the inputs
 * is sparse again.
 *
 * <p>Where we differ: the index is one that the program computes, and it may be no index at all (a
 * minimum over nothing); then the iteration runs under a condition.
 */
final class ReverseSparseMap {
  private ReverseSparseMap() {}

  static void emit(Reverse r, Sweep s, List<Var> pattern, Screma e) {
    for (int k = 0; k < pattern.size(); k++) {
      if (s.take(pattern.get(k)) instanceof Adjoint.Sparse(var entries)) {
        for (var entry : entries) {
          iteration(r, s, e, k, entry);
        }
      }
    }
  }

  private static void iteration(Reverse r, Sweep s, Screma e, int result, Adjoint.Entry entry) {
    var index = List.of(entry.index());
    var inside = entry.inBounds() ? null : s.b.compare(CompareOp.LE, Atom.i64(0), entry.index());
    var map = readsInPlace(s, e, entry.index());
    var rows = new ArrayList<Var>();
    for (int i = 0; i < e.inputs().size(); i++) {
      var input = e.inputs().get(i);
      var row = Names.like(map.params().get(i));
      var read = new Index(input, index, false);
      s.b.bindAll(List.of(row), inside == null ? read : guarded(s.b, inside, row, read));
      if (r.activity.active(input)) {
        r.activity.mark(row);
      }
      rows.add(row);
    }
    var body = Renaming.call(map, rows);
    var only = new Body(body.stms(), body.results().subList(result, result + 1));
    if (inside == null) {
      var back = r.forward(s.b, only);
      s.add(only.results().getFirst(), entry.row(), false);
      back.emit(s);
    } else {
      var y = Names.fresh("y", only.results().getFirst().type());
      r.activity.body(only);
      if (r.activity.active(only.results().getFirst())) {
        r.activity.mark(y);
        s.add(y, entry.row(), false);
        var none = s.b.inner();
        var zero = none.body(List.of(none.zero(y.type())));
        ReverseIf.emit(r, s, List.of(y), new If(inside, only, zero));
      }
    }
    for (int i = 0; i < rows.size(); i++) {
      if (!s.isZero(rows.get(i))) {
        var row = s.takeValue(rows.get(i));
        s.addRow(e.inputs().get(i), new Adjoint.Entry(entry.index(), row, entry.inBounds()));
      }
    }
  }

  /**
   * Returns the map's function, in which elements of rows are read from the array that has the
   * rows, where all that is added to the array's adjoint is accumulated. So an iteration that reads
   * few elements of a row adds to as few places. Otherwise it would make a row of zeros for them,
   * and all of that would be added.
   */
  private static Lambda readsInPlace(Sweep s, Screma e, Atom index) {
    var map = e.map();
    for (int i = 0; i < e.inputs().size(); i++) {
      var input = e.inputs().get(i);
      if (s.get(input) instanceof Adjoint.Accumulator) {
        var row = map.params().get(i);
        var instead = new InPlace(row, input, index).body(map.body());
        if (!FreeVars.of(instead).contains(row)) {
          map = new Lambda(map.params(), instead, map.returns());
        }
      }
    }
    return map;
  }

  /** Replaces reads in a row by reads in the array at the row's index. */
  private record InPlace(Var row, Var array, Atom index) implements CodeRewriter {
    @Override
    public Exp exp(Exp exp) {
      return exp instanceof Index(var from, var indices, var checked) && from.equals(row)
          ? new Index(array, Lists.concat(List.of(index), indices), checked)
          : CodeRewriter.super.exp(exp);
    }
  }

  private static If guarded(Builder b, Atom inside, Var row, Index read) {
    var then = b.inner();
    var otherwise = b.inner();
    return new If(
        inside,
        then.body(List.of(then.bind("x", read))),
        otherwise.body(List.of(otherwise.zero(row.type()))));
  }
}
