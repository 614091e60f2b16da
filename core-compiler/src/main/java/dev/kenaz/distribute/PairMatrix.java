package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Set;

/**
 * A matrix with a row for each row of one array, and an element of it for each row of another, or
 * the same one: {@code map (\x -> map (f x) ys) xs}. It says how its parts are computed without it.
 *
 * @param width how many rows it has
 * @param inputs the arrays to whose rows the function is applied
 * @param row the function that computes a row, its only result
 */
record PairMatrix(Atom width, List<Var> inputs, Lambda row) {

  /** A use of a matrix for which there is no rule. */
  static final class Unknown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unknown() {
      super(null, null, false, false);
    }
  }

  /** Returns what one of the results of a map is. */
  static PairMatrix of(Screma s, int result) {
    List<Atom> results = List.of(s.map().body().results().get(result));
    var stms = BackwardSlice.withEffects(s.map().body().stms(), results).stms();
    return new PairMatrix(s.width(), s.inputs(), lambda(s.map().params(), stms, results));
  }

  private static Lambda lambda(List<Var> params, List<Stm> stms, List<Atom> results) {
    return new Lambda(params, new Body(stms, results), results.stream().map(Atom::type).toList());
  }

  boolean isObservable() {
    return Effects.observable(row.body());
  }

  /** Returns the dimensions. */
  List<Atom> dims() {
    return row.returns().getFirst().under(width).dims();
  }

  /** Returns an operator over its rows as one that computes them. */
  Screma into(Screma s, Set<Var> names) {
    var all = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    var rows = new ArrayList<Var>();
    for (int i = 0; i < s.inputs().size(); i++) {
      if (names.contains(s.inputs().get(i))) {
        rows.add(s.map().params().get(i));
      } else {
        all.add(s.inputs().get(i));
        params.add(s.map().params().get(i));
      }
    }
    var arguments = new ArrayList<Atom>();
    for (var in : inputs) {
      if (!all.contains(in)) {
        all.add(in);
        params.add(Names.fresh(in.name(), Builder.rowType(in.type())));
      }
      arguments.add(params.get(all.indexOf(in)));
    }
    var own = Renaming.call(row, arguments);
    var stms = new ArrayList<>(own.stms());
    var same = new HashMap<Var, Atom>();
    rows.forEach(r -> same.put(r, own.results().getFirst()));
    var rest = new Substitution(same).body(s.map().body());
    stms.addAll(rest.stms());
    var map = new Lambda(params, new Body(stms, rest.results()), s.map().returns());
    return new Screma(s.width(), all, s.scans(), s.reduces(), map);
  }

  /**
   * Emits a reduction of all elements, row by row.
   *
   * @param others the inputs of the operator, as arrays of rows too
   */
  void reduced(Builder b, Stm stm, Screma s, List<Var> others, Set<Var> names) {
    var rows =
        b.lambda(
            others.stream().map(v -> Builder.rowType(v.type())).toList(),
            (in, xs) ->
                in.screma(
                    dims().get(1), xs, List.of(), s.reduces(), new Renaming().lambda(s.map())));
    var again =
        s.reduces().stream()
            .map(r -> new Reduce(new Renaming().lambda(r.op()), r.neutral(), r.commutative()))
            .toList();
    var whole = new Screma(width, others, List.of(), again, rows);
    b.with(stm.attrs()).bindAll(stm.pattern(), into(whole, names));
  }

  /** Emits what a map makes of all elements, as other matrices. */
  void mapped(Builder b, Stm stm, Screma s, List<Var> others, Set<Var> names) {
    var rows =
        b.lambda(
            others.stream().map(v -> Builder.rowType(v.type())).toList(),
            (in, xs) ->
                in.screma(dims().get(1), xs, List.of(), List.of(), new Renaming().lambda(s.map())));
    var whole = into(new Screma(width, others, List.of(), List.of(), rows), names);
    var made = b.bindAll("pairs", whole);
    for (int i = 0; i < made.size(); i++) {
      var shape = stm.pattern().get(i).type().dims();
      b.bindAll(List.of(stm.pattern().get(i)), new Exp.Reshape(shape, made.get(i)));
    }
  }

  /** Emits the matrix with its first two dimensions exchanged. */
  void transposed(Builder b, Stm stm) {
    var last = last();
    var stms = row.body().stms().subList(0, row.body().stms().size() - 1);
    var bound = Stm.bound(stms);
    bound.addAll(row.params());
    var used = FreeVars.of(last.map());
    var handed = Stm.bound(stms).stream().filter(used::contains).toList();
    if (!Collections.disjoint(last.inputs(), bound)
        || handed.stream().anyMatch(v -> !Collections.disjoint(FreeVars.of(v.type()), bound))) {
      throw new Unknown();
    }
    var all = new ArrayList<>(inputs);
    var params = new ArrayList<>(row.params());
    if (!stms.isEmpty()) {
      var first = new Renaming().lambda(lambda(row.params(), stms, List.copyOf(handed)));
      all.addAll(b.screma(width, inputs, List.of(), List.of(), first));
      params.addAll(handed);
    }
    var column =
        b.lambdaOf(
            last.map().params(),
            (in, _) -> in.screma(width, all, List.of(), List.of(), lambda(params, last.map())));
    var exp =
        new Screma(
            last.width(), last.inputs(), List.of(), List.of(), new Renaming().lambda(column));
    b.with(stm.attrs()).bindAll(stm.pattern(), exp);
  }

  private static Lambda lambda(List<Var> params, Lambda body) {
    return new Lambda(params, body.body(), body.returns());
  }

  /** Returns the map that makes a row, if it is the last thing that the function does. */
  private Screma last() {
    var stms = row.body().stms();
    if (!stms.isEmpty()
        && stms.getLast().exp() instanceof Screma s
        && s.scans().isEmpty()
        && s.reduces().isEmpty()
        && row.body().results().equals(stms.getLast().pattern())) {
      return s;
    }
    throw new Unknown();
  }

  /** Emits a read by numbers that are in bounds: of a row, or of an element, if that is cheap. */
  void read(Builder b, Stm stm, List<Atom> indices) {
    var arguments = ofRow(b, inputs, indices.getFirst());
    if (indices.size() == 1) {
      var own = Renaming.call(row, arguments);
      own.stms().forEach(b::add);
      b.with(stm.attrs()).bindAll(stm.pattern(), new Exp.Alias(own.results().getFirst()));
      return;
    }
    var last = last();
    if (indices.size() > 2 || row.body().stms().stream().anyMatch(s -> !isCheap(s, last))) {
      throw new Unknown();
    }
    var own = Renaming.call(row, arguments);
    var made = (Screma) own.stms().getLast().exp();
    own.stms().subList(0, own.stms().size() - 1).forEach(b::add);
    var element = Renaming.call(made.map(), ofRow(b, made.inputs(), indices.getLast()));
    element.stms().forEach(b::add);
    b.with(stm.attrs()).bindAll(stm.pattern(), new Exp.Alias(element.results().getFirst()));
  }

  private static boolean isCheap(Stm stm, Screma last) {
    return stm.exp() == last || !(stm.exp() instanceof Screma || stm.exp() instanceof Loop);
  }

  private static List<Atom> ofRow(Builder b, List<Var> arrays, Atom number) {
    var rows = new ArrayList<Atom>();
    for (var v : arrays) {
      if (!(v.type() instanceof Type.Array)) {
        throw new Unknown();
      }
      var type = Builder.rowType(v.type());
      rows.add(b.bind(v.name(), type, new Index(v, List.of(number), false)));
    }
    return rows;
  }
}
