package dev.kenaz.loops;

import dev.kenaz.flatten.NestedProducts;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Rearrange;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loops.ArrayVal.Counting;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The body of a map nest read as one sum of products, or as one product added to an accumulator;
 * each factor an element of an array, by indices of the nest.
 */
final class Factors {
  private final Scope scope;
  private final List<Var> indices;
  private final Map<Var, Element> elements = new HashMap<>();
  private final Map<Var, Binary> products = new HashMap<>();

  private Factors(Scope scope, List<Var> indices) {
    this.scope = scope;
    this.indices = new ArrayList<>(indices);
  }

  /**
   * An element or part of an array.
   *
   * @param at the root's indices, of the nest or fixed; null where all are meant
   * @param open the dimensions that are left, in the part's order
   */
  record Element(Var root, List<Atom> at, List<Integer> open) {
    static Element all(Var root) {
      int rank = root.type().dims().size();
      return new Element(
          root, Collections.nCopies(rank, null), IntStream.range(0, rank).boxed().toList());
    }

    boolean uses(Var index) {
      return at.contains(index);
    }

    private Element part(List<Atom> indices) {
      var now = new ArrayList<>(at);
      for (int k = 0; k < indices.size(); k++) {
        now.set(open.get(k), indices.get(k));
      }
      var rest = List.copyOf(open.subList(indices.size(), open.size()));
      return new Element(root, Collections.unmodifiableList(now), rest);
    }

    private Element rearranged(List<Integer> perm) {
      return new Element(root, at, perm.stream().map(open::get).toList());
    }
  }

  /**
   * What was found.
   *
   * @param summed along which dimensions products are summed, outermost first
   * @param target the accumulator's element; empty for the map's result
   */
  record Found(Element x, Element y, List<Dim> summed, Optional<Element> target) {
    /** The factor that the index belongs to; null if it is both or none. */
    Element of(Var index) {
      return x.uses(index) == y.uses(index) ? null : x.uses(index) ? x : y;
    }

    Element other(Element e) {
      return e == x ? y : x;
    }
  }

  static Optional<Found> of(Scope scope, SegMap m) {
    if (m.returns().size() != 1 || m.space().dims().size() < 2) {
      return Optional.empty();
    }
    var indices = m.space().dims().stream().map(Dim::index).toList();
    return new Factors(scope, indices).found(m);
  }

  private Optional<Found> found(SegMap m) {
    var stms = m.body().stms();
    for (var stm : stms.subList(0, Math.max(0, stms.size() - 1))) {
      // a check binds nothing, and is none of a product's statements
      if (!(stm.exp() instanceof SegExp.Plain(var exp))
          || stm.pattern().size() != 1
          || !known(stm.pattern().getFirst(), exp)) {
        return Optional.empty();
      }
    }
    if (stms.isEmpty() || !m.body().results().equals(stms.getLast().pattern())) {
      return Optional.empty();
    }
    return switch (stms.getLast().exp()) {
      case SegExp.Plain(Screma s) -> sum(s);
      case SegExp.Plain(UpdateAcc(var acc, var at, var xs)) -> update(m, acc, at, xs);
      default -> Optional.empty();
    };
  }

  private boolean known(Var v, Exp exp) {
    switch (exp) {
      case Index(var array, var at, var checked) when !checked ->
          elements.put(v, element(array).part(at.stream().map(this::index).toList()));
      case Rearrange(var perm, var array) -> elements.put(v, element(array).rearranged(perm));
      case Alias(Var other) -> elements.put(v, element(other));
      case Binary b when b.op() == BinaryOp.MUL -> products.put(v, b);
      default -> {
        return false;
      }
    }
    return true;
  }

  private Element element(Var array) {
    var known = elements.get(array);
    return known == null ? Element.all(array) : known;
  }

  /** An element of {@code iota} is its index. */
  private Atom index(Atom atom) {
    return atom instanceof Var v
            && elements.get(v) instanceof Element(var root, var at, var open)
            && at.size() == 1
            && open.isEmpty()
            && scope.bound(root)
            && scope.val(root) instanceof Counting c
            && Expr.isConst(c.start(), 0)
            && Expr.isConst(c.step(), 1)
        ? at.getFirst()
        : atom;
  }

  private Optional<Found> sum(Screma s) {
    if (!s.scans().isEmpty()
        || s.reduces().size() != 1
        || !NestedProducts.isSum(s.reduces().getFirst())
        || s.map().returns().size() != 1
        || !scope.fixed(s.width())) {
      return Optional.empty();
    }
    var k = Names.fresh("k", Type.I64);
    indices.add(k);
    for (int i = 0; i < s.inputs().size(); i++) {
      known(s.map().params().get(i), new Index(s.inputs().get(i), List.of(k), false));
    }
    for (var stm : SegBody.sequential(s.map().body()).stms()) {
      // a check binds nothing, and is none of a product's statements
      if (!(stm.exp() instanceof SegExp.Plain(var exp))
          || stm.pattern().size() != 1
          || !known(stm.pattern().getFirst(), exp)) {
        return Optional.empty();
      }
    }
    return product(s.map().body().results().getFirst())
        .map(p -> new Found(p.get(0), p.get(1), List.of(new Dim(k, s.width())), Optional.empty()))
        .filter(f -> f.x.uses(k) && f.y.uses(k));
  }

  private Optional<Found> update(SegMap m, Var acc, List<Atom> at, List<Atom> xs) {
    var root = element(acc).root();
    if (xs.size() != 1 || !scope.bound(root) || !adds(scope.acc(root))) {
      return Optional.empty();
    }
    var target = new Element(root, at.stream().map(this::index).toList(), List.of());
    var summed = m.space().dims().stream().filter(d -> !target.uses(d.index())).toList();
    if (summed.isEmpty() || !distinct(target)) {
      return Optional.empty();
    }
    var k = summed.getLast().index();
    return product(xs.getFirst())
        .map(p -> new Found(p.get(0), p.get(1), summed, Optional.of(target)))
        .filter(f -> f.x.uses(k) && f.y.uses(k));
  }

  private static boolean adds(Val.Acc acc) {
    return !acc.atomic()
        && acc.arrays().size() == 1
        && acc.combine().flatMap(c -> Accs.elementwise(c.op())).stream()
            .anyMatch(op -> op == BinaryOp.ADD);
  }

  /** The factors, elements of arrays in memory. */
  private Optional<List<Element>> product(Atom result) {
    if (!(result instanceof Var v) || !products.containsKey(v)) {
      return Optional.empty();
    }
    var b = products.get(v);
    var x = b.x() instanceof Var p ? elements.get(p) : null;
    var y = b.y() instanceof Var q ? elements.get(q) : null;
    return readable(x) && readable(y) ? Optional.of(List.of(x, y)) : Optional.empty();
  }

  private boolean readable(Element e) {
    return e != null
        && scope.bound(e.root)
        && scope.val(e.root) instanceof View view
        && (view.prim() == Prim.F32 || view.prim() == Prim.F64)
        && e.open.isEmpty()
        && distinct(e);
  }

  private boolean distinct(Element e) {
    var seen = new ArrayList<Atom>();
    for (var i : e.at) {
      if (i instanceof Var v && indices.contains(v) ? seen.contains(i) : !scope.fixed(i)) {
        return false;
      }
      seen.add(i);
    }
    return true;
  }
}
