package dev.kenaz.loops;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Fault;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * This is the state of the translation: the code so far, what variables stand for, and the place in
 * the source.
 */
public final class Scope {
  private final Map<Var, Val> env = new HashMap<>();
  private final Map<Var, ArrayVal.View> wanted = new HashMap<>();
  private final Map<Var, Long> largest = new HashMap<>();
  private final List<Slot> slots = new ArrayList<>();
  private final MemoryClasses sharing;
  private final Map<Code, Span> places;
  private final List<Expr> bounds = new ArrayList<>();
  private List<Code> code = new ArrayList<>();
  private Span span = Span.NONE;
  private int depth;
  private boolean parallel = true;

  /**
   * Starts with no code.
   *
   * @param places gets the place in the source that each statement belongs to
   */
  Scope(MemoryClasses sharing, Map<Code, Span> places) {
    this.sharing = sharing;
    this.places = places;
  }

  MemoryClasses sharing() {
    return sharing;
  }

  // Code

  public void add(Code c) {
    code.add(c);
    if (span.known()) {
      places.put(c, span);
    }
  }

  /** Returns the code that the action adds. */
  public List<Code> block(Runnable action) {
    var outer = code;
    code = new ArrayList<>();
    action.run();
    var inner = code;
    code = outer;
    return inner;
  }

  /**
   * Returns the code that the action adds inside a lambda, where arrays from outside can't be
   * overwritten.
   */
  public List<Code> lambda(Runnable action) {
    depth++;
    var inner = block(action);
    depth--;
    return inner;
  }

  /** Returns the code that the action adds inside a task, where there is one chunk of anything. */
  public List<Code> task(Runnable action) {
    var outer = parallel;
    parallel = false;
    var inner = lambda(action);
    parallel = outer;
    return inner;
  }

  public boolean parallel() {
    return parallel;
  }

  public int depth() {
    return depth;
  }

  public boolean owned(ArrayVal.View v) {
    return v.level() == depth;
  }

  public Span span() {
    return span;
  }

  public void at(Span newSpan) {
    if (newSpan.known()) {
      span = newSpan;
    }
  }

  /** Puts the expression into a register, unless it is as simple as one. */
  public Expr let(String name, Expr e) {
    if (e instanceof Expr.Lit || e instanceof Expr.Use) {
      return e;
    }
    var reg = Reg.fresh(name, e.prim());
    add(new Code.Set(reg, e));
    return Expr.use(reg);
  }

  public void check(Expr condition, ErrorCode code, String message, List<Expr> arguments) {
    add(new Code.Check(condition, new Fault(code, span, message), arguments));
  }

  /** Adds the code of an iteration of loops with these bounds, which are positive in it. */
  void iteration(List<Expr> ofLoops, Runnable action) {
    int outer = bounds.size();
    bounds.addAll(ofLoops);
    action.run();
    bounds.subList(outer, bounds.size()).clear();
  }

  /** Whether it is the bound of a loop around the code, and so positive. */
  boolean isPositive(Expr e) {
    return bounds.contains(e);
  }

  /** Adds a loop {@code for (i = from; i < to; i = next(i))}. */
  public void whileLess(
      String name, Expr from, Expr to, UnaryOperator<Expr> next, Consumer<Expr> body) {
    var i = Reg.index(name);
    add(new Code.Set(i, from));
    var inner = block(() -> body.accept(Expr.use(i)));
    inner.add(new Code.Set(i, next.apply(Expr.use(i))));
    add(new Code.While(less(Expr.use(i), to), inner));
  }

  /** Adds a loop {@code for i < bound} with independent iterations. */
  public void forEach(String name, Expr bound, Consumer<Expr> body) {
    var i = Reg.index(name);
    var inner = block(() -> iteration(List.of(bound), () -> body.accept(Expr.use(i))));
    if (!inner.isEmpty()) {
      add(new Code.For(i, bound, inner, true, List.of()));
    }
  }

  /** Adds a loop {@code for i < bound} whose iterations run one after the other. */
  public void forSequence(Expr bound, Consumer<Expr> body) {
    forSequence("i", bound, body);
  }

  /** Adds such a loop whose counter has this name. */
  public void forSequence(String name, Expr bound, Consumer<Expr> body) {
    var i = Reg.index(name);
    var inner = block(() -> iteration(List.of(bound), () -> body.accept(Expr.use(i))));
    add(new Code.For(i, bound, inner, false, List.of()));
  }

  // Variables

  public void bind(Var v, Val val) {
    env.put(v, val);
  }

  public void bindScalar(Var v, Expr e) {
    env.put(v, new Val.Scalar(let(v.name(), e)));
  }

