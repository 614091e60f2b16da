package dev.kenaz.cuda;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.Locale;

/** Writes scalar expressions as C++. */
record CudaScalars(Registers registers) {
  /** Says how registers are written. */
  interface Registers {
    /** Writes the register as a value. */
    String value(Reg reg);

    /**
     * Writes an element of the array that a register points to; null if the register is no pointer
     * to that type.
     */
    String element(Reg reg, Prim prim, String index);

    /** Whether the address is surely one of device memory. */
    boolean inDevice(Expr base);
  }

  String value(Expr e) {
    return switch (e) {
      case Expr.Lit(var v) -> literal(v);
      case Expr.Use(var reg) -> registers.value(reg);
      case Expr.Un(var op, var x, _) -> unary(op, x);
      case Expr.Bin(var op, var x, var y) -> binary(op, x.prim(), value(x), value(y), y);
      case Expr.Size(var x, var y) -> "size_of(" + value(x) + ", " + value(y) + ")";
      case Expr.Cmp(var op, var x, var y) ->
          "("
              + value(x)
              + switch (op) {
                case EQ -> " == ";
                case LT -> " < ";
                case LE -> " <= ";
              }
              + value(y)
              + ")";
      case Expr.MulAdd(var x, var y, var z) -> {
        var arguments = "(" + value(x) + ", " + value(y) + ", " + value(z) + ")";
        yield switch (x.prim()) {
          case F64 -> "fma" + arguments;
          case F32 -> "fmaf" + arguments;
          case F16 -> "half_fma" + arguments;
          case BOOL, I8, I16, I32, I64, U8, U16, U32, U64 ->
              binary(
                  BinaryOp.ADD,
                  x.prim(),
                  binary(BinaryOp.MUL, x.prim(), value(x), value(y), y),
                  value(z),
                  z);
        };
      }
      case Expr.Conv(var prim, var x) -> convert(prim, x);
      case Expr.Select(var c, var x, var y) ->
          "(" + value(c) + " ? " + value(x) + " : " + value(y) + ")";
      case Expr.Load(var prim, var base, var index) -> {
        var element = element(prim, base, index);
        yield prim == Prim.F16 ? "half_value(" + element + ")" : element;
      }
    };
  }

  /** Writes the place in memory, as an lvalue. */
  String element(Prim prim, Expr base, Expr index) {
    if (base instanceof Expr.Use(var reg)) {
      var typed = registers.element(reg, prim, index(index));
      if (typed != null) {
        return typed;
      }
    }
    var at = registers.inDevice(base) ? "in_device<" : "at<";
    return at + CudaTypes.memory(prim) + ">(" + value(base) + ", " + index(index) + ")";
  }

  /** Writes an index. It is in range, so that plain arithmetic will do. */
  String index(Expr e) {
    return switch (e) {
      case Expr.Bin(var op, var x, var y) when e.prim() == Prim.I64 && op == BinaryOp.ADD ->
          index(x) + " + " + index(y);
      case Expr.Bin(var op, var x, var y) when e.prim() == Prim.I64 && op == BinaryOp.MUL ->
          factor(x) + " * " + factor(y);
      default -> value(e);
    };
  }

  private String factor(Expr e) {
    boolean sum = e instanceof Expr.Bin b && b.op() == BinaryOp.ADD;
    return sum ? "(" + index(e) + ")" : index(e);
  }

  // Literals

  static String literal(ScalarValue v) {
    long bits = v.bits();
    return switch (v.prim()) {
      case BOOL -> bits != 0 ? "true" : "false";
      case I64 ->
          bits == Long.MIN_VALUE
              ? "(i64)0x8000000000000000ull"
              : (int) bits == bits && bits != Integer.MIN_VALUE ? "" + bits : bits + "ll";
      case U64 -> Long.toUnsignedString(bits) + "ull";
      case U32 -> bits + "u";
      case I32 -> bits == Integer.MIN_VALUE ? "(i32)0x80000000u" : "" + bits;
      case I8, I16, U8, U16 -> "(" + v.prim().text() + ")" + bits;
      case F16, F32 -> floating((float) v.asDouble());
      case F64 -> floating(v.asDouble());
    };
  }

