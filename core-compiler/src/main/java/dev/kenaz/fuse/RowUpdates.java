package dev.kenaz.fuse;

import dev.kenaz.analysis.Operators;
import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.Components;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Turns histograms and scatters of rows into nests of maps that update single elements, so that
 * each element has a thread:
 *
 * <pre>
 *   hist (map2 (+)) zeros d is xss
 *     is  with d as acc: map2 (\i xs -> map2 (\j x -> acc[i, j] += x) (iota m) xs) is xss
 * </pre>
 *
 * An operator on tuples is taken apart first, see {@link OperatorFission}.
 */
final class RowUpdates implements CodeRewriter {
  private final UniformArrays uniform = new UniformArrays();

  private RowUpdates() {}

  static CoreProgram run(CoreProgram program) {
    return new RowUpdates().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    uniform.define(stm);
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return switch (inner.exp()) {
      case Hist h -> new Rows(inner, h.width(), h.inputs(), h.map()).hist(h);
      case Scatter s -> new Rows(inner, s.width(), s.inputs(), s.map()).scatter(s);
      default -> List.of(inner);
    };
  }

  /**
   * Updates of single elements: arrays by the results of the function that are indices and values.
   */
  private record Updates(
      List<Atom> shape,
      List<Var> dests,
      Optional<Combine> combine,
      List<Integer> indices,
      List<Integer> values,
      List<Var> results) {}

  private final class Rows {
    private final Stm stm;
    private final Atom width;
    private final List<Var> inputs;
    private final Lambda map;
    private final Builder b;

    Rows(Stm stm, Atom width, List<Var> inputs, Lambda map) {
      this.stm = stm;
      this.width = width;
      this.inputs = inputs;
      this.map = map;
      b = new Builder(stm.span());
    }

    List<Stm> hist(Hist h) {
      var moved = new ArrayList<Updates>();
      var kept = new ArrayList<HistOp>();
      var keptIndices = new ArrayList<Integer>();
      var keptValues = new ArrayList<Integer>();
      var keptResults = new ArrayList<Var>();
      int index = 0;
      int value = h.ops().stream().mapToInt(o -> o.shape().size()).sum();
      int result = 0;
      for (var o : h.ops()) {
        var indices = range(index, o.shape().size());
        var stay = new ArrayList<Integer>();
        for (var component : Components.of(o.op())) {
          var updates = rows(o, component, indices, value, result);
          if (updates.isPresent()) {
            moved.add(updates.get());
          } else {
            stay.addAll(component);
          }
        }
        stay.sort(null);
        if (!stay.isEmpty()) {
          kept.add(
              new HistOp(
                  o.shape(),
                  Lists.pick(o.dests(), stay),
                  Lists.pick(o.neutral(), stay),
                  Components.only(o.op(), stay)));
          keptIndices.addAll(indices);
          for (int k : stay) {
            keptValues.add(value + k);
            keptResults.add(stm.pattern().get(result + k));
          }
        }
        index += o.shape().size();
        value += o.dests().size();
        result += o.dests().size();
      }
      if (moved.isEmpty()) {
        return List.of(stm);
      }
      if (kept.isEmpty() && moved.size() == 1) {
        update(moved.getFirst(), this::arrays);
        return b.stms();
      }
      var arrays = arrays(b);
      if (!kept.isEmpty()) {
        keptIndices.addAll(keptValues);
        var own = Lists.pick(arrays, keptIndices);
        b.with(stm.attrs()).bindAll(keptResults, new Hist(width, own, kept, b.identity(own)));
      }
      moved.forEach(u -> update(u, _ -> arrays));
      return b.stms();
    }

    List<Stm> scatter(Scatter s) {
      boolean any =
          s.dests().stream().anyMatch(d -> d.dest().type().dims().size() > d.shape().size());
      if (!any) {
        return List.of(stm);
      }
      boolean one = s.dests().size() == 1;
      var arrays = one ? List.<Var>of() : arrays(b);
      int index = 0;
      int value = s.dests().stream().mapToInt(d -> d.shape().size()).sum();
      for (int k = 0; k < s.dests().size(); k++) {
        var d = s.dests().get(k);
        var indices = range(index, d.shape().size());
        var results = List.of(stm.pattern().get(k));
        update(
            new Updates(
                d.shape(), List.of(d.dest()), Optional.empty(), indices, List.of(value++), results),
            c -> one ? arrays(c) : arrays);
        index += d.shape().size();
      }
      return b.stms();
    }

