package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loops.Code;
import dev.kenaz.loops.Expr;
import dev.kenaz.loops.Reg;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whether a loop can run several iterations at once, and how: its body is straight-line code over
 * contiguous elements once branches without memory accesses have become selections.
 */
final class VectorLoop {
  /** Why a loop stays scalar. */
  static final class Unsuitable extends Exception {
    private static final long serialVersionUID = 1L;

    Unsuitable(String reason) {
      super(reason, null, false, false);
    }
  }

  /** How a value varies from one iteration to the next. */
  sealed interface Shape {}

  /** It doesn't. */
  record Uniform() implements Shape {}

  /** An i64 that grows by {@code step} an iteration. */
  record Affine(long step) implements Shape {}

  /** A vector of this type, or, of bools, a mask. */
  record Varying(Prim prim) implements Shape {}

  /** A reduction: the operand that each iteration combines in. */
  record Fold(Reg reg, BinaryOp op, Expr operand) {}

  private static final Shape UNIFORM = new Uniform();

  private static final int MOST_BYTES = 2000;

  private final Code.For loop;
  private final Map<Reg, Shape> shapes = new HashMap<>();
  private final Map<Reg, Expr> definitions = new HashMap<>();
  private final List<Code> body = new ArrayList<>();
  private final List<Fold> folds = new ArrayList<>();
  private final Set<Reg> folded = new HashSet<>();
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
    v.flatten(loop.body());
    v.analyse();
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

  /** Bytes of the widest type in vectors. */
  int widest() {
    return widest;
  }

  // Branches to selections

