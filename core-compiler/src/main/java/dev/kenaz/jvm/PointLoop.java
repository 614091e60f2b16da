package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Lists;
import dev.kenaz.loopir.Addresses;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Strides;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a {@link LaneBlock} has to know of a loop over points: what is the same for all of them. */
final class PointLoop {
  private final Code.For loop;
  private final List<Code> task;
  private final Map<Reg, Expr> scratch = new LinkedHashMap<>();
  private final Set<Expr> bounds = new LinkedHashSet<>();
  private final Map<Reg, Expr> boundOf = new HashMap<>();
  private final Map<Reg, Expr> definitions = new HashMap<>();
  private final Set<Reg> several = new HashSet<>();
  private final Map<Reg, Integer> reads;
  private final Set<Reg> assigned;
  private final Set<Reg> varying = new HashSet<>();
  private final Set<Expr> stored = new HashSet<>();
  private final Set<Expr> loaded = new HashSet<>();
  private final Map<Expr, Set<Reg>> sources = new HashMap<>();
  private final Strides strides;

  /** An update of an accumulator at a place that is the same for all points. */
  record Update(Prim prim, Expr base, Expr index, BinaryOp op, Expr value) {}

  /**
   * @param after the statements that each point executes by itself afterwards
   * @param task the code of which the loop is a part
   */
  PointLoop(Code.For loop, List<Code> after, List<Code> task) throws Unsuitable {
    this.loop = loop;
    this.task = task;
    this.reads = Registers.reads(Lists.concat(loop.body(), after));
    this.assigned = Registers.of(loop.body()).assigned();
    CodeWalk.code(Lists.concat(loop.body(), after), _ -> {}, this::load);
    var sets = new ArrayList<Code>();
    collect(loop.body(), sets);
    strides = new Strides(sets);
    requireOwnScratch();
    varying.add(loop.i());
    loop.reductions().forEach(r -> varying.add(r.reg()));
    int before;
    do {
      before = varying.size() + stored.size();
      varies(loop.body(), false);
    } while (varying.size() + stored.size() > before);
  }

  Code.For loop() {
    return loop;
  }

  /** The arrays that a point makes for itself, by their addresses: how many bytes each has. */
  Map<Reg, Expr> scratch() {
    return scratch;
  }

  /** How often loops inside run; this is the same for all points. */
  Set<Expr> bounds() {
    return bounds;
  }

  /** How often the loop runs of which this is the counter; null if it is none. */
  Expr bound(Reg counter) {
    return boundOf.get(counter);
  }

  Set<Reg> assigned() {
    return assigned;
  }

  /** Whether the register is set in several places. */
  boolean changes(Reg reg) {
    return several.contains(reg);
  }

  /** Returns how often the register is read. */
  int reads(Reg reg) {
    return reads.getOrDefault(reg, 0);
  }

  /** Whether a point may store anything in that array, but for updates of accumulators. */
  boolean stores(Expr base) {
    return stored.stream().anyMatch(b -> overlap(b, base));
  }

  /** Whether a point may store anything there by another address. */
  boolean storesElsewhere(Expr base) {
    return stored.stream().anyMatch(b -> !b.equals(base) && overlap(b, base));
  }

  /** Whether a point, or what it does by itself afterwards, may load anything from there. */
  boolean loads(Expr base) {
    return loaded.stream().anyMatch(b -> overlap(b, base));
  }

  /**
   * Whether both addresses may be of the same array: a row of a result may have an address of its
   * own, which the code around a loop made of that of the result.
   */
  boolean overlap(Expr x, Expr y) {
    return x.equals(y) || !Collections.disjoint(sources(x), sources(y));
  }

  private Set<Reg> sources(Expr address) {
    return sources.computeIfAbsent(
        address,
        _ -> {
          var regs = new HashSet<Reg>();
          Addresses.madeOf(address, regs::add);
          return Addresses.sources(task, regs);
        });
  }

  /** By how much the index grows from a point to the next; null if that isn't one value. */
  Expr stride(Expr index) {
    return strides.of(index, loop.i());
  }

