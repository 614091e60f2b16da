package dev.kenaz.kernels;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Lets one thread do several points of a short body, with all loads before all updates: one load
 * per thread is not enough to keep memory busy, and the compiler can't tell that a store doesn't
 * change what a later load reads.
 */
final class ThreadCoarsening {
  /** The number of points of a thread. */
  static final int POINTS = 4;

  private static final int SHORT = 32;
  private static final int FEW_STORES = 6;

  private final Map<Reg, Reg> names = new HashMap<>();

  private ThreadCoarsening() {}

  /** Whether the body is straight code that reads first and then writes. */
  static boolean suits(List<Code> body) {
    int reads = computing(body);
    var updates = body.subList(reads, body.size());
    int stores = updates.stream().mapToInt(ThreadCoarsening::stores).sum();
    return stores > 0
        && stores <= FEW_STORES
        && body.size() <= SHORT
        && updates.stream().allMatch(ThreadCoarsening::updates);
  }

  /** Returns how many statements come before the first one that writes. */
  private static int computing(List<Code> body) {
    int n = 0;
    while (n < body.size() && computes(body.get(n))) {
      n++;
    }
    return n;
  }

  private static int stores(Code c) {
    return switch (c) {
      case Code.Store _, Code.AtomicUpdate _ -> 1;
      case Code.If(_, var then, var otherwise) ->
          then.stream().mapToInt(ThreadCoarsening::stores).sum()
              + otherwise.stream().mapToInt(ThreadCoarsening::stores).sum();
      default -> 0;
    };
  }

  /** Whether the statement writes, perhaps under conditions, without a load. */
  private static boolean updates(Code c) {
    return switch (c) {
      case Code.Set _, Code.Store _, Code.AtomicUpdate _ ->
          CodeWalk.operands(c).stream().noneMatch(HostLoop::loads);
      case Code.If(var condition, var then, var otherwise) ->
          !HostLoop.loads(condition)
              && then.stream().allMatch(ThreadCoarsening::updates)
              && otherwise.stream().allMatch(ThreadCoarsening::updates);
      default -> false;
    };
  }

  private static boolean computes(Code c) {
    return switch (c) {
      case Code.Set _ -> true;
      case Code.If(_, var then, var otherwise) ->
          then.stream().allMatch(ThreadCoarsening::computes)
              && otherwise.stream().allMatch(ThreadCoarsening::computes);
      default -> false;
    };
  }

  /**
   * The body at several points. What comes before the first branch is done for all points before
   * any branch: the compiler doesn't move loads from behind a branch to before it, and a division
   * is one too.
   *
   * @param at register that the body takes the point from
   */
  static List<Code> of(List<Code> body, Reg at, List<Expr> points) {
    var first = new ArrayList<Code>();
    var branches = new ArrayList<Code>();
    var updates = new ArrayList<Code>();
    int straight = straight(body);
    int reads = computing(body);
    for (var point : points) {
      var copy = new ThreadCoarsening();
      first.add(new Code.Set(copy.name(at), point));
      first.addAll(copy.code(body.subList(0, straight)));
      branches.addAll(copy.code(body.subList(straight, reads)));
      updates.addAll(copy.code(body.subList(reads, body.size())));
    }
    first.addAll(branches);
    first.addAll(updates);
    return first;
  }

  /** Returns how many statements come before the first branch, or before the first that writes. */
  private static int straight(List<Code> body) {
    int n = 0;
    while (n < body.size() && body.get(n) instanceof Code.Set) {
      n++;
    }
    return n;
  }

  private Reg name(Reg reg) {
    return names.computeIfAbsent(reg, r -> Reg.fresh(r.name(), r.prim()));
  }

  private List<Code> code(List<Code> code) {
    return code.stream().map(this::code).toList();
  }

  private Code code(Code c) {
    return switch (c) {
      case Code.Set(var reg, var e) -> {
        var value = expr(e);
        yield new Code.Set(name(reg), value);
      }
      case Code.Store(var prim, var base, var index, var value) ->
          new Code.Store(prim, expr(base), expr(index), expr(value));
      case Code.AtomicUpdate(var op, var prim, var base, var index, var value) ->
          new Code.AtomicUpdate(op, prim, expr(base), expr(index), expr(value));
      case Code.If(var condition, var then, var otherwise) ->
          new Code.If(expr(condition), code(then), code(otherwise));
      default -> throw new dev.kenaz.error.CompilerBug("kernels", "not for several points: " + c);
    };
  }

  private Expr expr(Expr e) {
    return e instanceof Expr.Use(var reg) && names.containsKey(reg)
        ? Expr.use(names.get(reg))
        : e.map(this::expr);
  }
}
