package dev.kenaz.loopir;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds which registers and slots code sets and reads; bodies of parallel loops are frames of their
 * own.
 */
public final class Registers {
  private final Set<Reg> set = new LinkedHashSet<>();
  private final Set<Reg> used = new LinkedHashSet<>();
  private final Set<Slot> slots = new LinkedHashSet<>();

  private Registers() {}

  public static Registers of(List<Code> code) {
    var r = new Registers();
    r.all(code);
    return r;
  }

  /** Returns how often each register is read. */
  public static Map<Reg, Integer> reads(List<Code> code) {
    var counts = new HashMap<Reg, Integer>();
    CodeWalk.code(code, _ -> {}, e -> count(e, counts));
    return counts;
  }

  /** Does the same with what the function returns. */
  public static Map<Reg, Integer> reads(LoopFun function) {
    var counts = reads(function.body());
    for (var result : function.results()) {
      switch (result) {
        case LoopFun.ScalarResult(var value) -> CodeWalk.expr(value, e -> count(e, counts));
        case LoopFun.ArrayResult(_, _, var address, var dims) -> {
          CodeWalk.expr(address, e -> count(e, counts));
          dims.forEach(d -> CodeWalk.expr(d, e -> count(e, counts)));
        }
      }
    }
    return counts;
  }

  /** Returns how often each register is set in the text of the code. */
  public static Map<Reg, Integer> sets(List<Code> code) {
    var counts = new HashMap<Reg, Integer>();
    CodeWalk.code(
        code,
        c -> {
          if (c instanceof Code.Set(var reg, _)) {
            counts.merge(reg, 1, Integer::sum);
          }
        },
        _ -> {});
    return counts;
  }

  private static void count(Expr e, Map<Reg, Integer> counts) {
    if (e instanceof Expr.Use(var reg)) {
      counts.merge(reg, 1, Integer::sum);
    }
  }

  /** The registers that are read, but not set: they are to be handed in. */
  public List<Reg> captured() {
    return used.stream().filter(r -> !set.contains(r)).toList();
  }

  /** Returns the slots that belong to this frame. */
  public List<Slot> slots() {
    return List.copyOf(slots);
  }

  public Set<Reg> assigned() {
    return set;
  }

  public Set<Reg> read() {
    return used;
  }

  private void all(List<Code> code) {
    code.forEach(this::code);
  }

  private void code(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) -> {
        set.add(reg);
        expr(e);
      }
      case Code.Store(_, var base, var index, var value) -> {
        expr(base);
        expr(index);
        expr(value);
      }
      case Code.AtomicUpdate(_, _, var base, var index, var value) -> {
        expr(base);
        expr(index);
        expr(value);
      }
      case Code.Ensure(var slot, var bytes) -> {
        slot(slot);
        expr(bytes);
      }
      case Code.Free(var slot) -> slot(slot);
      case Code.Swap(var a, var b) -> {
        slot(a);
        slot(b);
      }
      case Code.CopyBytes(var to, var from, var bytes) -> {
        expr(to);
        expr(from);
        expr(bytes);
      }
      case Code.MatrixProduct m -> m.operands().forEach(this::expr);
      case Code.If(var condition, var then, var otherwise) -> {
        expr(condition);
        all(then);
        all(otherwise);
      }
      case Code.For(var i, var bound, var body, _, _) -> {
        set.add(i);
        expr(bound);
        all(body);
      }
      case Code.While(var condition, var body) -> {
        expr(condition);
        all(body);
      }
      case Code.Check(var condition, _, var arguments) -> {
        expr(condition);
        arguments.forEach(this::expr);
      }
      case Code.Call call -> {
        call.arguments().forEach(this::expr);
        set.addAll(call.sets());
        call.slots().forEach(this::slot);
      }
      case Code.Print(_, var value) -> expr(value);
      case Code.Plan(var chunks, var extent, var work, var most) -> {
        set.add(chunks);
        expr(extent);
        expr(work);
        expr(most);
      }
      case Code.Parallel p -> {
        expr(p.extent());
        expr(p.work());
        expr(p.chunks());
        used.addAll(captured(p));
      }
      case Code.Gpu(var g) -> {
        g.operands().forEach(this::expr);
        g.sets().forEach(set::add);
        all(g.inner());
      }
    }
  }

  /** Returns the registers of the code around that a parallel body, or its {@code work}, reads. */
  public static List<Reg> captured(Code.Parallel p) {
    var own = List.of(p.chunk(), p.lo(), p.hi());
    var r = of(p.body());
    r.expr(p.work());
    return r.captured().stream().filter(x -> !own.contains(x)).toList();
  }

  /** Whether the code mentions the register at all. */
  public boolean mentions(Reg reg) {
    return set.contains(reg) || used.contains(reg);
  }

  private void slot(Slot slot) {
    slots.add(slot);
    set.add(slot.base());
    set.add(slot.capacity());
  }

  private void expr(Expr e) {
    if (e instanceof Expr.Use(var reg)) {
      used.add(reg);
    }
    e.operands().forEach(this::expr);
  }
}