  private void flatten(List<Code> code) throws Unsuitable {
    for (var c : code) {
      switch (c) {
        case Code.Set _, Code.Store _ -> body.add(c);
        case Code.If(var condition, var then, var otherwise) -> select(condition, then, otherwise);
        case Code.For _, Code.While _ -> throw new Unsuitable("has an inner loop");
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

  private void select(Expr condition, List<Code> then, List<Code> otherwise) throws Unsuitable {
    var a = pureSets(then);
    var b = pureSets(otherwise);
    var c = Reg.fresh("c", Prim.BOOL);
    body.add(new Code.Set(c, condition));
    for (var reg : a.keySet()) {
      if (!b.containsKey(reg)) {
        continue; // used in its branch only
      }
      body.add(new Code.Set(reg, new Expr.Select(Expr.use(c), a.get(reg), b.get(reg))));
    }
    for (var reg : b.keySet()) {
      if (folded.contains(reg) && !a.containsKey(reg)) {
        throw new Unsuitable("reduces in a branch");
      }
    }
  }

  /** What a branch sets, its own temporaries substituted. */
  private Map<Reg, Expr> pureSets(List<Code> code) throws Unsuitable {
    var sets = new java.util.LinkedHashMap<Reg, Expr>();
    for (var c : code) {
      if (!(c instanceof Code.Set(var reg, var e)) || folded.contains(reg) || !pure(e)) {
        throw new Unsuitable("has a branch with side effects");
      }
      // temporaries are set unconditionally: they are pure, and nobody else reads them
      var temporary = Reg.fresh(reg.name(), reg.prim());
      body.add(new Code.Set(temporary, substitute(e, sets)));
      sets.put(reg, Expr.use(temporary));
    }
    return sets;
  }

  private static boolean pure(Expr e) {
    return switch (e) {
      case Expr.Lit _, Expr.Use _ -> true;
      case Expr.Un(_, var x, _) -> pure(x);
      case Expr.Conv(_, var x) -> pure(x);
      case Expr.Bin(var op, var x, var y) ->
          pure(x)
              && pure(y)
              && (x.prim().isFloat()
                  || switch (op) {
                    case DIV, MOD, QUOT, REM, POW -> false;
                    default -> true;
                  });
      case Expr.Cmp(_, var x, var y) -> pure(x) && pure(y);
      case Expr.MulAdd(var x, var y, var z) -> pure(x) && pure(y) && pure(z);
      case Expr.Select(var c, var x, var y) -> pure(c) && pure(x) && pure(y);
      case Expr.Load _ -> false;
    };
  }

  static Expr substitute(Expr e, Map<Reg, Expr> map) {
    return switch (e) {
      case Expr.Lit l -> l;
      case Expr.Use(var reg) -> map.getOrDefault(reg, e);
      case Expr.Un(var op, var x, var prim) -> new Expr.Un(op, substitute(x, map), prim);
      case Expr.Conv(var prim, var x) -> new Expr.Conv(prim, substitute(x, map));
      case Expr.Bin(var op, var x, var y) ->
          new Expr.Bin(op, substitute(x, map), substitute(y, map));
      case Expr.Cmp(var op, var x, var y) ->
          new Expr.Cmp(op, substitute(x, map), substitute(y, map));
      case Expr.MulAdd(var x, var y, var z) ->
          new Expr.MulAdd(substitute(x, map), substitute(y, map), substitute(z, map));
      case Expr.Select(var c, var x, var y) ->
          new Expr.Select(substitute(c, map), substitute(x, map), substitute(y, map));
      case Expr.Load(var prim, var base, var index) ->
          new Expr.Load(prim, substitute(base, map), substitute(index, map));
    };
  }

  // Shapes

  private void analyse() throws Unsuitable {
    var kept = new ArrayList<Code>();
    boolean useful = false;
    for (var c : body) {
      switch (c) {
        case Code.Set(var reg, var e) when folded.contains(reg) -> folds.add(fold(reg, e));
        case Code.Set(var reg, var e) -> {
          definitions.put(reg, e);
          if (!readsFolded(e)) {
            shapes.put(reg, shape(e));
            kept.add(c);
          }
        }
        case Code.Store(var prim, var base, var index, var value) -> {
          var to = shape(index);
          require(shape(base) instanceof Uniform, "stores at varying bases");
          require(to.equals(new Affine(1)), "stores at a stride");
          vector(prim);
          require(shape(value) != null, "");
          useful = true;
          kept.add(c);
        }
        default -> throw new Unsuitable("has side effects");
      }
    }
    body.clear();
    body.addAll(kept);
    for (var f : folds) {
      var s = shape(f.operand);
      vector(f.reg.prim());
      require(reducible(f), "reduces with an operator that has no vectors");
      useful |= s instanceof Varying;
    }
    require(useful && folds.size() == folded.size(), "computes nothing in vectors");
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
    return switch (e) {
      case Expr.Lit _ -> false;
      case Expr.Use(var reg) -> folded.contains(reg);
      case Expr.Un(_, var x, _) -> readsFolded(x);
      case Expr.Conv(_, var x) -> readsFolded(x);
      case Expr.Bin(_, var x, var y) -> readsFolded(x) || readsFolded(y);
      case Expr.Cmp(_, var x, var y) -> readsFolded(x) || readsFolded(y);
      case Expr.MulAdd(var x, var y, var z) -> readsFolded(x) || readsFolded(y) || readsFolded(z);
      case Expr.Select(var c, var x, var y) -> readsFolded(c) || readsFolded(x) || readsFolded(y);
      case Expr.Load(_, var base, var index) -> readsFolded(base) || readsFolded(index);
    };
  }

  /** From {@code reg = op(reg, x)}, perhaps through a temporary. */
  private Fold fold(Reg reg, Expr e) throws Unsuitable {
    var combined = e instanceof Expr.Use(var t) ? definitions.get(t) : e;
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
        require(VectorCode.converts(x.prim(), to), "converts " + x.prim() + " to " + to);
        vector(x.prim());
        vector(to);
        yield new Varying(to);
      }
      case Expr.Bin(var op, var x, var y) -> binary(op, x, y);
      case Expr.Cmp(_, var x, var y) -> {
        if (shape(x) instanceof Uniform && shape(y) instanceof Uniform) {
          yield UNIFORM;
        }
        require(!x.prim().isUnsigned(), "compares unsigned integers");
        vector(x.prim());
        yield new Varying(Prim.BOOL);
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
        require(s.equals(new Affine(1)), "loads at a stride");
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
    require(VectorCode.operator(op, prim) != null, "applies " + op);
    vector(prim);
    return new Varying(prim);
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
      switch (op) {
        case ADD -> {
          return new Affine(p + q);
        }
        case SUB -> {
          return new Affine(p - q);
        }
        case MUL -> {
          if (y instanceof Expr.Lit l) {
            return new Affine(p * l.value().bits());
          }
          if (x instanceof Expr.Lit l) {
            return new Affine(q * l.value().bits());
          }
        }
        default -> {}
      }
      // an index at an unknown stride may still be data
    }
    if (x.prim() == Prim.BOOL) {
      require(op == BinaryOp.AND || op == BinaryOp.OR, "applies " + op + " to bools");
      return new Varying(Prim.BOOL);
    }
    require(VectorCode.operator(op, x.prim()) != null, "applies " + op);
    vector(x.prim());
    return new Varying(x.prim());
  }
}
