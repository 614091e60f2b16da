package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.jvm.VectorLoop.Affine;
import dev.kenaz.jvm.VectorLoop.Fold;
import dev.kenaz.jvm.VectorLoop.Shape;
import dev.kenaz.jvm.VectorLoop.Unsuitable;
import dev.kenaz.jvm.VectorLoop.Varying;
import dev.kenaz.loopir.Code;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Emits the bytecode of a vector loop's body: every vector is in a local, and the JIT inlines every
 * operation.
 */
final class VectorCode {
  private static final ClassDesc BINARY = Vectors.OPERATORS.nested("Binary");
  private static final ClassDesc UNARY = Vectors.OPERATORS.nested("Unary");
  private static final ClassDesc COMPARISON = Vectors.OPERATORS.nested("Comparison");
  private static final ClassDesc ASSOCIATIVE = Vectors.OPERATORS.nested("Associative");
  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final ClassDesc BYTE_ORDER = ClassDesc.of("java.nio.ByteOrder");
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc I = ConstantDescs.CD_int;

  private final CodeBuilder code;
  private final ScalarCode scalars;
  private final VectorLoop loop;
  private final VectorFunctions functions;
  private final boolean once;
  private final Map<Reg, Integer> vectors = new HashMap<>();
  private final Map<Reg, Prim> masks = new HashMap<>();

  /**
   * Emits code for one loop.
   *
   * @param once whether the body is emitted only once, to be small
   */
  VectorCode(CodeBuilder code, ScalarCode scalars, VectorLoop loop, boolean once) {
    this.once = once;
    this.code = code;
    this.scalars = scalars;
    this.loop = loop;
    this.functions = scalars.functions(loop);
  }

  // Statements

  /** Emits as many iterations as a vector has lanes, from the present index on. */
  private void body(Map<Fold, Integer> accumulators) {
    statements(loop.body());
    accumulators.forEach(
        (fold, local) -> {
          var prim = fold.reg().prim();
          combine(fold, () -> code.aload(local), () -> vector(fold.operand(), prim), local);
        });
    loop.counters().forEach(this::count);
  }

  private void count(VectorLoop.Counter counter) {
    scalars.load(counter.reg());
    mask(counter.condition());
    code.invokevirtual(Vectors.MASK, "trueCount", MethodTypeDesc.of(I));
    if (counter.reg().prim() == Prim.I64) {
      code.i2l();
    }
    scalars.binary(BinaryOp.ADD, counter.reg().prim());
    scalars.store(counter.reg());
  }

  private void statements(List<Code> statements) {
    for (var c : statements) {
      switch (c) {
        case Code.Set(var reg, var e) -> {
          scalars.accesses().in(c);
          set(reg, e);
        }
        case Code.Store(var prim, var base, var index, var value) -> {
          scalars.accesses().in(c);
          vector(value, prim);
          var counter = loop.counter(index);
          if (counter != null) {
            // A lane that isn't counted stores nothing that stays: the next counted one overwrites
            // it.
            maskFor(counter.condition(), prim);
            var type = Vectors.type(prim);
            code.invokevirtual(type, "compress", MethodTypeDesc.of(type, Vectors.MASK));
          }
          segment(prim, base, index, () -> scalars.accesses().write(bytes(prim)));
          var t = MethodTypeDesc.of(ConstantDescs.CD_void, SEGMENT, L, BYTE_ORDER);
          code.invokevirtual(Vectors.type(prim), "intoMemorySegment", t);
        }
        case Code.If(var condition, var then, var otherwise) -> {
          var no = code.newLabel();
          var end = code.newLabel();
          scalars.jumpUnless(condition, no);
          statements(then);
          code.goto_(end).labelBinding(no);
          statements(otherwise);
          code.labelBinding(end);
        }
        case Code.For f -> inner(f);
        default -> throw new CompilerBug("jvm", "not a vector statement: " + c);
      }
    }
  }

