package dev.kenaz.jvm;

import dev.kenaz.elementary.Elementary;
import dev.kenaz.elementary.Formula;
import dev.kenaz.elementary.Step;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** Emits a method that computes an elementary function of numbers. */
final class ScalarFormula extends FormulaCode {
  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final ClassDesc ELEMENTARY = ClassDesc.of("dev.kenaz.elementary.Elementary");
  private static final ClassDesc STRICT = ClassDesc.of("java.lang.StrictMath");

  /** A function of floats of one type, f64 or f32. */
  record Of(Elementary function, Prim prim) {
    /** Returns the method's name. */
    String method() {
      return "fun_" + function.strictName() + prim.byteSize() * 8;
    }

    /**
     * Returns the name of the method that replaces all elements of an array; of two arguments, the
     * second ones are in its second half.
     */
    String lanes() {
      return method() + "s";
    }

    /** Returns the type of that method. */
    MethodTypeDesc typeOfLanes() {
      return MethodTypeDesc.of(ConstantDescs.CD_void, array());
    }

    /** Returns the type of an array of such floats. */
    ClassDesc array() {
      return JvmKind.of(prim).desc.arrayType();
    }

    /** Returns how many steps the formula has; 0 if there is none. */
    int steps() {
      return function.formula(prim).map(f -> f.steps().size()).orElse(0);
    }

    /** Emits that method's body. */
    void lanes(CodeBuilder code, ClassDesc owner) {
      var top = code.newLabel();
      var exit = code.newLabel();
      var kind = JvmKind.of(prim).type;
      int k = code.allocateLocal(TypeKind.INT);
      int count = code.allocateLocal(TypeKind.INT);
      code.aload(0).arraylength().loadConstant(function.arity()).idiv().istore(count);
      code.iconst_0().istore(k).labelBinding(top);
      code.iload(k).iload(count).if_icmpge(exit);
      code.aload(0).iload(k).aload(0).iload(k).arrayLoad(kind);
      if (function.arity() == 2) {
        code.aload(0).iload(k).iload(count).iadd().arrayLoad(kind);
      }
      code.invokestatic(owner, method(), type()).arrayStore(kind);
      code.iinc(k, 1).goto_(top).labelBinding(exit).return_();
    }

    /** Returns the method's type. */
    MethodTypeDesc type() {
      var kind = JvmKind.of(prim);
      return function.arity() == 2
          ? ScalarCode.type(kind, kind, kind)
          : ScalarCode.type(kind, kind);
    }

    /** Emits the method's body, which is small where there is a shortcut, so that it is inlined. */
    void method(CodeBuilder code, ClassDesc owner) {
      var formula = function.formula(prim);
      if (formula.isPresent() && formula.get().shortcut().isPresent()) {
        new ScalarFormula(code, formula.get()).shortcut();
        var kind = JvmKind.of(prim).type;
        code.loadLocal(kind, 0).invokestatic(owner, whole(), type()).return_(kind);
      } else {
        whole(code);
      }
    }

    /** Returns the name of the method without the shortcut. */
    String whole() {
      return method() + "whole";
    }

    /** Emits that method's body. */
    void whole(CodeBuilder code) {
      function.formula(prim).ifPresent(f -> new ScalarFormula(code, f).method());
      if (function.formula(prim).map(f -> f.guard().isPresent()).orElse(true)) {
        strict(code);
      }
    }

    private void strict(CodeBuilder code) {
      if (function.arity() == 2) {
        code.dload(0).dload(2).invokestatic(ELEMENTARY, "strictPow", type()).dreturn();
        return;
      }
      if (prim == Prim.F32) {
        code.fload(0).f2d();
      } else {
        code.dload(0);
      }
      var t = MethodTypeDesc.of(ConstantDescs.CD_double, ConstantDescs.CD_double);
      code.invokestatic(STRICT, function.strictName(), t);
      if (prim == Prim.F32) {
        code.d2f().freturn();
      } else {
        code.dreturn();
      }
    }
  }

  private final boolean single;
  private final TypeKind real;
  private final TypeKind whole;

  private ScalarFormula(CodeBuilder code, Formula formula) {
    super(code, formula, 0, formula.prim() == Prim.F32 ? 1 : 2);
    single = formula.prim() == Prim.F32;
    real = single ? TypeKind.FLOAT : TypeKind.DOUBLE;
    whole = single ? TypeKind.INT : TypeKind.LONG;
  }

  /** Returns the result from the method; goes on where the formula doesn't hold. */
  private void method() {
    if (formula.guard().isPresent()) {
      resultIf(formula.guard().getAsInt(), formula.result());
    } else {
      result(formula.result());
    }
  }

