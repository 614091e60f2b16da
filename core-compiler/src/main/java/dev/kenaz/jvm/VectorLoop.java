package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Decides whether a loop can run several iterations at once, and how. Its body is straight-line
 * code over contiguous elements once branches without memory accesses have become selections. A
 * branch with accesses stays if its condition compares indices, which is the same in all lanes of
 * most vectors; the iterations of others run one by one. Stencils guard their neighbours so.
 */
final class VectorLoop {
  /** Tells why a loop stays scalar. */
  static final class Unsuitable extends Exception {
    private static final long serialVersionUID = 1L;

    Unsuitable(String reason) {
      super(reason, null, false, false);
    }
  }

  /** How a value varies from one iteration to the next. */
  sealed interface Shape {}

  /** It doesn't vary. */
  record Uniform() implements Shape {}

  /** An i64 that grows by {@code step} in each iteration. */
  record Affine(long step) implements Shape {}

  /** A vector of this type or, for bools, a mask. */
  record Varying(Prim prim) implements Shape {}

  /** A reduction: each iteration combines the operand into the register. */
  record Fold(Reg reg, BinaryOp op, Expr operand) {}

  /** A counter of the iterations in which the condition holds. */
  record Counter(Reg reg, Expr condition) {}

  private static final Shape UNIFORM = new Uniform();

  private static final int MOST_BYTES = 2000;

  private final Code.For loop;
  private final Map<Reg, Shape> shapes = new HashMap<>();
  private final Map<Reg, Expr> definitions = new HashMap<>();
  private final List<Code> body = new ArrayList<>();
  private final List<Fold> folds = new ArrayList<>();
  private final Set<Reg> folded = new HashSet<>();
  private final List<Counter> counters = new ArrayList<>();
  private final Set<Reg> places = new HashSet<>();
  private final Set<Reg> set = new HashSet<>();
  private final Set<Expr> steady = new LinkedHashSet<>();
  private int widest = 4;

  private VectorLoop(Code.For loop) {
    this.loop = loop;
  }

  static VectorLoop of(Code.For loop) throws Unsuitable {
    if (!loop.independent()) {
      throw new Unsuitable("iterations depend on each other");
    }
    if (isLarge(loop)) {
      throw new Unsuitable("its body is too large");
    }
    var v = new VectorLoop(loop);
    v.shapes.put(loop.i(), new Affine(1));
    loop.reductions().forEach(r -> v.folded.add(r.reg()));
    var flat = new ArrayList<Code>();
    v.flatten(loop.body(), flat);
    v.untilStable(flat);
    return v;
  }

  /** Whether a method with the loop's vector code would be too large for the JIT compiler. */
  static boolean isLarge(Code.For loop) {
    return Region.size(loop.body()) > MOST_BYTES;
  }

  /** Sets and stores, in order; reductions are left out. */
  List<Code> body() {
    return body;
  }

  List<Fold> folds() {
    return folds;
  }

  /** Returns the counters that tell where something is stored. */
  List<Counter> counters() {
    return counters;
  }

  /** Returns the counter that is the place of a store, or null. */
  Counter counter(Expr place) {
    return counters.stream().filter(c -> place.equals(Expr.use(c.reg))).findFirst().orElse(null);
  }

  /**
   * Comparisons of the index with what doesn't vary: all lanes must agree on them. If one grows or
   * falls with the index and the first and the last lane agree, so do those in between.
   */
  Set<Expr> steady() {
    return steady;
  }

  /** Returns the number of bytes of the widest type in vectors. */
  int widest() {
    return widest;
  }

  // Branches to selections

