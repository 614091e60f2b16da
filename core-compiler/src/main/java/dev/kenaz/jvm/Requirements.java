package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
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
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a vector loop requires of its indices, so that one which is clamped, wraps around or is
 * selected grows as one of its operands does, such as {@code min(i + 1, n)} where {@code i + 1 <=
 * n}.
 *
 * <p>An operand that grows with the index has its first lane and its last on one straight line. If
 * a minimum has these on a line as steep, so has it all lanes in between, as it is concave; a
 * maximum is convex; and a remainder has no smaller quotient in between. Selections require that
 * their condition holds, or doesn't, at the first lane and at the last.
 */
final class Requirements {
  /** Fewer steps between two wraps of an index aren't worth vectors. */
  private static final long LEAST_STEPS = 64;

  private final boolean possible;
  private final Set<Reg> several = new HashSet<>();
  private final Set<Expr> comparisons = new LinkedHashSet<>();
  private final Map<Expr, Long> steps = new LinkedHashMap<>();
  private final Map<Expr, Expr> operands = new HashMap<>();

  /**
   * An operand, and what is required for the whole expression to grow like it.
   *
   * @param conditions comparisons that must hold
   * @param isLine whether the expression must be on a line as steep
   */
  record Choice(Expr operand, List<Expr> conditions, boolean isLine) {}

  private Requirements(boolean possible) {
    this.possible = possible;
  }

  /** Whether the body has anything of which something can be required. */
  static boolean mayHelp(List<Code> body) {
    var found = new boolean[1];
    CodeWalk.code(
        body,
        _ -> {},
        e ->
            found[0] |=
                e.prim() == Prim.I64
                    && switch (e) {
                      case Expr.Select _ -> true;
                      case Expr.Bin(var op, _, _) ->
                          op == BinaryOp.MIN || op == BinaryOp.MAX || isRemainder(op);
                      default -> false;
                    });
    return found[0];
  }

  /** Nothing may be required. */
  static Requirements none() {
    return new Requirements(false);
  }

  /** Anything may be required of what is set once in the body. */
  static Requirements of(List<Code> body) {
    var r = new Requirements(true);
    var once = new HashSet<Reg>();
    CodeWalk.code(
        body,
        c -> {
          if (c instanceof Code.Set(var reg, _) && !once.add(reg)) {
            r.several.add(reg);
          }
        },
        _ -> {});
    return r;
  }

  /** Returns the comparisons that must hold at the first lane and at the last. */
  Set<Expr> comparisons() {
    return comparisons;
  }

  /** Returns expressions that must grow so much from lane to lane; after the comparisons. */
  Map<Expr, Long> steps() {
    return steps;
  }

  /** Whether something must not wrap around, which it may do in each vector again. */
  boolean hasRemainders() {
    return steps.keySet().stream()
        .anyMatch(e -> e instanceof Expr.Bin(var op, _, _) && isRemainder(op));
  }

  int size() {
    return comparisons.size() + steps.size();
  }

  /** Returns the operand that the expression grows like; null if that is open. */
  Expr operand(Expr e) {
    return operands.get(e);
  }

  /**
   * Requires something, because of which the expression grows like its operand.
   *
   * @param whole the expression in terms of what the loop doesn't set
   * @param step how much the operand grows from lane to lane
   */
  void require(Expr e, Choice choice, Expr whole, long step) {
    comparisons.addAll(choice.conditions);
    operands.put(e, choice.operand);
    if (choice.isLine) {
      steps.put(whole, step);
    }
  }

  /** Whether the expression can be computed where the comparisons hold, and these. */
  boolean isSafe(Expr e, List<Expr> more) {
    return switch (e) {
      case Expr.Load _ -> false;
      case Expr.Bin(var op, var x, var y) when isRemainder(op) -> {
        var positive = positive(y);
        boolean known = comparisons.contains(positive) || more.contains(positive);
        yield (known || y instanceof Expr.Lit(var n) && n.bits() > 0)
            && isSafe(x, more)
            && isSafe(y, more);
      }
      case Expr.Bin b when !Operands.isPure(new Expr.Bin(b.op(), Expr.i64(1), Expr.i64(0))) ->
          false;
      default -> e.operands().stream().allMatch(x -> isSafe(x, more));
    };
  }

  private static boolean isRemainder(BinaryOp op) {
    return op == BinaryOp.MOD || op == BinaryOp.REM;
  }

  /** Whether several vectors come before the expression wraps around, as far as is known. */
  static boolean mayLast(Expr e, long step) {
    return !(e instanceof Expr.Bin(var op, _, Expr.Lit(var n)))
        || !isRemainder(op)
        || Math.abs(step) <= n.bits() / LEAST_STEPS;
  }

  private static Expr positive(Expr x) {
    return new Expr.Cmp(CompareOp.LT, Expr.i64(0), x);
  }

  /** Whether what is required decides the comparison. */
  boolean decide(Expr comparison) {
    return comparison instanceof Expr.Cmp c
        && (comparisons.contains(c) || c.op() != CompareOp.EQ && comparisons.contains(negation(c)));
  }

  private static Expr negation(Expr.Cmp c) {
    return new Expr.Cmp(c.op() == CompareOp.LT ? CompareOp.LE : CompareOp.LT, c.y(), c.x());
  }

  /** Returns the operands that an index may be, if something can be required of it. */
  List<Choice> choices(Expr e) {
    if (!possible || e.prim() != Prim.I64 || Operands.reads(e, several)) {
      return List.of();
    }
    return switch (e) {
      case Expr.Bin(var op, var x, var y) ->
          switch (op) {
            case MIN, MAX ->
                List.of(new Choice(x, List.of(), true), new Choice(y, List.of(), true));
            case MOD, REM -> List.of(new Choice(x, List.of(positive(y)), true));
            default -> List.of();
          };
      case Expr.Select(var c, var x, var y) ->
          Stream.of(choice(c, true, x), choice(c, false, y)).flatMap(List::stream).toList();
      default -> List.of();
    };
  }

  private static List<Choice> choice(Expr condition, boolean wanted, Expr operand) {
    var conditions = new ArrayList<Expr>();
    return comparisons(condition, wanted, conditions)
        ? List.of(new Choice(operand, conditions, false))
        : List.of();
  }

  /** Adds the comparisons that make the condition what is wanted; false if there are no such. */
  private static boolean comparisons(Expr condition, boolean wanted, List<Expr> out) {
    return switch (condition) {
      case Expr.Cmp c when c.op() != CompareOp.EQ -> out.add(wanted ? c : negation(c));
      case Expr.Un(var op, var x, _) when op == UnaryOp.NOT -> comparisons(x, !wanted, out);
      case Expr.Bin(var op, var x, var y) when op == (wanted ? BinaryOp.AND : BinaryOp.OR) ->
          comparisons(x, wanted, out) && comparisons(y, wanted, out);
      default -> false;
    };
  }
}
