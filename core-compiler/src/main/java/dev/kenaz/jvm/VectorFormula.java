package dev.kenaz.jvm;

import dev.kenaz.elementary.Formula;
import dev.kenaz.elementary.Step;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits an elementary function of vectors, as code of the loop: a method might not be inlined, and
 * each vector that it is given would become an object. Lanes for which there is no formula are
 * computed one by one.
 */
final class VectorFormula extends FormulaCode {
  private static final ClassDesc BINARY = Vectors.OPERATORS.nested("Binary");
  private static final ClassDesc COMPARISON = Vectors.OPERATORS.nested("Comparison");
  private static final ClassDesc ASSOCIATIVE = Vectors.OPERATORS.nested("Associative");
  private static final ClassDesc SEGMENT = VectorExpressions.SEGMENT;
  private static final ClassDesc BYTE_ORDER = VectorExpressions.BYTE_ORDER;
  private static final ClassDesc I = ConstantDescs.CD_int;

  private final int widest;
  private final ClassDesc type;
  private final ClassDesc whole;
  private final JvmKind ofReal;
  private final JvmKind ofWhole;
  private final Prim bits;

  private VectorFormula(CodeBuilder code, Formula formula, int widest, int... arguments) {
    super(code, formula, arguments);
    this.widest = widest;
    this.bits = formula.prim() == Prim.F32 ? Prim.I32 : Prim.I64;
    this.type = Vectors.type(formula.prim());
    this.whole = Vectors.type(bits);
    this.ofReal = JvmKind.of(formula.prim());
    this.ofWhole = JvmKind.of(bits);
  }

  /**
   * Replaces the vector on the stack, or the two vectors, by the function of their lanes.
   *
   * @param owner the class of the function's scalar method
   * @param widest the number of bytes of the widest type of the loop's vectors
   */
  static void apply(CodeBuilder code, ClassDesc owner, ScalarFormula.Of of, int widest) {
    code.block(
        b -> {
          var arguments = new int[of.function().arity()];
          for (int k = arguments.length - 1; k >= 0; k--) {
            arguments[k] = b.allocateLocal(TypeKind.REFERENCE);
            b.astore(arguments[k]);
          }
          var formula = of.function().formula(of.prim());
          formula.ifPresent(
              f -> new VectorFormula(b, f, widest, arguments).function(b.breakLabel()));
          if (formula.map(f -> f.guard().isPresent()).orElse(true)) {
            lanes(b, owner, of, widest, arguments);
          }
        });
    ExactVectors.onStack(code, of.prim(), widest);
  }

  /** Leaves the result and goes to the end; goes on unless the formula holds for all lanes. */
  private void function(Label end) {
    formula.shortcut().ifPresent(s -> resultIf(s.usual(), s.result(), end));
    if (formula.guard().isPresent()) {
      resultIf(formula.guard().getAsInt(), formula.result(), end);
    } else {
      whole(formula.result());
    }
  }

  private void resultIf(int condition, int result, Label end) {
    var no = code.newLabel();
    whole(condition);
    code.invokevirtual(Vectors.MASK, "allTrue", MethodTypeDesc.of(ConstantDescs.CD_boolean));
    code.ifeq(no);
    branch(() -> whole(result));
    code.goto_(end).labelBinding(no);
  }

  /** Leaves a vector with the function of each lane of the arguments. */
  private static void lanes(
      CodeBuilder code, ClassDesc owner, ScalarFormula.Of of, int widest, int... arguments) {
    int lanes = Vectors.lanes(widest);
    int array = code.allocateLocal(TypeKind.REFERENCE);
    code.loadConstant(arguments.length * lanes).newarray(JvmKind.of(of.prim()).type);
    code.astore(array);
    for (int k = 0; k < arguments.length; k++) {
      code.aload(arguments[k]);
      put(code, of, array, k * lanes);
    }
    code.aload(array).invokestatic(owner, of.lanes(), of.typeOfLanes());
    take(code, of, widest, array, 0);
  }

