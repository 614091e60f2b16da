package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Computes once what straight-line code computes several times, as the iterations of loops that are
 * written out do: above all what they load at a stride, which takes several instructions.
 *
 * <p>Only registers that are set once, and before they are read, are looked at. A store makes what
 * was loaded from its array unknown; arrays of different addresses are different, as everywhere in
 * loops whose iterations are independent.
 */
final class CommonValues {
  private final Set<Reg> assigned;
  private final Set<Reg> unstable;
  private final Set<Reg> set = new HashSet<>();
  private final Map<Reg, Expr> same = new HashMap<>();
  private final Map<Expr, Reg> known = new HashMap<>();

  private CommonValues(List<Code> code, Set<Reg> folded) {
    assigned = Registers.of(code).assigned();
    unstable = new HashSet<>(folded);
    var once = new HashSet<Reg>();
    CodeWalk.code(
        code,
        c -> {
          if (c instanceof Code.Set(var reg, _) && !once.add(reg)) {
            unstable.add(reg);
          }
        },
        _ -> {});
  }

  /**
   * Returns the code with copies of registers in the place of expressions.
   *
   * @param folded the registers that the loop reduces into
   */
  static List<Code> in(List<Code> code, Set<Reg> folded) {
    var values = new CommonValues(code, folded);
    var out = new ArrayList<Code>();
    code.forEach(c -> out.addAll(values.next(c)));
    return out;
  }

  private List<Code> next(Code code) {
    // the registers themselves are set, too, so that other statements can stay as they are
    boolean plain = code instanceof Code.Set || code instanceof Code.Store;
    var c = plain ? Operands.renamed(List.of(code), same).getFirst() : code;
    forget(c);
    if (!(c instanceof Code.Set(var reg, var e)) || unstable.contains(reg)) {
      return List.of(c);
    }
    set.add(reg);
    if (e instanceof Expr.Lit || !isStable(e)) {
      return List.of(c);
    }
    var first = e instanceof Expr.Use(var other) ? other : known.putIfAbsent(e, reg);
    if (first == null) {
      return List.of(c);
    }
    same.put(reg, Expr.use(first));
    return List.of(new Code.Set(reg, Expr.use(first)));
  }

  /** Whether what it reads stays the same from here on, but for what is loaded. */
  private boolean isStable(Expr e) {
    return switch (e) {
      case Expr.Use(var reg) ->
          !unstable.contains(reg) && (set.contains(reg) || !assigned.contains(reg));
      default -> e.operands().stream().allMatch(this::isStable);
    };
  }

  private void forget(Code c) {
    CodeWalk.code(
        List.of(c),
        s -> {
          if (s instanceof Code.Store(_, var base, _, _)) {
            known.keySet().removeIf(e -> mayLoad(e, base));
          }
        },
        _ -> {});
  }

  private static boolean mayLoad(Expr e, Expr base) {
    boolean here =
        e instanceof Expr.Load(_, var from, _)
            && (from.equals(base) || !(from instanceof Expr.Use) || !(base instanceof Expr.Use));
    return here || e.operands().stream().anyMatch(x -> mayLoad(x, base));
  }
}
