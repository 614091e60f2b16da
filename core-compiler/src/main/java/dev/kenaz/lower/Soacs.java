package dev.kenaz.lower;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Lowers the parallel operators on arrays, and accumulators. */
record Soacs(Evaluator evaluator) {
  Static function(String name, Intrinsic.Instance at) {
    return switch (name) {
      case "map" -> Static.fun(2, (s, x) -> map(x.get(0), x.get(1), at, s));
      case "filter" -> Static.fun(2, (s, x) -> filter(x.get(0), x.get(1), at, s));
      case "reduce", "reduce_comm" ->
          Static.fun(
              3,
              (s, x) ->
                  fold(
                      x.get(0),
                      x.get(1),
                      x.get(2),
                      at,
                      s,
                      (width, rows, op, ne) -> {
                        var reduce = new Exp.Reduce(op, ne, name.equals("reduce_comm"));
                        return s.builder()
                            .screma(width, rows, List.of(), List.of(reduce), identity(rows, op, s));
                      }));
      case "scan" ->
          Static.fun(
              3,
              (s, x) ->
                  fold(
                      x.get(0),
                      x.get(1),
                      x.get(2),
                      at,
                      s,
                      (width, rows, op, ne) -> {
                        var scan = new Exp.Scan(op, ne);
                        return s.builder()
                            .screma(width, rows, List.of(scan), List.of(), identity(rows, op, s));
                      }));
      default -> throw new CompilerBug("lower", "no operator " + name);
    };
  }

  // map

  private Static map(Static f, Static xs, Intrinsic.Instance at, Scope scope) {
    var width = Arrays.width(xs, at.size(2));
    var inputs = Arrays.under(width, xs, scope);
    var rows = params(inputs);
    var inner = scope.inner();
    var result = evaluator.apply(f, List.of(xs.with(rows)), inner);
    var wanted = at.type(1).leaves();
    var computed = new ArrayList<Atom>();
    var returns = new ArrayList<Type>();
    var from = new ArrayList<Integer>();
    var leaves = result.leaves();
    for (int i = 0; i < leaves.size(); i++) {
      int input = rows.indexOf(leaves.get(i));
      if (input >= 0) {
        from.add(-1 - input);
      } else {
        from.add(computed.size());
        returns.add(wanted.get(i));
        computed.add(inner.cast(leaves.get(i), wanted.get(i)));
      }
    }
    List<Var> mapped = List.of();
    if (!computed.isEmpty() || !inner.builder().stms().isEmpty()) {
      var lambda = new Lambda(rows, inner.body(computed), returns);
      mapped = scope.builder().screma(width, inputs, List.of(), List.of(), lambda);
    }
    var outputs = new ArrayList<Atom>();
    for (int i : from) {
      // A component that the function passes on is the input itself.
      outputs.add(i < 0 ? scope.borrow(inputs.get(-1 - i)) : mapped.get(i));
    }
    return result.with(outputs);
  }

  // filter

  private Static filter(Static p, Static xs, Intrinsic.Instance at, Scope scope) {
    var width = Arrays.width(xs, at.size(1));
    var inputs = Arrays.under(width, xs, scope);
    var rows = params(inputs);
    var inner = scope.inner();
    List<Atom> results =
        Lists.concat(
            evaluator.apply(p, List.of(xs.with(rows)), inner).leaves(),
            cast(List.copyOf(rows), at.type(0).leaves(), inner));
    var returns = results.stream().map(Atom::type).toList();
    var kept =
        scope.builder().filter(width, inputs, new Lambda(rows, inner.body(results), returns));
    scope.markSize(kept.getFirst());
    return xs.with(kept.subList(1, kept.size()));
  }

  private static List<Var> params(List<Var> arrays) {
    return arrays.stream().map(a -> Names.fresh("x", ((Type.Array) a.type()).row())).toList();
  }

  // reduce and scan

  private interface Folding {
    List<Var> apply(Atom width, List<Var> rows, Lambda op, List<Atom> neutral);
  }

  private Static fold(
      Static op, Static neutral, Static xs, Intrinsic.Instance at, Scope scope, Folding folding) {
    if (neutral.leaves().isEmpty()) {
      return neutral;
    }
    var width = Arrays.width(xs, at.size(1));
    var rows = Arrays.under(width, xs, scope);
    var types = at.type(0).leaves();
    var ne = cast(neutral.leaves(), types, scope);
    var results = folding.apply(width, rows, operator(op, neutral, types, scope), ne);
    return neutral.with(results);
  }

  /** Returns the operator as a lambda over left operands, then right ones. */
  private Lambda operator(Static op, Static example, List<Type> types, Scope scope) {
    var params =
        Stream.concat(types.stream(), types.stream()).map(t -> Names.fresh("x", t)).toList();
    var inner = scope.inner();
    var left = example.with(params.subList(0, types.size()));
    var right = example.with(params.subList(types.size(), params.size()));
    var result = evaluator.apply(op, List.of(left, right), inner).leaves();
    return new Lambda(params, inner.body(cast(result, types, inner)), types);
  }

  private static List<Atom> cast(List<Atom> values, List<Type> types, Scope scope) {
    return IntStream.range(0, values.size())
        .mapToObj(i -> scope.cast(values.get(i), types.get(i)))
        .toList();
  }

  /** Returns a function that passes the rows on, with the operator's types. */
  private static Lambda identity(List<Var> arrays, Lambda op, Scope scope) {
    var params = params(arrays);
    var inner = scope.inner();
    var results = cast(List.copyOf(params), op.returns(), inner);
    return new Lambda(params, inner.body(results), op.returns());
  }

