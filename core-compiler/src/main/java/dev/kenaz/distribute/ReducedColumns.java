package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Binders;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Reduces whole rows where the function of a row reduces the columns of others, one by one: {@code
 * map (\c -> f64.sum (map2 (*) ws c)) (transpose ys)} is the sum of the rows of ys, each times its
 * weight.
 */
final class ReducedColumns {
  private final Labeller labeller;
  private final Lambda map;

  /** The operator over the columns, its own reduction, and the inputs that are columns. */
  private final Screma columns;

  private final Stm reduction;
  private final Screma inner;

  private ReducedColumns(Labeller labeller, Lambda map, Screma columns, Stm reduction) {
    this.labeller = labeller;
    this.map = map;
    this.columns = columns;
    this.reduction = reduction;
    this.inner = (Screma) reduction.exp();
  }

  /**
   * Returns statements in the place of a map over rows with such a function.
   *
   * @param map the function, fused
   */
  static Optional<List<Stm>> of(Labeller labeller, Stm stm, Screma s, Lambda map) {
    var stms = map.body().stms();
    for (int k = 0; k < stms.size(); k++) {
      if (stms.get(k).exp() instanceof Screma columns
          && !labeller.spaces().has(columns.width())
          && columns.scans().isEmpty()
          && columns.reduces().isEmpty()) {
        for (var reduction : columns.map().body().stms()) {
          if (reduction.exp() instanceof Screma) {
            var found = new ReducedColumns(labeller, map, columns, reduction);
            if (found.fits()) {
              var b = new Builder(stm.span());
              var all = new ArrayList<>(stms.subList(0, k));
              all.addAll(found.inRows(b, stms.get(k)));
              all.addAll(stms.subList(k + 1, stms.size()));
              var row = new Lambda(map.params(), map.body().with(all), map.returns());
              b.with(stm.attrs())
                  .bindAll(
                      stm.pattern(),
                      new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), row));
              return Optional.of(b.stms());
            }
          }
        }
      }
    }
    return Optional.empty();
  }

  private boolean isColumn(Var param) {
    int at = columns.map().params().indexOf(param);
    return at >= 0 && labeller.of(columns.inputs().get(at)).equals(new Label.Sharded(1));
  }

  private boolean fits() {
    var bound = Stm.bound(columns.map().body().stms());
    var ops = new HashSet<Var>();
    inner.reduces().forEach(r -> ops.addAll(FreeVars.of(r.op())));
    inner.reduces().forEach(r -> ops.addAll(FreeVars.of(r.neutral())));
    var others = new ArrayList<>(columns.map().body().stms());
    others.remove(reduction);
    var rest = FreeVars.of(new Body(others, columns.map().body().results()));
    var inside = Binders.of(map);
    return labeller.spaces().has(inner.width())
        && inner.scans().isEmpty()
        && inner.reduceWidth() == reduction.pattern().size()
        && inner.inputs().stream().anyMatch(this::isColumn)
        && inner.inputs().stream().allMatch(v -> isColumn(v) || !columns.map().params().contains(v))
        && Collections.disjoint(FreeVars.of(reduction), bound)
        && Collections.disjoint(ops, inside)
        && !inside.contains(columns.width())
        && columns.map().params().stream().noneMatch(p -> isColumn(p) && rest.contains(p))
        && reduction.pattern().stream().allMatch(v -> v.type().isScalar());
  }

  /** Returns the statements of the row's function; the builder gets those before it. */
  private List<Stm> inRows(Builder b, Stm stm) {
    var width = columns.width();
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    var elements = new ArrayList<Var>();
    var element = new ArrayList<Var>();
    for (int i = 0; i < inner.inputs().size(); i++) {
      var v = inner.inputs().get(i);
      var p = inner.map().params().get(i);
      if (isColumn(v)) {
        var array = columns.inputs().get(columns.map().params().indexOf(v));
        inputs.add(RowRewrites.rowsFirst(b, array, 1));
        params.add(Names.fresh(p.name(), p.type().under(width)));
        elements.add(params.getLast());
        element.add(p);
      } else {
        inputs.add(v);
        params.add(p);
      }
    }
    var used = FreeVars.of(inner.map());
    for (int i = 0; i < columns.inputs().size(); i++) {
      if (used.contains(columns.map().params().get(i))) {
        elements.add(columns.inputs().get(i));
        element.add(columns.map().params().get(i));
      }
    }
    var one = new Lambda(element, inner.map().body(), inner.map().returns());
    var row =
        b.lambdaOf(
            params,
            (in, _) ->
                in.screma(width, elements, List.of(), List.of(), new Renaming().lambda(one)));
    var reduces = inner.reduces().stream().map(r -> overColumns(b, r)).toList();
    var types = reduction.pattern().stream().map(v -> v.type().under(width)).toList();
    var in = new Builder(reduction.span());
    var reduced =
        in.bindAll("reduced", types, new Screma(inner.width(), inputs, List.of(), reduces, row));
    in.at(stm.span()).with(stm.attrs()).bindAll(stm.pattern(), rest(reduced));
    return in.stms();
  }

  private Reduce overColumns(Builder b, Reduce r) {
    var op = new Label.Group(r.op(), r.commutative(), "reduce").over(columns.width()).op();
    List<Atom> neutral =
        r.neutral().stream().<Atom>map(x -> b.replicate(List.of(columns.width()), x)).toList();
    return new Reduce(new Renaming().lambda(op), neutral, r.commutative());
  }

  /** Returns what is left to do for each column with what was reduced. */
  private Screma rest(List<Var> reduced) {
    var inputs = new ArrayList<>(reduced);
    var params = new ArrayList<>(reduction.pattern());
    for (int i = 0; i < columns.inputs().size(); i++) {
      if (!isColumn(columns.map().params().get(i))) {
        inputs.add(columns.inputs().get(i));
        params.add(columns.map().params().get(i));
      }
    }
    var stms = new ArrayList<>(columns.map().body().stms());
    stms.remove(reduction);
    var body = new Body(stms, columns.map().body().results());
    List<Type> returns = columns.map().returns();
    return new Screma(
        columns.width(), inputs, List.of(), List.of(), new Lambda(params, body, returns));
  }
}
