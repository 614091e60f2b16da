package dev.kenaz.jvm;

import dev.kenaz.elementary.Elementary;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Emits the bytecode of expressions, which leaves the value on the stack. */
final class ScalarCode {
  static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  static final ClassDesc HELPERS = ClassDesc.of("dev.kenaz.jvm.Helpers");
  static final ClassDesc UNSAFE = ClassDesc.of("sun.misc.Unsafe");

  private final CodeBuilder code;
  private final EntryClass owner;
  private final ClassDesc self;
  private final Accesses accesses;
  private final IntegerCode integers;
  private final VectorFunctions.Room room = new VectorFunctions.Room();
  private final Map<Reg, Integer> locals = new HashMap<>();
  private Map<Reg, Integer> shared = Map.of();
  private int array;
  private int bits = -1;

  ScalarCode(CodeBuilder code, EntryClass owner) {
    this.code = code;
    this.owner = owner;
    this.self = owner.self();
    this.accesses = new Accesses(code, owner);
    this.integers = new IntegerCode(code);
  }

  /** Returns a writer of the functions in a loop of this method. */
  VectorFunctions functions(VectorLoop loop) {
    return new VectorFunctions(code, owner, room, loop);
  }

  Accesses accesses() {
    return accesses;
  }

  // Registers

  int local(Reg reg) {
    return locals.computeIfAbsent(reg, r -> code.allocateLocal(JvmKind.of(r.prim()).type));
  }

  void bindLocal(Reg reg, int slot) {
    locals.put(reg, slot);
  }

  /**
   * Notes that from here on these registers lie at their places in the array of bits in a local.
   */
  void share(Map<Reg, Integer> places, int local) {
    shared = places;
    array = local;
  }

  void load(Reg reg) {
    var place = shared.get(reg);
    if (place != null) {
      code.aload(array).loadConstant((int) place).laload();
      fromBits(reg.prim());
      return;
    }
    if (!locals.containsKey(reg)) {
      throw new CompilerBug("jvm", "register " + reg + " is read before it is set");
    }
    code.loadLocal(JvmKind.of(reg.prim()).type, local(reg));
  }

  boolean isSet(Reg reg) {
    return shared.containsKey(reg) || locals.containsKey(reg);
  }

  /** Sets the register to zero. */
  void clear(Reg reg) {
    code.lconst_0();
    fromBits(reg.prim());
    store(reg);
  }

  void store(Reg reg) {
    var place = shared.get(reg);
    if (place != null) {
      toBits(reg.prim());
      if (bits < 0) {
        bits = code.allocateLocal(TypeKind.LONG);
      }
      code.lstore(bits).aload(array).loadConstant((int) place).lload(bits).lastore();
      return;
    }
    code.storeLocal(JvmKind.of(reg.prim()).type, local(reg));
  }

  /** Sets the register from an array of bits in a local. */
  void fromArray(int array, int k, Reg reg) {
    code.aload(array).loadConstant(k).laload();
    fromBits(reg.prim());
    store(reg);
  }

  /** Sets the registers from the array of bits in a local, in order. */
  void fromArray(int array, List<Reg> regs) {
    if (regs.isEmpty()) {
      return;
    }
    code.aload(array);
    for (int k = 0; k < regs.size(); k++) {
      code.dup().loadConstant(k).laload();
      fromBits(regs.get(k).prim());
      store(regs.get(k));
    }
    code.pop();
  }

  /** Puts the value's bits into an array in a local. */
  void intoArray(int array, int k, Expr e) {
    code.aload(array).loadConstant(k);
    value(e);
    toBits(e.prim());
    code.lastore();
  }

  // Expressions

  void value(Expr e) {
    switch (e) {
      case Expr.Lit(var v) -> constant(v);
      case Expr.Use(var reg) -> load(reg);
      case Expr.Un(var op, var x, _) -> unary(op, x);
      case Expr.Bin(var op, var x, var y) -> {
        value(x);
        boolean divided =
            y instanceof Expr.Lit(var c)
                && c.prim() == Prim.U32
                && integers.unsignedByConstant(op, (int) c.bits());
        if (!divided) {
          value(y);
          if (op == BinaryOp.MOD && x.prim() == Prim.I64 && !(y instanceof Expr.Lit)) {
            integers.floorMod();
          } else {
            binary(op, x.prim());
          }
        }
      }
      case Expr.Cmp _ -> truth(e);
      case Expr.Size(var x, var y) -> {
        value(x);
        value(y);
        var l = ConstantDescs.CD_long;
        code.invokestatic(HELPERS, "size", MethodTypeDesc.of(l, l, l));
      }
      case Expr.MulAdd(var x, var y, var z) -> mulAdd(x, y, z);
      case Expr.Conv(var to, var x) -> {
        value(x);
        new ScalarConversions(code).convert(x.prim(), to);
      }
      case Expr.Select(var c, var then, var otherwise) -> select(c, then, otherwise);
      case Expr.Load(var prim, var base, var index) -> {
        code.getstatic(self, "U", UNSAFE);
        address(prim, base, index);
        accesses.read(prim.byteSize());
        fetch(prim);
      }
    }
  }

