package dev.kenaz.lower;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Sizes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Collects statements, and knows the scalars computed so far. The same computation on the same
 * atoms, here or in a scope around, is written once; so equal sizes become equal atoms.
 */
final class Scope {
  private final Scope parent;
  private final Builder builder;
  private final Map<Exp, Atom> computed = new HashMap<>();
  private final Map<Var, Exp> definitions;

  /**
   * Arrays that the type system takes for new although they share memory with others. They are
   * copied before they are updated.
   */
  private final Set<Var> borrowed;

  private final Set<Var> sizes;

  /** Whether assertions, and the bounds of what is read, are taken to hold. */
  private boolean unsafe;

  /** Whether a reverse derivative will write where this reads. */
  private boolean reversed;

  /**
   * How many more scalars and scopes there may be; all scopes of an entry point share the number.
   */
  private final int[] left;

  /** Says that there are more statements than were allowed. */
  static final class TooLarge extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLarge() {
      super(null, null, false, false);
    }
  }

  private Scope(Span span, int most) {
    this.parent = null;
    this.builder = new Builder(span);
    this.left = new int[] {most};
    this.definitions = new HashMap<>();
    this.borrowed = new HashSet<>();
    this.sizes = new HashSet<>();
  }

  private Scope(Scope parent) {
    this.parent = parent;
    this.builder = parent.builder.inner();
    this.definitions = parent.definitions;
    this.borrowed = parent.borrowed;
    this.sizes = parent.sizes;
    this.left = parent.left;
    this.unsafe = parent.unsafe;
    this.reversed = parent.reversed;
  }

  static Scope outermost(Span span) {
    return outermost(span, Integer.MAX_VALUE);
  }

  /**
   * Makes an outermost scope. {@link TooLarge} is thrown if many more than {@code most} statements
   * are written.
   */
  static Scope outermost(Span span, int most) {
    return new Scope(span, most);
  }

  private void count() {
    if (--left[0] < 0) {
      throw new TooLarge();
    }
  }

  /** Whether assertions are left out. */
  boolean isUnsafe() {
    return unsafe;
  }

  /** Whether the bounds of reads are checked. The bounds of writes always are. */
  boolean checksReads() {
    return !unsafe || reversed;
  }

  /** Returns an inner scope for a function whose reverse derivative is taken. */
  Scope reversed() {
    var inner = inner();
    inner.reversed = true;
    return inner;
  }

  /** Runs an action without assertions and checks of reads, in inner scopes too. */
  <T> T unsafely(Supplier<T> action) {
    boolean before = unsafe;
    unsafe = true;
    try {
      return action.get();
    } finally {
      unsafe = before;
    }
  }

  Scope inner() {
    count();
    return new Scope(this);
  }

  Builder builder() {
    return builder;
  }

  Span span() {
    return builder.span();
  }

  /**
   * Sets the place in the source for the statements from now on, unless the place is in the
   * prelude.
   */
  Scope at(Span span) {
    if (!span.inPrelude() || !builder.span().known()) {
      builder.at(span);
    }
    return this;
  }

  Body body(List<? extends Atom> results) {
    return builder.body(results);
  }

  // Scalars

  /** Adds a pure computation of one scalar, unless the same one is there already. */
  Atom compute(Exp exp) {
    for (var s = this; s != null; s = s.parent) {
      var known = s.computed.get(exp);
      if (known != null) {
        return known;
      }
    }
    count();
    var result = builder.bind("t", exp);
    computed.put(exp, result);
    definitions.put(result, exp);
    return result;
  }

  Atom binary(BinaryOp op, Atom x, Atom y) {
    if (x instanceof Const(var a) && y instanceof Const(var b)) {
      try {
        return new Const(ScalarOps.binary(op, a, b));
      } catch (ScalarOps.Fault _) {
        // It fails when the program runs, at this place.
        return compute(new Exp.Binary(op, x, y));
      }
    }
    var folded = x.type().equals(Type.I64) ? foldSize(op, x, y) : foldTruth(op, x, y);
    return folded != null ? folded : compute(new Exp.Binary(op, x, y));
  }

  Atom add(Atom x, Atom y) {
    return binary(BinaryOp.ADD, x, y);
  }

  Atom sub(Atom x, Atom y) {
    return binary(BinaryOp.SUB, x, y);
  }

  Atom mul(Atom x, Atom y) {
    return binary(BinaryOp.MUL, x, y);
  }

  /** Returns the product of two sizes, after a check that it is a size. */
  Atom sizes(Atom x, Atom y) {
    var product = mul(x, y);
    if (!x.isConst(0) && !y.isConst(0) && !x.isConst(1) && !y.isConst(1)) {
      var more = binary(BinaryOp.OR, binary(BinaryOp.MUL_HI, x, y), above(product));
      checkSize(compare(CompareOp.EQ, more, Atom.i64(0)), Builder.TIMES, x, y);
    }
    markSize(product);
    return product;
  }

  /** Returns the sum of two sizes, after a check that it is a size. */
  Atom sizeSum(Atom x, Atom y) {
    var sum = add(x, y);
    checkSize(
        compare(CompareOp.EQ, above(sum), Atom.i64(0)),
        "an array of {} and {} elements is larger than any memory",
        x,
        y);
    markSize(sum);
    return sum;
  }

  /**
   * Returns an atom that is not 0 if a number is negative or too large for a size. A comparison
   * would be simplified away where the number is taken for a size.
   */
  private Atom above(Atom x) {
    return binary(BinaryOp.USHR, x, Atom.i64(Sizes.LONGEST_BITS));
  }

  /** Checks that a number is not too large for a size. */
  void checkSize(Atom n) {
    if (!(n instanceof Var v && isSize(v))) {
      checkSize(
          compare(CompareOp.LE, n, Atom.i64(Sizes.LONGEST)),
          "an array of {} elements is larger than any memory",
          n);
    }
  }

  Atom and(Atom x, Atom y) {
    return binary(BinaryOp.AND, x, y);
  }

  Atom not(Atom x) {
    return unary(UnaryOp.NOT, x);
  }

  Atom unary(UnaryOp op, Atom x) {
    return x instanceof Const(var c)
        ? new Const(ScalarOps.unary(op, c))
        : compute(new Exp.Unary(op, x));
  }

  Atom compare(CompareOp op, Atom x, Atom y) {
    if (x instanceof Const(var a) && y instanceof Const(var b)) {
      return Atom.bool(ScalarOps.compare(op, a, b));
    }
    if (!x.type().elemPrim().isFloat() && x.equals(y)) {
      return Atom.bool(op != CompareOp.LT);
    }
    return compute(new Exp.Compare(op, x, y));
  }

  Atom convert(Prim to, Atom x) {
    if (x.type().elemPrim() == to) {
      return x;
    }
    if (x instanceof Const(var c)) {
      return new Const(ScalarOps.convert(to, c));
    }
    return compute(new Exp.Convert(to, x));
  }

  /** Returns a step of a range as a number of the range's own type. */
  Atom narrow(Prim to, Atom step) {
    return step instanceof Const(var c) && to.isInteger()
        ? new Const(ScalarValue.ofLong(to, c.bits()))
        : convert(to, step);
  }

  /** Notes that the variable is a size, so that it is not negative. */
  void markSize(Atom size) {
    if (size instanceof Var v) {
      sizes.add(v);
    }
  }

  boolean isSize(Var v) {
    return sizes.contains(v);
  }

  private Atom foldSize(BinaryOp op, Atom x, Atom y) {
    return switch (op) {
      case ADD -> x.isConst(0) ? y : y.isConst(0) ? x : undo(BinaryOp.SUB, x, y);
      case SUB -> y.isConst(0) ? x : x.equals(y) ? Atom.i64(0) : undoSum(x, y);
      case MUL -> x.isConst(1) ? y : y.isConst(1) ? x : null;
      case DIV, QUOT -> y.isConst(1) ? x : null;
      default -> null;
    };
  }

  /** Simplifies {@code (a - b) + b} and {@code b + (a - b)}. */
  private Atom undo(BinaryOp sub, Atom x, Atom y) {
    if (definition(x) instanceof Exp.Binary(var op, var a, var b) && op == sub && b.equals(y)) {
      return a;
    }
    if (definition(y) instanceof Exp.Binary(var op, var a, var b) && op == sub && b.equals(x)) {
      return a;
    }
    return null;
  }

  /** Simplifies {@code (a + b) - a}, {@code (a + b) - b} and {@code a - (a - b)}. */
  private Atom undoSum(Atom x, Atom y) {
    if (definition(x) instanceof Exp.Binary(var op, var a, var b) && op == BinaryOp.ADD) {
      return a.equals(y) ? b : b.equals(y) ? a : null;
    }
    if (definition(y) instanceof Exp.Binary(var op, var a, var b)
        && op == BinaryOp.SUB
        && a.equals(x)) {
      return b;
    }
    return null;
  }

  private Exp definition(Atom x) {
    return x instanceof Var v ? definitions.get(v) : null;
  }

  private Atom foldTruth(BinaryOp op, Atom x, Atom y) {
    if (x.type().elemPrim() != Prim.BOOL) {
      return null;
    }
    return switch (op) {
      case AND -> x.isConst(1) ? y : y.isConst(1) ? x : x.isConst(0) || y.isConst(0) ? x0() : null;
      case OR -> x.isConst(0) ? y : y.isConst(0) ? x : x.isConst(1) || y.isConst(1) ? x1() : null;
      default -> null;
    };
  }

  private static Atom x0() {
    return Atom.bool(false);
  }

  private static Atom x1() {
    return Atom.bool(true);
  }

  /** Adds a check, which fails at run time unless the condition holds. */
  void check(Atom condition, String message, Atom... arguments) {
    if (!condition.isConst(1)) {
      builder.check(condition, message, List.of(arguments));
    }
  }

  /** Adds a check, which fails at run time unless an array of some size can be in memory. */
  void checkSize(Atom condition, String message, Atom... arguments) {
    if (!condition.isConst(1)) {
      builder.checkSize(condition, message, List.of(arguments));
    }
  }

  // Arrays

  /** Returns the array with the type's sizes, which are known to be the same as its own. */
  Atom cast(Atom array, Type type) {
    if (type.dims().equals(array.type().dims()) || !(array.type() instanceof Type.Array)) {
      return array;
    }
    var v = builder.bind("cast", new Exp.Reshape(type.dims(), (Var) array));
    return lend((Var) array, v);
  }

  /** Notes that the second array shares the first one's memory. */
  Var lend(Var array, Var alias) {
    if (borrowed.contains(array) && alias.type().isArray()) {
      borrowed.add(alias);
    }
    return alias;
  }

  /** Returns an alias of the array, which the type system takes for a new array. */
  Atom borrow(Atom array) {
    if (!(array.type() instanceof Type.Array)) {
      return array;
    }
    var v = builder.bind("alias", new Exp.Alias(array));
    borrowed.add(v);
    // The alias must stay as it is when the original is consumed.
    if (array instanceof Var original) {
      borrowed.add(original);
    }
    return v;
  }

  boolean isBorrowed(Atom array) {
    return array instanceof Var v && borrowed.contains(v);
  }

  void markBorrowed(Atom value) {
    if (value instanceof Var v && v.type().isArray()) {
      borrowed.add(v);
    }
  }

  /** Returns the array, or a copy, which may be consumed. */
  Var own(Atom array) {
    var v = (Var) array;
    return borrowed.contains(v) ? builder.bind(v.name(), new Exp.Copy(v)) : v;
  }

  /** Returns a value of the type that nothing uses. */
  Atom filler(Type type) {
    return builder.zero(type);
  }
}
