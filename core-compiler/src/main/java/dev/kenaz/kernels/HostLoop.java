package dev.kenaz.kernels;

import dev.kenaz.analysis.DisjointSets;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds what is known of a loop of the host before it runs: how much memory its slots need, and
 * what of it concerns the host only.
 */
final class HostLoop {
  private final Code loop;
  private final Map<Reg, Integer> mentions;
  private final Map<Reg, Integer> here = new HashMap<>();
  private final Map<Reg, List<Expr>> sets = new HashMap<>();
  private final Set<Reg> assigned;
  private final DisjointSets<Slot> exchanged = new DisjointSets<>();
  private final Map<Slot, Expr> memory = new LinkedHashMap<>();
  private List<Code> shadow = List.of();
  private List<Reg> back = List.of();

  private HostLoop(Code loop, Map<Reg, Integer> mentions) {
    this.loop = loop;
    this.mentions = mentions;
    assigned = Registers.of(List.of(loop)).assigned();
    HostPass.count(List.of(loop), here);
    CodeWalk.code(
        List.of(loop),
        c -> {
          switch (c) {
            case Code.Set(var reg, var e) ->
                sets.computeIfAbsent(reg, _ -> new ArrayList<>()).add(e);
            case Code.Swap(var a, var b) -> exchanged.join(a, b);
            default -> {}
          }
        },
        _ -> {});
  }

  /**
   * Analyses a loop.
   *
   * @param mentions how often each register is read or set in the function
   */
  static Optional<HostLoop> of(Code loop, Map<Reg, Integer> mentions) {
    var found = new HostLoop(loop, mentions);
    if (!found.isPlain() || !found.findMemory()) {
      return Optional.empty();
    }
    found.findShadow();
    return Optional.of(found);
  }

  Code loop() {
    return loop;
  }

  /**
   * Returns how large each slot that the loop grows has to be, as far as that is known before the
   * loop.
   */
  Map<Slot, Expr> memory() {
    return memory;
  }

  /**
   * The loop without kernels and memory: the code that sets registers that are used after it;
   * nothing if they depend on elements of arrays.
   */
  List<Code> shadow() {
    return shadow;
  }

  /**
   * Returns the registers that are used after the loop, if only the device can tell their values.
   */
  List<Reg> back() {
    return back;
  }

  private boolean isPlain() {
    var plain = new boolean[] {true};
    CodeWalk.code(
        List.of(loop),
        c ->
            plain[0] &=
                switch (c) {
                  case Code.Set _,
                      Code.Ensure _,
                      Code.Free _,
                      Code.Swap _,
                      Code.CopyBytes _,
                      Code.If _,
                      Code.For _,
                      Code.While _,
                      Code.Check _ ->
                      true;
                  case Code.Gpu(var g) -> g instanceof GpuCode.Launch;
                  case Code.Store _,
                      Code.AtomicUpdate _,
                      Code.MatrixProduct _,
                      Code.Call _,
                      Code.Print _,
                      Code.Plan _,
                      Code.Parallel _ ->
                      false;
                },
        _ -> {});
    return plain[0];
  }

  // What doesn't change

  /**
   * Returns the expression's value, if it is the same in all iterations, in terms of what is known
   * before the loop.
   */
  Optional<Expr> constant(Expr e) {
    return isConstant(e, Set.of()) ? Optional.of(resolved(e)) : Optional.empty();
  }

  private boolean isConstant(Expr e, Set<Reg> around) {
    return switch (e) {
      case Expr.Load _ -> false;
      case Expr.Use(var reg) when assigned.contains(reg) -> {
        var values = sets.getOrDefault(reg, List.of());
        var inside = new HashSet<>(around);
        yield values.size() == 1 && inside.add(reg) && isConstant(values.getFirst(), inside);
      }
      case Expr.Use _, Expr.Lit _ -> true;
      case Expr.Un _,
          Expr.Bin _,
          Expr.Size _,
          Expr.Cmp _,
          Expr.MulAdd _,
          Expr.Conv _,
          Expr.Select _ ->
          e.operands().stream().allMatch(x -> isConstant(x, around));
    };
  }

  private Expr resolved(Expr e) {
    return switch (e) {
      case Expr.Use(var reg) when assigned.contains(reg) -> resolved(sets.get(reg).getFirst());
      case Expr.Load _ -> e;
      default -> e.map(this::resolved);
    };
  }