  // reduce_by_index and scatter

  Static writing(String name, Intrinsic.Instance at) {
    int rank = name.charAt(name.length() - 2) - '0';
    var n = 1 + rank;
    if (name.startsWith("hist")) {
      return Static.fun(5, (s, x) -> hist(rank, at.type(0), at.size(n), x, s));
    }
    return Static.fun(3, (s, x) -> scatter(rank, at.size(n), x.get(0), x.get(1), x.get(2), s));
  }

  private Static hist(int rank, Ty elem, Atom n, List<Static> args, Scope scope) {
    var dest = args.get(0);
    if (dest.leaves().isEmpty()) {
      return dest;
    }
    var width = Arrays.width(args.get(3), n);
    var types = elem.leaves();
    var dests = dest.leaves().stream().map(scope::own).toList();
    var shape = dests.getFirst().type().dims().subList(0, rank);
    var neutral = cast(args.get(2).leaves(), types, scope);
    var op = operator(args.get(1), args.get(2), types, scope);
    var inputs =
        Lists.concat(
            Arrays.under(width, args.get(3), scope), Arrays.under(width, args.get(4), scope));
    var params = params(inputs);
    var inner = scope.inner();
    List<Atom> results =
        Lists.concat(
            params.subList(0, rank),
            cast(List.copyOf(params.subList(rank, params.size())), types, inner));
    var returns = results.stream().map(Atom::type).toList();
    var hist = new Exp.HistOp(shape, dests, neutral, op);
    var map = new Lambda(params, inner.body(results), returns);
    var exp = new Exp.Hist(width, inputs, List.of(hist), map);
    return dest.with(scope.builder().bindAll("hist", exp));
  }

  private static Static scatter(
      int rank, Atom n, Static dest, Static indices, Static values, Scope scope) {
    if (dest.leaves().isEmpty()) {
      return dest;
    }
    var width = Arrays.width(indices, n);
    var inputs =
        Lists.concat(Arrays.under(width, indices, scope), Arrays.under(width, values, scope));
    var params = params(inputs);
    var inner = scope.inner();
    var dests = new ArrayList<Exp.ScatterDest>();
    var results = new ArrayList<Atom>();
    var elems = new ArrayList<Atom>();
    for (var leaf : dest.leaves()) {
      var array = scope.own(leaf);
      var dims = array.type().dims();
      dests.add(new Exp.ScatterDest(dims.subList(0, rank), array));
      results.addAll(params.subList(0, rank));
      var elem = Type.of(array.type().elemPrim(), dims.subList(rank, dims.size()));
      elems.add(inner.cast(params.get(rank + elems.size()), elem));
    }
    results.addAll(elems);
    var returns = results.stream().map(Atom::type).toList();
    var map = new Lambda(params, inner.body(results), returns);
    var exp = new Exp.Scatter(width, inputs, dests, map);
    return dest.with(scope.builder().bindAll("scatter", exp));
  }

  // Accumulators

  Static streaming(String name, Intrinsic.Instance at) {
    return switch (name) {
      case "acc_write" -> Static.fun(3, (s, x) -> write(x.get(0), x.get(1), x.get(2), s));
      case "scatter_stream" ->
          Static.fun(
              3, (s, x) -> stream(x.get(0), Optional.empty(), x.get(1), x.get(2), at.size(3), s));
      default ->
          Static.fun(
              5,
              (s, x) -> {
                var types = at.type(0).leaves();
                var op = operator(x.get(1), x.get(2), types, s);
                var combine = new Exp.Combine(op, cast(x.get(2).leaves(), types, s));
                return stream(x.get(0), Optional.of(combine), x.get(3), x.get(4), at.size(3), s);
              });
    };
  }

  private static Static write(Static acc, Static index, Static value, Scope scope) {
    var a = (Var) acc.atom();
    var types = ((Type.Acc) a.type()).elems();
    var values = cast(value.leaves(), types, scope);
    var exp = new Exp.UpdateAcc(a, List.of(index.atom()), values);
    return Static.core(scope.builder().bind("acc", exp));
  }

  /** Calls the function on each row, with the array as an accumulator. */
  private Static stream(
      Static dest, Optional<Exp.Combine> combine, Static f, Static rows, Atom n, Scope scope) {
    if (dest.leaves().isEmpty()) {
      return dest;
    }
    var arrays = dest.leaves().stream().map(scope::own).toList();
    var space = List.of(arrays.getFirst().type().dims().getFirst());
    var elems = arrays.stream().map(a -> ((Type.Array) a.type()).row()).toList();
    var type = new Type.Acc(Names.freshTag(), space, elems);
    var outer = Names.fresh("acc", type);
    var body = scope.inner();
    var width = Arrays.width(rows, n);
    var inputs = Arrays.under(width, rows, body);
    var acc = Names.fresh("acc", type);
    var params = new ArrayList<Var>(List.of(acc));
    params.addAll(params(inputs));
    var inner = body.inner();
    var row = rows.with(params.subList(1, params.size()));
    var result = evaluator.apply(f, List.of(Static.core(acc), row), inner);
    var lambda = new Lambda(params, inner.body(result.leaves()), List.of(type));
    List<Var> all = Lists.concat(List.of(outer), inputs);
    var mapped = body.builder().screma(width, all, List.of(), List.of(), lambda);
    var withAcc = new Lambda(List.of(outer), body.body(mapped), List.of(type));
    var input = new Exp.AccInput(space, arrays, combine);
    var exp = new Exp.WithAcc(List.of(input), withAcc);
    return dest.with(scope.builder().bindAll("acc", exp));
  }
}
