package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.jvm.LaneBlock.Scratch;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What points read at a stride again and again, because a loop is around the loop over them, as
 * that over the directions of a Jacobian:
 *
 * <pre>
 *   for r &lt; m: for t &lt; n: ... w[t, i] ...
 *     =&gt;  for r &lt; m: for b &lt; n / 128:
 *           if not have:  ws[i, t] = w[t, i] for all t;  have = true
 *           ... ws[i, 128 * b + lane] ...
 * </pre>
 *
 * <p>The copies ({@link SpreadAccesses}) are then made once for all points rather than for each
 * block of each iteration. They are made where the first block needs them: so nothing is read that
 * would not be read without them. If they would take too much memory, each block makes its own.
 */
final class RepeatedReads {
  /** So many bytes should be found again in a second-level cache. */
  private static final long MOST_BYTES = 1L << 20;

  private final Code around;
  private final PointLoop points;
  private final Set<Reg> assigned;
  private final List<Expr> written;
  private final List<Scratch> copies = new ArrayList<>();
  private final Reg have = Reg.fresh("have", Prim.BOOL);
  private final Reg all = Reg.fresh("all", Prim.BOOL);
  private final Reg pitch = Reg.index("pitch");
  private final Reg shift = Reg.index("shift");

  private RepeatedReads(Code around, PointLoop points, Set<Reg> assigned, List<Expr> written) {
    this.around = around;
    this.points = points;
    this.assigned = assigned;
    this.written = written;
  }

  /**
   * Returns the reads that the outermost loop possible repeats: it changes neither how many points
   * there are, nor how often their inner loops run, nor how large their own arrays are. All of this
   * can be computed before it.
   *
   * @param around the loops around the points, the outermost first
   */
  static Optional<RepeatedReads> of(PointLoop points, List<Code> around) {
    var sizes = new ArrayList<>(points.bounds());
    sizes.add(points.loop().bound());
    sizes.addAll(points.scratch().values());
    if (!sizes.stream().allMatch(Operands::isPure)) {
      return Optional.empty();
    }
    for (var c : around) {
      var assigned = Registers.of(List.of(c)).assigned();
      boolean same = sizes.stream().noneMatch(e -> Operands.reads(e, assigned));
      var written = same ? written(List.of(c)) : Optional.<List<Expr>>empty();
      if (written.isPresent()) {
        return Optional.of(new RepeatedReads(c, points, assigned, written.get()));
      }
    }
    return Optional.empty();
  }

  /** Returns the addresses at which code may write; nothing if that isn't known. */
  private static Optional<List<Expr>> written(List<Code> code) {
    var out = new ArrayList<Expr>();
    for (var c : code) {
      switch (c) {
        case Code.Set _, Code.Check _, Code.Print _ -> {}
        case Code.Store(_, var base, _, _) -> out.add(base);
        case Code.CopyBytes(var to, _, _) -> out.add(to);
        case Code.MatrixProduct m -> out.add(m.c().address());
        case Code.Ensure(var slot, _) -> out.add(base(slot));
        case Code.Free(var slot) -> out.add(base(slot));
        case Code.Swap(var a, var b) -> out.addAll(List.of(base(a), base(b)));
        case Code.If _, Code.For _, Code.While _ -> {
          for (var inner : CodeWalk.inner(c)) {
            var some = written(inner);
            if (some.isEmpty()) {
              return some;
            }
            out.addAll(some.get());
          }
        }
        case Code.AtomicUpdate _, Code.Call _, Code.Plan _, Code.Parallel _, Code.Gpu _ -> {
          return Optional.empty();
        }
      }
    }
    return Optional.of(out);
  }

  private static Expr base(Slot slot) {
    return Expr.use(slot.base());
  }

  /** Whether each iteration of the loop around finds the same there. */
  boolean isSame(Expr base, Expr index) {
    var changing = new HashSet<>(assigned);
    changing.remove(points.loop().i());
    return !Operands.reads(base, changing)
        && !Operands.reads(index, changing)
        && written.stream().noneMatch(w -> points.overlap(w, base));
  }

  /** Returns memory for a copy: so many bytes for each point. */
  Scratch copy(Expr bytes) {
    var copy = new Scratch(Slot.fresh("repeated"), bytes);
    copies.add(copy);
    return copy;
  }

  List<Scratch> memory() {
    return copies;
  }

  /** Returns where a copy has a point's element. */
  Expr row(Expr index, Reg lane) {
    var first = Expr.add(Expr.mul(index, Expr.use(pitch)), Expr.use(shift));
    return Expr.add(first, Expr.use(lane));
  }

  /** Returns where a copy gets a point's element. */
  Expr target(Expr index, Reg lane) {
    return Expr.add(Expr.mul(index, Expr.use(pitch)), Expr.use(lane));
  }

  /** How many points get their copies together: those of all blocks, or of one of that size. */
  Expr count(Expr size) {
    return new Expr.Select(Expr.use(all), Expr.use(pitch), size);
  }

  // Code around

  /**
   * Sets the register to the number of chunks of a task that makes copies: as each chunk makes its
   * own, there is one for each thread.
   *
   * @param most how many chunks there would be without copies
   */
  static List<Code> chunks(Reg chunks, Expr most) {
    var plan = Reg.index("plan");
    var much = Expr.i64(1L << 30);
    var each = Expr.i64(Code.Plan.CHUNKS_PER_WORKER);
    var threads = new Expr.Bin(BinaryOp.QUOT, Expr.use(plan), each);
    var some = new Expr.Bin(BinaryOp.MAX, threads, Expr.i64(1));
    var fewer = new Expr.Bin(BinaryOp.MIN, most, some);
    return List.of(
        new Code.Plan(plan, much, much, Expr.i64(Long.MAX_VALUE)), new Code.Set(chunks, fewer));
  }

  /** The loop around. */
  Code around() {
    return around;
  }

  /**
   * Returns what precedes the loop around.
   *
   * @param worthwhile whether the points are taken together
   * @param done how many points all blocks have together then
   */
  List<Code> begun(Expr worthwhile, Expr done) {
    Expr bytes = Expr.i64(0);
    for (var c : copies) {
      bytes = Expr.add(bytes, c.bytes());
    }
    var fits = new Expr.Cmp(CompareOp.LE, Expr.mul(bytes, done), Expr.i64(MOST_BYTES));
    var block = Expr.i64(Lanes.POINTS);
    var out = new ArrayList<Code>();
    out.add(new Code.Set(have, Expr.bool(false)));
    out.add(new Code.Set(all, new Expr.Bin(BinaryOp.AND, worthwhile, fits)));
    out.add(new Code.Set(pitch, new Expr.Select(Expr.use(all), done, block)));
    var memory = new ArrayList<Code>();
    copies.forEach(
        c -> memory.add(new Code.Ensure(c.slot(), Expr.size(c.bytes(), Expr.use(pitch)))));
    out.add(new Code.If(worthwhile, memory, List.of()));
    return out;
  }

  /**
   * Returns what precedes the other code of a block.
   *
   * @param making makes the copies
   * @param start the first point of the block; it is 0 where copies of all are made
   */
  List<Code> made(List<Code> making, Expr start) {
    if (copies.isEmpty()) {
      return List.of();
    }
    var make = new ArrayList<>(making);
    make.add(new Code.Set(have, Expr.use(all)));
    return List.of(
        new Code.If(Expr.use(have), List.of(), make),
        new Code.Set(shift, new Expr.Select(Expr.use(all), start, Expr.i64(0))));
  }
}