  /** Emits a loop that all lanes go through together. */
  private void inner(Code.For f) {
    int times = Unrolling.times(f);
    if (times >= 0) {
      for (int k = 0; k < times; k++) {
        code.loadConstant((long) k);
        scalars.store(f.i());
        statements(f.body());
      }
      code.loadConstant((long) times);
      scalars.store(f.i());
      return;
    }
    var bound = Reg.index("bound");
    scalars.value(f.bound());
    scalars.store(bound);
    code.lconst_0();
    scalars.store(f.i());
    var top = code.newBoundLabel();
    var exit = code.newLabel();
    scalars.load(f.i());
    scalars.load(bound);
    code.lcmp().ifge(exit);
    statements(f.body());
    advance(f.i(), 1);
    code.goto_(top).labelBinding(exit);
  }

  private void set(Reg reg, Expr e) {
    switch (shape(Expr.use(reg))) {
      case Varying(var prim) when prim == Prim.BOOL -> {
        masks.put(reg, mask(e));
        code.astore(local(reg));
      }
      case Varying(var prim) -> {
        vector(e, prim);
        code.astore(local(reg));
      }
      case VectorLoop.Uniform _, Affine _ -> {
        scalars.value(e);
        scalars.store(reg);
      }
    }
  }

  private int local(Reg reg) {
    return vectors.computeIfAbsent(reg, _ -> code.allocateLocal(TypeKind.REFERENCE));
  }

  private Shape shape(Expr e) {
    try {
      return loop.shape(e);
    } catch (Unsuitable u) {
      throw new CompilerBug("jvm", "a vector loop has changed: " + u.getMessage());
    }
  }