  // Memory

  /**
   * Finds the memory of slots; those that exchange buffers all get as much as the largest of them.
   */
  private boolean findMemory() {
    var known = new boolean[] {true};
    var classes = new LinkedHashMap<Slot, Expr>();
    CodeWalk.code(
        List.of(loop),
        c -> {
          if (c instanceof Code.Ensure(var slot, var bytes)) {
            var size = constant(bytes);
            known[0] &= size.isPresent();
            size.ifPresent(s -> classes.merge(exchanged.of(slot), s, HostLoop::larger));
          }
        },
        _ -> {});
    for (var slot : Registers.of(List.of(loop)).slots()) {
      var size = classes.get(exchanged.of(slot));
      if (size != null) {
        memory.put(slot, size);
      }
    }
    return known[0];
  }

  private static Expr larger(Expr a, Expr b) {
    return a.equals(b) ? a : IndexMath.max(a, b);
  }

  // The host's part

  private void findShadow() {
    var after = assigned.stream().filter(this::isUsedElsewhere).toList();
    var needed = new HashSet<>(after);
    for (int before = -1; before != needed.size(); ) {
      before = needed.size();
      need(List.of(loop), needed);
    }
    var kept = shadow(List.of(loop), needed);
    var loads = new boolean[1];
    CodeWalk.code(kept, _ -> {}, e -> loads[0] |= e instanceof Expr.Load);
    if (loads[0]) {
      var all = new LinkedHashSet<>(after);
      exchanged(all);
      back = List.copyOf(all);
    } else {
      shadow = kept;
    }
  }

  /** Adds the registers of slots that exchange buffers: the host frees them after the loop. */
  private void exchanged(Set<Reg> into) {
    CodeWalk.code(
        List.of(loop),
        c -> {
          if (c instanceof Code.Swap(var a, var b)) {
            into.addAll(List.of(a.base(), a.capacity(), b.base(), b.capacity()));
          }
        },
        _ -> {});
  }

  /**
   * Adds what registers and the order of needed code depend on; tells whether any code is needed.
   */
  private static boolean need(List<Code> code, Set<Reg> needed) {
    boolean any = false;
    for (var c : code) {
      boolean here =
          switch (c) {
            case Code.Set(var reg, _) -> needed.contains(reg);
            case Code.Swap _ -> true;
            case Code.If(_, var then, var otherwise) ->
                need(then, needed) | need(otherwise, needed);
            case Code.For f -> need(f.body(), needed) | needed.contains(f.i());
            case Code.While w -> need(w.body(), needed);
            default -> false;
          };
      if (here) {
        CodeWalk.operands(c).forEach(e -> uses(e, needed));
      }
      any |= here;
    }
    return any;
  }

  private boolean isUsedElsewhere(Reg reg) {
    return !here.getOrDefault(reg, 0).equals(mentions.getOrDefault(reg, 0));
  }

  private static void uses(Expr e, Set<Reg> into) {
    CodeWalk.expr(
        e,
        x -> {
          if (x instanceof Expr.Use(var reg)) {
            into.add(reg);
          }
        });
  }

  static boolean loads(Expr e) {
    var found = new boolean[1];
    CodeWalk.expr(e, x -> found[0] |= x instanceof Expr.Load);
    return found[0];
  }

  private List<Code> shadow(List<Code> code, Set<Reg> needed) {
    var kept = new ArrayList<Code>();
    for (var c : code) {
      switch (c) {
        case Code.Set(var reg, _) when needed.contains(reg) -> kept.add(c);
        case Code.Swap _ -> kept.add(c);
        case Code.If(var condition, var then, var otherwise) -> {
          var a = shadow(then, needed);
          var b = shadow(otherwise, needed);
          if (!a.isEmpty() || !b.isEmpty()) {
            kept.add(new Code.If(condition, a, b));
          }
        }
        case Code.For(var i, var bound, var body, var independent, var reductions) -> {
          var inner = shadow(body, needed);
          if (!inner.isEmpty() || needed.contains(i)) {
            kept.add(new Code.For(i, bound, inner, independent, reductions));
          }
        }
        case Code.While(var condition, var body) -> {
          var inner = shadow(body, needed);
          if (!inner.isEmpty()) {
            kept.add(new Code.While(condition, inner));
          }
        }
        default -> {}
      }
    }
    return kept;
  }
}
