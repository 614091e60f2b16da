package dev.kenaz.loopir;

import dev.kenaz.value.Prim;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Finds which registers may hold addresses made from which others. */
public final class Addresses {
  private final Map<Reg, Set<Reg>> sources = new HashMap<>();

  private Addresses() {}

  /**
   * Returns the registers that any of the given ones may have been computed from, themselves
   * included.
   */
  public static Set<Reg> sources(List<Code> code, Collection<Reg> regs) {
    var a = new Addresses();
    code.forEach(a::code);
    var found = new HashSet<>(regs);
    var open = new ArrayDeque<>(regs);
    while (!open.isEmpty()) {
      for (var source : a.sources.getOrDefault(open.poll(), Set.of())) {
        if (found.add(source)) {
          open.add(source);
        }
      }
    }
    return found;
  }

  private void code(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) -> {
        if (reg.prim() == Prim.I64) {
          madeOf(e, source -> edge(reg, source));
        }
      }
      case Code.Swap(var a, var b) -> {
        edge(a.base(), b.base());
        edge(b.base(), a.base());
      }
      case Code.Call call -> {
        for (var o : call.outputs()) {
          if (o instanceof Code.ArrayOutput(var slot, var address, _)) {
            edge(address, slot.base());
          }
        }
      }
      case Code.If(_, var then, var otherwise) -> {
        then.forEach(this::code);
        otherwise.forEach(this::code);
      }
      case Code.For f -> f.body().forEach(this::code);
      case Code.While(_, var body) -> body.forEach(this::code);
      case Code.Gpu(var g) -> g.inner().forEach(this::code);
      case Code.Store _,
          Code.AtomicUpdate _,
          Code.Ensure _,
          Code.Free _,
          Code.CopyBytes _,
          Code.MatrixProduct _,
          Code.Check _,
          Code.Print _,
          Code.Plan _,
          Code.Parallel _ -> {}
    }
  }

  private void edge(Reg to, Reg from) {
    sources.computeIfAbsent(to, _ -> new HashSet<>()).add(from);
  }

  /**
   * The registers that an address may be made of, if the expression gives one: it isn't made of
   * what is loaded, compared or converted.
   */
  public static void madeOf(Expr e, Consumer<Reg> action) {
    switch (e) {
      case Expr.Use(var reg) -> action.accept(reg);
      case Expr.Bin(_, var x, var y) -> {
        madeOf(x, action);
        madeOf(y, action);
      }
      case Expr.Select(_, var x, var y) -> {
        madeOf(x, action);
        madeOf(y, action);
      }
      case Expr.Lit _,
          Expr.Un _,
          Expr.Cmp _,
          Expr.Size _,
          Expr.MulAdd _,
          Expr.Conv _,
          Expr.Load _ -> {}
    }
  }
}
