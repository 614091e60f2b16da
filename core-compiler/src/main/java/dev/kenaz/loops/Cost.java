package dev.kenaz.loops;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Expr;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.value.Prim;

/** Counts scalar operations roughly, as far as sizes that are known outside tell. */
record Cost(Scope scope) {
  /** The number of iterations assumed for loops for which it isn't known outside. */
  private static final long UNKNOWN_TRIPS = 16;

  private static final long CALL = 10;

  Expr of(SegBody body) {
    Expr sum = Expr.i64(1);
    for (var stm : body.stms()) {
      sum = Expr.add(sum, exp(stm.exp()));
    }
    for (var r : body.results()) {
      sum = Expr.add(sum, elements(r.type()));
    }
    return sum;
  }

  private Expr of(Body body) {
    return of(SegBody.sequential(body));
  }

  private Expr exp(SegExp exp) {
    return switch (exp) {
      case SegExp.Plain(var e) -> plain(e);
      case SegExp.Branch(_, var then, var otherwise) -> Arrays.max(of(then), of(otherwise));
      case SegExp.Iterate(_, For(_, var bound), var body) -> Expr.mul(trips(bound), of(body));
      case SegExp.Iterate(_, While _, var body) -> Expr.mul(Expr.i64(UNKNOWN_TRIPS), of(body));
      case SegExp.Accumulate(_, _, var body) -> of(body);
      case SegExp.Versions(_, var wide, _) -> of(wide);
      case SegExp.Par(var op) -> {
        Expr points = Expr.i64(1);
        for (var w : op.space().widths()) {
          points = Expr.mul(points, trips(w));
        }
        yield Expr.mul(points, of(op.body()));
      }
    };
  }

  private Expr trips(Atom n) {
    if (n instanceof Var v && (!scope.bound(v) || v.type().elemPrim() != Prim.I64)) {
      return Expr.i64(UNKNOWN_TRIPS);
    }
    var e = scope.scalar(n);
    return e.prim() == Prim.I64 ? e : new Expr.Conv(Prim.I64, e);
  }

  private Expr elements(Type type) {
    if (!(type instanceof Type.Array a)) {
      return Expr.i64(1);
    }
    Expr n = Expr.i64(1);
    for (var d : a.shape()) {
      n = Expr.mul(n, trips(d));
    }
    return n;
  }

  private Expr plain(Exp exp) {
    return switch (exp) {
      case Screma s -> {
        Expr each = of(s.map().body());
        for (var r : s.reduces()) {
          each = Expr.add(each, of(r.op().body()));
        }
        for (var r : s.scans()) {
          each = Expr.add(each, of(r.op().body()));
        }
        yield Expr.mul(trips(s.width()), each);
      }
      case Hist h -> Expr.mul(trips(h.width()), of(h.map().body()));
      case Scatter s -> Expr.mul(trips(s.width()), of(s.map().body()));
      case UpdateAcc(_, _, var xs) -> elements(xs.getFirst().type());
      case Update(_, _, var x, _) -> elements(x.type());
      case Copy(var a) -> elements(a.type());
      case Concat(_, var xs, _) -> elements(xs.getFirst().type());
      case Unary(var op, var x) when x.type().elemPrim().isFloat() ->
          Expr.i64(
              switch (op) {
                case NEG, NOT, ABS, SGN -> 1;
                default -> CALL;
              });
      default -> Expr.i64(1);
    };
  }
}
