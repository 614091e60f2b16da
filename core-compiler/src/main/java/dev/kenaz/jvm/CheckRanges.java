package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What must hold before a loop for all checks in it to hold.
 *
 * <p>A check compares sums {@code s >= 0} of multiples of counters and of what the loop doesn't set
 * ({@link LinearSum}). The least value of such a sum has a counter at 0 if its factor is positive,
 * and else at its bound - 1, which may itself be a sum of the counters of loops around; so counters
 * are replaced from the inside out. Everything in the sums must be in ±2^55, which is required too:
 * then nothing wraps around, neither in the check nor here. A counter may be multiplied by what the
 * loop doesn't set, if both are sizes; each such term then is at one of its own ends.
 *
 * <p>In a branch, what its condition says needn't be required again. What the body begins with may
 * be elements that are the same in all iterations; these are loaded before the loop, if it has any.
 */
final class CheckRanges {
  /** A counter of a loop and its bound. */
  private record Counter(Expr use, LinearSum bound) {
    /** Whether the term is the counter or a product with it. */
    boolean isIn(Expr term) {
      return term.equals(use) || term instanceof Expr.Size(var x, _) && x.equals(use);
    }

    /** Returns the largest value of such a term. */
    Optional<LinearSum> last(Expr term) {
      return term instanceof Expr.Size(_, var times)
          ? LinearSum.of(Expr.size(bound.expr(), times)).plus(LinearSum.of(times), -1)
          : bound.plus(new LinearSum(Map.of(), 1), -1);
    }
  }

  private final Code.For loop;
  private final Set<Reg> assigned;
  private final Set<Reg> several = new HashSet<>();
  private final Map<Reg, Expr> definitions = new HashMap<>();
  private final Map<Reg, Expr> early = new HashMap<>();
  private final List<Counter> counters = new ArrayList<>();
  private final List<LinearSum> known = new ArrayList<>();
  private final List<Code> loads = new ArrayList<>();
  private final List<Code> zeros = new ArrayList<>();
  private final Set<Expr> conditions = new LinkedHashSet<>();

  private CheckRanges(Code.For loop) {
    this.loop = loop;
    this.assigned = Registers.of(List.of(loop)).assigned();
    var once = new HashSet<Reg>();
    CodeWalk.code(
        List.of(loop),
        c -> {
          var reg = c instanceof Code.Set(var r, _) ? r : c instanceof Code.For f ? f.i() : null;
          if (reg != null && !once.add(reg)) {
            several.add(reg);
          }
        },
        _ -> {});
    // What an iteration reads before it sets it, an earlier one has set.
    Liveness.of(List.of(loop)).needed().stream().filter(assigned::contains).forEach(several::add);
  }

  /** Returns what the loop requires; nothing if that can't be said before it. */
  static Optional<CheckRanges> of(Code.For loop) {
    var ranges = new CheckRanges(loop);
    if (Operands.reads(loop.bound(), ranges.assigned)) {
      return Optional.empty();
    }
    ranges.loads();
    return ranges.inside(loop) ? Optional.of(ranges) : Optional.empty();
  }

  /** Returns the conditions, which are computed after {@link #before}. */
  Set<Expr> conditions() {
    return conditions;
  }

  /** Returns what loads elements for the conditions. */
  List<Code> before() {
    var read = new HashSet<Expr>();
    conditions.forEach(c -> CodeWalk.expr(c, read::add));
    if (early.values().stream().noneMatch(read::contains)) {
      return List.of();
    }
    var out = new ArrayList<>(zeros);
    out.add(new Code.If(positive(loop.bound()), loads, List.of()));
    return out;
  }

  private static Expr positive(Expr x) {
    return new Expr.Cmp(CompareOp.LT, Expr.i64(0), x);
  }

  /** Finds the elements that every iteration begins with. */
  private void loads() {
    var stored = new HashSet<Expr>();
    CodeWalk.code(
        loop.body(),
        c -> {
          if (c instanceof Code.Store(_, var base, _, _)) {
            stored.add(base);
          }
        },
        _ -> {});
    boolean plain = stored.stream().allMatch(b -> b instanceof Expr.Use);
    for (var c : loop.body()) {
      if (!plain || !(c instanceof Code.Set(var reg, var e))) {
        return;
      }
      if (e instanceof Expr.Load(var prim, Expr.Use base, var index)
          && prim == Prim.I64
          && !several.contains(reg)
          && !stored.contains(base)
          && Operands.isPure(index)
          && !Operands.reads(e, assigned)) {
        var element = Reg.index(reg.name());
        zeros.add(new Code.Set(element, Expr.i64(0)));
        loads.add(new Code.Set(element, e));
        early.put(reg, Expr.use(element));
      }
    }
  }

