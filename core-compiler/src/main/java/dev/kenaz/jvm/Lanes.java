package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes vectors of the points of a parallel loop whose function has short loops in it, such as a
 * loop over the coordinates of a point inside one over some centres. Vectors of the inner loops
 * would be set up for a few elements each.
 *
 * <pre>
 *   for t &lt; n: for c &lt; k: for i &lt; d: acc[c, i] += w[c] * x[t, i]
 *     =&gt;  for b &lt; n / 128:
 *           xs[i, lane] = x[128 * b + lane, i]
 *           for c &lt; k: for i &lt; d: acc[c, i] += sum over the lanes of w[c] * xs[i, lane]
 *         a smaller block in the same way, and the points that are left, one by one
 * </pre>
 *
 * <p>A number decides at run time: the points are taken together if all inner loops are short.
 *
 * <p>A loop without inner loops whose body is too large for one loop of vectors, such as a product
 * of matrices as tuples, becomes several loops over the same block of points. Each makes some of
 * the results ({@link DemandOrder}).
 *
 * <p>What can't be done for several points together, such as an update of an accumulator at a place
 * that a point has found, is done point by point after the rest of its block. So the nearest centre
 * of each point is searched in vectors, and then the points are added to the sums of their centres.
 * The bins of a histogram that are made of floats are found in vectors too, without loops inside: a
 * point by itself has to compare its float with all that no integer is equal to.
 */
final class Lanes {
  /** How many points are taken together; what they need of memory should fit the caches. */
  static final int POINTS = 128;

  /** The last block of points may be smaller: a multiple of this number of them. */
  static final int STEP = 32;

  /** Longer loops are better run in vectors themselves. */
  private static final long SHORT = 32;

  /** What a block of points keeps takes at most this many bytes. */
  private static final long MOST_BYTES = 1L << 18;

  /** The vectors of a loop whose body takes more bytes than this are better those of points. */
  private static final int MOST_BODY = 2000;

  /** So many divisions of a loop's body are tried. */
  private static final int MOST_TRIES = 4;

  private final List<Code> task;

  /** The loops around, the outermost first. */
  private final List<Code> around = new ArrayList<>();

  /** What is to precede which of them. */
  private final Map<Code, List<Code>> begun = new IdentityHashMap<>();

  private Lanes(List<Code> task) {
    this.task = task;
  }

  /** Returns the function with such loops in its tasks. */
  static LoopFun in(LoopFun function) {
    var code = in(function.body());
    return code == function.body() ? function : function.with(code);
  }

  private static List<Code> in(List<Code> code) {
    var out = new ArrayList<Code>();
    boolean changed = false;
    for (var c : code) {
      var next = c instanceof Code.Parallel p ? task(p) : List.of(inside(c));
      changed |= next.getFirst() != c;
      out.addAll(next);
    }
    return changed ? out : code;
  }

  private static Code inside(Code c) {
    var changed = new boolean[1];
    var next =
        CodeWalk.withInner(
            c,
            code -> {
              var inner = in(code);
              changed[0] |= inner != code;
              return inner;
            });
    return changed[0] ? next : c;
  }

  private static List<Code> task(Code.Parallel task) {
    var p = (Code.Parallel) inside(task);
    var lanes = new Lanes(p.body());
    var body = new ArrayList<Code>();
    boolean changed = false;
    for (var c : p.body()) {
      var together = c instanceof Code.For f ? lanes.together(f) : Optional.<List<Code>>empty();
      body.addAll(together.orElseGet(() -> lanes.further(c)));
      changed |= together.isPresent() || lanes.begun.containsKey(c);
    }
    if (body.equals(p.body())) {
      return List.of(p);
    }
    boolean divisible = p.divisible() && !changed;
    var out = new ArrayList<Code>();
    var chunks = p.chunks();
    if (p.divisible() && !lanes.begun.isEmpty()) {
      var fewer = Reg.index("chunks");
      out.addAll(RepeatedReads.chunks(fewer, chunks));
      chunks = Expr.use(fewer);
    }
    out.add(
        new Code.Parallel(
            p.extent(), p.work(), chunks, divisible, p.chunk(), p.lo(), p.hi(), body));
    return out;
  }