  /** Returns the shortcut's result from the method, for usual arguments. */
  private void shortcut() {
    formula.shortcut().ifPresent(s -> resultIf(s.usual(), s.result()));
  }

  private void resultIf(int condition, int result) {
    var no = code.newLabel();
    whole(condition);
    code.ifeq(no);
    branch(() -> result(result));
    code.labelBinding(no);
  }

  private void result(int result) {
    whole(result);
    code.return_(real);
  }

  @Override
  void emit(int number) {
    var s = formula.steps().get(number);
    switch (s.kind()) {
      case ARGUMENT -> throw new IllegalStateException();
      case REAL -> constant(s);
      case WHOLE -> {
        if (single) {
          code.loadConstant((int) s.whole());
        } else {
          code.loadConstant(s.whole());
        }
      }
      case LESS, AT_MOST -> truth(s);
      case CHOOSE -> choose(s);
      default -> {
        for (int k = 0; k < s.operands().size(); k++) {
          operand(s, k);
        }
        apply(s);
      }
    }
  }

  private void constant(Step s) {
    if (single) {
      code.loadConstant((float) s.real());
    } else {
      code.loadConstant(s.real());
    }
  }

  private void apply(Step s) {
    switch (s.kind()) {
      case ADD -> pick(code::fadd, code::dadd);
      case SUBTRACT -> pick(code::fsub, code::dsub);
      case MULTIPLY -> pick(code::fmul, code::dmul);
      case DIVIDE -> pick(code::fdiv, code::ddiv);
      case FUSE -> {
        var kind = JvmKind.of(formula.prim());
        code.invokestatic(MATH, "fma", ScalarCode.type(kind, kind, kind, kind));
      }
      case BITS -> {
        var owner = single ? ConstantDescs.CD_Float : ConstantDescs.CD_Double;
        var name = single ? "floatToRawIntBits" : "doubleToRawLongBits";
        code.invokestatic(owner, name, MethodTypeDesc.of(whole.upperBound(), real.upperBound()));
      }
      case FLOAT -> {
        var owner = single ? ConstantDescs.CD_Float : ConstantDescs.CD_Double;
        var name = single ? "intBitsToFloat" : "longBitsToDouble";
        code.invokestatic(owner, name, MethodTypeDesc.of(real.upperBound(), whole.upperBound()));
      }
      case PLUS -> pick(code::iadd, code::ladd);
      case MINUS -> pick(code::isub, code::lsub);
      case AND -> pick(code::iand, code::land);
      case OR -> pick(code::ior, code::lor);
      case XOR -> pick(code::ixor, code::lxor);
      case BOTH -> code.iand();
      case EITHER -> code.ior();
      case LEFT -> {
        code.loadConstant((int) s.whole());
        pick(code::ishl, code::lshl);
      }
      case RIGHT -> {
        code.loadConstant((int) s.whole());
        pick(code::iushr, code::lushr);
      }
      case ARGUMENT, REAL, WHOLE, LESS, AT_MOST, CHOOSE -> throw new IllegalStateException();
    }
  }

  private void pick(Runnable ofSingle, Runnable ofDouble) {
    (single ? ofSingle : ofDouble).run();
  }

  /** Leaves 1 or 0; with NaN it is 0. */
  private void truth(Step s) {
    var no = code.newLabel();
    var end = code.newLabel();
    operand(s, 0);
    operand(s, 1);
    pick(code::fcmpg, code::dcmpg);
    if (s.kind() == Step.Kind.LESS) {
      code.ifge(no);
    } else {
      code.ifgt(no);
    }
    code.iconst_1().goto_(end).labelBinding(no).iconst_0().labelBinding(end);
  }

  private void choose(Step s) {
    var no = code.newLabel();
    var end = code.newLabel();
    operand(s, 0);
    code.ifeq(no);
    operand(s, 1);
    code.goto_(end).labelBinding(no);
    operand(s, 2);
    code.labelBinding(end);
  }

  private TypeKind kind(int step) {
    return switch (formula.steps().get(step).kind()) {
      case LESS, AT_MOST, BOTH, EITHER -> TypeKind.INT;
      default -> formula.isReal(step) ? real : whole;
    };
  }

  @Override
  int store(int step) {
    int local = code.allocateLocal(kind(step));
    code.storeLocal(kind(step), local);
    return local;
  }

  @Override
  void load(int step, int local) {
    code.loadLocal(kind(step), local);
  }
}
