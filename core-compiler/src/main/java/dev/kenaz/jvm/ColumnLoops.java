package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import dev.kenaz.loopir.Strides;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Turns loops that go down the columns of matrices, one column after the other, so that they go
 * along the rows:
 *
 * <pre>
 *   for t &lt; m: x = 0; for i &lt; n: x += a[i * m + t]; b[i * m + t] = x
 *     =&gt;  for t &lt; m: s[t] = 0
 *         for i &lt; n: for t &lt; m: x = s[t]; x += a[i * m + t]; b[i * m + t] = x; s[t] = x
 * </pre>
 *
 * <p>Neighbours in memory then come one after the other, and the inner loop runs in vectors. What a
 * column keeps from row to row is in memory of its own, for a block of columns that the first-level
 * cache has room for. The iterations of the outer loop are independent, so any order of them is the
 * same, as long as each column goes through its statements in order.
 */
final class ColumnLoops {
  /**
   * A loop of the body, or what comes between loops.
   *
   * @param loop null if it is no loop
   */
  private record Part(Code.For loop, List<Code> body) {}

  /** So many columns are a page of f32; the processor fetches ahead within pages. */
  private static final long BLOCK = 1024;

  /** A row of fewer elements lies in the same lines as its neighbours. */
  private static final long LEAST_WIDTH = 64;

  private static final int MOST_STATEMENTS = 60;
  private static final int MOST_STATES = 8;

  private final Code.For loop;
  private final Reg first = Reg.index("first");
  private final Set<Reg> assigned;
  private final Map<Reg, Integer> sets;

  /** What depends on nothing but the column is computed again where it is wanted. */
  private final List<Code.Set> definitions = new ArrayList<>();

  private final List<Part> parts = new ArrayList<>();

  /** In this order, so that the same program always becomes the same code. */
  private final Map<Reg, Slot> states = new LinkedHashMap<>();

  private ColumnLoops(Code.For loop) {
    this.loop = loop;
    assigned = Registers.of(loop.body()).assigned();
    sets = Registers.sets(loop.body());
  }

  /** Returns the function with such loops turned. */
  static LoopFun in(LoopFun function) {
    var code = in(function.body());
    return code.equals(function.body()) ? function : function.with(code);
  }

  private static List<Code> in(List<Code> code) {
    var out = new ArrayList<Code>();
    for (var c : code) {
      var turned = c instanceof Code.For f ? turned(f) : Optional.<List<Code>>empty();
      if (turned.isPresent()) {
        out.addAll(turned.get());
      } else {
        var next = CodeWalk.withInner(c, ColumnLoops::in);
        out.add(next.equals(c) ? c : next);
      }
    }
    return out.equals(code) ? code : out;
  }

  private static Optional<List<Code>> turned(Code.For f) {
    if (!f.independent()
        || !f.reductions().isEmpty()
        || f.body().stream().noneMatch(c -> c instanceof Code.For)
        || !CodeWalk.brief(f.body(), MOST_STATEMENTS)) {
      return Optional.empty();
    }
    var columns = new ColumnLoops(f);
    return columns.divide() && columns.goesDown() ? columns.code() : Optional.empty();
  }

  /**
   * Divides the body into definitions, loops and other code; tells whether nothing else is there.
   */
  private boolean divide() {
    var known = new HashSet<>(Set.of(loop.i()));
    var between = new ArrayList<Code>();
    for (var c : loop.body()) {
      switch (c) {
        case Code.Set s when isDefinition(s, known) -> {
          definitions.add(s);
          known.add(s.reg());
        }
        case Code.Set _, Code.Store _ -> between.add(c);
        case Code.For g when isPlain(g) -> {
          parts.add(new Part(null, List.copyOf(between)));
          between.clear();
          parts.add(new Part(g, g.body()));
        }
        default -> {
          return false;
        }
      }
    }
    parts.add(new Part(null, between));
    parts.removeIf(p -> p.body().isEmpty());
    return true;
  }

  private boolean isDefinition(Code.Set s, Set<Reg> known) {
    var others = new HashSet<>(assigned);
    others.removeAll(known);
    return sets.get(s.reg()) == 1
        && Operands.isPure(s.value())
        && !Operands.reads(s.value(), others);
  }

  /** Whether the loop has the same number of iterations for all columns, and no loop in it. */
  private boolean isPlain(Code.For g) {
    return Operands.isPure(g.bound())
        && !Operands.reads(g.bound(), assigned)
        && !Operands.reads(g.bound(), Set.of(loop.i()))
        && !CodeWalk.has(g.body(), Code.For.class)
        && !CodeWalk.has(g.body(), Code.Check.class)
        && Operands.canBeRenamed(g.body());
  }