  /**
   * Returns the statement with the points of loops inside taken together, where those of the loops
   * around them are not: a map of a map may have few points outside and many inside. A loop that
   * goes in vectors as it is stays so.
   */
  private List<Code> further(Code c) {
    if (c instanceof Code.Parallel || c instanceof Code.For f && vectors(f)) {
      return List.of(c);
    }
    boolean loop = c instanceof Code.For || c instanceof Code.While;
    if (loop) {
      around.add(c);
    }
    var changed = CodeWalk.withInner(c, this::inner);
    if (loop) {
      around.removeLast();
    }
    var out = new ArrayList<>(begun.getOrDefault(c, List.of()));
    out.add(changed);
    return out;
  }

  private List<Code> inner(List<Code> code) {
    var out = new ArrayList<Code>();
    for (var c : code) {
      var together = c instanceof Code.For f ? together(f) : Optional.<List<Code>>empty();
      out.addAll(together.orElseGet(() -> further(c)));
    }
    return out;
  }

  /** Returns the loop over blocks of points, and the loop over the points that are left. */
  private Optional<List<Code>> together(Code.For f) {
    boolean loops = hasLoops(f.body());
    boolean large = Region.isLarge(f);
    if (!f.independent() || !loops && !large && !findsPlaces(f)) {
      return Optional.empty();
    }
    if (vectors(f) || !ownsItsRegisters(f)) {
      return Optional.empty();
    }
    if (!loops && large) {
      return divided(f);
    }
    int tries = 0;
    for (int end = f.body().size(); end > 0 && tries < MOST_TRIES; end--) {
      if (end == f.body().size() || divides(f, end)) {
        tries++;
        var code = together(f, end);
        if (code.isPresent()) {
          return code;
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Whether the statements from there on may run after those before of other points, and it is
   * worth trying. The first error should stay the first.
   */
  private static boolean divides(Code.For f, int end) {
    var before = f.body().subList(0, end);
    var after = f.body().subList(end, f.body().size());
    // A condition need not be kept where vectors of bools are too short: each point finds it again.
    var main = after.stream().filter(c -> !isCondition(c)).findFirst();
    boolean effects = main.filter(c -> c instanceof Code.If || c instanceof Code.For).isPresent();
    var first = Registers.of(before);
    var then = Registers.of(after);
    return effects
        && (hasLoops(before) || truncates(before))
        && !(hasChecks(before) && hasChecks(after))
        && then.slots().isEmpty()
        && first.slots().stream().noneMatch(s -> then.mentions(s.base()))
        && f.reductions().stream()
            .noneMatch(r -> first.mentions(r.reg()) && then.mentions(r.reg()));
  }

  /** Whether each point finds a place from a float, and then does something there. */
  private static boolean findsPlaces(Code.For f) {
    var before = f.body().stream().takeWhile(Code.Set.class::isInstance).toList();
    return before.size() < f.body().size() && truncates(before);
  }

  /** Whether a float becomes an integer, which takes a point many instructions by itself. */
  private static boolean truncates(List<Code> code) {
    var found = new boolean[1];
    CodeWalk.code(code, _ -> {}, e -> found[0] |= isTruncation(e));
    return found[0];
  }

  private static boolean isTruncation(Expr e) {
    return e instanceof Expr.Conv(var to, var x) && x.prim().isFloat() && !to.isFloat();
  }

  private static boolean isCondition(Code c) {
    return c instanceof Code.Set(var reg, Expr.Cmp _) && reg.prim() == Prim.BOOL;
  }

  private static boolean hasChecks(List<Code> code) {
    return code.stream()
        .anyMatch(
            c -> c instanceof Code.Check || CodeWalk.inner(c).stream().anyMatch(Lanes::hasChecks));
  }

  /** Takes points together for so many statements, and does the others point by point. */
  private Optional<List<Code>> together(Code.For f, int end) {
    var parts = NarrowBins.in(f.body().subList(0, end), f.body().subList(end, f.body().size()));
    try {
      var points = new PointLoop(with(f, parts.together()), parts.alone(), task);
      var block = new LaneBlock(points, parts.alone(), around);
      return Optional.of(blocks(f, block, parts.fits()));
    } catch (Unsuitable u) {
      return Optional.empty();
    }
  }

  /** Divides a body that is too large for vectors into several loops over a block of points. */
  private Optional<List<Code>> divided(Code.For f) {
    try {
      var ordered = with(f, DemandOrder.of(new PointLoop(f, List.of(), task)));
      var points = new PointLoop(ordered, List.of(), task);
      var block = new LaneBlock(points, List.of(), around);
      return Optional.of(blocks(f, block, Expr.bool(true)));
    } catch (Unsuitable u) {
      return Optional.empty();
    }
  }

  private static Code.For with(Code.For f, List<Code> body) {
    return new Code.For(f.i(), f.bound(), body, f.independent(), f.reductions());
  }

  private List<Code> blocks(Code.For f, LaneBlock block, Expr fits) throws Unsuitable {
    var body = block.code();
    var out = new ArrayList<Code>();
    var steps = Expr.use(block.steps());
    var whole = new Expr.Bin(BinaryOp.QUOT, f.bound(), Expr.i64(STEP));
    var worthwhile = LaneBlock.and(fits, block.worthwhile(SHORT, MOST_BYTES));
    out.add(new Code.Set(block.steps(), new Expr.Select(worthwhile, whole, Expr.i64(0))));
    block
        .repeated()
        .filter(r -> !r.memory().isEmpty())
        .ifPresent(
            r ->
                begun
                    .computeIfAbsent(r.around(), _ -> new ArrayList<>())
                    .addAll(r.begun(worthwhile, Expr.mul(whole, Expr.i64(STEP)))));
    out.addAll(block.prepared());
    var most = POINTS / STEP;
    var blocks = new Expr.Bin(BinaryOp.QUOT, Expr.add(steps, Expr.i64(most - 1)), Expr.i64(most));
    out.add(new Code.For(block.counter(), blocks, body, false, List.of()));
    var done = Reg.index("done");
    out.add(new Code.Set(done, block.done()));
    var t = Reg.index(f.i().name());
    var rest = new ArrayList<Code>();
    rest.add(new Code.Set(f.i(), Expr.add(Expr.use(done), Expr.use(t))));
    rest.addAll(f.body());
    var left = Expr.sub(f.bound(), Expr.use(done));
    out.add(new Code.For(t, left, rest, f.independent(), f.reductions()));
    return out;
  }

  private static boolean hasLoops(List<Code> code) {
    return code.stream()
        .anyMatch(
            c -> c instanceof Code.For || CodeWalk.inner(c).stream().anyMatch(Lanes::hasLoops));
  }

  /** Whether the loop goes in vectors as it is, and its body isn't so large that points should. */
  private static boolean vectors(Code.For f) {
    return Region.size(f.body()) <= MOST_BODY && JvmProgram.runsInVectors(f);
  }

  /** Returns the code around a loop. */
  private static List<Code> without(Code.For f, List<Code> code) {
    return code.stream()
        .filter(c -> c != f)
        .map(c -> CodeWalk.withInner(c, inner -> without(f, inner)))
        .toList();
  }

  /** Whether a point leaves nothing in registers, for the next one or for the code around. */
  private boolean ownsItsRegisters(Code.For f) {
    var own = new HashSet<>(Registers.of(List.of(f)).assigned());
    f.reductions().forEach(r -> own.remove(r.reg()));
    var around = Registers.of(without(f, task));
    var needed = Liveness.of(f.body()).needed();
    var slots = Registers.of(f.body()).slots();
    slots.forEach(s -> own.removeAll(List.of(s.base(), s.capacity())));
    return own.stream().noneMatch(r -> around.mentions(r) || needed.contains(r) && r != f.i())
        && slots.stream().noneMatch(s -> around.mentions(s.base()))
        && f.reductions().stream()
            .allMatch(r -> r.op() == BinaryOp.ADD && r.reg().prim() != Prim.BOOL);
  }
}