  void unbind(Var v) {
    env.remove(v);
  }

  public Val val(Atom atom) {
    return switch (atom) {
      case Const(var value) -> new Val.Scalar(new Expr.Lit(value));
      case Var v -> {
        var val = env.get(v);
        if (val == null) {
          throw new CompilerBug("loops", "variable " + v + " is not bound");
        }
        yield val;
      }
    };
  }

  public boolean bound(Var v) {
    return env.containsKey(v);
  }

  /** Whether the atom is known here: a constant or bound. */
  public boolean fixed(Atom atom) {
    return !(atom instanceof Var v) || bound(v);
  }

  public Expr scalar(Atom atom) {
    return switch (val(atom)) {
      case Val.Scalar(var e) -> e;
      case ArrayVal _, Val.Acc _ -> throw new CompilerBug("loops", atom + " is not a scalar");
    };
  }

  public List<Expr> scalars(List<? extends Atom> atoms) {
    return atoms.stream().map(this::scalar).toList();
  }

  public ArrayVal array(Atom atom) {
    return switch (val(atom)) {
      case ArrayVal a -> a;
      case Val.Scalar _, Val.Acc _ -> throw new CompilerBug("loops", atom + " is not an array");
    };
  }

  /** Whether an array is 0, 1, 2, ... */
  public boolean counts(Var v) {
    return v.type() instanceof Type.Array
        && bound(v)
        && array(v) instanceof ArrayVal.Counting c
        && Expr.isConst(c.start(), 0)
        && Expr.isConst(c.step(), 1);
  }

  /** Notes an array of constants, or one with the elements of another. */
  void noteElements(Var v, Exp exp) {
    switch (exp) {
      case Exp.ArrayLit(var elems, _) -> largest.put(v, largest(elems));
      case Exp.Reshape(_, var a) -> largest.put(v, largest(a));
      default -> {}
    }
  }

  private static long largest(List<Atom> elems) {
    long most = 0;
    for (var e : elems) {
      if (!(e instanceof Const(var c)) || !c.prim().isInteger() || c.asLong() == Long.MIN_VALUE) {
        return -1;
      }
      most = Math.max(most, Math.abs(c.asLong()));
    }
    return most;
  }

  /** Returns the largest absolute value of an array's integers; it is negative if not known. */
  long largest(Var v) {
    return largest.getOrDefault(v, -1L);
  }

  public Val.Acc acc(Var v) {
    return switch (val(v)) {
      case Val.Acc a -> a;
      case Val.Scalar _, ArrayVal _ -> throw new CompilerBug("loops", v + " is not an accumulator");
    };
  }

  public List<Expr> dims(Type type) {
    return scalars(type.dims());
  }

  // Memory

  /** Notes where this array is to be put when it is made, if its maker can choose. */
  public void want(Var v, ArrayVal.View place) {
    wanted.put(v, place);
  }

  void unwant(Var v) {
    wanted.remove(v);
  }

  public ArrayVal.View wanted(Var v) {
    return wanted.get(v);
  }

  /** The slots made since there were {@code count}. */
  public List<Slot> slotsSince(int count) {
    return List.copyOf(slots.subList(count, slots.size()));
  }

  public int slotCount() {
    return slots.size();
  }

  public Slot slot(String name) {
    var slot = Slot.fresh(name);
    slots.add(slot);
    return slot;
  }

  /** Allocates a new array with unspecified contents. */
  public ArrayVal.View allocate(String name, Prim prim, List<Expr> dims) {
    var slot = slot(name);
    ensure(slot, prim, dims);
    return ArrayVal.contiguous(prim, Expr.use(slot.base()), dims, depth, ArrayVal.Owner.of(slot));
  }

  public void ensure(Slot slot, Prim prim, List<Expr> dims) {
    add(new Code.Ensure(slot, bytes(prim, dims)));
  }

  public static Expr bytes(Prim prim, List<Expr> dims) {
    return Expr.size(ArrayVal.count(dims), Expr.i64(prim.byteSize()));
  }

  public static Expr less(Expr a, Expr b) {
    return new Expr.Cmp(CompareOp.LT, a, b);
  }

  public static Expr equal(Expr a, Expr b) {
    return new Expr.Cmp(CompareOp.EQ, a, b);
  }

  public static Expr and(Expr a, Expr b) {
    return new Expr.Bin(BinaryOp.AND, a, b);
  }

  /** Returns the condition {@code 0 <= i < n}. */
  public static Expr inBounds(Expr i, Expr n) {
    return and(new Expr.Cmp(CompareOp.LE, Expr.i64(0), i), less(i, n));
  }
}
