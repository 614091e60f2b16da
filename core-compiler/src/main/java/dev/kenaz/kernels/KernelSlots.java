package dev.kenaz.kernels;

import dev.kenaz.analysis.DisjointSets;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds memory for the slots of a kernel's threads. Small ones of constant size are arrays of the
 * thread; others whose size the host can tell get a region of device memory, with one piece for
 * each thread; the rest get theirs from the device's heap. Slots that exchange buffers are treated
 * alike.
 */
final class KernelSlots {
  /** A thread's own arrays take at most this many bytes together. */
  private static final long LOCAL_BYTES = 2048;

  /** An array of a thread that is used where the host finds that a piece is no larger. */
  private static final long OWN_BYTES = 512;

  private static final int MOST_OWN = 4;

  private static final long ALIGN = 16;

  private final Kernels.Shape shape;
  private final Kernel.Grid grid;
  private final DisjointSets<Slot> classes = new DisjointSets<>();
  private final Map<Reg, List<Expr>> sets = new HashMap<>();
  private final Map<Slot, List<Optional<Expr>>> sizes = new LinkedHashMap<>();
  private final List<Code> host = new ArrayList<>();
  private final List<Code> prologue = new ArrayList<>();
  private final List<Kernel.Local> locals = new ArrayList<>();
  private final List<Slot> heap = new ArrayList<>();
  private final List<Slot> fixed = new ArrayList<>();
  private Set<Reg> carried = Set.of();
  private long localBytes;
  private int owns;
  private List<Code> body;

  private KernelSlots(Kernels.Shape shape, Kernel.Grid grid) {
    this.shape = shape;
    this.grid = grid;
  }

  static KernelSlots of(List<Code> body, Kernels.Shape shape, Kernel.Grid grid) {
    var k = new KernelSlots(shape, grid);
    k.find(body);
    return k;
  }

  /** Returns the code before the launch, which allocates memory. */
  List<Code> host() {
    return host;
  }

  /** Returns the code before the body, which tells where each slot's memory is. */
  List<Code> prologue() {
    return prologue;
  }

  List<Code> body() {
    return body;
  }

  List<Kernel.Local> locals() {
    return locals;
  }

  List<Slot> heap() {
    return heap;
  }

  /** Whether the body has slots that need memory from the host, so that threads should be few. */
  static boolean needsRegion(List<Code> body) {
    var k = new KernelSlots(new Kernels.Shape(Expr.i64(1), Expr.i64(1), Expr.i64(0)), null);
    k.collect(body);
    return k.sizes.values().stream()
        .anyMatch(all -> all.stream().anyMatch(e -> e.isEmpty() || constant(e.get()).isEmpty()));
  }

  private void find(List<Code> code) {
    var slots = Registers.of(code).slots();
    collect(code);
    Map<Slot, List<Optional<Expr>>> groups = new LinkedHashMap<>();
    for (var slot : slots) {
      groups
          .computeIfAbsent(classes.of(slot), _ -> new ArrayList<>())
          .addAll(sizes.getOrDefault(slot, List.of()));
    }
    slots.forEach(slot -> place(slot, groups.get(classes.of(slot))));
    body = fixed.isEmpty() ? code : without(code);
  }

  private void collect(List<Code> code) {
    carried = Liveness.of(code).needed();
    CodeWalk.code(
        code,
        c -> {
          switch (c) {
            case Code.Set(var reg, var e) ->
                sets.computeIfAbsent(reg, _ -> new ArrayList<>()).add(e);
            case Code.For f -> sets.computeIfAbsent(f.i(), _ -> new ArrayList<>());
            case Code.Gpu(var g) ->
                g.sets().forEach(r -> sets.computeIfAbsent(r, _ -> new ArrayList<>()));
            case Code.Swap(var a, var b) -> classes.join(a, b);
            default -> {}
          }
        },
        _ -> {});
    if (grid != null) {
      for (var reg : List.of(grid.thread(), grid.block(), grid.threads(), grid.blocks())) {
        sets.put(reg, List.of());
      }
    }
    CodeWalk.code(
        code,
        c -> {
          if (c instanceof Code.Ensure(var slot, var bytes)) {
            sizes.computeIfAbsent(slot, _ -> new ArrayList<>()).add(outside(bytes));
          }
        },
        _ -> {});
    for (var s : Registers.of(code).slots()) {
      sets.put(s.base(), List.of());
      sets.put(s.capacity(), List.of());
    }
  }

  // Sizes

  private void place(Slot slot, List<Optional<Expr>> needs) {
    if (needs.stream().anyMatch(Optional::isEmpty)) {
      heap.add(slot);
      return;
    }
    Expr most = Expr.i64(0);
    for (var n : needs) {
      most = max(most, n.get());
    }
    fixed.add(slot);
    var bytes = constant(most);
    if (bytes.isPresent() && localBytes + bytes.get() <= LOCAL_BYTES) {
      var array = Reg.index(slot.base().name() + "_local");
      long rounded = Math.max(ALIGN, (bytes.get() + ALIGN - 1) / ALIGN * ALIGN);
      localBytes += rounded;
      locals.add(new Kernel.Local(array, rounded));
      prologue.add(new Code.Set(slot.base(), Expr.use(array)));
    } else {
      region(slot, most);
    }
    prologue.add(new Code.Set(slot.capacity(), Expr.i64(Long.MAX_VALUE)));
  }

