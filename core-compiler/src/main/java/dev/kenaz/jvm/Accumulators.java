package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.jvm.VectorLoop.Fold;
import dev.kenaz.loopir.Expr;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Emits the bytecode of a vector loop's reductions: each has a vector of partial results. */
final class Accumulators {
  private static final ClassDesc I = ConstantDescs.CD_int;

  /** Vectors of fewer bytes than these are not faster. */
  private static final int SHORTEST = 16;

  private final CodeBuilder code;
  private final ScalarCode scalars;
  private final VectorLoop loop;
  private final ExactVectors exact;
  private final VectorExpressions expressions;

  Accumulators(
      CodeBuilder code,
      ScalarCode scalars,
      VectorLoop loop,
      ExactVectors exact,
      VectorExpressions expressions) {
    this.code = code;
    this.scalars = scalars;
    this.loop = loop;
    this.exact = exact;
    this.expressions = expressions;
  }

  /** Combines all accumulators into the first ones, which it returns. */
  Map<Fold, Integer> join(List<Map<Fold, Integer>> all) {
    var first = all.getFirst();
    for (var more : all.subList(1, all.size())) {
      first.forEach((fold, local) -> join(fold, local, more.get(fold)));
    }
    return first;
  }

  /** Returns new accumulators, each in a local. */
  Map<Fold, Integer> make() {
    var locals = new LinkedHashMap<Fold, Integer>();
    loop.folds().forEach(f -> locals.put(f, identity(f)));
    return locals;
  }

  /** Returns a new local with the operator's identity in every lane. */
  private int identity(Fold fold) {
    int local = code.allocateLocal(TypeKind.REFERENCE);
    var prim = fold.reg().prim();
    var value =
        switch (fold.op()) {
          case ADD, OR, XOR -> ScalarValue.ofLong(prim, 0);
          case MUL -> ScalarValue.ofLong(prim, 1);
          case AND -> ScalarValue.ofLong(prim, -1);
          case MIN -> extreme(prim, true);
          case MAX -> extreme(prim, false);
          default -> throw new CompilerBug("jvm", "no identity of " + fold.op());
        };
    expressions.broadcast(new Expr.Lit(value));
    exact.store(local);
    return local;
  }

  private static ScalarValue extreme(Prim prim, boolean largest) {
    int bits = 8 * prim.byteSize();
    if (prim.isFloat()) {
      return ScalarValue.ofDouble(prim, largest ? 1 / 0.0 : -1 / 0.0);
    }
    if (prim.isUnsigned()) {
      return ScalarValue.ofLong(prim, largest ? -1 : 0);
    }
    long most = -1L >>> 65 - bits;
    return ScalarValue.ofLong(prim, largest ? most : -most - 1);
  }

  /** Combines the operand into the accumulator; of the last vector, only lanes of iterations. */
  void combine(Fold fold, int local) {
    var last = expressions.last();
    var operand = fold.operand();
    var prim = fold.reg().prim();
    var combined = Contraction.combined(fold.op(), fold.reg(), operand);
    if (last != null) {
      exact.vector(local, prim);
    }
    if (combined instanceof Expr.MulAdd(var x, var y, _)) {
      expressions.mulAdd(x, y, () -> exact.vector(local, prim));
    } else {
      Runnable right = () -> expressions.vector(operand, prim);
      expressions.binary(fold.op(), prim, () -> exact.vector(local, prim), right);
    }
    if (last != null) {
      last.blend(prim);
    }
    exact.store(local);
  }

  private void combine(Fold fold, Runnable left, Runnable right, int into) {
    expressions.binary(fold.op(), fold.reg().prim(), left, right);
    exact.store(into);
  }

  /** Combines the second accumulator into the first. */
  private void join(Fold fold, int first, int second) {
    var prim = fold.reg().prim();
    combine(fold, () -> exact.vector(first, prim), () -> exact.vector(second, prim), first);
  }

  /** Combines all lanes of the accumulator into the register. */
  void collapse(Fold fold, int local) {
    var prim = fold.reg().prim();
    scalars.load(fold.reg());
    if (prim.isFloat() && (fold.op() == BinaryOp.ADD || fold.op() == BinaryOp.MUL)) {
      combineLanes(fold, local);
    } else {
      reduceLanes(fold.op(), local, prim);
    }
    scalars.binary(fold.op(), prim);
    scalars.store(fold.reg());
  }

