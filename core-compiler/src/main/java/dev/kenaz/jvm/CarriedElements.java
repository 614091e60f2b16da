package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Keeps in a register what an iteration of a sequential loop stores and the next one loads:
 *
 * <pre>
 *   for i &lt; n:  x = a[i];  a[i + 1] = f(x)
 *     =&gt;  c = a[0];  for i &lt; n:  x = c;  a[i + 1] = f(x);  c = f(x)
 * </pre>
 *
 * <p>A recurrence would else wait for memory in each iteration: a processor hands a value that was
 * just stored to a load only after some cycles, and HotSpot doesn't know that the addresses are the
 * same.
 */
final class CarriedElements {
  private final Code.For loop;
  private final Set<Reg> slots;
  private final Set<Reg> assigned = new HashSet<>();

  /** What has been set so far in an iteration, in terms of what the loop doesn't set. */
  private final Map<Reg, Linear> known = new HashMap<>();

  private final List<Access> loads = new ArrayList<>();
  private final List<Access> stores = new ArrayList<>();

  /** An access at a statement of the body. */
  private record Access(int statement, Prim prim, Expr base, Expr original, Linear index) {}

  /**
   * A loop and what comes before it.
   *
   * @param before sets the registers that the body reads
   */
  record Result(List<Code> before, List<Code> body) {}

  private CarriedElements(Code.For loop, Set<Reg> slots) {
    this.loop = loop;
    this.slots = slots;
  }

  /**
   * Returns the body of the loop with elements in registers; nothing if there are none.
   *
   * @param bound how often the loop runs
   * @param slots the addresses of buffers of which no two are the same
   */
  static Optional<Result> of(Code.For loop, Reg bound, Set<Reg> slots) {
    if (loop.independent() || !isSimple(loop.body())) {
      return Optional.empty();
    }
    var elements = new CarriedElements(loop, slots);
    elements.collect();
    return elements.result(bound);
  }

  /** Returns the addresses of buffers of the function and those that it calls. */
  static Set<Reg> buffers(LoopFun function, Collection<LoopProgram.Callee> callees) {
    var all = new HashSet<Reg>();
    Consumer<Code> statement =
        c -> {
          if (c instanceof Code.Ensure(var slot, _)) {
            all.add(slot.base());
          }
        };
    CodeWalk.code(function.body(), statement, _ -> {});
    callees.forEach(callee -> CodeWalk.code(callee.body(), statement, _ -> {}));
    return all;
  }

  /** Whether all that is stored is stored in each iteration, and nothing else happens. */
  private static boolean isSimple(List<Code> body) {
    return body.stream()
        .allMatch(
            c ->
                switch (c) {
                  case Code.Set _, Code.Store _ -> true;
                  case Code.If(_, var then, var otherwise) -> sets(then) && sets(otherwise);
                  default -> false;
                });
  }

  private static boolean sets(List<Code> code) {
    return code.stream()
        .allMatch(
            c ->
                c instanceof Code.Set
                    || c instanceof Code.If(_, var then, var otherwise)
                        && sets(then)
                        && sets(otherwise));
  }

  private void collect() {
    var several = new HashSet<Reg>();
    assigned.add(loop.i());
    CodeWalk.code(
        loop.body(),
        c -> {
          if (c instanceof Code.Set(var reg, _) && !assigned.add(reg)) {
            several.add(reg);
          }
        },
        _ -> {});
    for (int k = 0; k < loop.body().size(); k++) {
      switch (loop.body().get(k)) {
        case Code.Set(var reg, var e) -> {
          loads(k, e);
          var value = linear(e);
          if (value != null && !several.contains(reg)) {
            known.put(reg, value);
          }
        }
        case Code.Store(var prim, var base, var index, var value) -> {
          loads(k, index);
          loads(k, value);
          stores.add(new Access(k, prim, base, index, linear(index)));
        }
        default -> {}
      }
    }
  }

  /** Collects what is loaded whenever the expression is evaluated. */
  private void loads(int statement, Expr e) {
    switch (e) {
      case Expr.Load(var prim, var base, var index) -> {
        loads.add(new Access(statement, prim, base, e, linear(index)));
        loads(statement, index);
      }
      case Expr.Select _ -> {}
      default -> {
        if (e.prim() != Prim.BOOL) {
          e.operands().forEach(x -> loads(statement, x));
        }
      }
    }
  }

  private Optional<Result> result(Reg bound) {
    var before = new ArrayList<Code>();
    var replaced = new HashMap<Integer, Map<Expr, Expr>>();
    var carried = new HashMap<Integer, Reg>();
    for (var store : stores) {
      var own = loads.stream().filter(load -> follows(load, store)).toList();
      if (own.isEmpty() || !isAlone(store)) {
        continue;
      }
      var c = Reg.fresh("carried", store.prim());
      carried.put(store.statement(), c);
      var first = own.getFirst();
      var place = first.index().without(Expr.use(loop.i())).expr();
      before.add(new Code.Set(c, Expr.zero(store.prim())));
      before.add(
          new Code.If(
              new Expr.Cmp(CompareOp.LT, Expr.i64(0), Expr.use(bound)),
              List.of(new Code.Set(c, new Expr.Load(store.prim(), store.base(), place))),
              List.of()));
      own.forEach(
          load ->
              replaced
                  .computeIfAbsent(load.statement(), _ -> new HashMap<>())
                  .put(load.original(), Expr.use(c)));
    }
    return before.isEmpty()
        ? Optional.empty()
        : Optional.of(new Result(before, body(replaced, carried)));
  }

