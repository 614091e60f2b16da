package dev.kenaz.kernels;

import dev.kenaz.analysis.ArrayParts;
import dev.kenaz.analysis.ArrayParts.Part;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Scope;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes one dimension of several: with {@code k = i * m + j}, an element {@code a[i, j, p]} of an
 * array whose rows {@code i} lie one after the other in memory is {@code b[k, p]} of the same
 * memory. This can be done if all that a body reads at some of the dimensions' indices it reads at
 * all of them, side by side, and if it does nothing else with these indices.
 */
final class Collapse {
  private final Scope scope;
  private final ArrayParts parts;
  private final List<Var> indices;
  private final Dim one;
  private final Map<Var, Var> arrays = new HashMap<>();

  private Collapse(Scope scope, ArrayParts parts, List<Dim> dims) {
    this.scope = scope;
    this.parts = parts;
    indices = dims.stream().map(Dim::index).toList();
    var size = Names.fresh("size", Type.I64);
    var widths = scope.scalars(dims.stream().map(Dim::width).toList());
    scope.bindScalar(size, ArrayVal.count(widths));
    one = new Dim(Names.fresh("k", Type.I64), size);
  }

  /**
   * A body over one dimension.
   *
   * @param stms what is needed of the body
   */
  record Collapsed(Dim dim, List<SegStm> stms) {}

  /**
   * Returns the body over one dimension in place of these, if that can be done.
   *
   * @param stms plain statements
   * @param parts knows what the statements read
   * @param results what is needed
   */
  static Optional<Collapsed> of(
      Scope scope, ArrayParts parts, List<SegStm> stms, List<Atom> results, List<Dim> dims) {
    var c = new Collapse(scope, parts, dims);
    var needed = new HashSet<Atom>(results);
    var made = new HashSet<Var>();
    stms.forEach(s -> made.addAll(s.pattern()));
    var kept = new ArrayList<SegStm>();
    for (var stm : stms.reversed()) {
      if (Collections.disjoint(needed, stm.pattern())) {
        continue;
      }
      var exp = c.collapsed(stm, made);
      if (exp.isEmpty()) {
        return Optional.empty();
      }
      needed.addAll(FreeVars.of(exp.get()));
      kept.addFirst(
          new SegStm(stm.pattern(), new SegExp.Plain(exp.get()), stm.attrs(), stm.span()));
    }
    return Collections.disjoint(needed, c.indices)
        ? Optional.of(new Collapsed(c.one, kept))
        : Optional.empty();
  }

  private Optional<Exp> collapsed(SegStm stm, Set<Var> made) {
    var exp = ((SegExp.Plain) stm.exp()).exp();
    var v = stm.pattern().getFirst();
    if (!(exp instanceof Index x) || !v.type().isScalar()) {
      return Optional.of(exp);
    }
    var part = parts.of(v);
    boolean outside =
        !x.checked()
            && part.isElement()
            && !made.contains(part.array())
            && part.at().stream().noneMatch(made::contains);
    if (!outside || indices.stream().noneMatch(part::uses)) {
      return Optional.of(exp);
    }
    return element(part);
  }

  /** Returns the same element as one of an array that has one dimension less for each index. */
  private Optional<Exp> element(Part part) {
    int first = part.at().indexOf(indices.getFirst());
    int end = first + indices.size();
    if (first < 0
        || end > part.at().size()
        || !part.at().subList(first, end).equals(indices)
        || !(scope.bound(part.array()) && scope.array(part.array()) instanceof View view)) {
      return Optional.empty();
    }
    for (int d = first; d < end - 1; d++) {
      var row = Expr.mul(view.dims().get(d + 1), view.strides().get(d + 1));
      if (!row.equals(view.strides().get(d))) {
        return Optional.empty();
      }
    }
    var array = arrays.computeIfAbsent(part.array(), a -> joined(a, view, first, end));
    if (array.type().dims().indexOf(one.width()) != first) {
      return Optional.empty(); // The same array is read in another way, too.
    }
    var at = new ArrayList<>(part.at());
    at.subList(first, end).clear();
    at.add(first, one.index());
    return Optional.of(new Index(array, at, false));
  }

  private Var joined(Var array, View view, int first, int end) {
    var sizes = new ArrayList<>(array.type().dims());
    sizes.subList(first, end).clear();
    sizes.add(first, one.width());
    var dims = new ArrayList<>(view.dims());
    dims.subList(first, end).clear();
    dims.add(first, scope.scalar(one.width()));
    var strides = new ArrayList<>(view.strides());
    strides.subList(first, end - 1).clear();
    var v = Names.fresh(array.name(), Type.of(array.type().elemPrim(), sizes));
    scope.bind(
        v,
        new View(
            view.prim(),
            view.base(),
            view.offset(),
            dims,
            strides,
            view.contiguous(),
            view.level(),
            view.owner()));
    return v;
  }
}