  private void constant(ScalarValue v) {
    switch (JvmKind.of(v.prim())) {
      case INT -> code.loadConstant((int) v.bits());
      case LONG -> code.loadConstant(accesses.constant(v.bits()));
      case FLOAT -> code.loadConstant((float) v.asDouble());
      case DOUBLE -> code.loadConstant(v.asDouble());
    }
  }

  private void truth(Expr e) {
    var no = code.newLabel();
    var end = code.newLabel();
    jumpUnless(e, no);
    code.iconst_1().goto_(end).labelBinding(no).iconst_0().labelBinding(end);
  }

  private void select(Expr c, Expr then, Expr otherwise) {
    var no = code.newLabel();
    var end = code.newLabel();
    jumpUnless(c, no);
    value(then);
    code.goto_(end).labelBinding(no);
    value(otherwise);
    code.labelBinding(end);
  }

  /** Jumps to the label if the condition is false. */
  void jumpUnless(Expr condition, Label no) {
    switch (condition) {
      case Expr.Cmp(var op, var x, var y) -> {
        value(x);
        value(y);
        compare(op, x.prim(), no);
      }
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.AND -> {
        if (isBelow(x, y)) {
          var within = (Expr.Cmp) y;
          value(within.x());
          value(within.y());
          integers.compareBelow(within.y());
          code.ifge(no);
        } else {
          jumpUnless(x, no);
          jumpUnless(y, no);
        }
      }
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.OR -> {
        var first = code.newLabel();
        var yes = code.newLabel();
        jumpUnless(x, first);
        code.goto_(yes).labelBinding(first);
        jumpUnless(y, no);
        code.labelBinding(yes);
      }
      case Expr.Un(var op, var x, _) when op == UnaryOp.NOT -> {
        var yes = code.newLabel();
        jumpUnless(x, yes);
        code.goto_(no).labelBinding(yes);
      }
      default -> {
        value(condition);
        code.ifeq(no);
      }
    }
  }

  /** Whether it is {@code 0 <= i} and {@code i < n}, which are one comparison without signs. */
  private static boolean isBelow(Expr x, Expr y) {
    return x instanceof Expr.Cmp(var first, var zero, Expr.Use i)
        && first == CompareOp.LE
        && Expr.isConst(zero, 0)
        && i.prim() == Prim.I64
        && y instanceof Expr.Cmp(var second, var again, var n)
        && second == CompareOp.LT
        && again.equals(i)
        && (n instanceof Expr.Use || n instanceof Expr.Lit);
  }

  /** Jumps to the label if the comparison of the two values on the stack is false. */
  private void compare(CompareOp op, Prim prim, Label no) {
    switch (JvmKind.of(prim)) {
      case INT -> {
        if (prim == Prim.U32 && op != CompareOp.EQ) {
          code.invokestatic(
              ConstantDescs.CD_Integer,
              "compareUnsigned",
              type(JvmKind.INT, JvmKind.INT, JvmKind.INT));
          negated(op, no);
          return;
        }
        switch (op) {
          case EQ -> code.if_icmpne(no);
          case LT -> code.if_icmpge(no);
          case LE -> code.if_icmpgt(no);
        }
      }
      case LONG -> {
        if (prim == Prim.U64 && op != CompareOp.EQ) {
          code.invokestatic(
              ConstantDescs.CD_Long,
              "compareUnsigned",
              type(JvmKind.INT, JvmKind.LONG, JvmKind.LONG));
        } else {
          code.lcmp();
        }
        negated(op, no);
      }
      // This variant makes a comparison with NaN false.
      case FLOAT -> {
        code.fcmpg();
        negated(op, no);
      }
      case DOUBLE -> {
        code.dcmpg();
        negated(op, no);
      }
    }
  }

  private void negated(CompareOp op, Label no) {
    switch (op) {
      case EQ -> code.ifne(no);
      case LT -> code.ifge(no);
      case LE -> code.ifgt(no);
    }
  }

  static MethodTypeDesc type(JvmKind result, JvmKind... parameters) {
    var descs = new ClassDesc[parameters.length];
    for (int i = 0; i < descs.length; i++) {
      descs[i] = parameters[i].desc;
    }
    return MethodTypeDesc.of(result.desc, descs);
  }

  // Memory