  boolean varies(Reg reg) {
    return varying.contains(reg);
  }

  private void load(Expr e) {
    if (e instanceof Expr.Load(_, var base, _)) {
      loaded.add(base);
    }
  }

  private void requireOwnScratch() throws Unsuitable {
    var slots = new HashSet<Reg>();
    var own = new boolean[] {true};
    CodeWalk.code(
        loop.body(),
        c -> {
          if (c instanceof Code.Ensure(var slot, var bytes)) {
            own[0] &= !Operands.reads(bytes, assigned) && scratch.put(slot.base(), bytes) == null;
            slots.addAll(List.of(slot.base(), slot.capacity()));
          }
        },
        _ -> {});
    CodeWalk.code(
        loop.body(),
        c -> {
          var operands = CodeWalk.operands(c);
          boolean element = c instanceof Code.Store(_, Expr.Use _, _, _);
          own[0] &=
              operands.subList(element ? 1 : 0, operands.size()).stream()
                  .allMatch(e -> elements(e, slots));
        },
        _ -> {});
    require(own[0]);
  }

  /** Whether addresses of scratch arrays are only those of elements. */
  private static boolean elements(Expr e, Set<Reg> slots) {
    return switch (e) {
      case Expr.Use(var reg) -> !slots.contains(reg);
      case Expr.Load(_, Expr.Use _, var index) -> elements(index, slots);
      default -> e.operands().stream().allMatch(x -> elements(x, slots));
    };
  }

  private void collect(List<Code> code, List<Code> sets) {
    for (var c : code) {
      if (c instanceof Code.Set(var reg, var e)) {
        sets.add(c);
        if (definitions.put(reg, e) != null) {
          several.add(reg);
        }
      }
      CodeWalk.inner(c).forEach(x -> collect(x, sets));
    }
  }

  private void varies(List<Code> code, boolean always) throws Unsuitable {
    for (int k = 0; k < code.size(); k++) {
      var update = always ? Optional.<Update>empty() : update(code, k);
      if (update.isPresent()) {
        k += 2;
        continue;
      }
      switch (code.get(k)) {
        case Code.Set(var reg, var e) -> {
          if (always || varies(e)) {
            varying.add(reg);
          }
        }
        case Code.Store(_, var base, _, _) -> {
          require(base instanceof Expr.Use(var b) && !varying.contains(b));
          stored.add(base);
        }
        case Code.If(var condition, var then, var otherwise) -> {
          boolean differs = always || varies(condition);
          varies(then, differs);
          varies(otherwise, differs);
        }
        case Code.For f -> {
          require(!varies(f.bound()) && !always && !Operands.reads(f.bound(), assigned));
          bounds.add(f.bound());
          var known = boundOf.put(f.i(), f.bound());
          require(known == null || known.equals(f.bound()));
          varies(f.body(), false);
        }
        case Code.Ensure _ -> require(!always);
        case Code.Check(var condition, _, var arguments) ->
            require(!always && !varies(condition) && arguments.stream().noneMatch(this::varies));
        default -> throw new Unsuitable("has side effects");
      }
    }
  }

  boolean varies(Expr e) {
    return switch (e) {
      case Expr.Use(var reg) -> varying.contains(reg);
      case Expr.Load(_, var base, var index) ->
          varies(base)
              || varies(index)
              || stored.contains(base)
              || base instanceof Expr.Use(var b) && scratch.containsKey(b);
      default -> e.operands().stream().anyMatch(this::varies);
    };
  }

  /** Recognises the three statements of an update at a place that doesn't vary. */
  Optional<Update> update(List<Code> code, int k) {
    if (k + 2 < code.size()
        && code.get(k) instanceof Code.Set(var old, Expr.Load(var prim, var base, var index))
        && code.get(k + 1) instanceof Code.Set(var sum, Expr.Bin(var op, var x, var y))
        && code.get(k + 2) instanceof Code.Store(_, var to, var at, Expr.Use(var value))
        && op == BinaryOp.ADD
        && to.equals(base)
        && at.equals(index)
        && value.equals(sum)
        && (x.equals(Expr.use(old)) || y.equals(Expr.use(old)))
        && !varies(base)
        && !varies(index)
        && !(base instanceof Expr.Use(var b) && scratch.containsKey(b))) {
      return Optional.of(new Update(prim, base, index, op, x.equals(Expr.use(old)) ? y : x));
    }
    return Optional.empty();
  }