  // Statements

  private boolean inside(Code.For f) {
    var bound = sum(f.bound());
    if (bound.isEmpty() || several.contains(f.i())) {
      return false;
    }
    counters.add(new Counter(Expr.use(f.i()), bound.get()));
    var room = LinearSum.of(LinearSum.LARGEST_TERM).flatMap(s -> s.plus(bound.get(), -1));
    boolean fine =
        room.isPresent()
            && require(room.get(), counters.subList(0, counters.size() - 1))
            && block(f.body());
    counters.removeLast();
    return fine;
  }

  private boolean block(List<Code> code) {
    var own = new ArrayList<Reg>();
    boolean fine = true;
    for (int k = 0; k < code.size() && fine; k++) {
      fine =
          switch (code.get(k)) {
            case Code.Set(var reg, var e) -> {
              if (!several.contains(reg)) {
                definitions.put(reg, e);
                own.add(reg);
              }
              yield true;
            }
            case Code.Check(var condition, _, _) -> check(condition);
            case Code.If(var condition, var then, var otherwise) ->
                branch(condition, true, then) && branch(condition, false, otherwise);
            case Code.For f -> !CodeWalk.has(f.body(), Code.Check.class) || inside(f);
            default -> !CodeWalk.has(List.of(code.get(k)), Code.Check.class);
          };
    }
    own.forEach(definitions::remove);
    return fine;
  }

  private boolean branch(Expr condition, boolean holds, List<Code> code) {
    int before = known.size();
    assume(condition, holds);
    boolean fine = block(code);
    known.subList(before, known.size()).clear();
    return fine;
  }

  /** Notes the sums that are not negative where the condition is what it should be. */
  private void assume(Expr condition, boolean holds) {
    switch (condition) {
      case Expr.Use(var reg) when definitions.containsKey(reg) ->
          assume(definitions.get(reg), holds);
      case Expr.Un(var op, var x, _) when op == UnaryOp.NOT -> assume(x, !holds);
      case Expr.Bin(var op, var x, var y) when op == (holds ? BinaryOp.AND : BinaryOp.OR) -> {
        assume(x, holds);
        assume(y, holds);
      }
      case Expr.Cmp(var op, var x, var y) when op != CompareOp.EQ && x.prim() == Prim.I64 -> {
        long strict = (op == CompareOp.LT) == holds ? 1 : 0;
        (holds ? difference(y, x, strict) : difference(x, y, strict)).ifPresent(known::add);
      }
      default -> {}
    }
  }

  /** Requires that the condition holds in all iterations. */
  private boolean check(Expr condition) {
    return switch (condition) {
      case Expr.Lit(var value) -> value.bits() != 0;
      case Expr.Use(var reg) when definitions.containsKey(reg) -> check(definitions.get(reg));
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.AND -> check(x) && check(y);
      case Expr.Cmp(var op, var x, var y) when x.prim() == Prim.I64 ->
          switch (op) {
            case LE -> required(difference(y, x, 0));
            case LT -> required(difference(y, x, 1));
            case EQ -> required(difference(y, x, 0)) && required(difference(x, y, 0));
          };
      default -> constant(condition);
    };
  }

  /** Requires a condition that the loop doesn't change. */
  private boolean constant(Expr condition) {
    boolean fixed = Operands.isPure(condition) && !Operands.reads(condition, assigned);
    if (fixed) {
      conditions.add(condition);
    }
    return fixed;
  }

  private boolean required(Optional<LinearSum> sum) {
    return sum.isPresent() && (isKnown(sum.get()) || require(sum.get(), counters));
  }

  /** Whether it is at least as large as what isn't negative here. */
  private boolean isKnown(LinearSum sum) {
    for (var k : known) {
      var more = sum.plus(k, -1).filter(d -> d.isConstant() && d.constant() >= 0);
      if (more.isPresent()) {
        requireTerms(sum);
        requireTerms(k);
        return true;
      }
    }
    return false;
  }

  /** Requires that the sum is nowhere negative. */
  private boolean require(LinearSum sum, List<Counter> free) {
    var end = Optional.of(sum);
    for (var counter : free.reversed()) {
      end = end.flatMap(s -> least(s, counter));
    }
    if (end.isEmpty() || end.get().isConstant()) {
      return end.isPresent() && end.get().constant() >= 0;
    }
    requireTerms(sum);
    requireTerms(end.get());
    conditions.add(new Expr.Cmp(CompareOp.LE, Expr.i64(0), end.get().expr()));
    return true;
  }

