package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes inputs of free arrays. Where a map over {@code 0, 1, …, n - 1} reads the row {@code a[i]}
 * of a free array of n rows, and i is its own index, the array becomes an input of the map: then
 * its adjoint is a mapped result and no accumulator is updated. In the papers only the optimiser
 * can find this afterwards (001 §6.1).
 */
final class OwnRows implements Rewriter {
  private final Set<Var> indices;
  private final Map<Var, Var> rows = new LinkedHashMap<>();
  private final Atom width;
  private final Activity activity;
  private final Set<Var> free;

  private OwnRows(Screma s, Set<Var> indices, Activity activity) {
    this.width = s.width();
    this.indices = indices;
    this.activity = activity;
    this.free = FreeVars.of(s.map());
  }

  /** Returns the same node with such inputs. */
  static Screma asInputs(Screma s, AffineForms forms, Activity activity) {
    var indices = new HashSet<Var>();
    for (int i = 0; i < s.inputs().size(); i++) {
      if (forms.countsTo(s.inputs().get(i)).isPresent()) {
        indices.add(s.map().params().get(i));
      }
    }
    if (indices.isEmpty()) {
      return s;
    }
    var self = new OwnRows(s, indices, activity);
    var body = self.body(s.map().body());
    if (self.rows.isEmpty()) {
      return s;
    }
    var inputs = new ArrayList<>(s.inputs());
    var params = new ArrayList<>(s.map().params());
    self.rows.forEach(
        (array, row) -> {
          inputs.add(array);
          params.add(row);
        });
    var map = new Lambda(params, body, s.map().returns());
    return new Screma(s.width(), inputs, s.scans(), s.reduces(), map);
  }

  @Override
  public Exp exp(Exp exp) {
    if (exp instanceof Index(var a, var is, var checked)
        && is.getFirst() instanceof Var i
        && indices.contains(i)
        && free.contains(a)
        && activity.active(a)
        && a.type().dims().getFirst().equals(width)) {
      var row = rows.computeIfAbsent(a, _ -> Names.fresh(a.name(), Builder.rowType(a.type())));
      List<Atom> rest = is.subList(1, is.size());
      return rest.isEmpty() ? new Alias(row) : new Index(row, rest, checked);
    }
    return Rewriter.super.exp(exp);
  }
}
