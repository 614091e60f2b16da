package dev.kenaz.loopir;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Finds what code needs from before it, and what it has set whichever way it went. */
public final class Liveness {
  private final Set<Reg> needed = new LinkedHashSet<>();
  private Set<Reg> set = new HashSet<>();

  private Liveness() {}

  public static Liveness of(List<Code> code) {
    var l = new Liveness();
    code.forEach(l::code);
    return l;
  }

  /** The registers that may be read before they are set. */
  public Set<Reg> needed() {
    return needed;
  }

  /** The registers that are certainly set. */
  public Set<Reg> set() {
    return set;
  }

  private void code(Code c) {
    switch (c) {
      case Code.If(var condition, var then, var otherwise) -> {
        reads(List.of(new Code.Print("", condition)));
        var before = set;
        var a = branch(then, before);
        var b = branch(otherwise, before);
        a.retainAll(b);
        set = a;
      }
      case Code.For(var i, var bound, var body, _, _) -> {
        reads(List.of(new Code.Print("", bound)));
        var before = new HashSet<>(set);
        set = new HashSet<>(set);
        set.add(i);
        body.forEach(this::code);
        set = before;
        set.add(i);
      }
      case Code.While(var condition, var body) -> {
        reads(List.of(new Code.Print("", condition)));
        var before = new HashSet<>(set);
        set = new HashSet<>(set);
        body.forEach(this::code);
        set = before;
      }
      case Code.Set(var reg, _) -> {
        reads(List.of(c));
        set.add(reg);
      }
      case Code.Plan p -> {
        reads(List.of(c));
        set.add(p.chunks());
      }
      case Code.Call call -> {
        reads(List.of(c));
        set.addAll(call.sets());
      }
      case Code.Gpu(var g) -> {
        g.operands().forEach(e -> reads(List.of(new Code.Print("", e))));
        g.inner().forEach(this::code);
        g.sets().ifPresent(set::add);
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

  private Set<Reg> branch(List<Code> code, Set<Reg> before) {
    set = new HashSet<>(before);
    code.forEach(this::code);
    return set;
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
