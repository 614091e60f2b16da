package dev.kenaz.lower;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/** Lowers the names in {@code typing.Intrinsics}. */
final class Intrinsic {
  private final Soacs soacs;
  private final Derivatives derivatives;

  Intrinsic(Evaluator evaluator) {
    this.soacs = new Soacs(evaluator);
    this.derivatives = new Derivatives(evaluator);
  }

  /** The meanings of an intrinsic function's type parameters at one use. */
  record Instance(List<Env.Meaning> meanings) {
    Ty type(int i) {
      var type = ((Env.OfType) meanings.get(i)).type();
      return type.map(a -> Types.isMark(a) ? Names.fresh("n", Type.I64) : a);
    }

    Atom size(int i) {
      return ((Env.OfValue) meanings.get(i)).value().atom();
    }
  }

  Static value(String name, List<Env.Meaning> instantiation) {
    var scalar = Scalars.named(name);
    if (scalar.isPresent()) {
      return scalar.get();
    }
    var at = new Instance(instantiation);
    return switch (name) {
      case "map", "reduce", "reduce_comm", "scan", "filter" -> soacs.function(name, at);
      case "hist_1d", "hist_2d", "hist_3d", "scatter_1d", "scatter_2d", "scatter_3d" ->
          soacs.writing(name, at);
      case "scatter_stream", "hist_stream", "acc_write" -> soacs.streaming(name, at);
      case "jvp2", "vjp2", "jmp2", "mjp2", "with_vjp" -> derivatives.function(name, at);
      case "pack_f32", "unpack_f32", "pack_f64", "unpack_f64" -> Components.function(name, at);
      default -> array(name, at);
    };
  }

  private static Static array(String name, Instance at) {
    return switch (name) {
      case "iota" -> Static.fun(1, (s, x) -> iota(size(x.get(0), "iota", s), s));
      case "replicate" ->
          Static.fun(2, (s, x) -> Arrays.replicate(size(x.get(0), "replicate", s), x.get(1), s));
      case "scratch" -> Static.fun(1, (s, x) -> scratch(at.type(0), x.get(0).atom(), s));
      case "zip" -> Static.fun(2, (s, x) -> zip(x.get(0), x.get(1), s));
      case "unzip" -> Static.fun(1, (_, x) -> x.get(0));
      case "concat" ->
          Static.fun(2, (s, x) -> concat(x.get(0), x.get(1), at.size(1), at.size(2), s));
      case "flatten" ->
          Static.fun(1, (s, x) -> Arrays.flatten(x.get(0), s.sizes(at.size(1), at.size(2)), s));
      case "unflatten" ->
          Static.fun(
              1,
              (s, x) -> {
                var outer = size(Static.core(at.size(1)), "unflatten", s);
                var inner = size(Static.core(at.size(2)), "unflatten", s);
                // The type says that the array has so many elements, but modulo 2^64.
                s.sizes(outer, inner);
                return Arrays.unflatten(x.get(0), outer, inner, s);
              });
      case "transpose" -> Static.fun(1, (s, x) -> Arrays.transpose(x.get(0), s));
      case "copy", "manifest" -> Static.fun(1, (s, x) -> Arrays.copy(x.get(0), s));
      case "opaque" -> Static.fun(1, (_, x) -> x.get(0));
      case "trace", "break" -> Static.fun(1, (s, x) -> trace(s.span().toString(), x.get(0), s));
      case "equal" -> Static.fun(2, (s, x) -> Static.core(equal(x.get(0), x.get(1), s)));
      default -> throw new CompilerBug("lower", "no meaning for intrinsics." + name);
    };
  }

  private static Atom size(Static n, String what, Scope scope) {
    var size = n.atom();
    if (!(size instanceof Var v && scope.isSize(v))) {
      scope.check(
          scope.compare(CompareOp.LE, Atom.i64(0), size), what + " of negative size {}", size);
      scope.checkSize(size);
      scope.markSize(size);
    }
    return size;
  }

  private static Static iota(Atom n, Scope scope) {
    return Static.core(scope.builder().iota(n));
  }

  private static Static scratch(Ty elem, Atom n, Scope scope) {
    var leaves =
        elem.leaves().stream()
            .map(t -> t.under(n))
            .map(
                t -> {
                  var exp = new Exp.Scratch(t.elemPrim(), t.dims());
                  return scope.builder().bind("scratch", exp);
                })
            .toList();
    return Static.of(elem, leaves);
  }

  private static Static zip(Static xs, Static ys, Scope scope) {
    var width = Arrays.width(xs, Arrays.width(ys, Atom.i64(0)));
    var borrowed = Arrays.under(width, ys, scope).stream().map(scope::borrow).toList();
    return Static.tuple(xs.map(scope::borrow), ys.with(borrowed));
  }

  private static Static concat(Static xs, Static ys, Atom n, Atom m, Scope scope) {
    var size = scope.sizeSum(Arrays.width(xs, n), Arrays.width(ys, m));
    return Arrays.concat(xs, ys, size, scope);
  }

  static Static trace(String label, Static value, Scope scope) {
    return value.map(
        a ->
            a.type() instanceof Type.Acc ? a : scope.builder().bind("tr", new Exp.Trace(label, a)));
  }

  /** Returns whether all components are equal, as an atom. */
  private static Atom equal(Static x, Static y, Scope scope) {
    var left = x.leaves();
    var right = y.leaves();
    Atom all = Atom.bool(true);
    for (int i = 0; i < left.size(); i++) {
      all = scope.and(all, equal(left.get(i), right.get(i), scope));
    }
    return all;
  }

  private static Atom equal(Atom x, Atom y, Scope scope) {
    if (x.type().isScalar()) {
      return scope.compare(CompareOp.EQ, x, y);
    }
    Atom sameShape = Atom.bool(true);
    var dims = x.type().dims();
    for (int i = 0; i < dims.size(); i++) {
      var same = scope.compare(CompareOp.EQ, dims.get(i), y.type().dims().get(i));
      sameShape = scope.and(sameShape, same);
    }
    if (sameShape.isConst(1)) {
      return sameElements((Var) x, (Var) y, scope);
    }
    var then = scope.inner();
    var cast = (Var) then.cast(y, x.type());
    var same = then.body(List.of(sameElements((Var) x, cast, then)));
    var otherwise = scope.inner().body(List.of(Atom.bool(false)));
    return scope.builder().bind("same", Type.BOOL, new Exp.If(sameShape, same, otherwise));
  }

  private static Atom sameElements(Var x, Var y, Scope scope) {
    Atom count = Atom.i64(1);
    for (var d : x.type().dims()) {
      count = scope.sizes(count, d);
    }
    var flat = List.of(count);
    var xs = scope.builder().bind("flat", new Exp.Reshape(flat, x));
    var ys = scope.builder().bind("flat", new Exp.Reshape(flat, y));
    var b = scope.builder();
    var elem = Type.scalar(x.type().elemPrim());
    var compare =
        b.lambda(
            List.of(elem, elem),
            (inner, p) -> List.of(inner.compare(CompareOp.EQ, p.get(0), p.get(1))));
    var and = b.operator(BinaryOp.AND, Prim.BOOL);
    var reduce = new Exp.Reduce(and, List.of(Atom.bool(true)), true);
    return b.screma(count, List.of(xs, ys), List.of(), List.of(reduce), compare).getFirst();
  }
}
