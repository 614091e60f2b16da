package dev.kenaz.flatten;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds matrix products inside maps: sums of products whose factors vary along different maps
 * around them, and products of such factors that are added to an accumulator.
 *
 * <pre>
 *   map (\x -> .. map (\w -> .. reduce (+) 0 (map2 (*) x w) ..) ws ..) xs
 *   map2 (\x y -> map (\i -> map (\j -> acc[i, j] += x[i] * y[j])))
 * </pre>
 *
 * <p>A processor computes them an order of magnitude faster by blocks, once they are alone in their
 * nest; for that {@link Distribution} cuts them out of the maps.
 */
public final class NestedProducts {
  private final Nest nest;
  private final List<Var> dims;
  private final List<Atom> widths;
  private final Map<Var, Set<Var>> varies = new HashMap<>();

  /** The maps along which both factors of the product that was found last vary. */
  private Set<Var> shared = Set.of();

  private NestedProducts(Nest nest) {
    this.nest = nest;
    dims = new ArrayList<>(nest.indices());
    widths = new ArrayList<>(nest.widths());
  }

  /**
   * A product.
   *
   * @param sides how many columns it has, and how many products are summed
   * @param factors of a product that is accumulated, as variables at the nest's points
   */
  record Found(List<Atom> sides, List<Var> factors) {}

  /** The first product in a statement at the nest's points. */
  static Optional<Found> in(Nest nest, Stm stm) {
    return new NestedProducts(nest).find(stm);
  }

  static Optional<Found> in(Nest nest, Body body) {
    return new NestedProducts(nest).find(body);
  }

  /** Whether the statement as a whole sums products. */
  static boolean isSums(Nest nest, Stm stm) {
    return stm.exp() instanceof Screma s && new NestedProducts(nest).sums(s).isPresent();
  }

  /**
   * Returns how many statements of an operator's function there are up to the last with a product.
   */
  static int upToLast(Nest nest, Screma s) {
    var p = new NestedProducts(nest);
    p.enter(s);
    int n = 0;
    for (int k = 0; k < s.map().body().stms().size(); k++) {
      var stm = s.map().body().stms().get(k);
      if (p.find(stm).isPresent()) {
        n = k + 1;
      }
      p.note(stm);
    }
    return n;
  }

  private void note(Stm stm) {
    var all = union(FreeVars.of(stm));
    stm.pattern().forEach(v -> varies.put(v, all));
  }

  /**
   * Whether the map's function has products, and each point of it multiplies other matrices: both
   * factors vary along the map.
   */
  static boolean isBatch(Nest nest, Screma map) {
    var p = new NestedProducts(nest);
    p.enter(map);
    var index = p.dims.getLast();
    boolean any = false;
    for (var stm : map.map().body().stms()) {
      if (p.find(stm).isPresent()) {
        if (!p.shared.contains(index)) {
          return false;
        }
        any = true;
      }
      p.note(stm);
    }
    return any;
  }

  /**
   * Whether all that a map does is a nest of maps around the update of an accumulator by a product.
   */
  static boolean isAccumulation(Nest nest, Screma map) {
    return new NestedProducts(nest).accumulation(map).isPresent();
  }

  private Optional<Found> find(Body body) {
    for (var stm : body.stms()) {
      var found = find(stm);
      if (found.isPresent()) {
        return found;
      }
      note(stm);
    }
    return Optional.empty();
  }

  private Optional<Found> find(Stm stm) {
    if (!(stm.exp() instanceof Screma s)
        || InnerParallelism.sequential(stm)
        || !invariant(s.width())) {
      return Optional.empty();
    }
    var whole = s.isMap() ? accumulation(s) : sums(s);
    if (whole.isPresent()) {
      return whole;
    }
    enter(s);
    var found = find(s.map().body());
    leave();
    return found;
  }

  private void enter(Screma s) {
    var index = Names.fresh("gi", Type.I64);
    dims.add(index);
    widths.add(s.width());
    for (int k = 0; k < s.inputs().size(); k++) {
      var of = new HashSet<>(varies(s.inputs().get(k)));
      of.add(index);
      varies.put(s.map().params().get(k), of);
    }
  }

  private void leave() {
    dims.removeLast();
    widths.removeLast();
  }

  private boolean invariant(Atom atom) {
    return !(atom instanceof Var v) || varies(v).isEmpty() && !nest.inside().contains(v);
  }

  /** The maps along which the value varies. */
  private Set<Var> varies(Atom atom) {
    if (!(atom instanceof Var v)) {
      return Set.of();
    }
    var known = varies.get(v);
    if (known == null) {
      known = dims.contains(v) ? Set.of(v) : nest.inside().contains(v) ? prelude(v) : Set.of();
      varies.put(v, known);
    }
    return known;
  }