  /** Whether the load reads in each iteration what the store has stored in the one before. */
  private boolean follows(Access load, Access store) {
    if (load.prim() != store.prim()
        || load.prim() == Prim.F16
        || load.prim() == Prim.BOOL
        || !load.base().equals(store.base())
        || load.statement() > store.statement()
        || load.index() == null
        || store.index() == null) {
      return false;
    }
    long step = load.index().times(Expr.use(loop.i()));
    return store.index().equals(load.index().plus(step));
  }

  /** Whether no other store changes anything in the array that the store belongs to. */
  private boolean isAlone(Access store) {
    return store.base() instanceof Expr.Use(var base)
        && !assigned.contains(base)
        && stores.stream()
            .allMatch(
                s ->
                    s == store
                        || s.base() instanceof Expr.Use(var other)
                            && !other.equals(base)
                            && slots.contains(base)
                            && slots.contains(other));
  }

  private List<Code> body(Map<Integer, Map<Expr, Expr>> replaced, Map<Integer, Reg> carried) {
    var out = new ArrayList<Code>();
    for (int k = 0; k < loop.body().size(); k++) {
      var map = replaced.getOrDefault(k, Map.of());
      switch (loop.body().get(k)) {
        case Code.Set(var reg, var e) -> out.add(new Code.Set(reg, replace(e, map)));
        case Code.Store(var prim, var base, var index, var value) -> {
          var stored = replace(value, map);
          var at = replace(index, map);
          var c = carried.get(k);
          if (c == null) {
            out.add(new Code.Store(prim, base, at, stored));
          } else {
            var next = Reg.fresh("next", prim);
            out.add(new Code.Set(next, stored));
            out.add(new Code.Store(prim, base, at, Expr.use(next)));
            out.add(new Code.Set(c, Expr.use(next)));
          }
        }
        case Code c -> out.add(c);
      }
    }
    return out;
  }

  private static Expr replace(Expr e, Map<Expr, Expr> map) {
    var known = map.get(e);
    return known != null ? known : map.isEmpty() ? e : e.map(x -> replace(x, map));
  }

  // Indices

  /**
   * A sum of multiples of expressions, in the integers modulo 2^64, in which i64 are computed.
   *
   * @param terms none of them is zero
   */
  private record Linear(Map<Expr, Long> terms, long constant) {
    static Linear of(Expr e) {
      return new Linear(Map.of(e, 1L), 0);
    }

    long times(Expr e) {
      return terms.getOrDefault(e, 0L);
    }

    Linear plus(long c) {
      return new Linear(terms, constant + c);
    }

    /** Adds a multiple of another sum. */
    Linear plus(Linear other, long times) {
      var sum = new LinkedHashMap<>(terms);
      other.terms.forEach((e, n) -> sum.merge(e, n * times, Long::sum));
      sum.values().removeIf(n -> n == 0);
      return new Linear(sum, constant + other.constant * times);
    }

    Linear without(Expr e) {
      var rest = new LinkedHashMap<>(terms);
      rest.remove(e);
      return new Linear(rest, constant);
    }

    Expr expr() {
      Expr sum = Expr.i64(constant);
      for (var term : terms.entrySet()) {
        sum = Expr.add(sum, Expr.mul(term.getKey(), Expr.i64(term.getValue())));
      }
      return sum;
    }
  }

  /** Returns the sum that the i64 is; null if it isn't one of what the loop doesn't set. */
  private Linear linear(Expr e) {
    if (e.prim() != Prim.I64) {
      return null;
    }
    return switch (e) {
      case Expr.Lit(var n) -> new Linear(Map.of(), n.bits());
      case Expr.Use(var reg) when known.containsKey(reg) -> known.get(reg);
      case Expr.Use(var reg) when reg.equals(loop.i()) -> Linear.of(e);
      case Expr.Bin(var op, var x, var y) when op == BinaryOp.ADD || op == BinaryOp.SUB -> {
        var a = linear(x);
        var b = linear(y);
        yield a == null || b == null ? null : a.plus(b, op == BinaryOp.ADD ? 1 : -1);
      }
      case Expr.Bin(var op, var x, Expr.Lit(var n)) when op == BinaryOp.MUL -> {
        var a = linear(x);
        yield a == null ? null : new Linear(Map.of(), 0).plus(a, n.bits());
      }
      default -> Operands.isPure(e) && !Operands.reads(e, assigned) ? Linear.of(e) : null;
    };
  }
}