    private static List<Integer> range(int from, int n) {
      return IntStream.range(from, from + n).boxed().toList();
    }

    /**
     * Returns the updates of a component of an operator on rows, if it works element by element.
     */
    private Optional<Updates> rows(
        HistOp o, List<Integer> component, List<Integer> indices, int value, int result) {
      var op = Components.only(o.op(), component);
      if (!OperatorFission.ofArrays(op)) {
        return Optional.empty();
      }
      while (OperatorFission.ofArrays(op)) {
        var row = Operators.ofRows(op);
        if (row.isEmpty()) {
          return Optional.empty();
        }
        op = new Renaming().lambda(row.get());
      }
      var neutral = new ArrayList<Atom>();
      for (int k : component) {
        var e = element(o.neutral().get(k), op);
        if (e.isEmpty()) {
          return Optional.empty();
        }
        neutral.add(e.get());
      }
      var combine = Optional.of(new Combine(op, neutral));
      var values = component.stream().map(k -> value + k).toList();
      var results = component.stream().map(k -> stm.pattern().get(result + k)).toList();
      return Optional.of(
          new Updates(
              o.shape(), Lists.pick(o.dests(), component), combine, indices, values, results));
    }

    /**
     * Returns the neutral element of the operator on elements, if it is known to be the same for
     * all.
     */
    private Optional<Atom> element(Atom neutral, Lambda op) {
      return uniform
          .element(neutral)
          .or(
              () ->
                  Operators.isSum(op)
                      ? Optional.of(Atom.of(op.returns().getFirst().elemPrim(), 0))
                      : Optional.empty());
    }

    /**
     * Returns the function's results as arrays, made by a map that can fuse where nothing else
     * needs them.
     */
    private List<Var> arrays(Builder c) {
      return map.isIdentity() ? inputs : c.screma(width, inputs, List.of(), List.of(), map);
    }

    private void update(Updates u, Function<Builder, List<Var>> made) {
      var type = u.dests.getFirst().type();
      var elems = u.dests.stream().<Type>map(d -> Type.scalar(d.type().elemPrim())).toList();
      var acc = Names.fresh("acc", new Type.Acc(Names.freshTag(), type.dims(), elems));
      var in = new AccInput(type.dims(), u.dests, u.combine);
      int n = u.indices.size();
      var body = b.inner();
      var arrays = made.apply(body);
      var rows =
          Lists.concat(Lists.pick(arrays, u.indices), Lists.pick(arrays, u.values), List.of(acc));
      var params = rows.stream().map(r -> Names.fresh("x", Builder.rowType(r.type()))).toList();
      var lambda =
          body.lambdaOf(
              params,
              (c, p) ->
                  List.of(
                      elements(
                          c,
                          p.getLast(),
                          List.<Atom>copyOf(p.subList(0, n)),
                          p.subList(n, p.size() - 1))));
      var result = body.screma(width, rows, List.of(), List.of(), lambda).getFirst();
      var all = new Lambda(List.of(acc), body.body(List.of(result)), List.of(acc.type()));
      b.with(stm.attrs()).bindAll(u.results, new WithAcc(List.of(in), all));
    }

    private static Var elements(Builder b, Var acc, List<Atom> indices, List<Var> values) {
      var type = values.getFirst().type();
      if (type.isScalar()) {
        return b.bind("acc", acc.type(), new UpdateAcc(acc, indices, List.copyOf(values)));
      }
      var n = type.dims().getFirst();
      List<Var> inputs = Lists.concat(List.of(b.iota(n)), values, List.of(acc));
      var params = inputs.stream().map(r -> Names.fresh("x", Builder.rowType(r.type()))).toList();
      var lambda =
          b.lambdaOf(
              params,
              (c, p) -> {
                var all = Lists.with(indices, p.getFirst());
                return List.of(elements(c, p.getLast(), all, p.subList(1, p.size() - 1)));
              });
      return b.screma(n, inputs, List.of(), List.of(), lambda).getFirst();
    }
  }
}
