package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.Optional;

/**
 * Folds constants and applies algebraic laws to scalar expressions. Each rule returns the
 * expression itself where it does not apply.
 */
record ScalarRules(Env env, Ranges ranges) {
  Exp apply(Exp exp) {
    return switch (exp) {
      case Unary u -> unary(u);
      case Binary b -> binary(b);
      case Compare c -> compare(c);
      case Convert c -> convert(c);
      case Fma(Const(var x), Const(var y), Const(var z)) ->
          new Alias(new Const(ScalarOps.fma(x, y, z)));
      default -> exp;
    };
  }

  // Unary

  private Exp unary(Unary u) {
    if (u.x() instanceof Const(var c)) {
      return new Alias(new Const(ScalarOps.unary(u.op(), c)));
    }
    var inner = env.exp(u.x());
    return switch (u.op()) {
      case NEG, NOT ->
          switch (inner) {
            case Unary(var op, var x) when op == u.op() -> new Alias(x);
            case Compare(var op, var x, var y) when !x.type().elemPrim().isFloat() ->
                switch (op) {
                  case LT -> new Compare(CompareOp.LE, y, x);
                  case LE -> new Compare(CompareOp.LT, y, x);
                  case EQ -> u;
                };
            case null, default -> u;
          };
      case ABS -> inner instanceof Unary(var op, _) && op == UnaryOp.ABS ? new Alias(u.x()) : u;
      case FROM_BITS ->
          inner instanceof Unary(var op, var x) && op == UnaryOp.TO_BITS ? new Alias(x) : u;
      case TO_BITS ->
          inner instanceof Unary(var op, var x) && op == UnaryOp.FROM_BITS ? new Alias(x) : u;
      default -> u;
    };
  }

  // Binary

  private Exp binary(Binary b) {
    if (b.x() instanceof Const(var x) && b.y() instanceof Const(var y)) {
      try {
        return new Alias(new Const(ScalarOps.binary(b.op(), x, y)));
      } catch (ScalarOps.Fault f) {
        // the expression stays, to fail where it is run
        return b;
      }
    }
    var prim = b.x().type().elemPrim();
    if (prim == Prim.BOOL) {
      return env.discreteTangents() ? b : bool(b);
    }
    return prim.isFloat() ? floating(b) : integer(b, prim);
  }

  private static Exp bool(Binary b) {
    var x = b.x() instanceof Const ? b.y() : b.x();
    var c = b.x() instanceof Const(var k) ? k : b.y() instanceof Const(var k) ? k : null;
    if (b.x().equals(b.y())) {
      return switch (b.op()) {
        case AND, OR, MIN, MAX -> new Alias(b.x());
        case XOR -> new Alias(Atom.bool(false));
        default -> b;
      };
    }
    if (c == null) {
      return b;
    }
    return switch (b.op()) {
      case AND, MIN -> new Alias(c.asBoolean() ? x : Atom.bool(false));
      case OR, MAX -> new Alias(c.asBoolean() ? Atom.bool(true) : x);
      case XOR -> c.asBoolean() ? new Unary(UnaryOp.NOT, x) : new Alias(x);
      default -> b;
    };
  }

  private static Exp floating(Binary b) {
    var x = b.x();
    var y = b.y();
    return switch (b.op()) {
      case ADD -> y.isConst(0) ? new Alias(x) : x.isConst(0) ? new Alias(y) : b;
      case SUB -> y.isConst(0) ? new Alias(x) : b;
      case MUL -> times(b, x, y);
      case DIV -> y.isConst(1) ? new Alias(x) : y.isConst(-1) ? new Unary(UnaryOp.NEG, x) : b;
      case POW ->
          y.isConst(1)
              ? new Alias(x)
              : y.isConst(2)
                  ? new Binary(BinaryOp.MUL, x, x)
                  : y.isConst(0) ? new Alias(Atom.of(x.type().elemPrim(), 1)) : b;
      case MIN, MAX -> x.equals(y) ? new Alias(x) : b;
      default -> b;
    };
  }

