package dev.kenaz.loopir;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Finds what code needs from before it, and what it has set whichever way it went. */
public final class Liveness {
  private final Set<Reg> needed = new LinkedHashSet<>();
  private final Set<Reg> set = new HashSet<>();

  /** What is in {@link #set}, in the order in which it came. */
  private final List<Reg> order = new ArrayList<>();

  private Liveness() {}

  public static Liveness of(List<Code> code) {
    var l = new Liveness();
    code.forEach(l::code);
    return l;
  }

  /** Returns the registers that may be read before they are set. */
  public Set<Reg> needed() {
    return needed;
  }

  /** Returns the registers that are certainly set. */
  public Set<Reg> set() {
    return set;
  }

  private void code(Code c) {
    switch (c) {
      case Code.If(var condition, var then, var otherwise) -> {
        reads(List.of(new Code.Print("", condition)));
        var both = inside(then);
        both.retainAll(inside(otherwise));
        both.forEach(this::add);
      }
      case Code.For(var i, var bound, var body, _, _) -> {
        reads(List.of(new Code.Print("", bound)));
        add(i);
        inside(body);
      }
      case Code.While(var condition, var body) -> {
        reads(List.of(new Code.Print("", condition)));
        inside(body);
      }
      case Code.Set(var reg, _) -> {
        reads(List.of(c));
        add(reg);
      }
      case Code.Plan p -> {
        reads(List.of(c));
        add(p.chunks());
      }
      case Code.Call call -> {
        reads(List.of(c));
        call.sets().forEach(this::add);
      }
      case Code.Gpu(var g) -> {
        g.operands().forEach(e -> reads(List.of(new Code.Print("", e))));
        g.inner().forEach(this::code);
        g.sets().forEach(this::add);
      }
      case Code.Store _,
          Code.AtomicUpdate _,
          Code.Ensure _,
          Code.Free _,
          Code.Swap _,
          Code.CopyBytes _,
          Code.MatrixProduct _,
          Code.Check _,
          Code.Print _,
          Code.Parallel _ ->
          reads(List.of(c));
    }
  }

  private void add(Reg reg) {
    if (set.add(reg)) {
      order.add(reg);
    }
  }

  /** What code that may not run sets for itself; after it, that isn't certainly set. */
  private Set<Reg> inside(List<Code> code) {
    int before = order.size();
    code.forEach(this::code);
    var own = order.subList(before, order.size());
    var result = new HashSet<>(own);
    set.removeAll(result);
    own.clear();
    return result;
  }

  /** Treats one simple statement; what it does with a slot needs the slot. */
  private void reads(List<Code> one) {
    var r = Registers.of(one);
    r.read().stream().filter(x -> !set.contains(x)).forEach(needed::add);
    for (var slot : r.slots()) {
      Stream.of(slot.base(), slot.capacity()).filter(x -> !set.contains(x)).forEach(needed::add);
    }
  }
}