  private static void take(CodeBuilder code, ScalarFormula.Of of, int widest, int array, int from) {
    var type = Vectors.type(of.prim());
    code.getstatic(Vectors.SELF, Vectors.species(of.prim(), widest), Vectors.SPECIES);
    var t = MethodTypeDesc.of(type, Vectors.SPECIES, of.array(), I);
    code.aload(array).loadConstant(from).invokestatic(type, "fromArray", t);
  }

  private static void put(CodeBuilder code, ScalarFormula.Of of, int array, int from) {
    var t = MethodTypeDesc.of(ConstantDescs.CD_void, of.array(), I);
    code.aload(array).loadConstant(from);
    code.invokevirtual(Vectors.type(of.prim()), "intoArray", t);
  }

  /** Does the same as {@link #apply} lane by lane, in an array. */
  static void lanes(CodeBuilder code, ClassDesc owner, Of of, int array) {
    for (int k = of.scalar.function().arity() - 1; k >= 0; k--) {
      put(code, of.scalar, array, k * Vectors.lanes(of.widest));
    }
    code.aload(array).invokestatic(owner, of.scalar.lanes(), of.scalar.typeOfLanes());
    take(code, of.scalar, of.widest, array, 0);
  }

  /**
   * Does the same as {@link #apply} by a method, which finds its arguments in the memory at an
   * address, and leaves the result there.
   */
  static void call(CodeBuilder code, ClassDesc owner, Of of, int address) {
    for (int k = of.scalar.function().arity() - 1; k >= 0; k--) {
      store(code, of, address, k);
    }
    code.lload(address).invokestatic(owner, of.method(), Of.TYPE);
    load(code, of, address, 0);
  }

  private static void load(CodeBuilder code, Of of, int address, int argument) {
    var prim = of.scalar.prim();
    var type = Vectors.type(prim);
    code.getstatic(Vectors.SELF, Vectors.species(prim, of.widest), Vectors.SPECIES);
    at(code, of, address, argument);
    var t = MethodTypeDesc.of(type, Vectors.SPECIES, SEGMENT, ConstantDescs.CD_long, BYTE_ORDER);
    code.invokestatic(type, "fromMemorySegment", t);
  }

  private static void store(CodeBuilder code, Of of, int address, int argument) {
    at(code, of, address, argument);
    var t = MethodTypeDesc.of(ConstantDescs.CD_void, SEGMENT, ConstantDescs.CD_long, BYTE_ORDER);
    code.invokevirtual(Vectors.type(of.scalar.prim()), "intoMemorySegment", t);
  }

  /** Leaves what says where an argument is. */
  private static void at(CodeBuilder code, Of of, int address, int argument) {
    long bytes = (long) Vectors.lanes(of.widest) * of.scalar.prim().byteSize();
    code.getstatic(Vectors.SELF, "ALL", SEGMENT);
    code.lload(address).loadConstant(argument * bytes).ladd();
    code.getstatic(Vectors.SELF, "ORDER", BYTE_ORDER);
  }

  /** A function of vectors in loops with types of so many bytes at most. */
  record Of(ScalarFormula.Of scalar, int widest) {
    /** The type of the method that replaces what is at an address. */
    static final MethodTypeDesc TYPE =
        MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long);

    /** Returns the name of that method. */
    String method() {
      return scalar.method() + "x" + Vectors.lanes(widest);
    }