  private static String floating(float x) {
    if (Float.isFinite(x)) {
      return x == (int) x && Math.abs(x) < 1e6 && (x != 0 || 1 / x > 0)
          ? (int) x + ".0f"
          : Float.toHexString(x) + "f";
    }
    int bits = Float.floatToRawIntBits(x);
    return "bit_copy<f32>(" + String.format(Locale.ROOT, "0x%08xu", bits) + ")";
  }

  private static String floating(double x) {
    if (Double.isFinite(x)) {
      return x == (int) x && Math.abs(x) < 1e6 && (x != 0 || 1 / x > 0)
          ? (int) x + ".0"
          : Double.toHexString(x);
    }
    long bits = Double.doubleToRawLongBits(x);
    return "bit_copy<f64>(" + String.format(Locale.ROOT, "0x%016xull", bits) + ")";
  }

  // Unary

  private String unary(UnaryOp op, Expr e) {
    var x = value(e);
    var p = e.prim();
    var t = CudaTypes.register(p);
    return switch (op) {
      case NOT -> p == Prim.BOOL ? "!" + x : "(" + t + ")~" + x;
      case ISNAN -> "(" + x + " != " + x + ")";
      case ISINF -> "f_isinf(" + x + ")";
      case TO_BITS ->
          p == Prim.F16
              ? "half_bits(" + x + ")"
              : "bit_copy<" + (p == Prim.F32 ? "u32" : "u64") + ">(" + x + ")";
      case FROM_BITS ->
          p == Prim.U16
              ? "half_value(" + x + ")"
              : "bit_copy<" + (p == Prim.U32 ? "f32" : "f64") + ">(" + x + ")";
      case POPC -> "popc<" + t + ">(" + x + ")";
      case CLZ -> "clz<" + t + ">(" + x + ")";
      case CTZ -> "ctz<" + t + ">(" + x + ")";
      default -> p.isFloat() ? half(p, floating(op, p, x)) : integral(op, t, x);
    };
  }

  private static String integral(UnaryOp op, String t, String x) {
    return switch (op) {
      case NEG -> "sub<" + t + ">(0, " + x + ")";
      case ABS -> "int_abs<" + t + ">(" + x + ")";
      case SGN -> "int_sgn<" + t + ">(" + x + ")";
      default -> throw new CompilerBug("cuda", op + " of " + t);
    };
  }

  private static String floating(UnaryOp op, Prim p, String x) {
    return switch (op) {
      case NEG -> "(-" + x + ")";
      case SGN -> "f_sgn(" + x + ")";
      default -> {
        var name =
            switch (op) {
              case ABS -> "fabs";
              case GAMMA -> "tgamma";
              case ROUND -> "rint";
              default -> op.name().toLowerCase(Locale.ROOT);
            };
        yield name + (p == Prim.F64 ? "" : "f") + "(" + x + ")";
      }
    };
  }

  /** Writes the value rounded to the type, where registers are wider than the type. */
  private static String half(Prim p, String x) {
    return p == Prim.F16 ? "half_round(" + x + ")" : x;
  }

  // Binary

  String binary(BinaryOp op, Prim p, String x, String y, Expr right) {
    return switch (p) {
      case BOOL ->
          switch (op) {
            case AND, MIN, MUL -> "(" + x + " && " + y + ")";
            case OR, MAX -> "(" + x + " || " + y + ")";
            case XOR -> "(" + x + " != " + y + ")";
            default -> throw new CompilerBug("cuda", op + " of bools");
          };
      case F16, F32, F64 -> half(p, floating(op, p, x, y));
      case I8, I16, I32, I64, U8, U16, U32, U64 -> integral(op, p, x, y, right);
    };
  }