  /** Whether there is anything in it that is done once for all points. */
  boolean shares(List<Code> code) {
    for (int k = 0; k < code.size(); k++) {
      if (update(code, k).isPresent()
          || code.get(k) instanceof Code.Check
          || CodeWalk.inner(code.get(k)).stream().anyMatch(this::shares)) {
        return true;
      }
    }
    return false;
  }

  static void require(boolean condition) throws Unsuitable {
    if (!condition) {
      throw new Unsuitable("its points can't be taken together");
    }
  }

  /** Whether it sets what is the same for all points, and what is read by other statements. */
  boolean leavesUniform(Code c) {
    var inside = Registers.reads(List.of(c));
    return Registers.of(List.of(c)).assigned().stream()
        .anyMatch(
            r -> !varying.contains(r) && reads.getOrDefault(r, 0) > inside.getOrDefault(r, 0));
  }

  /**
   * Returns what the register is if that follows from the number of the point alone, or from what
   * every point can read again as cheaply as from a copy.
   */
  Optional<Expr> place(Reg reg) {
    if (several.contains(reg) || boundOf.containsKey(reg)) {
      return Optional.empty();
    }
    if (reg.prim() == Prim.I64 && strides.of(Expr.use(reg), loop.i()) != null) {
      return place(Expr.use(reg));
    }
    return !bounds.isEmpty() ? Optional.empty() : again(reg);
  }

  private Optional<Expr> again(Reg reg) {
    return switch (definitions.get(reg)) {
      case Expr.Cmp(var op, var x, var y) when x.prim() == Prim.I64 ->
          place(x).flatMap(a -> place(y).map(b -> new Expr.Cmp(op, a, b)));
      case Expr.Load(var prim, var base, var index)
          when isAlways(reg) && !varies(base) && !stores(base) && isDirect(index) ->
          place(index).map(i -> new Expr.Load(prim, base, i));
      case null, default -> Optional.empty();
    };
  }

  /** Whether every point sets the register: no branch or loop is around. */
  private boolean isAlways(Reg reg) {
    return loop.body().stream().anyMatch(c -> c instanceof Code.Set(var r, _) && r.equals(reg));
  }

  /** Whether points that follow one another have neighbours there, or the same place. */
  boolean isDirect(Expr index) {
    var stride = stride(index);
    return stride != null
        && (Expr.isConst(stride, 1)
            || Expr.isConst(stride, 0)
            || Expr.isConst(stride, -1) && bounds.isEmpty());
  }

  /** Returns the index if it follows from the number of the point alone. */
  private Optional<Expr> place(Expr index) {
    if (strides.of(index, loop.i()) == null) {
      return Optional.empty();
    }
    try {
      var e = full(index);
      boolean alone = !Operands.reads(e, boundOf.keySet()) && strides.of(e, loop.i()) != null;
      return alone && Operands.isPure(e) ? Optional.of(e) : Optional.empty();
    } catch (Unsuitable u) {
      return Optional.empty();
    }
  }

  /** Returns the index in terms of counters and of what is set outside. */
  Expr full(Expr e) throws Unsuitable {
    if (e instanceof Expr.Use(var reg)) {
      if (!assigned.contains(reg) || boundOf.containsKey(reg)) {
        return e;
      }
      require(definitions.containsKey(reg) && !several.contains(reg));
      return full(definitions.get(reg));
    }
    require(!(e instanceof Expr.Load));
    var parts = new ArrayList<Expr>();
    for (var x : e.operands()) {
      parts.add(full(x));
    }
    var next = parts.iterator();
    return e.map(_ -> next.next());
  }
}
