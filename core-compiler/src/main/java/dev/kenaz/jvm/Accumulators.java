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
          case MIN -> extreme(prim, Double.POSITIVE_INFINITY);
          case MAX -> extreme(prim, Double.NEGATIVE_INFINITY);
          default -> throw new CompilerBug("jvm", "no identity of " + fold.op());
        };
    expressions.broadcast(new Expr.Lit(value));
    exact.store(local);
    return local;
  }

  private static ScalarValue extreme(Prim prim, double infinity) {
    return ScalarValue.ofDouble(prim, infinity);
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
      exact.vector(local, prim);
      code.getstatic(Vectors.OPERATORS, fold.op().name(), VectorExpressions.ASSOCIATIVE);
      var t = MethodTypeDesc.of(JvmKind.of(prim).desc, VectorExpressions.ASSOCIATIVE);
      code.invokevirtual(Vectors.type(prim), "reduceLanes", t);
    }
    scalars.binary(fold.op(), prim);
    scalars.store(fold.reg());
  }

  /**
   * Combines all lanes, halves first. {@code reduceLanes} would combine them in an order that
   * changes once HotSpot has compiled the loop, and so would the result. A method for it would not
   * be inlined into large code, and each vector that it is given would become an object. The last
   * two lanes are combined as numbers, since HotSpot calls Java code to rearrange a vector of two.
   */
  private void combineLanes(Fold fold, int local) {
    var prim = fold.reg().prim();
    var type = Vectors.type(prim);
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
    code.loadConstant(number).invokevirtual(Vectors.type(prim), "lane", lane);
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
    code.invokevirtual(Vectors.type(prim), "reinterpretShape", t).checkcast(Vectors.type(prim));
    exact.store(local);
  }
}