    /** Emits that method's body. */
    void method(CodeBuilder code, ClassDesc owner) {
      for (int k = 0; k < scalar.function().arity(); k++) {
        load(code, this, 0, k);
      }
      apply(code, owner, scalar, widest);
      store(code, this, 0, 0);
      code.return_();
    }
  }

  @Override
  void emit(int number) {
    var s = formula.steps().get(number);
    switch (s.kind()) {
      case ARGUMENT -> throw new IllegalStateException();
      case REAL, WHOLE -> constant(s);
      case CHOOSE -> {
        operand(s, 2);
        operand(s, 1);
        operand(s, 0);
        var t = MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK);
        code.invokevirtual(type, "blend", t);
      }
      case AND, OR, XOR -> {
        operand(s, 0);
        code.getstatic(Vectors.OPERATORS, s.kind().name(), ASSOCIATIVE);
        operand(s, 1);
        var t = MethodTypeDesc.of(whole, BINARY, Vectors.VECTOR);
        code.invokevirtual(whole, "lanewise", t);
      }
      case LEFT, RIGHT -> {
        operand(s, 0);
        code.getstatic(Vectors.OPERATORS, s.kind() == Step.Kind.LEFT ? "LSHL" : "LSHR", BINARY);
        wholeConstant(s.whole());
        var t = MethodTypeDesc.of(whole, BINARY, ofWhole.desc);
        code.invokevirtual(whole, "lanewise", t);
      }
      case BOTH, EITHER -> {
        operand(s, 0);
        operand(s, 1);
        var name = s.kind() == Step.Kind.BOTH ? "and" : "or";
        code.invokevirtual(Vectors.MASK, name, MethodTypeDesc.of(Vectors.MASK, Vectors.MASK));
      }
      case LESS, AT_MOST -> {
        operand(s, 0);
        code.getstatic(Vectors.OPERATORS, s.kind() == Step.Kind.LESS ? "LT" : "LE", COMPARISON);
        operand(s, 1);
        var t = MethodTypeDesc.of(Vectors.MASK, COMPARISON, Vectors.VECTOR);
        code.invokevirtual(type, "compare", t);
      }
      case ADD, SUBTRACT, MULTIPLY, DIVIDE, FUSE, BITS, FLOAT, PLUS, MINUS -> {
        for (int k = 0; k < s.operands().size(); k++) {
          operand(s, k);
        }
        apply(s);
      }
    }
  }

  private void apply(Step s) {
    var two = MethodTypeDesc.of(type, Vectors.VECTOR);
    var twoWhole = MethodTypeDesc.of(whole, Vectors.VECTOR);
    switch (s.kind()) {
      case ADD -> code.invokevirtual(type, "add", two);
      case SUBTRACT -> code.invokevirtual(type, "sub", two);
      case MULTIPLY -> code.invokevirtual(type, "mul", two);
      case DIVIDE -> code.invokevirtual(type, "div", two);
      case FUSE -> {
        var t = MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.VECTOR);
        code.invokevirtual(type, "fma", t);
      }
      case BITS -> code.invokevirtual(type, "viewAsIntegralLanes", MethodTypeDesc.of(whole));
      case FLOAT -> code.invokevirtual(whole, "viewAsFloatingLanes", MethodTypeDesc.of(type));
      case PLUS -> code.invokevirtual(whole, "add", twoWhole);
      case MINUS -> code.invokevirtual(whole, "sub", twoWhole);
      default -> throw new IllegalStateException(s.toString());
    }
  }

  private void constant(Step s) {
    boolean real = s.kind() == Step.Kind.REAL;
    var vector = real ? type : whole;
    var prim = real ? formula.prim() : bits;
    code.getstatic(Vectors.SELF, Vectors.species(prim, widest), Vectors.SPECIES);
    if (!real) {
      wholeConstant(s.whole());
    } else if (formula.prim() == Prim.F32) {
      code.loadConstant((float) s.real());
    } else {
      code.loadConstant(s.real());
    }
    var scalar = (real ? ofReal : ofWhole).desc;
    code.invokestatic(vector, "broadcast", MethodTypeDesc.of(vector, Vectors.SPECIES, scalar));
  }

  private void wholeConstant(long x) {
    if (bits == Prim.I32) {
      code.loadConstant((int) x);
    } else {
      code.loadConstant(x);
    }
  }

  @Override
  int store(int step) {
    int local = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(local);
    return local;
  }

  @Override
  void load(int step, int local) {
    code.aload(local);
  }
}