  // Reductions

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
    broadcast(new Expr.Lit(value));
    code.astore(local);
    return local;
  }

  private static ScalarValue extreme(Prim prim, double infinity) {
    return ScalarValue.ofDouble(prim, infinity);
  }

  private void combine(Fold fold, Runnable left, Runnable right, int into) {
    binary(fold.op(), fold.reg().prim(), left, right);
    code.astore(into);
  }

  /** Combines the second accumulator into the first. */
  private void join(Fold fold, int first, int second) {
    combine(fold, () -> code.aload(first), () -> code.aload(second), first);
  }

  /** Combines all lanes of the accumulator into the register. */
  private void collapse(Fold fold, int local) {
    var prim = fold.reg().prim();
    scalars.load(fold.reg());
    if (prim.isFloat() && (fold.op() == BinaryOp.ADD || fold.op() == BinaryOp.MUL)) {
      combineLanes(fold, local);
    } else {
      code.aload(local).getstatic(Vectors.OPERATORS, fold.op().name(), ASSOCIATIVE);
      var t = MethodTypeDesc.of(JvmKind.of(prim).desc, ASSOCIATIVE);
      code.invokevirtual(Vectors.type(prim), "reduceLanes", t);
    }
    scalars.binary(fold.op(), prim);
    scalars.store(fold.reg());
  }

  /**
   * Combines all lanes, halves first. {@code reduceLanes} would combine them in an order that
   * changes once HotSpot has compiled the loop, and so would the result. A method for it would not
   * be inlined into large code, and each vector that it is given would become an object.
   */
  private void combineLanes(Fold fold, int local) {
    var prim = fold.reg().prim();
    var type = Vectors.type(prim);
    var species = Vectors.species(prim, loop.widest());
    for (int by = Vectors.lanes(loop.widest()) / 2; by > 0; by /= 2) {
      var shuffle = species + "_BY_" + by;
      combine(
          fold,
          () -> code.aload(local),
          () ->
              code.aload(local)
                  .getstatic(Vectors.SELF, shuffle, Vectors.SHUFFLE)
                  .invokevirtual(type, "rearrange", MethodTypeDesc.of(type, Vectors.SHUFFLE)),
          local);
    }
    var lane = MethodTypeDesc.of(JvmKind.of(prim).desc, ConstantDescs.CD_int);
    code.aload(local).iconst_0().invokevirtual(type, "lane", lane);
  }

  // Expressions

  private void species(Prim prim) {
    code.getstatic(Vectors.SELF, Vectors.species(prim, loop.widest()), Vectors.SPECIES);
  }

  /** Returns the number of bytes of a vector. */
  private int bytes(Prim prim) {
    return Vectors.lanes(loop.widest()) * prim.byteSize();
  }

  private void segment(Prim prim, Expr base, Expr index, Runnable check) {
    code.getstatic(Vectors.SELF, "ALL", SEGMENT);
    scalars.address(prim, base, index);
    check.run();
    code.getstatic(Vectors.SELF, "ORDER", BYTE_ORDER);
  }

  private void broadcast(Expr uniform) {
    var prim = uniform.prim();
    species(prim);
    scalars.value(uniform);
    var type = Vectors.type(prim);
    code.invokestatic(
        type, "broadcast", MethodTypeDesc.of(type, Vectors.SPECIES, JvmKind.of(prim).desc));
  }

  /** Leaves the expression as a vector of this type. */
  private void vector(Expr e, Prim prim) {
    var type = Vectors.type(prim);
    switch (shape(e)) {
      case VectorLoop.Uniform _ -> broadcast(e);
      case Affine(var step) -> {
        // These are the first lane's value, and the distance of the others from it.
        broadcast(e);
        code.loadConstant((int) step).invokevirtual(type, "addIndex", MethodTypeDesc.of(type, I));
      }
      case Varying _ -> varying(e, type);
    }
  }

  private void varying(Expr e, ClassDesc type) {
    switch (e) {
      case Expr.Use(var reg) -> code.aload(local(reg));
      case Expr.Un(var op, var x, var prim) -> {
        vector(x, prim);
        if (op.elementary().isPresent()) {
          functions.apply(op.elementary().get(), prim);
        } else {
          code.getstatic(Vectors.OPERATORS, VectorOperations.of(op, prim), UNARY);
          code.invokevirtual(type, "lanewise", MethodTypeDesc.of(type, UNARY));
        }
      }
      case Expr.Bin(var op, var x, var y) ->
          binary(op, x.prim(), () -> vector(x, x.prim()), () -> vector(y, x.prim()));
      case Expr.MulAdd(var x, var y, var z) -> {
        vector(x, x.prim());
        vector(y, x.prim());
        vector(z, x.prim());
        var t = MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.VECTOR);
        code.invokevirtual(type, "fma", t);
      }
      case Expr.Conv(var to, var x) when x.prim() == Prim.BOOL -> {
        broadcast(Expr.zero(to));
        broadcast(new Expr.Lit(ScalarValue.ofLong(to, 1)));
        maskFor(x, to);
        code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
      }
      case Expr.Conv(var to, var x) -> {
        vector(x, x.prim());
        new VectorConversions(code, loop.widest()).convert(x.prim(), to);
      }
      case Expr.Select(var c, var x, var y) -> {
        vector(y, y.prim());
        vector(x, x.prim());
        maskFor(c, x.prim());
        code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
      }
      case Expr.Load(var prim, var base, var index) -> {
        species(prim);
        boolean backwards = shape(index).equals(new Affine(-1));
        int last = Vectors.lanes(loop.widest()) - 1;
        var first = backwards ? Expr.sub(index, Expr.i64(last)) : index;
        segment(prim, base, first, () -> scalars.accesses().read(bytes(prim)));
        var t = MethodTypeDesc.of(type, Vectors.SPECIES, SEGMENT, L, BYTE_ORDER);
        code.invokestatic(type, "fromMemorySegment", t);
        if (backwards) {
          var shuffle = "REVERSE_" + Vectors.species(prim, loop.widest());
          code.getstatic(Vectors.SELF, shuffle, Vectors.SHUFFLE);
          code.invokevirtual(type, "rearrange", MethodTypeDesc.of(type, Vectors.SHUFFLE));
        }
      }
      case Expr.Lit _, Expr.Size _, Expr.Cmp _ ->
          throw new CompilerBug("jvm", "not a vector: " + e);
    }
  }

  private void binary(BinaryOp op, Prim prim, Runnable left, Runnable right) {
    var type = Vectors.type(prim);
    var two = MethodTypeDesc.of(type, Vectors.VECTOR);
    left.run();
    right.run();
    switch (op) {
      case ADD -> code.invokevirtual(type, "add", two);
      case SUB -> code.invokevirtual(type, "sub", two);
      case MUL -> code.invokevirtual(type, "mul", two);
      case DIV -> code.invokevirtual(type, "div", two);
      case MIN, MAX -> extremum(op, prim, type);
      default -> {
        var t = MethodTypeDesc.of(type, BINARY, Vectors.VECTOR);
        // The operator comes first, then the vector.
        var field = op.isCommutativeMonoid() ? ASSOCIATIVE : BINARY;
        code.getstatic(Vectors.OPERATORS, VectorOperations.of(op, prim), field).swap();
        code.invokevirtual(type, "lanewise", t);
      }
    }
  }

  /**
   * Computes the extremum of two vectors on the stack; where one lane is NaN, the result is that of
   * the other.
   */
  private void extremum(BinaryOp op, Prim prim, ClassDesc type) {
    var name = op == BinaryOp.MIN ? "min" : "max";
    var two = MethodTypeDesc.of(type, Vectors.VECTOR);
    if (!prim.isFloat()) {
      code.invokevirtual(type, name, two);
      return;
    }
    int y = code.allocateLocal(TypeKind.REFERENCE);
    int x = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(y).astore(x);
    code.aload(x).aload(y).invokevirtual(type, name, two);
    blendWhereNaN(type, y, x);
    blendWhereNaN(type, x, y);
  }

  private void blendWhereNaN(ClassDesc type, int replacement, int tested) {
    code.aload(replacement).aload(tested);
    code.getstatic(Vectors.OPERATORS, "NE", COMPARISON).aload(tested);
    var t = MethodTypeDesc.of(Vectors.MASK, COMPARISON, Vectors.VECTOR);
    code.invokevirtual(type, "compare", t);
    code.invokevirtual(type, "blend", MethodTypeDesc.of(type, Vectors.VECTOR, Vectors.MASK));
  }

  // Masks

  /** Leaves a mask for vectors of the type. */
  private void maskFor(Expr e, Prim prim) {
    if (!(shape(e) instanceof Varying)) {
      species(prim);
      scalars.value(e);
      var t = MethodTypeDesc.of(Vectors.MASK, ConstantDescs.CD_boolean);
      code.invokeinterface(Vectors.SPECIES, "maskAll", t);
      return;
    }
    var made = mask(e);
    if (!Vectors.species(made, loop.widest()).equals(Vectors.species(prim, loop.widest()))) {
      species(prim);
      code.invokevirtual(Vectors.MASK, "cast", MethodTypeDesc.of(Vectors.MASK, Vectors.SPECIES));
    }
  }

  /** Leaves a mask; returns the type whose vectors it fits. */
  private Prim mask(Expr e) {
    return switch (e) {
      case Expr.Use(var reg) -> {
        code.aload(local(reg));
        yield masks.get(reg);
      }
      case Expr.Cmp(var op, var x, var y) -> {
        var type = Vectors.type(x.prim());
        vector(x, x.prim());
        code.getstatic(Vectors.OPERATORS, VectorOperations.of(op, x.prim()), COMPARISON);
        vector(y, x.prim());
        var t = MethodTypeDesc.of(Vectors.MASK, COMPARISON, Vectors.VECTOR);
        code.invokevirtual(type, "compare", t);
        yield x.prim();
      }
      case Expr.Un(_, var x, _) -> {
        var prim = mask(x);
        code.invokevirtual(Vectors.MASK, "not", MethodTypeDesc.of(Vectors.MASK));
        yield prim;
      }
      case Expr.Bin(var op, var x, var y) -> {
        boolean first = shape(x) instanceof Varying;
        var prim = mask(first ? x : y);
        maskFor(first ? y : x, prim);
        var name = op == BinaryOp.AND ? "and" : "or";
        code.invokevirtual(Vectors.MASK, name, MethodTypeDesc.of(Vectors.MASK, Vectors.MASK));
        yield prim;
      }
      case Expr.Lit _, Expr.Size _, Expr.MulAdd _, Expr.Conv _, Expr.Select _, Expr.Load _ ->
          throw new CompilerBug("jvm", "not a mask: " + e);
    };
  }

  // Whole loops

  /**
   * Returns how many copies of the body an iteration has: with one copy the latency of a
   * reduction's operator would limit the speed, except where elementary functions take longer.
   */
  private int unrolling() {
    int size = loop.body().size() + loop.folds().size();
    boolean single = loop.folds().isEmpty() || !loop.steady().isEmpty() || size > 16;
    return once || single || !functions.isEmpty() ? 1 : size > 8 ? 2 : 4;
  }

  /**
   * Emits the loop: as many vectors as fit below the bound, starting from index 0. Tells whether
   * they do all iterations; otherwise a scalar loop does the rest.
   *
   * @param count the bound as it is written
   */
  boolean loop(Reg index, Reg bound, Expr count, Runnable scalarBody) {
    int lanes = Vectors.lanes(loop.widest());
    int copies = unrolling();
    if (whole(count, copies * lanes)) {
      functions.prepare();
      var sums = accumulators();
      joined(sums, index, bound, lanes, copies, scalarBody);
      sums.forEach(this::collapse);
      return true;
    }
    var none = code.newLabel();
    scalars.load(bound);
    code.loadConstant((long) lanes).lcmp().iflt(none);
    functions.prepare();
    var first = accumulators();
    if (copies > 1) {
      var few = code.newLabel();
      scalars.load(bound);
      code.loadConstant(2L * copies * lanes).lcmp().iflt(few);
      joined(first, index, bound, lanes, copies, scalarBody);
      code.labelBinding(few);
    }
    steps(index, bound, lanes, List.of(first), scalarBody);
    first.forEach(this::collapse);
    code.labelBinding(none);
    return whole(count, lanes);
  }

  /** Whether so many iterations at a time do all of them. */
  private boolean whole(Expr count, long iterations) {
    return loop.steady().isEmpty()
        && count instanceof Expr.Lit(var n)
        && n.bits() > 0
        && n.bits() % iterations == 0;
  }

  /** Emits steps of so many copies of the body, which leave their sums in the first one's. */
  private void joined(
      Map<Fold, Integer> first, Reg index, Reg bound, int lanes, int copies, Runnable scalarBody) {
    var all = new ArrayList<Map<Fold, Integer>>();
    all.add(first);
    while (all.size() < copies) {
      all.add(accumulators());
    }
    steps(index, bound, lanes, all, scalarBody);
    for (var more : all.subList(1, copies)) {
      first.forEach((fold, local) -> join(fold, local, more.get(fold)));
    }
  }

  private Map<Fold, Integer> accumulators() {
    var locals = new LinkedHashMap<Fold, Integer>();
    loop.folds().forEach(f -> locals.put(f, identity(f)));
    return locals;
  }

  /** Emits one body for each set of accumulators, repeated as long as all fit below the bound. */
  private void steps(
      Reg index, Reg bound, int lanes, List<Map<Fold, Integer>> accumulators, Runnable scalarBody) {
    var limit = Reg.index("limit");
    scalars.load(bound);
    code.loadConstant((long) lanes * accumulators.size()).lsub();
    scalars.store(limit);
    var top = code.newBoundLabel();
    var exit = code.newLabel();
    var apart = code.newLabel();
    scalars.load(index);
    scalars.load(limit);
    code.lcmp().ifgt(exit);
    loop.steady().forEach(c -> unlessSame(c, index, lanes, apart));
    for (var a : accumulators) {
      body(a);
      advance(index, lanes);
    }
    code.goto_(top).labelBinding(apart);
    if (!loop.steady().isEmpty()) {
      scalarBody.run();
      advance(index, 1);
      code.goto_(top);
    }
    code.labelBinding(exit);
  }

  private void advance(Reg index, long by) {
    scalars.load(index);
    code.loadConstant(by).ladd();
    scalars.store(index);
  }

  /** Jumps if the comparison comes out differently at the first lane and at the last. */
  private void unlessSame(Expr comparison, Reg index, int lanes, Label otherwise) {
    if (comparison instanceof Expr.Cmp(var op, var x, var y) && op == CompareOp.EQ) {
      // An equality isn't monotonous, unlike the two comparisons that it is made of.
      unlessSame(new Expr.Cmp(CompareOp.LT, x, y), index, lanes, otherwise);
      unlessSame(new Expr.Cmp(CompareOp.LE, x, y), index, lanes, otherwise);
      return;
    }
    var last = Expr.add(Expr.use(index), Expr.i64(lanes - 1));
    scalars.value(comparison);
    scalars.value(Operands.substitute(comparison, Map.of(index, last)));
    code.if_icmpne(otherwise);
    for (var side : comparison.operands()) {
      if (shape(side) instanceof Affine(var step) && !side.equals(Expr.use(index))) {
        // A side that wraps around in between isn't monotonous either.
        scalars.value(side);
        scalars.value(Operands.substitute(side, Map.of(index, last)));
        code.lcmp();
        if (step > 0) {
          code.ifgt(otherwise);
        } else {
          code.iflt(otherwise);
        }
      }
    }
  }
}
