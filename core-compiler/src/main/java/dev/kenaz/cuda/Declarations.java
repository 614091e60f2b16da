package dev.kenaz.cuda;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds where in a kernel each register is declared: in the innermost block that has all its uses.
 */
final class Declarations {
  /** The registers to be declared just before a statement, or by it. */
  private final Map<Code, Set<Reg>> before = new IdentityHashMap<>();

  private final Map<Code, Set<Reg>> alone = new IdentityHashMap<>();

  /** What was found out about blocks and single statements. */
  private final Map<Object, Set<Reg>> mentioned = new IdentityHashMap<>();

  private final Map<List<Code>, Set<Reg>> needed = new IdentityHashMap<>();

  static Declarations of(List<Code> body, Set<Reg> known) {
    var d = new Declarations();
    var regs = new LinkedHashSet<>(d.mentioned(body));
    regs.removeAll(known);
    d.block(body, regs);
    return d;
  }

  /** Whether nothing but the loop mentions its counter, and its bound does not. */
  boolean onlyInside(Code.For f, Reg reg) {
    return alone.getOrDefault(f, Set.of()).contains(reg) && !reads(f.bound(), reg);
  }

  Set<Reg> before(Code c) {
    return before.getOrDefault(c, Set.of());
  }

  private Set<Reg> mentioned(List<Code> block) {
    return mentioned.computeIfAbsent(block, _ -> registers(block));
  }

  private Set<Reg> mentioned(Code c) {
    return mentioned.computeIfAbsent(c, _ -> registers(List.of(c)));
  }

  private static Set<Reg> registers(List<Code> code) {
    var r = Registers.of(code);
    var all = new LinkedHashSet<>(r.assigned());
    all.addAll(r.read());
    return all;
  }

  private void block(List<Code> code, Set<Reg> regs) {
    var users = new HashMap<Reg, List<Code>>();
    for (var c : code) {
      for (var reg : mentioned(c)) {
        if (regs.contains(reg)) {
          users.computeIfAbsent(reg, _ -> new ArrayList<>()).add(c);
        }
      }
    }
    var inside = new IdentityHashMap<Code, Set<Reg>>();
    for (var reg : regs) {
      var all = users.get(reg);
      if (all == null) {
        continue;
      }
      var first = all.getFirst();
      if (all.size() == 1 && mayGoInside(first, reg)) {
        inside.computeIfAbsent(first, _ -> new LinkedHashSet<>()).add(reg);
      } else {
        before.computeIfAbsent(first, _ -> new LinkedHashSet<>()).add(reg);
        if (all.size() == 1) {
          alone.computeIfAbsent(first, _ -> new LinkedHashSet<>()).add(reg);
        }
      }
    }
    inside.forEach(this::inner);
  }

  private void inner(Code c, Set<Reg> regs) {
    for (var body : bodies(c)) {
      var here = new LinkedHashSet<>(regs);
      here.retainAll(mentioned(body));
      block(body, here);
    }
  }

  /**
   * Whether only one block inside the statement uses the register, and sets it before it reads it.
   */
  private boolean mayGoInside(Code c, Reg reg) {
    var bodies = bodies(c);
    if (bodies.isEmpty() || headerMentions(c, reg)) {
      return false;
    }
    var using = bodies.stream().filter(b -> mentioned(b).contains(reg)).toList();
    return using.size() == 1 && !needed(using.getFirst()).contains(reg);
  }

  private Set<Reg> needed(List<Code> block) {
    return needed.computeIfAbsent(block, b -> Liveness.of(b).needed());
  }

  private static boolean headerMentions(Code c, Reg reg) {
    var header =
        switch (c) {
          case Code.If(var condition, _, _) -> List.<Code>of(new Code.Print("", condition));
          case Code.While(var condition, _) -> List.<Code>of(new Code.Print("", condition));
          case Code.For f -> List.<Code>of(new Code.Set(f.i(), f.bound()));
          case Code.Gpu(var g) ->
              g.operands().stream().<Code>map(e -> new Code.Print("", e)).toList();
          default -> List.<Code>of();
        };
    return registers(header).contains(reg);
  }

  private static List<List<Code>> bodies(Code c) {
    return switch (c) {
      case Code.If(_, var then, var otherwise) -> List.of(then, otherwise);
      case Code.While(_, var body) -> List.of(body);
      case Code.For f -> List.of(f.body());
      case Code.Gpu(GpuCode.Attempt(var body)) -> List.of(body);
      case Code.Gpu(GpuCode.Locked(_, _, var body)) -> List.of(body);
      default -> List.of();
    };
  }

  /** Whether the statement itself sets the register, and doesn't read it. */
  static boolean defines(Code c, Reg reg) {
    return switch (c) {
      case Code.Set(var r, var e) -> r.equals(reg) && !reads(e, reg);
      case Code.Gpu(var g) ->
          !(g instanceof GpuCode.Ballot)
              && g.sets().contains(reg)
              && g.operands().stream().noneMatch(e -> reads(e, reg));
      default -> false;
    };
  }

  private static boolean reads(Expr e, Reg reg) {
    return new HashSet<>(Registers.of(List.of(new Code.Print("", e))).read()).contains(reg);
  }
}
