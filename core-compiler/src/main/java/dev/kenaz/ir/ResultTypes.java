package dev.kenaz.ir;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Exp.*;
import java.util.ArrayList;
import java.util.List;

/** Computes the types of an expression's results, as far as its operands tell. */
public final class ResultTypes {
  private ResultTypes() {}

  /**
   * @throws CompilerBug for {@link Apply}, whose callee isn't at hand, for {@link Filter}, and
   *     wherever a result has a size that the expression itself decides: there the pattern says the
   *     types
   */
  public static List<Type> of(Exp exp) {
    return switch (exp) {
      case Alias(var x) -> List.of(x.type());
      case Unary(var op, var x) -> List.of(Type.scalar(op.result(x.type().elemPrim())));
      case Binary(_, var x, _) -> List.of(x.type());
      case Compare _ -> List.of(Type.BOOL);
      case Fma(var x, _, _) -> List.of(x.type());
      case Convert(var to, _) -> List.of(Type.scalar(to));
      case Assert _ -> List.of();
      case Trace(_, var x) -> List.of(x.type());
      case Index(var a, var is, _) ->
          List.of(Type.of(a.type().elemPrim(), drop(a.type().dims(), is.size())));
      case Slice(var a, var dims, _) -> List.of(slice(a, dims));
      case Update(var a, _, _, _) -> List.of(a.type());
      case Iota(var n, var start, _) -> List.of(start.type().under(n));
      case Replicate(var shape, var x) -> List.of(x.type().under(shape));
      case Scratch(var elem, var shape) -> List.of(Type.of(elem, shape));
      case ArrayLit(var xs, var row) -> List.of(row.under(Atom.i64(xs.size())));
      case Concat(var dim, var xs, var size) -> {
        var shape = new ArrayList<>(xs.getFirst().type().dims());
        shape.set(dim, size);
        yield List.of(Type.of(xs.getFirst().type().elemPrim(), shape));
      }
      case Rearrange(var perm, var a) ->
          List.of(Type.of(a.type().elemPrim(), perm.stream().map(a.type().dims()::get).toList()));
      case Reshape(var shape, var a) -> List.of(Type.of(a.type().elemPrim(), shape));
      case Copy(var a) -> List.of(a.type());
      case If(_, var then, _) -> then.results().stream().map(Atom::type).toList();
      case Loop(var params, _, _) -> params.stream().map(p -> p.var().type()).toList();
      case Apply(var f, _) -> throw new CompilerBug("ir", "result types of a call of " + f);
      case Screma s -> screma(s);
      case Hist(_, _, var ops, _) ->
          ops.stream().flatMap(o -> o.dests().stream()).map(Var::type).toList();
      case Scatter(_, _, var dests, _) -> dests.stream().map(d -> d.dest().type()).toList();
      case Filter _ -> throw new CompilerBug("ir", "a filter's result types");
      case WithAcc(var ins, var body) -> {
        var types = new ArrayList<Type>();
        ins.forEach(in -> in.arrays().forEach(a -> types.add(a.type())));
        types.addAll(drop(body.returns(), ins.size()));
        yield types;
      }
      case UpdateAcc(var acc, _, _) -> List.of(acc.type());
      case Jvp(var f, _, _, var width) -> {
        var types = new ArrayList<>(f.returns());
        f.returns().forEach(t -> types.add(width.map(t::under).orElse(t)));
        yield types;
      }
      case Vjp(var f, var xs, _, var width) -> {
        var types = new ArrayList<>(f.returns());
        xs.forEach(x -> types.add(width.map(x.type()::under).orElse(x.type())));
        yield types;
      }
      case WithVjp(var f, var tape, _, _) -> f.returns().subList(0, f.returns().size() - tape);
    };
  }

  private static List<Type> screma(Screma s) {
    var types = new ArrayList<Type>();
    int i = 0;
    for (var t : s.map().returns()) {
      boolean reduced = i >= s.scanWidth() && i < s.scanWidth() + s.reduceWidth();
      types.add(reduced || t instanceof Type.Acc ? t : t.under(s.width()));
      i++;
    }
    return types;
  }

  static Type slice(Var array, List<DimSlice> slice) {
    return Type.of(array.type().elemPrim(), counts(slice));
  }

  /** Returns the sizes of what a slice takes. */
  public static List<Atom> counts(List<DimSlice> dims) {
    var counts = new ArrayList<Atom>();
    for (var d : dims) {
      if (d instanceof DimSlice.Range r) {
        counts.add(r.count());
      }
    }
    return counts;
  }

  private static <T> List<T> drop(List<T> list, int n) {
    return list.subList(n, list.size());
  }
}