  private void flatten(List<Code> code, List<Code> out) throws Unsuitable {
    for (var c : code) {
      switch (c) {
        case Code.Set _, Code.Store _ -> out.add(c);
        case Code.If(_, var then, var otherwise) when isPure(then) && isPure(otherwise) ->
            select((Code.If) c, out);
        case Code.If(var condition, var then, var otherwise) -> {
          var a = new ArrayList<Code>();
          var b = new ArrayList<Code>();
          flatten(then, a);
          flatten(otherwise, b);
          out.add(new Code.If(condition, a, b));
        }
        case Code.For f -> {
          require(!inVectors(f), "has an inner loop with vectors");
          var inner = new ArrayList<Code>();
          flatten(f.body(), inner);
          out.add(new Code.For(f.i(), f.bound(), inner, f.independent(), f.reductions()));
        }
        case Code.While _ -> throw new Unsuitable("has an inner loop");
        case Code.Check _ -> throw new Unsuitable("has a check");
        case Code.AtomicUpdate _,
            Code.Ensure _,
            Code.Free _,
            Code.Swap _,
            Code.CopyBytes _,
            Code.MatrixProduct _,
            Code.Call _,
            Code.Print _,
            Code.Plan _,
            Code.Parallel _,
            Code.Gpu _ ->
            throw new Unsuitable("has side effects");
      }
    }
  }

  /** Whether the inner loop is the one to run in vectors. */
  private static boolean inVectors(Code.For inner) {
    if (inner.bound() instanceof Expr.Lit(var n) && n.bits() < Vectors.lanes(8)) {
      return false;
    }
    try {
      of(inner);
      return true;
    } catch (Unsuitable u) {
      return false;
    }
  }

  private boolean isPure(List<Code> code) {
    return code.stream()
        .allMatch(
            c ->
                c instanceof Code.Set(var reg, var e)
                    && !folded.contains(reg)
                    && Operands.isPure(e));
  }

  private void select(Code.If branch, List<Code> out) throws Unsuitable {
    var a = pureSets(branch.then(), out);
    var b = pureSets(branch.otherwise(), out);
    var c = Reg.fresh("c", Prim.BOOL);
    out.add(new Code.Set(c, branch.condition()));
    for (var reg : a.keySet()) {
      if (!b.containsKey(reg)) {
        continue; // It is used in its branch only.
      }
      out.add(new Code.Set(reg, selected(Expr.use(c), a.get(reg), b.get(reg))));
    }
  }

  private static Expr selected(Expr c, Expr then, Expr otherwise) {
    if (then.prim() != Prim.BOOL) {
      return new Expr.Select(c, then, otherwise);
    }
    var yes = new Expr.Bin(BinaryOp.AND, c, then);
    if (otherwise.equals(Expr.bool(false))) {
      return yes;
    }
    if (then.equals(Expr.bool(true))) {
      return new Expr.Bin(BinaryOp.OR, c, otherwise);
    }
    var no = new Expr.Bin(BinaryOp.AND, new Expr.Un(UnaryOp.NOT, c, Prim.BOOL), otherwise);
    return new Expr.Bin(BinaryOp.OR, yes, no);
  }

  /** Returns what a branch sets, with its own temporaries substituted. */
  private static Map<Reg, Expr> pureSets(List<Code> code, List<Code> out) {
    var sets = new LinkedHashMap<Reg, Expr>();
    for (var c : code) {
      if (c instanceof Code.Set(var reg, var e)) {
        if (e instanceof Expr.Lit) {
          sets.put(reg, e);
          continue;
        }
        // Temporaries are set unconditionally: they are pure, and nobody else reads them.
        var temporary = Reg.fresh(reg.name(), reg.prim());
        out.add(new Code.Set(temporary, Operands.substitute(e, sets)));
        sets.put(reg, Expr.use(temporary));
      }
    }
    return sets;
  }

  // Shapes

  /** Repeats the analysis, as a branch may change what was thought of the code before it. */
  private void untilStable(List<Code> flat) throws Unsuitable {
    boolean stable = false;
    while (!stable) {
      var before = Map.copyOf(shapes);
      int agreed = steady.size();
      body.clear();
      folds.clear();
      counters.clear();
      places.clear();
      definitions.clear();
      set.clear();
      analyse(flat);
      stable = before.equals(shapes);
      if (steady.size() > agreed) {
        stable = false;
        shapes.clear();
        shapes.put(loop.i(), new Affine(1));
      }
    }
  }