  /**
   * Whether all accesses are along the rows from column to column, and a loop writes down the
   * columns.
   */
  private boolean goesDown() {
    var all = new ArrayList<Code>(definitions);
    parts.forEach(p -> all.addAll(p.body()));
    var strides = new Strides(all);
    var fits = new boolean[] {true};
    var down = new boolean[1];
    for (var part : parts) {
      CodeWalk.code(
          part.body(),
          c -> {
            if (c instanceof Code.Store(_, var base, var index, _)) {
              fits[0] &= isRow(strides, base, index, true);
              down[0] |= part.loop() != null && isFar(strides.of(index, part.loop().i()));
            }
          },
          e -> {
            if (e instanceof Expr.Load(_, var base, var index)) {
              fits[0] &= isRow(strides, base, index, false);
            }
          });
    }
    return fits[0] && down[0];
  }

  private boolean isRow(Strides strides, Expr base, Expr index, boolean stored) {
    var step = strides.of(index, loop.i());
    return step != null
        && !Operands.reads(base, assigned)
        && !Operands.reads(base, Set.of(loop.i()))
        && (Expr.isConst(step, 1) || !stored && Expr.isConst(step, 0));
  }

  private static boolean isFar(Expr stride) {
    return stride != null
        && !(stride instanceof Expr.Lit(var n) && Math.abs(n.bits()) < LEAST_WIDTH);
  }

  private Optional<List<Code>> code() {
    findStates();
    if (states.size() > MOST_STATES || Operands.reads(loop.bound(), assigned)) {
      return Optional.empty();
    }
    var width = Reg.index("width");
    var number = Reg.index("block");
    var block = new ArrayList<Code>();
    block.add(new Code.Set(first, Expr.mul(Expr.use(number), Expr.i64(BLOCK))));
    var left = Expr.sub(loop.bound(), Expr.use(first));
    block.add(new Code.Set(width, new Expr.Bin(BinaryOp.MIN, left, Expr.i64(BLOCK))));
    for (var part : parts) {
      var columns = columns(part.body(), width);
      var g = part.loop();
      block.add(
          g == null ? columns : new Code.For(g.i(), g.bound(), List.of(columns), false, List.of()));
    }
    var out = new ArrayList<Code>();
    states.forEach(
        (reg, slot) -> out.add(new Code.Ensure(slot, Expr.i64(BLOCK * reg.prim().byteSize()))));
    var blocks =
        new Expr.Bin(BinaryOp.QUOT, Expr.add(loop.bound(), Expr.i64(BLOCK - 1)), Expr.i64(BLOCK));
    out.add(new Code.For(number, blocks, block, false, List.of()));
    return Optional.of(out);
  }

  /** Finds what a column keeps: from one part to another, or from row to row. */
  private void findStates() {
    var kept = new LinkedHashSet<Reg>();
    for (var part : parts) {
      var needed = new LinkedHashSet<>(Liveness.of(part.body()).needed());
      if (part.loop() != null) {
        needed.remove(part.loop().i());
      }
      kept.addAll(needed);
    }
    kept.retainAll(assigned);
    definitions.forEach(d -> kept.remove(d.reg()));
    kept.forEach(reg -> states.put(reg, Slot.fresh(reg.name())));
  }

  /** Returns the loop over the columns of a block for a part. */
  private Code columns(List<Code> body, Reg width) {
    var t = Reg.index(loop.i().name());
    var here = Expr.use(t);
    var registers = Registers.of(body);
    var out = new ArrayList<Code>();
    out.addAll(wanted(body));
    for (var s : states.entrySet()) {
      var reg = s.getKey();
      if (registers.read().contains(reg) || registers.assigned().contains(reg)) {
        var base = Expr.use(s.getValue().base());
        out.add(new Code.Set(reg, new Expr.Load(reg.prim(), base, here)));
      }
    }
    out.addAll(body);
    for (var s : states.entrySet()) {
      var reg = s.getKey();
      if (registers.assigned().contains(reg)) {
        var base = Expr.use(s.getValue().base());
        out.add(new Code.Store(reg.prim(), base, here, Expr.use(reg)));
      }
    }
    var column = Expr.add(Expr.use(first), here);
    var code = Operands.renamed(out, Map.of(loop.i(), column));
    return new Code.For(t, Expr.use(width), code, true, List.of());
  }

  /** Returns those definitions that the code reads. */
  private List<Code> wanted(List<Code> body) {
    var read = new HashSet<>(Registers.of(body).read());
    var wanted = new ArrayList<Code>();
    for (var d : definitions.reversed()) {
      if (read.contains(d.reg())) {
        wanted.addFirst(d);
        read.addAll(Registers.of(List.of(d)).read());
      }
    }
    return wanted;
  }
}