  /**
   * Leaves all lanes of integers combined. Extrema of unsigned ones are those of signed ones that
   * are half of the range below.
   */
  private void reduceLanes(BinaryOp op, int local, Prim prim) {
    int bytes = Vectors.carrier(prim, loop.widest()).byteSize();
    boolean below =
        (op == BinaryOp.MIN || op == BinaryOp.MAX) && prim.isUnsigned() && bytes == prim.byteSize();
    long half = -1L << 8 * bytes - 1;
    var type = Vectors.type(prim, loop.widest());
    var lane = Vectors.lane(prim, loop.widest());
    exact.vector(local, prim);
    if (below) {
      code.getstatic(Vectors.OPERATORS, "XOR", VectorExpressions.ASSOCIATIVE);
      number(half, prim);
      var binary = Vectors.OPERATORS.nested("Binary");
      code.invokevirtual(type, "lanewise", MethodTypeDesc.of(type, binary, lane));
    }
    code.getstatic(Vectors.OPERATORS, op.name(), VectorExpressions.ASSOCIATIVE);
    var t = MethodTypeDesc.of(lane, VectorExpressions.ASSOCIATIVE);
    code.invokevirtual(type, "reduceLanes", t);
    if (below) {
      number(half, prim);
      if (prim == Prim.U64) {
        code.lxor();
      } else {
        code.ixor();
      }
    }
    switch (prim) {
      case U8 -> code.loadConstant(0xFF).iand();
      case U16 -> code.loadConstant(0xFFFF).iand();
      case I8 -> code.i2b();
      case I16 -> code.i2s();
      default -> {}
    }
  }

  private void number(long value, Prim prim) {
    if (prim == Prim.U64) {
      code.loadConstant(value);
    } else {
      code.loadConstant((int) value);
    }
  }

  /**
   * Combines all lanes, halves first. {@code reduceLanes} would combine them in an order that
   * changes once HotSpot has compiled the loop, and so would the result. A method for it would not
   * be inlined into large code, and each vector that it is given would become an object. The last
   * two lanes are combined as numbers, since HotSpot calls Java code to rearrange a vector of two.
   */
  private void combineLanes(Fold fold, int local) {
    var prim = fold.reg().prim();
    var type = Vectors.type(prim, loop.widest());
    var species = Vectors.species(prim, loop.widest());
    int lanes = Vectors.lanes(loop.widest());
    for (int by = lanes / 2; by > 0; by /= 2) {
      if (2 * by < lanes && 2 * by * prim.byteSize() >= SHORTEST) {
        lanes = 2 * by;
        firstLanes(local, prim, lanes);
      }
      if (lanes == 2) {
        break;
      }
      int distance = by;
      int all = lanes;
      var from = IntStream.range(0, all).mapToObj(j -> (j + distance) % all).toList();
      combine(
          fold,
          () -> exact.vector(local, prim),
          () -> {
            exact.vector(local, prim);
            code.loadConstant(VectorConstants.shuffle(species, from))
                .invokevirtual(type, "rearrange", MethodTypeDesc.of(type, Vectors.SHUFFLE));
          },
          local);
    }
    lane(local, prim, 0);
    if (lanes == 2) {
      lane(local, prim, 1);
      scalars.binary(fold.op(), prim);
    }
  }

  private void lane(int local, Prim prim, int number) {
    var lane = MethodTypeDesc.of(JvmKind.of(prim).desc, ConstantDescs.CD_int);
    exact.vector(local, prim);
    code.loadConstant(number).invokevirtual(Vectors.type(prim, loop.widest()), "lane", lane);
  }

  /**
   * Leaves only the first lanes of the vector in a shorter one: processors take longer to move
   * lanes of a long vector, as they may cross the middle.
   */
  private void firstLanes(int local, Prim prim, int lanes) {
    var species = Vectors.species(prim, loop.widest());
    exact.vector(local, prim);
    code.loadConstant(VectorConstants.species(species, lanes)).iconst_0();
    var t = MethodTypeDesc.of(Vectors.VECTOR, Vectors.SPECIES, I);
    code.invokevirtual(Vectors.type(prim, loop.widest()), "reinterpretShape", t)
        .checkcast(Vectors.type(prim, loop.widest()));
    exact.store(local);
  }
}
