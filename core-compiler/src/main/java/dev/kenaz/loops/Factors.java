package dev.kenaz.loops;

import dev.kenaz.analysis.ArrayParts;
import dev.kenaz.analysis.ArrayParts.Part;
import dev.kenaz.analysis.Operators;
import dev.kenaz.flatten.NestedProducts;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code.MatrixProduct.Term;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the body of a map nest as one sum of products or of squared differences, or as one product
 * added to an accumulator; each factor is an element of an array, at indices of the nest.
 */
final class Factors {
  private final Scope scope;
  private final List<Var> indices;
  private final ArrayParts parts;
  private final Map<Var, Binary> products = new HashMap<>();
  private final Map<Var, Binary> differences = new HashMap<>();

  private Factors(Scope scope, List<Var> indices) {
    this.scope = scope;
    this.indices = new ArrayList<>(indices);
    parts = new ArrayParts(scope::counts);
  }

  /**
   * What was found.
   *
   * @param term what is summed of the factors
   * @param summed the dimensions along which products are summed, outermost first
   * @param target the accumulator's element; empty for the map's result
   */
  record Found(Term term, Part x, Part y, List<Dim> summed, Optional<Part> target) {
    /** The factor that the index belongs to; null if it belongs to both or none. */
    Part of(Var index) {
      return x.uses(index) == y.uses(index) ? null : x.uses(index) ? x : y;
    }

    Part other(Part e) {
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
      // a check binds nothing, and doesn't count as a statement of the product
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
    return switch (exp) {
      case Index x when x.checked() -> false;
      case Binary b when b.op() == BinaryOp.MUL -> {
        products.put(v, b);
        yield true;
      }
      case Binary b when b.op() == BinaryOp.SUB && v.type().elemPrim().isFloat() -> {
        differences.put(v, b);
        yield true;
      }
      default -> parts.note(v, exp);
    };
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
      // a check binds nothing, and doesn't count as a statement of the product
      if (!(stm.exp() instanceof SegExp.Plain(var exp))
          || stm.pattern().size() != 1
          || !known(stm.pattern().getFirst(), exp)) {
        return Optional.empty();
      }
    }
    var sum = s.map().body().results().getFirst();
    var squared = squared(sum);
    var term = squared.isPresent() ? Term.SQUARED_DIFFERENCE : Term.PRODUCT;
    return squared
        .or(() -> product(sum))
        .flatMap(this::parts)
        .map(
            p ->
                new Found(
                    term, p.get(0), p.get(1), List.of(new Dim(k, s.width())), Optional.empty()))
        .filter(f -> f.x.uses(k) && f.y.uses(k));
  }

  private Optional<Found> update(SegMap m, Var acc, List<Atom> at, List<Atom> xs) {
    var root = parts.of(acc).array();
    if (xs.size() != 1 || !scope.bound(root) || !adds(scope.acc(root))) {
      return Optional.empty();
    }
    var target = new Part(root, at.stream().map(parts::index).toList(), List.of());
    var summed = m.space().dims().stream().filter(d -> !target.uses(d.index())).toList();
    if (summed.isEmpty() || !distinct(target)) {
      return Optional.empty();
    }
    var k = summed.getLast().index();
    return product(xs.getFirst())
        .flatMap(this::parts)
        .map(p -> new Found(Term.PRODUCT, p.get(0), p.get(1), summed, Optional.of(target)))
        .filter(f -> f.x.uses(k) && f.y.uses(k));
  }

  private static boolean adds(Val.Acc acc) {
    return !acc.atomic()
        && acc.arrays().size() == 1
        && acc.combine().filter(c -> Operators.isSum(c.op())).isPresent();
  }

  private Optional<Binary> product(Atom result) {
    return result instanceof Var v ? Optional.ofNullable(products.get(v)) : Optional.empty();
  }

  /** Returns the difference, if the result is its square. */
  private Optional<Binary> squared(Atom result) {
    return product(result)
        .filter(b -> b.x().equals(b.y()) && b.x() instanceof Var)
        .flatMap(b -> Optional.ofNullable(differences.get((Var) b.x())));
  }

  /** Returns the operands, if they are elements of arrays in memory. */
  private Optional<List<Part>> parts(Binary b) {
    var x = b.x() instanceof Var p ? parts.of(p) : null;
    var y = b.y() instanceof Var q ? parts.of(q) : null;
    return readable(x) && readable(y) ? Optional.of(List.of(x, y)) : Optional.empty();
  }

  private boolean readable(Part e) {
    return e != null
        && e.isElement()
        && scope.bound(e.array())
        && scope.val(e.array()) instanceof View view
        && (view.prim() == Prim.F32 || view.prim() == Prim.F64)
        && distinct(e);
  }

  private boolean distinct(Part e) {
    var seen = new ArrayList<Atom>();
    for (var i : e.at()) {
      if (i instanceof Var v && indices.contains(v) ? seen.contains(i) : !scope.fixed(i)) {
        return false;
      }
      seen.add(i);
    }
    return true;
  }
}