  private void analyse(List<Code> flat) throws Unsuitable {
    boolean useful = statements(flat, body, false) || !counters.isEmpty();
    for (var f : folds) {
      var s = shape(f.operand);
      vector(f.reg.prim());
      require(reducible(f), "reduces with an operator that has no vectors");
      useful |= s instanceof Varying;
    }
    int combined = folds.size() + counters.size();
    require(useful && combined == folded.size(), "computes nothing in vectors");
  }

  /** The counter, if one is added where a condition holds that lanes differ in; otherwise null. */
  private Counter counter(Fold f) throws Unsuitable {
    boolean whole = f.reg.prim() == Prim.I64 || f.reg.prim() == Prim.I32;
    if (f.op != BinaryOp.ADD || !whole) {
      return null;
    }
    var condition =
        switch (f.operand instanceof Expr.Use(var t) ? definitions.get(t) : f.operand) {
          case Expr.Select(var c, var one, var zero)
              when Expr.isConst(one, 1) && Expr.isConst(zero, 0) ->
              c;
          case Expr.Conv(_, var c) when c.prim() == Prim.BOOL -> c;
          case null, default -> null;
        };
    return condition != null && shape(condition) instanceof Varying
        ? new Counter(f.reg, condition)
        : null;
  }

  /**
   * Whether anything is stored.
   *
   * @param again whether the code is in an inner loop, and so runs more than once
   */
  private boolean statements(List<Code> code, List<Code> kept, boolean again) throws Unsuitable {
    boolean stores = false;
    for (var c : code) {
      switch (c) {
        case Code.Set(var reg, var e) when folded.contains(reg) -> {
          require(kept == body, "reduces in a branch");
          var fold = fold(reg, e);
          var counter = counter(fold);
          require(counter != null || !places.contains(reg), "stores at places that are no counter");
          if (counter == null) {
            folds.add(fold);
          } else {
            counters.add(counter);
          }
        }
        case Code.Set(var reg, var e) -> {
          define(reg, e, kept == body, again);
          require(kept == body || !readsFolded(e), "reduces in a branch");
          if (!readsFolded(e)) {
            put(reg, shape(e));
            kept.add(c);
          }
        }
        case Code.Store(var prim, var base, Expr.Use(var place), var value)
            when folded.contains(place) -> {
          require(kept == body && shape(base) instanceof Uniform, "stores at varying bases");
          require(!readsFolded(value), "stores a counter");
          vector(prim);
          require(shape(value) != null, "");
          places.add(place);
          stores = true;
          kept.add(c);
        }
        case Code.Store(var prim, var base, var index, var value) -> {
          var to = shape(index);
          require(shape(base) instanceof Uniform, "stores at varying bases");
          require(to.equals(new Affine(1)), "stores at a stride");
          vector(prim);
          require(shape(value) != null, "");
          stores = true;
          kept.add(c);
        }
        case Code.If(var condition, var then, var otherwise) -> {
          var whole = inlined(condition);
          steady(whole);
          require(shape(whole) instanceof Uniform, "has a branch with side effects");
          var a = new ArrayList<Code>();
          var b = new ArrayList<Code>();
          stores |= statements(then, a, again);
          stores |= statements(otherwise, b, again);
          kept.add(new Code.If(condition, a, b));
        }
        case Code.For f -> {
          require(shape(f.bound()) instanceof Uniform, "has an inner loop of varying length");
          set.add(f.i());
          shapes.put(f.i(), UNIFORM);
          var inner = new ArrayList<Code>();
          stores |= statements(f.body(), inner, true);
          kept.add(new Code.For(f.i(), f.bound(), inner, f.independent(), f.reductions()));
        }
        default -> throw new Unsuitable("has side effects");
      }
    }
    return stores;
  }

  /** Notes what the register is, where that could be computed before the body. */
  private void define(Reg reg, Expr e, boolean always, boolean again) {
    if (!set.add(reg)) {
      definitions.remove(reg); // Another branch, or a loop, sets it too.
    } else if (!again && (always || Operands.isPure(e))) {
      definitions.put(reg, e);
    }
  }