  private static Exp times(Binary b, Atom x, Atom y) {
    if (x.isConst(1)) {
      return new Alias(y);
    }
    if (y.isConst(1)) {
      return new Alias(x);
    }
    if (x.isConst(-1)) {
      return new Unary(UnaryOp.NEG, y);
    }
    return y.isConst(-1) ? new Unary(UnaryOp.NEG, x) : b;
  }

  private Exp integer(Binary b, Prim prim) {
    var x = b.x();
    var y = b.y();
    var zero = new Alias(Atom.of(prim, 0));
    boolean same = x.equals(y);
    return switch (b.op()) {
      case ADD -> y.isConst(0) ? new Alias(x) : x.isConst(0) ? new Alias(y) : sum(b, x, y, prim);
      case SUB -> y.isConst(0) ? new Alias(x) : same ? zero : difference(b, x, y, prim);
      case MUL ->
          x.isConst(0) || y.isConst(0)
              ? zero
              : x.isConst(1) ? new Alias(y) : y.isConst(1) ? new Alias(x) : b;
      case DIV, QUOT -> y.isConst(1) ? new Alias(x) : b;
      case MOD, REM -> y.isConst(1) ? zero : remainder(b);
      case POW -> y.isConst(1) ? new Alias(x) : b;
      case MIN -> same ? new Alias(x) : smaller(b, x, y);
      case MAX -> same ? new Alias(x) : smaller(b, y, x);
      case AND -> same ? new Alias(x) : x.isConst(0) || y.isConst(0) ? zero : b;
      case OR -> same || y.isConst(0) ? new Alias(x) : x.isConst(0) ? new Alias(y) : b;
      case XOR -> same ? zero : y.isConst(0) ? new Alias(x) : x.isConst(0) ? new Alias(y) : b;
      case SHL, SHR, USHR -> y.isConst(0) ? new Alias(x) : b;
      default -> b;
    };
  }

  /** Returns the smaller or larger of two sizes of which one is known to be at least the other. */
  private Exp smaller(Binary b, Atom x, Atom y) {
    boolean min = b.op() == BinaryOp.MIN;
    if (b.x().type().elemPrim() != Prim.I64) {
      return b;
    }
    if (ranges.lessOrEqual(b.x(), b.y())) {
      return new Alias(min ? b.x() : b.y());
    }
    return ranges.lessOrEqual(b.y(), b.x()) ? new Alias(min ? b.y() : b.x()) : b;
  }

  private Exp remainder(Binary b) {
    return b.x().type().elemPrim() == Prim.I64 && ranges.inside(b.x(), b.y())
        ? new Alias(b.x())
        : b;
  }

  /** Moves constants to the right and together: integer addition wraps, so it reassociates. */
  private Exp sum(Binary b, Atom x, Atom y, Prim prim) {
    if (x instanceof Const) {
      return new Binary(BinaryOp.ADD, y, x);
    }
    if (y instanceof Const(var c)
        && env.exp(x) instanceof Binary(var op, var u, Const(var d))
        && op == BinaryOp.ADD) {
      return new Binary(BinaryOp.ADD, u, constant(BinaryOp.ADD, d, c));
    }
    // (u - y) + y
    if (env.exp(x) instanceof Binary(var op, var u, var v) && op == BinaryOp.SUB && v.equals(y)) {
      return new Alias(u);
    }
    if (env.exp(y) instanceof Binary(var op, var u, var v) && op == BinaryOp.SUB && v.equals(x)) {
      return new Alias(u);
    }
    return b;
  }

  private Exp difference(Binary b, Atom x, Atom y, Prim prim) {
    if (y instanceof Const(var c)) {
      var negated = ScalarOps.unary(UnaryOp.NEG, c);
      return new Binary(BinaryOp.ADD, x, new Const(negated));
    }
    // (u + y) - y and (y + u) - y
    if (env.exp(x) instanceof Binary(var op, var u, var v) && op == BinaryOp.ADD) {
      return v.equals(y) ? new Alias(u) : u.equals(y) ? new Alias(v) : b;
    }
    // x - (x - v)
    if (env.exp(y) instanceof Binary(var op, var u, var v) && op == BinaryOp.SUB && u.equals(x)) {
      return new Alias(v);
    }
    return b;
  }

