package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.jvm.Shape.Affine;
import dev.kenaz.jvm.Shape.Uniform;
import dev.kenaz.jvm.Shape.Varying;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides whether a loop can run several iterations at once, and how. Its body is straight-line
 * code over contiguous elements once branches without memory accesses have become selections. A
 * branch with accesses stays if its condition compares indices, which is the same in all lanes of
 * most vectors; the iterations of others run one by one. Stencils guard their neighbours so. Others
 * clamp the indices of neighbours, or let them wrap around. Then vectors run where that changes
 * nothing.
 */
final class VectorLoop {
  /** A reduction: each iteration combines the operand into the register. */
  record Fold(Reg reg, BinaryOp op, Expr operand) {}

  private static final Shape UNIFORM = new Uniform();

  private final Code.For loop;
  private List<Code> flat;
  private final Map<Reg, Shape> shapes = new HashMap<>();
  private final Map<Reg, Expr> definitions = new HashMap<>();
  private final List<Code> body = new ArrayList<>();
  private final List<Fold> folds = new ArrayList<>();
  private final Set<Reg> folded = new HashSet<>();
  private final List<Counter> counters = new ArrayList<>();
  private final Set<Reg> places = new HashSet<>();
  private final Set<Reg> set = new HashSet<>();
  private final Set<Expr> steady = new LinkedHashSet<>();
  private final Set<Reg> masked = new HashSet<>();
  private final Requirements requirements;
  private final Interleaved interleaved = new Interleaved();
  private final Map<Code.Store, Long> strided = new IdentityHashMap<>();
  private final MaskedReads.Where masks;
  private final Widths widths;

  private VectorLoop(
      Code.For loop, Requirements requirements, MaskedReads.Where masks, Widths widths) {
    this.loop = loop;
    this.requirements = requirements;
    this.masks = masks;
    this.widths = widths;
  }

  /**
   * Returns how the loop runs in vectors.
   *
   * @param flat its body, without branches that are selections
   * @param requirements what may be required of the index
   * @param masks which reads in branches have masks
   * @param widths those that lanes may have
   */
  static VectorLoop of(
      Code.For loop,
      List<Code> flat,
      Requirements requirements,
      MaskedReads.Where masks,
      Widths widths)
      throws Unsuitable {
    var v = new VectorLoop(loop, requirements, masks, widths);
    v.shapes.put(loop.i(), new Affine(1));
    loop.reductions().forEach(r -> v.folded.add(r.reg()));
    v.untilStable(flat);
    v.widths.settle();
    return v;
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
    return counters.stream().filter(c -> place.equals(Expr.use(c.reg()))).findFirst().orElse(null);
  }

  /**
   * Comparisons of the index with what doesn't vary: all lanes must agree on them. If one grows or
   * falls with the index and the first and the last lane agree, so do those in between.
   */
  Set<Expr> steady() {
    return steady;
  }

  /** What must hold of the index at the first lane and at the last, and so holds in between. */
  Requirements requirements() {
    return requirements;
  }

  /** Whether some iterations may have to run one by one before the last vector. */
  boolean isGuarded() {
    return !steady.isEmpty() || requirements.size() > 0;
  }

  /** Returns the row of elements that the store belongs to; null if it isn't at a stride. */
  Interleaved.Row row(Code.Store store) {
    return interleaved.row(store);
  }

  boolean masks() {
    return masks != MaskedReads.Where.NOWHERE;
  }

  /** Returns the same loop with lanes of at least four bytes. */
  VectorLoop wide() throws Unsuitable {
    return VectorLoops.of(loop, masks, Widths.wide(loop));
  }

  /** Returns the number of bytes of lanes. */
  int widest() {
    return widths.widest();
  }

  /** Repeats the analysis, as a branch may change what was thought of the code before it. */
  private void untilStable(List<Code> code) throws Unsuitable {
    flat = code;
    boolean stable = false;
    while (!stable) {
      var before = Map.copyOf(shapes);
      int agreed = steady.size() + requirements.size();
      widths.clear();
      body.clear();
      folds.clear();
      counters.clear();
      places.clear();
      definitions.clear();
      set.clear();
      strided.clear();
      analyse();
      stable = before.equals(shapes);
      if (steady.size() + requirements.size() > agreed) {
        stable = false;
        shapes.clear();
        shapes.put(loop.i(), new Affine(1));
      }
    }
  }

