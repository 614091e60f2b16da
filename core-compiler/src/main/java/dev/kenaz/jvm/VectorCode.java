package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.jvm.Shape.Affine;
import dev.kenaz.jvm.Shape.Varying;
import dev.kenaz.jvm.VectorLoop.Fold;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Emits the bytecode of a vector loop's body: every vector is in a local, and the JIT inlines every
 * operation.
 */
final class VectorCode {
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc I = ConstantDescs.CD_int;

  /** More accumulators than these don't stay in registers beside what is added to them. */
  private static final int MOST_ACCUMULATORS = 8;

  private static final int UNROLLED = 4;
  private static final int MOST_UNROLLED = 24;

  private final CodeBuilder code;
  private final ScalarCode scalars;
  private final VectorLoop loop;
  private final VectorFunctions functions;
  private final boolean once;
  private final ExactVectors exact;
  private final VectorExpressions expressions;
  private final Accumulators accumulators;
  private boolean masked;

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
    this.exact = new ExactVectors(code, loop.widest());
    this.expressions = new VectorExpressions(code, scalars, loop, functions, exact);
    this.accumulators = new Accumulators(code, scalars, loop, exact, expressions);
  }

  // Statements

  /**
   * Emits copies of the body, each for as many iterations as a vector has lanes, from the present
   * index on. They go through an inner loop together, so that none waits for the others, and what
   * doesn't vary is computed once.
   *
   * @param sums the accumulators of each copy
   */
  private void body(List<Map<Fold, Integer>> sums) {
    statements(loop.body(), sums.size());
    for (int copy = 0; copy < sums.size(); copy++) {
      expressions.in(copy);
      sums.get(copy).forEach(accumulators::combine);
    }
    expressions.in(0);
    loop.counters().forEach(this::count);
  }

  private void count(Counter counter) {
    scalars.load(counter.reg());
    expressions.mask(counter.condition());
    boolean number = counter.op() == BinaryOp.ADD;
    var all = number ? "trueCount" : counter.op() == BinaryOp.OR ? "anyTrue" : "allTrue";
    var result = number ? I : ConstantDescs.CD_boolean;
    code.invokevirtual(Vectors.MASK, all, MethodTypeDesc.of(result));
    if (counter.reg().prim() == Prim.I64) {
      code.i2l();
    }
    scalars.binary(counter.op(), counter.reg().prim());
    scalars.store(counter.reg());
  }

  private void statements(List<Code> statements, int copies) {
    for (var c : statements) {
      switch (c) {
        case Code.If(var condition, var then, var otherwise) -> {
          var no = code.newLabel();
          var end = code.newLabel();
          scalars.jumpUnless(condition, no);
          statements(then, copies);
          code.goto_(end).labelBinding(no);
          exact.meet();
          statements(otherwise, copies);
          code.labelBinding(end);
          exact.meet();
        }
        case Code.For f -> inner(f, copies);
        case Code.While w -> until(w);
        case Code.Set(var reg, var e)
            when !(expressions.shape(Expr.use(reg)) instanceof Varying) -> {
          scalars.accesses().in(c);
          scalars.value(e);
          scalars.store(reg);
        }
        default -> {
          for (int copy = 0; copy < copies; copy++) {
            expressions.in(copy);
            statement(c);
          }
          expressions.in(0);
        }
      }
    }
  }

  private void statement(Code statement) {
    scalars.accesses().in(statement);
    switch (statement) {
      case Code.Set(var reg, var e) -> expressions.set(reg, e);
      case Code.Store s when loop.row(s) != null -> expressions.element(s, loop.row(s));
      case Code.Store(var prim, var base, var index, var value) -> {
        expressions.stored(value, prim);
        var counter = loop.counter(index);
        if (counter != null) {
          // A lane that isn't counted stores nothing that stays: the next counted one overwrites
          // it.
          var wide = prim == Prim.BOOL ? Prim.I32 : prim;
          expressions.maskFor(counter.condition(), wide);
          var type = Vectors.type(wide, loop.widest());
          code.invokevirtual(type, "compress", MethodTypeDesc.of(type, Vectors.MASK));
        }
        expressions.store(
            prim, base, counter == null ? Expr.add(index, expressions.distance(1)) : index);
      }
      default -> throw new CompilerBug("jvm", "not a vector statement: " + statement);
    }
  }

  /** Emits a loop that goes on until all lanes have left it; there is one copy of it. */
  private void until(Code.While w) {
    var lasting = loop.lasting(w);
    var top = code.newBoundLabel();
    exact.meet();
    var exit = code.newLabel();
    int active = code.allocateLocal(TypeKind.REFERENCE);
    expressions.maskFor(w.condition(), Prim.I32);
    exact.store(active);
    exact.mask(active, Prim.I32);
    code.invokevirtual(Vectors.MASK, "anyTrue", MethodTypeDesc.of(ConstantDescs.CD_boolean));
    code.ifeq(exit);
    for (var c : w.body()) {
      if (c instanceof Code.Set(var reg, var e) && lasting.contains(reg)) {
        scalars.accesses().in(c);
        expressions.setWhere(active, reg, e);
      } else {
        statements(List.of(c), 1);
      }
    }
    code.goto_(top).labelBinding(exit);
    exact.meet();
  }

  /** Emits a loop that all lanes go through together. */
  private void inner(Code.For f, int copies) {
    var left = Reg.index("left");
    scalars.value(f.bound());
    scalars.store(left);
    code.lconst_0();
    scalars.store(f.i());
    if (functions.isEmpty()
        && size(f.body()) * copies <= MOST_UNROLLED
        && f.body().stream().noneMatch(c -> c instanceof Code.For)) {
      repeat(f, left, UNROLLED, copies);
    }
    repeat(f, left, 1, copies);
  }

  /** Emits a loop that does so many iterations at a time, as long as there are as many left. */
  private void repeat(Code.For f, Reg left, int times, int copies) {
    code.getstatic(Vectors.SELF, "one", L).loadConstant((long) times).lmul();
    var step = Reg.index("step");
    scalars.store(step);
    var top = code.newBoundLabel();
    exact.meet();
    var exit = code.newLabel();
    scalars.load(left);
    code.loadConstant((long) times).lcmp().iflt(exit);
    for (int k = 0; k < times; k++) {
      statements(f.body(), copies);
      advance(f.i(), 1);
    }
    scalars.load(left);
    scalars.load(step);
    code.lsub();
    scalars.store(left);
    code.goto_(top).labelBinding(exit);
    exact.meet();
  }

  // Whole loops

  /**
   * Returns how many copies of the body an iteration has: with one copy the latency of a
   * reduction's operator would limit the speed, except where elementary functions take longer. An
   * inner loop reduces too.
   */
  private int unrolling() {
    int size = size(loop.body()) + loop.folds().size();
    boolean inner = loop.body().stream().anyMatch(c -> c instanceof Code.For);
    boolean reduces = !loop.folds().isEmpty() || inner;
    boolean waits = loop.body().stream().anyMatch(c -> c instanceof Code.While);
    boolean single = !reduces || waits || loop.isGuarded() || !loop.counters().isEmpty();
    int most = inner ? 48 : 16;
    if (once || single || size > most || !functions.isEmpty()) {
      return 1;
    }
    int sums = Math.max(1, loop.folds().size());
    return Math.clamp(MOST_ACCUMULATORS / sums, 1, size > most / 2 ? 2 : 4);
  }

  /** Returns how many statements have vectors. */
  private int size(List<Code> code) {
    int size = 0;
    for (var c : code) {
      boolean scalar =
          c instanceof Code.Set(var reg, _)
              && !(expressions.shape(Expr.use(reg)) instanceof Varying);
      size += scalar || !(c instanceof Code.Simple) ? 0 : 1;
      size += CodeWalk.inner(c).stream().mapToInt(this::size).sum();
    }
    return size;
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
    while (copies > 1 && whole(count, lanes) && !whole(count, copies * lanes)) {
      copies /= 2;
    }
    if (isStraight(count, copies * lanes)) {
      straight(index, ((Expr.Lit) count).value().bits());
      return true;
    }
    if (whole(count, copies * lanes)) {
      functions.prepare(1);
      var sums = accumulators.make();
      joined(sums, index, bound, lanes, copies, scalarBody);
      sums.forEach(accumulators::collapse);
      return true;
    }
    boolean masks =
        !whole(count, lanes)
            && functions.areFormulas()
            && LastVector.pays(loop, expressions, count);
    masked = masks;
    boolean twice = !once && LastVector.twice(size(loop.body()));
    var none = code.newLabel();
    scalars.load(bound);
    code.loadConstant(masks ? LastVector.leastOfAll(loop) : lanes).lcmp().iflt(none);
    functions.prepare(masks && twice ? 2 : 1);
    var first = accumulators.make();
    if (masks && !twice) {
      masked(index, bound, lanes, first);
      first.forEach(accumulators::collapse);
      code.labelBinding(none);
      return false;
    }
    if (copies > 1) {
      var few = code.newLabel();
      scalars.load(bound);
      code.loadConstant(2L * copies * lanes).lcmp().iflt(few);
      joined(first, index, bound, lanes, copies, scalarBody);
      code.labelBinding(few);
      exact.meet();
    }
    steps(index, bound, lanes, List.of(first), scalarBody);
    if (masks) {
      last(index, bound, first);
    }
    first.forEach(accumulators::collapse);
    code.labelBinding(none);
    return whole(count, lanes);
  }

  /** Whether so many iterations may be left that vectors with fewer lanes pay. */
  boolean leavesMany() {
    return loop.widest() < Integer.BYTES && !masked && !once;
  }

  /** Emits the body for the iterations that are left, if they are not too few. */
  private void last(Reg index, Reg bound, Map<Fold, Integer> sums) {
    var few = code.newLabel();
    var left = Reg.index("left");
    scalars.load(bound);
    scalars.load(index);
    code.lsub();
    scalars.store(left);
    scalars.load(left);
    code.loadConstant(LastVector.least(loop)).lcmp().iflt(few);
    last(left, sums);
    scalars.load(bound);
    scalars.store(index);
    code.labelBinding(few);
    exact.meet();
  }

  /** Emits the body for so many lanes. */
  private void last(Reg left, Map<Fold, Integer> sums) {
    expressions.inLast(new LastVector(code, scalars, exact, expressions, loop, left));
    body(List.of(sums));
    expressions.inLast(null);
  }

  /** Emits one body for all iterations, whose vectors all have masks. */
  private void masked(Reg index, Reg bound, int lanes, Map<Fold, Integer> sums) {
    code.getstatic(Vectors.SELF, "one", L).loadConstant((long) lanes).lmul();
    var step = Reg.index("step");
    scalars.store(step);
    var top = code.newBoundLabel();
    exact.meet();
    var exit = code.newLabel();
    var all = Expr.sub(Expr.use(bound), Expr.use(index));
    var left = Reg.index("left");
    scalars.value(new Expr.Bin(BinaryOp.MIN, all, Expr.i64(lanes)));
    scalars.store(left);
    scalars.load(left);
    code.lconst_0().lcmp().ifle(exit);
    last(left, sums);
    scalars.load(index);
    scalars.load(step);
    code.ladd();
    scalars.store(index);
    code.goto_(top).labelBinding(exit);
    exact.meet();
    scalars.load(bound);
    scalars.store(index);
  }

  /** Whether at most so many iterations, a few vectors, are all that there are. */
  private boolean isStraight(Expr count, long most) {
    return whole(count, Vectors.lanes(loop.widest()))
        && count instanceof Expr.Lit(var n)
        && n.bits() <= most;
  }

  /**
   * Emits all iterations of the loop one after the other. HotSpot doesn't know how often a loop of
   * {@link #steps} runs, and checks that would take longer than the few iterations.
   */
  private void straight(Reg index, long count) {
    functions.prepare(1);
    var all = new ArrayList<Map<Fold, Integer>>();
    for (long done = 0; done < count; done += Vectors.lanes(loop.widest())) {
      all.add(accumulators.make());
    }
    body(all);
    code.loadConstant(count);
    scalars.store(index);
    accumulators.join(all).forEach(accumulators::collapse);
  }

  /** Whether so many iterations at a time do all of them. */
  private boolean whole(Expr count, long iterations) {
    long multiple =
        switch (count) {
          case Expr.Lit(var n) -> n.bits();
          case Expr.Bin(var op, _, Expr.Lit(var n)) when op == BinaryOp.MUL -> n.bits();
          default -> 0;
        };
    return !loop.isGuarded() && multiple > 0 && multiple % iterations == 0;
  }

  /** Emits steps of so many copies of the body, which leave their sums in the first one's. */
  private void joined(
      Map<Fold, Integer> first, Reg index, Reg bound, int lanes, int copies, Runnable scalarBody) {
    var all = new ArrayList<Map<Fold, Integer>>();
    all.add(first);
    while (all.size() < copies) {
      all.add(accumulators.make());
    }
    steps(index, bound, lanes, all, scalarBody);
    accumulators.join(all);
  }

  /** Emits one body for each set of accumulators, repeated as long as all fit below the bound. */
  private void steps(
      Reg index, Reg bound, int lanes, List<Map<Fold, Integer>> sums, Runnable scalarBody) {
    var limit = Reg.index("limit");
    scalars.load(bound);
    code.loadConstant((long) lanes * sums.size()).lsub();
    scalars.store(limit);
    code.getstatic(Vectors.SELF, "one", L).loadConstant((long) lanes * sums.size()).lmul();
    var step = Reg.index("step");
    scalars.store(step);
    var top = code.newBoundLabel();
    exact.meet();
    var exit = code.newLabel();
    var apart = code.newLabel();
    scalars.load(index);
    scalars.load(limit);
    code.lcmp().ifgt(exit);
    loop.steady().forEach(c -> unlessSame(c, index, lanes, apart));
    loop.requirements().comparisons().forEach(c -> unlessHolds(c, index, lanes, apart));
    loop.requirements().steps().forEach((e, by) -> unlessLine(e, by, index, lanes, apart));
    body(sums);
    scalars.load(index);
    scalars.load(step);
    code.ladd();
    scalars.store(index);
    code.goto_(top).labelBinding(apart);
    if (loop.isGuarded()) {
      oneByOne(index, loop.requirements().hasRemainders() ? lanes : 1, scalarBody);
      code.goto_(top);
    }
    code.labelBinding(exit);
    exact.meet();
  }

  /** Emits so many iterations that come one after the other. */
  private void oneByOne(Reg index, int times, Runnable scalarBody) {
    var end = Reg.index("end");
    scalars.load(index);
    code.loadConstant((long) times).ladd();
    scalars.store(end);
    var top = code.newBoundLabel();
    scalarBody.run();
    advance(index, 1);
    if (times > 1) {
      scalars.load(index);
      scalars.load(end);
      code.lcmp().iflt(top);
    }
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
    scalars.value(comparison);
    scalars.value(atLast(comparison, index, lanes));
    code.if_icmpne(otherwise);
    unlessMonotonous(comparison, index, lanes, otherwise);
  }

  /** Jumps unless the comparison holds at the first lane and at the last. */
  private void unlessHolds(Expr comparison, Reg index, int lanes, Label otherwise) {
    scalars.jumpUnless(comparison, otherwise);
    scalars.jumpUnless(atLast(comparison, index, lanes), otherwise);
    unlessMonotonous(comparison, index, lanes, otherwise);
  }

  /** Jumps unless the last lane has as much more than the first as so many equal steps make. */
  private void unlessLine(Expr e, long step, Reg index, int lanes, Label otherwise) {
    scalars.value(atLast(e, index, lanes));
    scalars.value(e);
    code.lsub().loadConstant(step * (lanes - 1)).lcmp().ifne(otherwise);
  }

  private static Expr atLast(Expr e, Reg index, int lanes) {
    var last = Expr.add(Expr.use(index), Expr.i64(lanes - 1));
    return Operands.substitute(e, Map.of(index, last));
  }

  /** Jumps if a side wraps around in between. */
  private void unlessMonotonous(Expr comparison, Reg index, int lanes, Label otherwise) {
    for (var side : comparison.operands()) {
      if (expressions.shape(side) instanceof Affine(var step) && !side.equals(Expr.use(index))) {
        scalars.value(side);
        scalars.value(atLast(side, index, lanes));
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
