package dev.kenaz.fuse;

import dev.kenaz.analysis.Sharing;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns an array of {@code n} rows into an input of a lambda over {@code iota n} that reads row
 * {@code i} of it: {@code map (\i -> f xs[i]) (iota n) = map f xs}. Only then can it fuse.
 */
final class RowInputs implements CodeRewriter {
  private final Sharing sharing;
  private final Set<Var> counting = new HashSet<>();

  /**
   * An index of an enclosing operator is mapped to the width of the operator and the rows asked for
   * so far.
   */
  private final Map<Var, Rows> indices = new HashMap<>();

  private RowInputs(Sharing sharing) {
    this.sharing = sharing;
  }

  static CoreProgram run(CoreProgram program) {
    return new RowInputs(Sharing.of(program)).program(program);
  }

  /**
   * The rows asked for at the index of one enclosing operator.
   *
   * @param bound what is bound inside the lambda, and so cannot be an input of it
   * @param conditions how many branches there are around the lambda
   */
  private record Rows(Atom width, Set<Var> bound, Map<Var, Var> params, int conditions) {}

  /** Arrays that operators make: as inputs they may fuse, even where only a branch reads them. */
  private final Set<Var> made = new HashSet<>();

  private int conditions;

  @Override
  public Var binder(Var v) {
    indices.values().forEach(r -> r.bound.add(v));
    return v;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof Iota i && i.isCounter() && i.start().type().equals(Type.I64)) {
      counting.add(stm.var());
    }
    if (stm.exp() instanceof Screma) {
      made.addAll(stm.pattern());
    }
    return CodeRewriter.super.stm(stm);
  }

  @Override
  public Exp exp(Exp exp) {
    return switch (exp) {
      case Index(var array, var is, _) when is.getFirst() instanceof Var i && isRow(array, i) -> {
        var row =
            indices
                .get(i)
                .params
                .computeIfAbsent(array, a -> Names.fresh(a.name(), ((Type.Array) a.type()).row()));
        var rest = is.subList(1, is.size());
        yield rest.isEmpty() ? new Alias(row) : new Index(row, rest, ((Index) exp).checked());
      }
      case Screma(var w, var ins, var scans, var reduces, var map) -> {
        var inputs = new ArrayList<>(ins);
        var newMap = lambda(w, inputs, map);
        var newScans = Rewriter.each(scans, this::scan);
        var newReduces = Rewriter.each(reduces, this::reduce);
        yield newMap == map && newScans == scans && newReduces == reduces
            ? exp
            : new Screma(w, inputs, newScans, newReduces, newMap);
      }
      case Hist(var w, var ins, var ops, var map) -> {
        var inputs = new ArrayList<>(ins);
        var newMap = lambda(w, inputs, map);
        yield newMap == map ? exp : new Hist(w, inputs, ops, newMap);
      }
      case Scatter(var w, var ins, var dests, var map) -> {
        var inputs = new ArrayList<>(ins);
        var newMap = lambda(w, inputs, map);
        yield newMap == map ? exp : new Scatter(w, inputs, dests, newMap);
      }
      case Filter(var w, var ins, var map) -> {
        var inputs = new ArrayList<>(ins);
        var newMap = lambda(w, inputs, map);
        yield newMap == map ? exp : new Filter(w, inputs, newMap);
      }
      case If _ -> {
        conditions++;
        var result = CodeRewriter.super.exp(exp);
        conditions--;
        yield result;
      }
      default -> CodeRewriter.super.exp(exp);
    };
  }

  private Scan scan(Scan s) {
    var op = lambda(s.op());
    return op == s.op() ? s : new Scan(op, s.neutral());
  }

  private Reduce reduce(Reduce r) {
    var op = lambda(r.op());
    return op == r.op() ? r : new Reduce(op, r.neutral(), r.commutative());
  }

  private boolean isRow(Var array, Var i) {
    var rows = indices.get(i);
    return rows != null
        && (rows.conditions == conditions || made.contains(array) || rows.params.containsKey(array))
        && array.type().dims().getFirst().equals(rows.width)
        && !rows.bound.contains(array)
        && !sharing.consumed(array);
  }

  /** Adds arrays to the inputs that the lambda is found to read row by row. */
  private Lambda lambda(Atom width, List<Var> inputs, Lambda map) {
    var mine = new ArrayList<Var>();
    for (int k = 0; k < inputs.size(); k++) {
      if (counting.contains(inputs.get(k))) {
        var i = map.params().get(k);
        mine.add(i);
        indices.put(i, new Rows(width, new HashSet<>(), new LinkedHashMap<>(), conditions));
      }
    }
    var inner = lambda(map);
    var params = new ArrayList<>(inner.params());
    for (var i : mine) {
      indices
          .remove(i)
          .params
          .forEach(
              (array, row) -> {
                inputs.add(array);
                params.add(row);
              });
    }
    return params.size() == inner.params().size()
        ? inner
        : new Lambda(params, inner.body(), inner.returns());
  }
}