  private static Const constant(BinaryOp op, ScalarValue x, ScalarValue y) {
    return new Const(ScalarOps.binary(op, x, y));
  }

  // Comparisons and conversions

  private Exp compare(Compare c) {
    return asSigned(c).map(this::compareAsIs).orElseGet(() -> compareAsIs(c));
  }

  /** Returns a comparison of indices as unsigned numbers, if neither is negative. */
  private Optional<Compare> asSigned(Compare c) {
    var x = signed(c.x());
    var y = signed(c.y());
    return x.isPresent()
            && y.isPresent()
            && ranges.notNegative(x.get())
            && ranges.notNegative(y.get())
        ? Optional.of(new Compare(c.op(), x.get(), y.get()))
        : Optional.empty();
  }

  private Optional<Atom> signed(Atom x) {
    return switch (env.exp(x)) {
      case Convert(var to, var i) when to == Prim.U64 && i.type().equals(Type.I64) ->
          Optional.of(i);
      case null, default ->
          x instanceof Const(var k) && k.prim() == Prim.U64 && k.asLong() >= 0
              ? Optional.of(Atom.i64(k.asLong()))
              : Optional.empty();
    };
  }

  private Exp compareAsIs(Compare c) {
    var x = c.x();
    var y = c.y();
    if (x instanceof Const(var a) && y instanceof Const(var b)) {
      return new Alias(Atom.bool(ScalarOps.compare(c.op(), a, b)));
    }
    var prim = x.type().elemPrim();
    if (prim.isFloat()) {
      return c;
    }
    if (x.equals(y)) {
      return new Alias(Atom.bool(c.op() != CompareOp.LT));
    }
    if (prim == Prim.BOOL && c.op() == CompareOp.EQ && !env.discreteTangents()) {
      var other = x instanceof Const ? y : x;
      var k = x instanceof Const ? x : y;
      return k instanceof Const(var b)
          ? b.asBoolean() ? new Alias(other) : new Unary(UnaryOp.NOT, other)
          : c;
    }
    return prim == Prim.I64 ? ordered(c, x, y) : c;
  }

  private Exp ordered(Compare c, Atom x, Atom y) {
    return switch (c.op()) {
      case LT -> ranges.less(x, y) ? truth(true) : ranges.lessOrEqual(y, x) ? truth(false) : c;
      case LE -> ranges.lessOrEqual(x, y) ? truth(true) : ranges.less(y, x) ? truth(false) : c;
      case EQ ->
          ranges.less(x, y) || ranges.less(y, x)
              ? truth(false)
              : ranges.lessOrEqual(x, y) && ranges.lessOrEqual(y, x) ? truth(true) : c;
    };
  }

  private static Exp truth(boolean value) {
    return new Alias(Atom.bool(value));
  }

  private Exp convert(Convert c) {
    var from = c.x().type().elemPrim();
    if (from == c.to()) {
      return new Alias(c.x());
    }
    if (c.x() instanceof Const(var v)) {
      return new Alias(new Const(ScalarOps.convert(c.to(), v)));
    }
    // this converts back from a type that holds all values
    if (c.x() instanceof Var
        && env.exp(c.x()) instanceof Convert(var middle, var x)
        && x.type().equals(Type.scalar(c.to()))
        && holdsAll(middle, c.to())) {
      return new Alias(x);
    }
    return c;
  }

  private static boolean holdsAll(Prim wide, Prim narrow) {
    if (wide.isInteger() && narrow.isInteger()) {
      return wide.byteSize() >= narrow.byteSize();
    }
    if (wide.isFloat() && narrow.isFloat()) {
      return wide.byteSize() >= narrow.byteSize();
    }
    return wide == Prim.F64 && narrow.isInteger() && narrow.byteSize() <= 4;
  }
}