  private static String integral(BinaryOp op, Prim p, String x, String y, Expr right) {
    boolean plain = p == Prim.U32 || p == Prim.U64;
    boolean positive = right instanceof Expr.Lit(var v) && p == Prim.I64 && v.bits() > 0;
    return switch (op) {
      case ADD -> plain ? "(" + x + " + " + y + ")" : call("add", p, x, y);
      case SUB -> plain ? "(" + x + " - " + y + ")" : call("sub", p, x, y);
      case MUL -> plain ? "(" + x + " * " + y + ")" : call("mul", p, x, y);
      case QUOT -> positive || plain ? "(" + x + " / " + y + ")" : call("quot", p, x, y);
      case REM -> positive || plain ? "(" + x + " % " + y + ")" : call("rem", p, x, y);
      case DIV -> call(p.isUnsigned() ? "quot" : "floor_div", p, x, y);
      case MOD -> call(p.isUnsigned() ? "rem" : "floor_mod", p, x, y);
      case POW -> call("int_pow", p, x, y);
      case MIN -> call("int_min", p, x, y);
      case MAX -> call("int_max", p, x, y);
      case AND -> "(" + p.text() + ")(" + x + " & " + y + ")";
      case OR -> "(" + p.text() + ")(" + x + " | " + y + ")";
      case XOR -> "(" + p.text() + ")(" + x + " ^ " + y + ")";
      case SHL -> call("shl", p, x, y);
      case SHR -> call("shr", p, x, y);
      case USHR -> call("ushr", p, x, y);
      case MUL_HI -> call("mul_hi", p, x, y);
      case ATAN2, HYPOT, COPYSIGN, NEXTAFTER, LDEXP ->
          throw new CompilerBug("cuda", op + " of " + p);
    };
  }

  private static String call(String name, Prim p, String x, String y) {
    return name + "<" + p.text() + ">(" + x + ", " + y + ")";
  }

  private static String floating(BinaryOp op, Prim p, String x, String y) {
    var f = p == Prim.F64 ? "" : "f";
    var both = "(" + x + ", " + y + ")";
    return switch (op) {
      case ADD -> "(" + x + " + " + y + ")";
      case SUB -> "(" + x + " - " + y + ")";
      case MUL -> "(" + x + " * " + y + ")";
      case DIV -> "(" + x + " / " + y + ")";
      case QUOT -> "trunc" + f + "(" + x + " / " + y + ")";
      case MOD -> "f_mod" + both;
      case REM -> "fmod" + f + both;
      case POW -> "pow" + f + both;
      case MIN -> "f_min" + both;
      case MAX -> "f_max" + both;
      case ATAN2 -> "atan2" + f + both;
      case HYPOT -> "hypot" + f + both;
      case COPYSIGN -> "copysign" + f + both;
      case NEXTAFTER -> p == Prim.F16 ? "half_nextafter" + both : "nextafter" + f + both;
      case LDEXP -> "ldexp" + f + both;
      case AND, OR, XOR, SHL, SHR, USHR, MUL_HI -> throw new CompilerBug("cuda", op + " of " + p);
    };
  }

  // Conversions

  private String convert(Prim to, Expr e) {
    var x = value(e);
    var from = e.prim();
    if (to == Prim.BOOL) {
      return "(" + x + " != 0)";
    }
    if (from.isFloat() && !to.isFloat()) {
      return "float_to<" + to.text() + ", " + CudaTypes.register(from) + ">(" + x + ")";
    }
    if (to == Prim.F16) {
      return from == Prim.F64 || from == Prim.F32
          ? "half_round(" + x + ")"
          : "half_round((f32)" + x + ")";
    }
    if (ScalarOps.extendsByZeros(from, to)) {
      // C would extend by the sign.
      x = "(" + ScalarOps.unsignedOf(from).text() + ")" + x;
    }
    return "(" + CudaTypes.register(to) + ")" + x;
  }
}