  private Set<Var> prelude(Var v) {
    for (var stm : nest.prelude()) {
      if (stm.pattern().contains(v)) {
        return union(FreeVars.of(stm));
      }
    }
    return Set.copyOf(nest.indices());
  }

  private Set<Var> union(Iterable<Var> vars) {
    var all = new HashSet<Var>();
    vars.forEach(v -> all.addAll(varies(v)));
    return all;
  }

  // Sums of products

  private Optional<Found> sums(Screma s) {
    if (dims.size() < 2 || s.reduces().size() != s.map().returns().size() || s.scanWidth() > 0) {
      return Optional.empty();
    }
    enter(s);
    boolean all = s.reduces().stream().allMatch(NestedProducts::isSum) && products(s);
    leave();
    return all
        ? Optional.of(new Found(List.of(widths.getLast(), s.width()), List.of()))
        : Optional.empty();
  }

  private boolean products(Screma s) {
    Map<Atom, Binary> factors = new HashMap<>();
    for (var stm : s.map().body().stms()) {
      switch (stm.exp()) {
        case Binary b when b.op() == BinaryOp.MUL && !factors.containsKey(b.x()) -> {
          if (factors.containsKey(b.y())) {
            return false;
          }
          factors.put(stm.var(), b);
        }
        case Index(_, _, var checked) when !checked -> {}
        default -> {
          return false;
        }
      }
      varies.put(stm.var(), union(FreeVars.of(stm)));
    }
    return s.map().body().results().stream()
        .allMatch(r -> factors.containsKey(r) && isProduct(factors.get(r), dims.size() - 2));
  }

  /** Whether the innermost dimension belongs to one factor, and one further out to the other. */
  private boolean isProduct(Binary b, int innermost) {
    var x = varies(b.x());
    var y = varies(b.y());
    shared = new HashSet<>(x);
    shared.retainAll(y);
    var column = dims.get(innermost);
    if (!isFloat(b.x().type()) || x.contains(column) == y.contains(column)) {
      return false;
    }
    var with = x.contains(column) ? x : y;
    var without = x.contains(column) ? y : x;
    return dims.subList(0, innermost).stream()
        .anyMatch(d -> without.contains(d) && !with.contains(d));
  }

  private static boolean isFloat(Type type) {
    return type instanceof Type.Scalar(var prim) && (prim == Prim.F32 || prim == Prim.F64);
  }

  /** Whether the reduction is a sum of scalars that starts from 0. */
  public static boolean isSum(Reduce r) {
    return r.neutral().size() == 1
        && r.neutral().getFirst() instanceof Const(var zero)
        && zero.asDouble() == 0
        && Operators.isSum(r.op());
  }

  // Accumulations of products

  private Optional<Found> accumulation(Screma map) {
    if (map.map().returns().size() != 1
        || !(map.map().returns().getFirst() instanceof Type.Acc)
        || !invariant(map.width())) {
      return Optional.empty();
    }
    enter(map);
    var found = accumulation(map.map().body());
    leave();
    return found;
  }

  private Optional<Found> accumulation(Body body) {
    var stms = body.stms();
    if (stms.isEmpty() || !body.results().equals(stms.getLast().pattern())) {
      return Optional.empty();
    }
    var products = new HashMap<Atom, Binary>();
    for (var stm : stms.subList(0, stms.size() - 1)) {
      switch (stm.exp()) {
        case Binary b when b.op() == BinaryOp.MUL && products.isEmpty() ->
            products.put(stm.var(), b);
        case Index(_, _, var checked) when !checked -> {}
        case Alias _ -> {}
        default -> {
          return Optional.empty();
        }
      }
      varies.put(stm.var(), union(FreeVars.of(stm)));
    }
    return switch (stms.getLast().exp()) {
      case Screma inner when inner.isMap() && stms.size() == 1 -> accumulation(inner);
      case UpdateAcc(_, var at, var xs)
          when dims.size() >= 3 && xs.size() == 1 && products.containsKey(xs.getFirst()) ->
          update(products.get(xs.getFirst()), at);
      default -> Optional.empty();
    };
  }

  private Optional<Found> update(Binary product, List<Atom> at) {
    int last = dims.size() - 1;
    boolean columns = !at.isEmpty() && varies(at.getLast()).equals(Set.of(dims.get(last)));
    if (!columns || !isProduct(product, last)) {
      return Optional.empty();
    }
    var factors =
        Stream.of(product.x(), product.y())
            .filter(Var.class::isInstance)
            .map(Var.class::cast)
            .toList();
    return Optional.of(new Found(List.of(widths.get(last), widths.get(last - 1)), factors));
  }
}
