package dev.kenaz.kernels;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.kernels.GpuTiling.Input;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Divides what a reduction over a plane does with elements into what depends on the row alone, what
 * depends on the column alone, and what needs both. The first two are computed once for a row or
 * column of a tile, when its elements are fetched, and not again at each point:
 *
 * <pre>
 *   sum over k of (a[i, k] * s[k] + t[i]) * b[k, j]
 *     is  sum over k of r[i, k] * b[k, j]   with  r[i, k] = a[i, k] * s[k] + t[i]
 * </pre>
 *
 * @param sources where each parameter of {@code map} comes from
 * @param map what needs both a row and a column
 */
record Sides(List<Source> sources, Lambda map) {

  /** Where an operand comes from. */
  sealed interface Source {}

  /**
   * A value for each row or each column of a tile.
   *
   * @param value from the inputs' elements
   * @param onRow whether it depends on the row
   */
  record Tile(List<Input> inputs, Lambda value, boolean onRow) implements Source {
    Type type() {
      return value.returns().getFirst();
    }

    /** Returns a name for people. */
    String name() {
      return inputs.getFirst().array().name();
    }
  }

  /** An element that depends on both coordinates or on none, which is read where it is needed. */
  record Direct(Input input) implements Source {}

  static Sides of(List<Input> inputs, Lambda map) {
    return new Division(inputs, map).sides();
  }

  /**
   * Whether all that is reduced are sums, to which operands that are zero contribute zero, and all
   * operands are of one side.
   */
  boolean addZeros(List<Reduce> reduces) {
    var zero = new HashSet<Atom>(map.params());
    for (var stm : map.body().stms()) {
      if (stm.exp() instanceof Exp.Binary(var op, var x, var y)
          && (op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL)
          && zero.containsAll(List.of(x, y))) {
        zero.addAll(stm.pattern());
      }
    }
    return sources.stream().allMatch(Tile.class::isInstance)
        && reduces.stream().allMatch(r -> Operators.isSum(r.op()))
        && zero.containsAll(map.body().results());
  }

  /**
   * Returns {@code map}, but if one sum is all that is reduced, with the terms that are added up
   * for an element as results. Added to the sum one after the other, each product takes one
   * instruction:
   *
   * <pre>
   *   sum + (a b + c d)      multiply, multiply and add, add
   *   (sum + a b) + c d      multiply and add, twice
   * </pre>
   */
  Lambda terms(List<Reduce> reduces) {
    boolean sum = reduces.size() == 1 && Operators.isSum(reduces.getFirst().op());
    if (!sum || map.returns().size() != 1) {
      return map;
    }
    var kept = new ArrayList<Stm>();
    var terms = new ArrayList<>(map.body().results());
    for (var stm : map.body().stms().reversed()) {
      boolean read = kept.stream().anyMatch(s -> FreeVars.of(s).containsAll(stm.pattern()));
      if (!read
          && stm.exp() instanceof Exp.Binary(var op, var x, var y)
          && op == BinaryOp.ADD
          && Collections.frequency(terms, stm.var()) == 1) {
        int at = terms.indexOf(stm.var());
        terms.set(at, y);
        terms.add(at, x);
      } else {
        kept.addFirst(stm);
      }
    }
    var type = map.returns().getFirst();
    return new Lambda(map.params(), new Body(kept, terms), Collections.nCopies(terms.size(), type));
  }

  private enum Side {
    NONE,
    ROW,
    COLUMN,
    BOTH;

    static Side of(boolean row, boolean column) {
      return row ? column ? BOTH : ROW : column ? COLUMN : NONE;
    }

    Side and(Side other) {
      return this == other || other == NONE ? this : this == NONE ? other : BOTH;
    }

    boolean one() {
      return this == ROW || this == COLUMN;
    }
  }

  private static final class Division {
    private final List<Input> inputs;
    private final Lambda map;
    private final Map<Var, Side> sides = new HashMap<>();
    private final Map<Var, Input> elements = new HashMap<>();

    /** The tiles of inputs as they are: two parameters may be the same element. */
    private final Map<Input, Tile> same = new HashMap<>();

    Division(List<Input> inputs, Lambda map) {
      this.inputs = inputs;
      this.map = map;
      for (int i = 0; i < inputs.size(); i++) {
        var param = map.params().get(i);
        var input = inputs.get(i);
        sides.put(param, Side.of(input.onRow(), input.onColumn()));
        elements.put(param, input);
      }
    }

    Sides sides() {
      map.body().stms().forEach(s -> s.pattern().forEach(v -> sides.put(v, side(s))));
      var both = new ArrayList<Stm>();
      Set<Atom> needed = new LinkedHashSet<>(map.body().results());
      for (var stm : map.body().stms().reversed()) {
        boolean here = stm.pattern().stream().noneMatch(v -> sides.get(v).one());
        boolean checks = stm.pattern().isEmpty();
        if (here && (checks || stm.pattern().stream().anyMatch(needed::contains))) {
          both.addFirst(stm);
          needed.addAll(FreeVars.of(stm));
        }
      }
      var made = new HashSet<Var>();
      both.forEach(s -> made.addAll(s.pattern()));
      var params = new ArrayList<Var>();
      var sources = new ArrayList<Source>();
      for (var atom : needed) {
        if (atom instanceof Var v && sides.containsKey(v) && !made.contains(v)) {
          params.add(v);
          sources.add(sides.get(v).one() ? tile(v) : new Direct(elements.get(v)));
        }
      }
      var body = new Body(both, map.body().results());
      return new Sides(sources, new Lambda(params, body, map.returns()));
    }

    /** What isn't plain arithmetic stays where it is. */
    private Side side(Stm stm) {
      if (!(stm.exp() instanceof Exp.Arithmetic)) {
        return Side.BOTH;
      }
      return FreeVars.of(stm).stream()
          .map(v -> sides.getOrDefault(v, Side.NONE))
          .reduce(Side.NONE, Side::and);
    }

    private Tile tile(Var value) {
      var code = new ArrayList<Stm>();
      Set<Var> needed = new HashSet<>(Set.of(value));
      for (var stm : map.body().stms().reversed()) {
        if (stm.pattern().stream().anyMatch(needed::contains)) {
          code.addFirst(stm);
          needed.addAll(FreeVars.of(stm));
        }
      }
      var params = map.params().stream().filter(needed::contains).toList();
      var read = params.stream().map(elements::get).toList();
      var lambda = new Lambda(params, new Body(code, List.of(value)), List.of(value.type()));
      var tile = new Tile(read, lambda, sides.get(value) == Side.ROW);
      return lambda.isIdentity() ? same.computeIfAbsent(read.getFirst(), _ -> tile) : tile;
    }
  }
}