  /**
   * Makes a region with one piece for each thread. If the host finds that a piece is small, an
   * array of the thread is used instead: elements of neighbouring threads lie side by side there.
   */
  private void region(Slot slot, Expr bytes) {
    var size = Reg.index(slot.base().name() + "_bytes");
    var units = Expr.add(bytes, Expr.i64(2 * ALIGN - 1));
    var rounded = Expr.mul(new Expr.Bin(BinaryOp.QUOT, units, Expr.i64(ALIGN)), Expr.i64(ALIGN));
    host.add(new Code.Set(size, rounded));
    var all = Slot.fresh(slot.base().name() + "_all");
    var threads = Expr.mul(shape.blocks(), shape.threads());
    var together = Expr.size(Expr.use(size), threads);
    var me =
        Expr.add(
            Expr.mul(Expr.use(grid.block()), Expr.use(grid.threads())), Expr.use(grid.thread()));
    var piece = Expr.add(Expr.use(all.base()), Expr.mul(me, Expr.use(size)));
    if (owns == MOST_OWN) {
      host.add(new Code.Ensure(all, together));
      prologue.add(new Code.Set(slot.base(), piece));
      return;
    }
    owns++;
    var own = Reg.index(slot.base().name() + "_own");
    locals.add(new Kernel.Local(own, OWN_BYTES));
    var small = new Expr.Cmp(CompareOp.LE, Expr.use(size), Expr.i64(OWN_BYTES));
    host.add(new Code.Ensure(all, new Expr.Select(small, Expr.i64(0), together)));
    prologue.add(new Code.Set(slot.base(), new Expr.Select(small, Expr.use(own), piece)));
  }

  private static Expr max(Expr a, Expr b) {
    if (a instanceof Expr.Lit x && b instanceof Expr.Lit y) {
      return Expr.i64(Math.max(x.value().bits(), y.value().bits()));
    }
    return a.equals(b) ? a : new Expr.Bin(BinaryOp.MAX, a, b);
  }

  private static Optional<Long> constant(Expr e) {
    return e instanceof Expr.Lit l ? Optional.of(l.value().bits()) : Optional.empty();
  }

  /** Returns the expression in terms of what is known outside, if that is possible. */
  private Optional<Expr> outside(Expr e) {
    return switch (e) {
      case Expr.Lit _ -> Optional.of(e);
      case Expr.Use(var reg) -> {
        var all = sets.get(reg);
        if (all == null) {
          yield Optional.of(e);
        }
        // what is carried around a loop has several values, though it is set in one place
        boolean same = all.size() == 1 && !carried.contains(reg);
        yield same ? outside(all.getFirst()) : Optional.empty();
      }
      case Expr.Bin(var op, var x, var y) -> {
        var a = outside(x);
        var b = outside(y);
        boolean safe =
            switch (op) {
              case ADD, SUB, MUL, MIN, MAX, AND, OR, XOR -> true;
              case DIV, MOD, QUOT, REM -> y instanceof Expr.Lit;
              default -> false;
            };
        if (!safe || a.isEmpty() || b.isEmpty()) {
          yield Optional.empty();
        }
        yield Optional.of(
            x.prim() == Prim.I64
                ? switch (op) {
                  case ADD -> Expr.add(a.get(), b.get());
                  case SUB -> Expr.sub(a.get(), b.get());
                  case MUL -> Expr.mul(a.get(), b.get());
                  default -> new Expr.Bin(op, a.get(), b.get());
                }
                : new Expr.Bin(op, a.get(), b.get()));
      }
      case Expr.Size(var x, var y) -> {
        var a = outside(x);
        var b = outside(y);
        yield a.isEmpty() || b.isEmpty()
            ? Optional.empty()
            : Optional.of(Expr.size(a.get(), b.get()));
      }
      case Expr.Conv(var prim, var x) -> outside(x).map(a -> new Expr.Conv(prim, a));
      case Expr.Un _, Expr.Cmp _, Expr.MulAdd _, Expr.Select _, Expr.Load _ -> Optional.empty();
    };
  }

  // Code

  /** Returns the code in which slots with memory of their own are neither made nor freed. */
  private List<Code> without(List<Code> code) {
    var kept = new ArrayList<Code>();
    for (var c : code) {
      switch (c) {
        case Code.Ensure(var slot, _) when fixed.contains(slot) -> {}
        case Code.Free(var slot) when fixed.contains(slot) -> {}
        default -> kept.add(CodeWalk.withInner(c, this::without));
      }
    }
    return kept;
  }
}