  private void analyse() throws Unsuitable {
    boolean useful = statements(flat, body, false) || !counters.isEmpty();
    for (var f : folds) {
      var s = shape(f.operand);
      vector(f.reg.prim());
      require(
          VectorOperations.reduces(f.op, f.reg.prim()),
          "reduces with an operator that has no vectors");
      useful |= s instanceof Varying;
    }
    require(interleaved.find(body, strided, set, this::inlined), "stores at a stride");
    int combined = folds.size() + counters.size();
    require(useful && combined == folded.size(), "computes nothing in vectors");
  }

  /** The counter, if a condition is counted that lanes differ in; otherwise null. */
  private Counter counter(Fold f) throws Unsuitable {
    var condition = new FoldRules(loop, definitions, folded).counted(f);
    return condition != null && shape(condition) instanceof Varying
        ? new Counter(f.reg, f.op, condition)
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
          var fold = new FoldRules(loop, definitions, folded).fold(reg, e);
          var counter = counter(fold);
          require(counter != null || !places.contains(reg), "stores at places that are no counter");
          if (counter == null) {
            folds.add(fold);
          } else {
            counters.add(counter);
          }
        }
        case Code.Set(var reg, var e) -> {
          require(!again || !loadsStrided(e), "loads at a stride again and again");
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
          memory(prim);
          require(shape(value) != null, "");
          places.add(place);
          widths.atLeast(Integer.BYTES);
          stores = true;
          kept.add(c);
        }
        case Code.Store(var prim, var base, var index, var value) -> {
          var to = shape(index);
          require(shape(base) instanceof Uniform, "stores at varying bases");
          if (!to.equals(new Affine(1))) {
            widths.atLeast(Short.BYTES);
            require(kept == body && Interleaved.fits(prim, to), "stores at a stride");
            strided.put((Code.Store) c, ((Affine) to).step());
          }
          memory(prim);
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
        case Code.While w -> {
          require(kept == body, "has an inner loop");
          loopOfLanes(w);
        }
        default -> throw new Unsuitable("has side effects");
      }
    }
    return stores;
  }

  /** A loop that each lane leaves at its own time: from then on its registers stay. */
  private void loopOfLanes(Code.While w) throws Unsuitable {
    var lasting = lasting(w);
    widths.atLeast(Integer.BYTES);
    masked.addAll(lasting);
    for (var reg : lasting) {
      if (reg.prim() != Prim.BOOL) {
        vector(reg.prim());
      }
      put(reg, new Varying(reg.prim()));
    }
    for (var c : w.body()) {
      if (!(c instanceof Code.Set(var reg, var e))
          || !Operands.isPure(e)
          || readsFolded(e)
          || folded.contains(reg)) {
        throw new Unsuitable("has an inner loop");
      }
      define(reg, e, false, true);
      var s = shape(e);
      if (!lasting.contains(reg)) {
        put(reg, s);
      }
    }
    require(shape(w.condition()) instanceof Varying, "has an inner loop of all lanes");
    body.add(w);
  }

  /** Returns the registers that lanes keep when they leave the loop. */
  Set<Reg> lasting(Code.While w) {
    return Selections.lasting(w, flat);
  }

  /** Whether the mask of the register must fit those of all types. */
  boolean isMasked(Reg reg) {
    return masked.contains(reg);
  }

  /** Notes what the register is, where that could be computed before the body. */
  private void define(Reg reg, Expr e, boolean always, boolean again) {
    if (!set.add(reg)) {
      definitions.remove(reg); // Another branch, or a loop, sets it too.
      if (reg.prim() == Prim.BOOL) {
        masked.add(reg);
      }
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
      if (reg.prim() != Prim.BOOL) {
        vector(reg.prim());
      }
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

  private boolean readsFolded(Expr e) {
    return Operands.reads(e, folded);
  }

  private static void require(boolean condition, String otherwise) throws Unsuitable {
    if (!condition) {
      throw new Unsuitable(otherwise);
    }
  }

  private void vector(Prim prim) throws Unsuitable {
    require(Vectors.supports(prim), "has vectors of " + prim);
    memory(prim);
  }

  /** Notes the type of elements, which may be bools. */
  private void memory(Prim prim) throws Unsuitable {
    require(prim == Prim.BOOL || Vectors.supports(prim), "has vectors of " + prim);
    widths.add(prim.byteSize());
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
        if (isGuarded() && x.prim() == Prim.I64 && isAgreed(inlined(e))) {
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
        if (masks() && MaskedReads.is(e)) {
          var at = shape(((Expr.Load) x).index());
          require(at instanceof Uniform || at.equals(new Affine(1)), "selects at a stride");
        }
        if (s instanceof Uniform && shape(x) instanceof Uniform && shape(y) instanceof Uniform) {
          yield s;
        }
        var operand = operand(e);
        if (operand != null) {
          yield shape(operand);
        }
        shape(x);
        shape(y);
        vector(x.prim());
        yield new Varying(x.prim());
      }
      case Expr.Load read -> read(read);
    };
  }

  private Shape read(Expr.Load read) throws Unsuitable {
    require(shape(read.base()) instanceof Uniform, "loads at varying bases");
    var s = shape(read.index());
    if (s instanceof Uniform) {
      return s;
    }
    if (!s.equals(new Affine(1))) {
      boolean backwards = s.equals(new Affine(-1));
      require(backwards || Interleaved.fits(read.prim(), s), "loads at a stride");
      widths.atLeast(Short.BYTES);
    }
    memory(read.prim());
    return new Varying(read.prim());
  }

  private boolean loadsStrided(Expr e) throws Unsuitable {
    if (e instanceof Expr.Load(var prim, _, var index) && Interleaved.fits(prim, shape(index))) {
      return true;
    }
    for (var x : e.operands()) {
      if (loadsStrided(x)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the comparison has the same outcome in all lanes. */
  private boolean isAgreed(Expr comparison) {
    return steady.contains(comparison) || requirements.decide(comparison);
  }

  /** Returns the operand that a selection of indices is by what can be required; or null. */
  private Expr operand(Expr e) throws Unsuitable {
    var operand = requirements.operand(e);
    if (operand != null) {
      return operand;
    }
    var selected =
        e instanceof Expr.Select(var c, var x, var y) ? new Expr.Select(inlined(c), x, y) : e;
    for (var choice : requirements.choices(selected)) {
      var conditions = choice.conditions().stream().map(this::inlined).toList();
      var whole = inlined(e);
      if (shape(choice.operand()) instanceof Affine(var step)
          && (!choice.isLine() || Requirements.mayLast(e, step) && isEarly(whole, conditions))
          && compareIndices(conditions)) {
        var known = new Requirements.Choice(choice.operand(), conditions, choice.isLine());
        requirements.require(e, known, whole, step);
        return choice.operand();
      }
    }
    return null;
  }

  /** Whether the body sets nothing that the expression reads. */
  boolean isEarly(Expr e) {
    return !Operands.reads(e, set);
  }

  /** Whether the expression can be computed before the body, if the conditions hold. */
  private boolean isEarly(Expr e, List<Expr> conditions) {
    return isEarly(e) && requirements.isSafe(e, conditions);
  }

  private boolean compareIndices(List<Expr> conditions) throws Unsuitable {
    for (var c : conditions) {
      for (var x : c.operands()) {
        if (!isEarly(x, conditions) || x.prim() != Prim.I64 || shape(x) instanceof Varying) {
          return false;
        }
      }
    }
    return true;
  }

  private Shape unary(UnaryOp op, Expr x, Prim prim) throws Unsuitable {
    if (prim == Prim.BOOL) {
      require(op == UnaryOp.NOT && shape(x).equals(new Varying(Prim.BOOL)), "applies " + op);
      return new Varying(Prim.BOOL);
    }
    boolean function = op.elementary().isPresent() && prim.isFloat();
    require(function || VectorOperations.of(op, prim) != null, "applies " + op);
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
      var line = Affine.of(op, x, p, y, q);
      if (line.isPresent()) {
        return line.get();
      }
      var operand = operand(new Expr.Bin(op, x, y));
      if (operand != null) {
        return shape(operand);
      }
      // An index at an unknown or a large stride may still be data.
    }
    if (x.prim() == Prim.BOOL) {
      require(op == BinaryOp.AND || op == BinaryOp.OR, "applies " + op + " to bools");
      return new Varying(Prim.BOOL);
    }
    if (op == BinaryOp.POW && (x.prim() == Prim.F64 || x.prim() == Prim.F32)) {
      vector(Prim.F64); // It is computed in f64.
      vector(x.prim());
      return new Varying(x.prim());
    }
    boolean divides = y instanceof Expr.Lit(var c) && WholeDivision.exists(op, c);
    require(divides || VectorOperations.of(op, x.prim()) != null, "applies " + op);
    if (divides || Widths.movesFar(op, x.prim(), y)) {
      widths.atLeast(Integer.BYTES);
    }
    vector(x.prim());
    return new Varying(x.prim());
  }
}