  /**
   * Notes a register's shape; one that branches set in different ways varies if one of these does.
   */
  private void put(Reg reg, Shape shape) throws Unsuitable {
    var known = shapes.get(reg);
    if (known == null || known.equals(shape)) {
      shapes.put(reg, shape);
    } else {
      require(reg.prim() != Prim.BOOL, "has branches with different conditions as results");
      vector(reg.prim());
      shapes.put(reg, new Varying(reg.prim()));
    }
  }

  /** Requires that comparisons of indices of which a condition is made be the same in all lanes. */
  private void steady(Expr condition) throws Unsuitable {
    switch (condition) {
      case Expr.Cmp(_, var x, var y) when !(shape(condition) instanceof Uniform) -> {
        require(
            x.prim() == Prim.I64
                && !(shape(x) instanceof Varying)
                && !(shape(y) instanceof Varying)
                && !Operands.reads(condition, set),
            "has a branch with side effects");
        steady.add(condition);
      }
      case Expr.Bin(_, var x, var y) when condition.prim() == Prim.BOOL -> {
        steady(x);
        steady(y);
      }
      case Expr.Un(_, var x, _) -> steady(x);
      default -> {}
    }
  }

  /**
   * Returns the expression in terms of the index and what the loop doesn't set, as far as possible.
   */
  Expr inlined(Expr e) {
    var known = new HashMap<Reg, Expr>();
    definitions.forEach(
        (reg, definition) -> {
          if (!(shapes.get(reg) instanceof Varying v && v.prim() != Prim.BOOL)) {
            known.put(reg, definition);
          }
        });
    var result = e;
    for (var next = Operands.substitute(e, known);
        !next.equals(result);
        next = Operands.substitute(next, known)) {
      result = next;
    }
    return result;
  }

  private static boolean reducible(Fold f) {
    return switch (f.op) {
      case ADD, MUL -> true;
      case MIN, MAX -> f.reg.prim() != Prim.U32 && f.reg.prim() != Prim.U64;
      case AND, OR, XOR -> true;
      default -> false;
    };
  }

  private boolean readsFolded(Expr e) {
    return Operands.reads(e, folded);
  }

  /** Recognises {@code reg = op(reg, x)}, perhaps through a temporary. */
  private Fold fold(Reg reg, Expr e) throws Unsuitable {
    var combined = e instanceof Expr.Use(var t) ? definitions.get(t) : e;
    if (combined instanceof Expr.MulAdd(var x, var y, var z) && z.equals(Expr.use(reg))) {
      combined = new Expr.Bin(BinaryOp.ADD, z, new Expr.Bin(BinaryOp.MUL, x, y));
    }
    for (var r : loop.reductions()) {
      if (r.reg().equals(reg)
          && combined instanceof Expr.Bin(var op, var x, var y)
          && op == r.op()) {
        if (x.equals(Expr.use(reg)) && !readsFolded(y)) {
          return new Fold(reg, op, y);
        }
        if (y.equals(Expr.use(reg)) && !readsFolded(x)) {
          return new Fold(reg, op, x);
        }
      }
    }
    throw new Unsuitable("carries a value that is not a plain reduction");
  }

  private static void require(boolean condition, String otherwise) throws Unsuitable {
    if (!condition) {
      throw new Unsuitable(otherwise);
    }
  }

  private void vector(Prim prim) throws Unsuitable {
    require(Vectors.supports(prim), "has vectors of " + prim);
    widest = Math.max(widest, prim.byteSize());
  }

