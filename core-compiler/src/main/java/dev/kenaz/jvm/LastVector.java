package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The masks of the last vector of a loop, of which only the first lanes are iterations: those that
 * are left when no whole vector fits below the bound any more. Loads and stores leave memory beyond
 * the bound alone, and accumulators keep what they have in the other lanes. Those lanes compute
 * with zeros, which can't fail.
 *
 * <p>With eight lanes, a loop over 14 elements would run six iterations one by one otherwise, which
 * take several times as long as its vectors.
 */
final class LastVector {
  /** Only the long vectors leave many iterations, and their processors have registers for masks. */
  private static final int LEAST_BYTES = 64;

  /** Of the many lanes of narrow types, so few pay. */
  private static final int LEAST_NARROW = 8;

  /** With more iterations than these, the lanes of sums are worth combining. */
  private static final int MOST_BEFORE_FOLDS = 16;

  /** The body of a larger loop is not written out twice: all of its vectors have masks. */
  private static final int MOST_STATEMENTS = 40;

  private final CodeBuilder code;
  private final ScalarCode scalars;
  private final ExactVectors exact;
  private final VectorExpressions expressions;
  private final int widest;
  private final Reg left;
  private final Map<String, Integer> masks = new HashMap<>();

  /**
   * Makes the masks.
   *
   * @param left how many lanes are iterations
   */
  LastVector(
      CodeBuilder code,
      ScalarCode scalars,
      ExactVectors exact,
      VectorExpressions expressions,
      VectorLoop loop,
      Reg left) {
    this.code = code;
    this.scalars = scalars;
    this.exact = exact;
    this.expressions = expressions;
    this.widest = loop.widest();
    this.left = left;
    for (var prim : prims(loop)) {
      masks.computeIfAbsent(Vectors.species(prim, widest), _ -> made(prim));
    }
  }

  /** Returns for how many iterations the vector pays; fewer take less time one by one. */
  static long least(VectorLoop loop) {
    int lanes = Vectors.lanes(loop.widest());
    return loop.widest() < 4 ? LEAST_NARROW : lanes / 2;
  }

  /**
   * Returns how many iterations a loop must have. To combine the lanes of sums takes longer than a
   * few additions.
   */
  static long leastOfAll(VectorLoop loop) {
    return loop.folds().isEmpty()
        ? least(loop)
        : Math.min(MOST_BEFORE_FOLDS, Vectors.lanes(loop.widest()));
  }

  /** Whether the last iterations of the loop can run in one vector, and it pays. */
  static boolean pays(VectorLoop loop, VectorExpressions expressions, Expr count) {
    return Vectors.F64.vectorByteSize() >= LEAST_BYTES
        && !(count instanceof Expr.Lit(var n) && left(loop, n.bits()) < least(loop))
        && !loop.isGuarded()
        && !loop.masks()
        && loop.counters().isEmpty()
        && loop.body().stream().noneMatch(c -> c instanceof Code.While)
        && prims(loop).stream().allMatch(p -> p.byteSize() >= Math.min(4, loop.widest()))
        && accesses(loop).stream().allMatch(index -> inOrder(expressions.shape(index)));
  }

  private static long left(VectorLoop loop, long count) {
    return count < leastOfAll(loop) ? 0 : count % Vectors.lanes(loop.widest());
  }

  /** Whether so many statements are written out twice, without masks and with them. */
  static boolean twice(int statements) {
    return statements <= MOST_STATEMENTS;
  }

  /** Whether the elements are one for all lanes, or lie in the order of the lanes. */
  private static boolean inOrder(Shape index) {
    return !(index instanceof Shape.Affine(var step)) || step == 1;
  }

  /** Returns the types of what is in memory, and of the sums. */
  private static Set<Prim> prims(VectorLoop loop) {
    var all = new LinkedHashSet<Prim>();
    walk(loop, (prim, _) -> all.add(prim));
    loop.folds().forEach(f -> all.add(f.reg().prim()));
    return all;
  }

  /** Returns the indices of what is loaded and stored. */
  private static List<Expr> accesses(VectorLoop loop) {
    var all = new ArrayList<Expr>();
    walk(loop, (_, index) -> all.add(index));
    return all;
  }

  /** Passes on the types and indices of what is loaded and stored. */
  private static void walk(VectorLoop loop, BiConsumer<Prim, Expr> access) {
    Consumer<Expr> load =
        e -> {
          if (e instanceof Expr.Load(var prim, _, var index)) {
            access.accept(prim, index);
          }
        };
    Consumer<Code> store =
        c -> {
          if (c instanceof Code.Store(var prim, _, var index, _)) {
            access.accept(prim, index);
          }
        };
    CodeWalk.code(loop.body(), store, load);
    loop.folds().forEach(f -> CodeWalk.expr(f.operand(), load));
  }

  /** Compares the numbers of the lanes with how many are left. */
  private int made(Prim prim) {
    var type = Vectors.type(prim, widest);
    var number = Vectors.carrier(prim, widest);
    var comparison = Vectors.OPERATORS.nested("Comparison");
    expressions.broadcast(Expr.zero(number));
    code.iconst_1().invokevirtual(type, "addIndex", MethodTypeDesc.of(type, ConstantDescs.CD_int));
    code.getstatic(Vectors.OPERATORS, "LT", comparison);
    scalars.value(new Expr.Conv(number, Expr.use(left)));
    var lane = Vectors.lane(prim, widest);
    code.invokevirtual(type, "compare", MethodTypeDesc.of(Vectors.MASK, comparison, lane));
    int local = code.allocateLocal(TypeKind.REFERENCE);
    exact.store(local);
    return local;
  }

  /** Loads the mask for vectors of the type. */
  void mask(Prim prim) {
    exact.mask(masks.get(Vectors.species(prim, widest)), prim);
  }

  /** Leaves the number of bytes of so many elements as there are iterations. */
  void bytes(Prim prim) {
    scalars.value(Expr.mul(Expr.use(left), Expr.i64(prim.byteSize())));
    code.l2i();
  }

  /** Loads elements, with the place in memory on the stack. */
  void load(Prim prim) {
    mask(prim);
    MaskedReads.load(code, prim, widest);
  }

  /** Stores a vector, with it and the place in memory on the stack. */
  void store(Prim prim) {
    mask(prim);
    var t =
        MethodTypeDesc.of(
            ConstantDescs.CD_void,
            VectorExpressions.SEGMENT,
            ConstantDescs.CD_long,
            VectorExpressions.BYTE_ORDER,
            Vectors.MASK);
    code.invokevirtual(Vectors.type(prim, widest), "intoMemorySegment", t);
  }

  /** Replaces the two vectors on the stack by the second in lanes of iterations. */
  void blend(Prim prim) {
    ClassDesc type = Vectors.type(prim, widest);
    mask(prim);
    code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
  }
}