  /** Leaves {@code base + index * size}. */
  void address(Prim prim, Expr base, Expr index) {
    value(base);
    if (Expr.isConst(index, 0)) {
      return;
    }
    value(index);
    int size = prim.byteSize();
    if (size > 1) {
      code.loadConstant(Integer.numberOfTrailingZeros(size)).lshl();
    }
    code.ladd();
  }

  /** Replaces {@code U, address} on the stack by the value. */
  private void fetch(Prim prim) {
    switch (prim) {
      case BOOL, I8 -> access("getByte", ConstantDescs.CD_byte);
      case U8 -> {
        access("getByte", ConstantDescs.CD_byte);
        code.loadConstant(0xFF).iand();
      }
      case I16 -> access("getShort", ConstantDescs.CD_short);
      case U16 -> {
        access("getShort", ConstantDescs.CD_short);
        code.loadConstant(0xFFFF).iand();
      }
      case F16 -> {
        access("getShort", ConstantDescs.CD_short);
        var t = MethodTypeDesc.of(ConstantDescs.CD_float, ConstantDescs.CD_short);
        code.invokestatic(ConstantDescs.CD_Float, "float16ToFloat", t);
      }
      case I32, U32 -> access("getInt", ConstantDescs.CD_int);
      case I64, U64 -> access("getLong", ConstantDescs.CD_long);
      case F32 -> access("getFloat", ConstantDescs.CD_float);
      case F64 -> access("getDouble", ConstantDescs.CD_double);
    }
  }

  private void access(String name, ClassDesc type) {
    code.invokevirtual(UNSAFE, name, MethodTypeDesc.of(type, ConstantDescs.CD_long));
  }

  void storeElement(Prim prim, Expr base, Expr index, Expr value) {
    code.getstatic(self, "U", UNSAFE);
    address(prim, base, index);
    accesses.write(prim.byteSize());
    value(value);
    switch (prim) {
      case BOOL, I8, U8 -> put("putByte", code.i2b(), ConstantDescs.CD_byte);
      case I16, U16 -> put("putShort", code.i2s(), ConstantDescs.CD_short);
      case F16 -> {
        var t = MethodTypeDesc.of(ConstantDescs.CD_short, ConstantDescs.CD_float);
        code.invokestatic(ConstantDescs.CD_Float, "floatToFloat16", t);
        put("putShort", code, ConstantDescs.CD_short);
      }
      case I32, U32 -> put("putInt", code, ConstantDescs.CD_int);
      case I64, U64 -> put("putLong", code, ConstantDescs.CD_long);
      case F32 -> put("putFloat", code, ConstantDescs.CD_float);
      case F64 -> put("putDouble", code, ConstantDescs.CD_double);
    }
  }