  /** Returns what the sum is at least, whatever the counter is. */
  private static Optional<LinearSum> least(LinearSum sum, Counter counter) {
    var least = Optional.of(sum);
    for (var e : sum.factors().entrySet()) {
      var term = e.getKey();
      if (counter.isIn(term)) {
        var end = e.getValue() > 0 ? LinearSum.of(0) : counter.last(term);
        least = least.flatMap(s -> end.flatMap(x -> s.with(term, x)));
      }
    }
    return least;
  }

  /** Requires that the terms are small; counters are, as their bounds are. */
  private void requireTerms(LinearSum sum) {
    for (var term : sum.factors().keySet()) {
      var counter = counters.stream().filter(c -> c.isIn(term)).findFirst();
      if (counter.isEmpty()) {
        requireSmall(term);
      } else if (term instanceof Expr.Size(_, var times)) {
        requireSmall(Expr.size(counter.get().bound.expr(), times));
      }
    }
  }

  private void requireSmall(Expr term) {
    var most = Expr.i64(LinearSum.LARGEST_TERM);
    var least = Expr.i64(-LinearSum.LARGEST_TERM);
    conditions.add(new Expr.Cmp(CompareOp.LE, least, term));
    conditions.add(new Expr.Cmp(CompareOp.LE, term, most));
  }

  // Sums

  private Optional<LinearSum> difference(Expr x, Expr y, long less) {
    return sum(x)
        .flatMap(a -> sum(y).flatMap(b -> a.plus(b, -1)))
        .flatMap(d -> d.plus(new LinearSum(Map.of(), less), -1));
  }

  /** Returns the expression as a sum of multiples of counters and of what the loop doesn't set. */
  private Optional<LinearSum> sum(Expr e) {
    return switch (e) {
      case Expr.Lit(var n) -> LinearSum.of(n.bits());
      case Expr.Use(var reg) when early.containsKey(reg) ->
          Optional.of(LinearSum.of(early.get(reg)));
      case Expr.Use(var reg) when definitions.containsKey(reg) -> sum(definitions.get(reg));
      case Expr.Use use
          when counters.stream().anyMatch(c -> c.use.equals(use))
              || !assigned.contains(use.reg()) ->
          Optional.of(LinearSum.of(use));
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.ADD || op == BinaryOp.SUB ->
          sum(x).flatMap(a -> sum(y).flatMap(b -> a.plus(b, op == BinaryOp.ADD ? 1 : -1)));
      case Expr.Bin(var op, var x, Expr.Lit(var n)) when op == BinaryOp.MUL ->
          sum(x).flatMap(a -> a.times(n.bits()));
      case Expr.Bin(var op, Expr.Lit(var n), var x) when op == BinaryOp.MUL ->
          sum(x).flatMap(a -> a.times(n.bits()));
      case Expr.Bin(var op, var x, Expr.Lit(var n))
          when op == BinaryOp.SHL && n.bits() >= 0 && n.bits() < Long.SIZE ->
          sum(x).flatMap(a -> n.bits() > 6 ? Optional.empty() : a.times(1L << n.bits()));
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.MUL && !isFixed(e) ->
          isFixed(x) ? sum(y).flatMap(s -> product(s, x)) : sum(x).flatMap(s -> product(s, y));
      default -> isFixed(e) ? Optional.of(LinearSum.of(e)) : Optional.empty();
    };
  }

  /** Whether it can be computed before the loop, and is the same in it. */
  private boolean isFixed(Expr e) {
    return Operands.isPure(e) && !Operands.reads(e, assigned);
  }

  /**
   * Returns a sum times what the loop doesn't set, with products as terms. These are products of
   * sizes, which aren't smaller than they seem: if a factor is no size, they are too large.
   */
  private Optional<LinearSum> product(LinearSum sum, Expr times) {
    var all =
        isFixed(times) ? LinearSum.of(times).times(sum.constant()) : Optional.<LinearSum>empty();
    for (var e : sum.factors().entrySet()) {
      var term = e.getKey();
      boolean fits =
          !(term instanceof Expr.Size)
              && counters.stream().noneMatch(c -> c.use.equals(term) && !isFixed(c.bound));
      var part = LinearSum.of(Expr.size(term, times));
      all = all.filter(_ -> fits).flatMap(s -> s.plus(part, e.getValue()));
    }
    return all;
  }

  private boolean isFixed(LinearSum sum) {
    return sum.factors().keySet().stream().allMatch(this::isFixed);
  }
}