  Shape shape(Expr e) throws Unsuitable {
    return switch (e) {
      case Expr.Lit _ -> UNIFORM;
      case Expr.Use(var reg) -> shapes.getOrDefault(reg, UNIFORM);
      case Expr.Un(var op, var x, var prim) -> {
        var s = shape(x);
        yield s instanceof Uniform ? s : unary(op, x, prim);
      }
      case Expr.Conv(var to, var x) -> {
        var s = shape(x);
        if (s instanceof Uniform) {
          yield s;
        }
        if (x.prim() == Prim.BOOL) {
          vector(to);
          yield new Varying(to);
        }
        require(VectorConversions.exists(x.prim(), to), "converts " + x.prim() + " to " + to);
        vector(x.prim());
        vector(to);
        yield new Varying(to);
      }
      case Expr.Bin(var op, var x, var y) -> binary(op, x, y);
      case Expr.Cmp(_, var x, var y) -> {
        if (!steady.isEmpty() && x.prim() == Prim.I64 && steady.contains(inlined(e))) {
          yield UNIFORM;
        }
        if (shape(x) instanceof Uniform && shape(y) instanceof Uniform) {
          yield UNIFORM;
        }
        vector(x.prim());
        yield new Varying(Prim.BOOL);
      }
      case Expr.Size(var x, var y) -> {
        boolean same = shape(x) instanceof Uniform && shape(y) instanceof Uniform;
        require(same, "multiplies sizes of its own");
        yield UNIFORM;
      }
      case Expr.MulAdd(var x, var y, var z) -> {
        if (shape(x) instanceof Uniform
            && shape(y) instanceof Uniform
            && shape(z) instanceof Uniform) {
          yield UNIFORM;
        }
        require(x.prim() == Prim.F32 || x.prim() == Prim.F64, "multiplies and adds integers");
        vector(x.prim());
        yield new Varying(x.prim());
      }
      case Expr.Select(var c, var x, var y) -> {
        var s = shape(c);
        if (s instanceof Uniform && shape(x) instanceof Uniform && shape(y) instanceof Uniform) {
          yield s;
        }
        shape(x);
        shape(y);
        vector(x.prim());
        yield new Varying(x.prim());
      }
      case Expr.Load(var prim, var base, var index) -> {
        require(shape(base) instanceof Uniform, "loads at varying bases");
        var s = shape(index);
        if (s instanceof Uniform) {
          yield s;
        }
        require(s.equals(new Affine(1)) || s.equals(new Affine(-1)), "loads at a stride");
        vector(prim);
        yield new Varying(prim);
      }
    };
  }

  private Shape unary(UnaryOp op, Expr x, Prim prim) throws Unsuitable {
    if (prim == Prim.BOOL) {
      require(op == UnaryOp.NOT && shape(x).equals(new Varying(Prim.BOOL)), "applies " + op);
      return new Varying(Prim.BOOL);
    }
    boolean known = op.elementary().isPresent() || VectorOperations.of(op, prim) != null;
    require(known, "applies " + op);
    vector(prim);
    return new Varying(prim);
  }

  private static OptionalLong times(long step, long factor) {
    boolean small = (int) factor == factor;
    return small ? OptionalLong.of(step * factor) : OptionalLong.empty();
  }

  private Shape binary(BinaryOp op, Expr x, Expr y) throws Unsuitable {
    var a = shape(x);
    var b = shape(y);
    if (a instanceof Uniform && b instanceof Uniform) {
      return UNIFORM;
    }
    long p = a instanceof Affine(var step) ? step : 0;
    long q = b instanceof Affine(var step) ? step : 0;
    if (!(a instanceof Varying) && !(b instanceof Varying)) {
      var step =
          switch (op) {
            case ADD -> OptionalLong.of(p + q);
            case SUB -> OptionalLong.of(p - q);
            case MUL ->
                y instanceof Expr.Lit(var c)
                    ? times(p, c.bits())
                    : x instanceof Expr.Lit(var c) ? times(q, c.bits()) : OptionalLong.empty();
            default -> OptionalLong.empty();
          };
      if (step.isPresent() && (int) step.getAsLong() == step.getAsLong()) {
        return new Affine(step.getAsLong());
      }
      // An index at an unknown or a large stride may still be data.
    }
    if (x.prim() == Prim.BOOL) {
      require(op == BinaryOp.AND || op == BinaryOp.OR, "applies " + op + " to bools");
      return new Varying(Prim.BOOL);
    }
    require(VectorOperations.of(op, x.prim()) != null, "applies " + op);
    vector(x.prim());
    return new Varying(x.prim());
  }
}