  private static void put(String name, CodeBuilder code, ClassDesc type) {
    code.invokevirtual(
        UNSAFE, name, MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long, type));
  }

  // Operators

  private void unary(UnaryOp op, Expr x) {
    if (op == UnaryOp.NOT && x.prim() == Prim.BOOL) {
      value(x);
      code.iconst_1().ixor();
      return;
    }
    value(x);
    var kind = JvmKind.of(x.prim());
    switch (op) {
      case NEG -> {
        switch (kind) {
          case INT -> code.ineg();
          case LONG -> code.lneg();
          case FLOAT -> code.fneg();
          case DOUBLE -> code.dneg();
        }
        normalise(x.prim());
      }
      case ABS -> {
        if (!x.prim().isUnsigned()) {
          code.invokestatic(MATH, "abs", type(kind, kind));
          normalise(x.prim());
        }
      }
      case SQRT -> math(x.prim(), "sqrt");
      case FLOOR -> math(x.prim(), "floor");
      case CEIL -> math(x.prim(), "ceil");
      case ROUND -> math(x.prim(), "rint");
      case ISNAN -> {
        if (kind == JvmKind.FLOAT) {
          code.f2d();
        }
        var t = MethodTypeDesc.of(ConstantDescs.CD_boolean, ConstantDescs.CD_double);
        code.invokestatic(ConstantDescs.CD_Double, "isNaN", t);
      }
      default -> {
        if (op.elementary().isPresent() && x.prim().isFloat()) {
          elementary(op.elementary().get(), x.prim());
        } else {
          rarely(op, x.prim());
        }
      }
    }
  }

  /**
   * Replaces the number on the stack by the function of it; that of f16 is that of f64, rounded.
   */
  private void elementary(Elementary function, Prim prim) {
    boolean half = prim == Prim.F16;
    if (half) {
      code.f2d();
    }
    var of = new ScalarFormula.Of(function, half ? Prim.F64 : prim);
    code.invokestatic(self, owner.functions().scalar(of), of.type());
    if (half) {
      code.d2f();
      normalise(prim);
    }
  }

  private void math(Prim prim, String name) {
    if (prim != Prim.F64) {
      code.f2d();
    }
    code.invokestatic(MATH, name, type(JvmKind.DOUBLE, JvmKind.DOUBLE));
    if (prim != Prim.F64) {
      code.d2f();
    }
    normalise(prim);
  }

  /** Applies an operator by its definition on bits, which is slow and rarely needed. */
  private void rarely(UnaryOp op, Prim prim) {
    toBits(prim);
    code.loadConstant(op.ordinal()).loadConstant(prim.ordinal());
    var t =
        MethodTypeDesc.of(
            ConstantDescs.CD_long,
            ConstantDescs.CD_long,
            ConstantDescs.CD_int,
            ConstantDescs.CD_int);
    code.invokestatic(HELPERS, "unary", t);
    fromBits(Helpers.resultPrim(op, prim));
  }

  void binary(BinaryOp op, Prim prim) {
    if (op == BinaryOp.POW && (prim == Prim.F64 || prim == Prim.F32)) {
      power(prim);
      return;
    }
    boolean simple =
        switch (JvmKind.of(prim)) {
          case FLOAT -> simpleFloat(op);
          case DOUBLE -> simpleDouble(op);
          case INT -> integers.simpleInt(op, prim);
          case LONG -> integers.simpleLong(op, prim);
        };
    if (simple) {
      normalise(prim);
      return;
    }
    var kind = JvmKind.of(prim);
    var second = op == BinaryOp.LDEXP ? JvmKind.INT : kind;
    code.loadConstant(op.ordinal()).loadConstant(prim.ordinal());
    var t =
        MethodTypeDesc.of(
            kind.desc, kind.desc, second.desc, ConstantDescs.CD_int, ConstantDescs.CD_int);
    code.invokestatic(HELPERS, "binary", t);
  }

  /** Replaces two numbers on the stack by their power; that of f32 is that of f64, rounded. */
  private void power(Prim prim) {
    boolean single = prim == Prim.F32;
    if (single) {
      int y = code.allocateLocal(TypeKind.DOUBLE);
      code.f2d().dstore(y).f2d().dload(y);
    }
    var of = new ScalarFormula.Of(Elementary.POW, Prim.F64);
    code.invokestatic(self, owner.functions().scalar(of), of.type());
    if (single) {
      code.d2f();
    }
  }

  private boolean simpleFloat(BinaryOp op) {
    switch (op) {
      case ADD -> code.fadd();
      case SUB -> code.fsub();
      case MUL -> code.fmul();
      case DIV -> code.fdiv();
      case MIN, MAX -> helper(op, JvmKind.FLOAT);
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean simpleDouble(BinaryOp op) {
    switch (op) {
      case ADD -> code.dadd();
      case SUB -> code.dsub();
      case MUL -> code.dmul();
      case DIV -> code.ddiv();
      case MIN, MAX, ATAN2, HYPOT -> helper(op, JvmKind.DOUBLE);
      default -> {
        return false;
      }
    }
    return true;
  }

  private void helper(BinaryOp op, JvmKind kind) {
    code.invokestatic(HELPERS, op.name().toLowerCase(Locale.ROOT), type(kind, kind, kind));
  }

  private void mulAdd(Expr x, Expr y, Expr z) {
    value(x);
    value(y);
    var prim = x.prim();
    switch (prim) {
      case F64, F32 -> {
        value(z);
        var kind = JvmKind.of(prim);
        code.invokestatic(MATH, "fma", type(kind, kind, kind, kind));
      }
      case F16 -> {
        value(z);
        code.invokestatic(
            HELPERS, "fmaHalf", type(JvmKind.FLOAT, JvmKind.FLOAT, JvmKind.FLOAT, JvmKind.FLOAT));
      }
      case BOOL, I8, I16, I32, I64, U8, U16, U32, U64 -> {
        binary(BinaryOp.MUL, prim);
        value(z);
        binary(BinaryOp.ADD, prim);
      }
    }
  }

  /** Brings the result of int or float arithmetic back into the type. */
  private void normalise(Prim prim) {
    normalise(code, prim);
  }

  static void normalise(CodeBuilder code, Prim prim) {
    switch (prim) {
      case I8 -> code.i2b();
      case I16 -> code.i2s();
      case U8 -> code.loadConstant(0xFF).iand();
      case U16 -> code.i2c();
      case BOOL -> code.iconst_1().iand();
      case F16 -> code.invokestatic(HELPERS, "roundHalf", type(JvmKind.FLOAT, JvmKind.FLOAT));
      case I32, I64, U32, U64, F32, F64 -> {}
    }
  }

  // Conversions

  void toBits(Prim prim) {
    Bits.of(code, prim);
  }

  private void fromBits(Prim prim) {
    Bits.toValue(code, prim);
  }
}
