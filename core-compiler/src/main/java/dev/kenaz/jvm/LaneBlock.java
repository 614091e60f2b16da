package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The code of a loop's body for a block of points. What is the same for all points stays as it is.
 * The rest becomes loops over the points, each of which runs in vectors: statements between updates
 * of accumulators are one such loop, with the short loops inside. An update sums over the points
 * first. A scratch array of a point becomes one with a row for each element, and so does what is
 * read at a stride, before the other code, and what is written at one, after it.
 */
final class LaneBlock {
  private static final Expr POINTS = Expr.i64(Lanes.POINTS);

  /** A loop over points should not become larger, or no vectors are made of it. */
  private static final int MOST = 1500;

  /**
   * The same where a body is only cut: less is faster, because few values live at once, until too
   * many of them are kept from one loop to the next.
   */
  private static final int MOST_OF_CUT = 500;

  /** The same for one copy of a loop of updates. */
  private static final int MOST_TILED = 800;

  private final Code.For loop;
  private final PointLoop points;
  private final List<Code> alone;
  private final Reg counter = Reg.index("b");
  private final Reg start = Reg.index("start");
  private final Reg steps = Reg.index("steps");
  private final Reg own = Reg.index("own");

  /** How many points this block has. */
  private final Expr size = Expr.mul(Expr.use(own), Expr.i64(Lanes.STEP));

  private final Reg lane = Reg.index("l");
  private final Map<Reg, Scratch> scratch = new LinkedHashMap<>();
  private final Optional<RepeatedReads> repeated;
  private final SpreadAccesses spread;
  private final Map<Reg, Slot> kept = new LinkedHashMap<>();

  /** What follows from the number of the point alone, and isn't kept. */
  private final Map<Reg, Expr> places = new LinkedHashMap<>();

  /** Memory for each lane: so many bytes for one point. */
  record Scratch(Slot slot, Expr bytes) {}

  /**
   * @param alone what each point does by itself, after all points of the block have done the rest
   * @param around the loops around the points, the outermost first
   */
  LaneBlock(PointLoop points, List<Code> alone, List<Code> around) {
    this.points = points;
    this.alone = alone;
    this.loop = points.loop();
    this.repeated = RepeatedReads.of(points, around);
    this.spread = new SpreadAccesses(points, repeated, lane, size, this::withIndex);
    points
        .scratch()
        .forEach((base, bytes) -> scratch.put(base, new Scratch(Slot.fresh(base.name()), bytes)));
  }

  Reg counter() {
    return counter;
  }

  /** How many times {@link Lanes#STEP} points all blocks have together. */
  Reg steps() {
    return steps;
  }

  /** Whether all inner loops are short, but not empty, and what is kept fits the caches. */
  Expr worthwhile(long most, long bytes) {
    Expr all = Expr.bool(true);
    for (var b : points.bounds()) {
      all = and(all, new Expr.Cmp(CompareOp.LT, Expr.i64(0), b));
      all = and(all, new Expr.Cmp(CompareOp.LE, b, Expr.i64(most)));
    }
    Expr sum = Expr.i64(0);
    for (var s : memory()) {
      sum = Expr.add(sum, s.bytes());
    }
    for (var s : repeated.map(RepeatedReads::memory).orElse(List.of())) {
      sum = Expr.add(sum, s.bytes());
    }
    var room = Expr.i64(bytes / Lanes.POINTS);
    return and(all, new Expr.Cmp(CompareOp.LE, sum, room));
  }

  static Expr and(Expr x, Expr y) {
    return x.equals(Expr.bool(true)) ? y : new Expr.Bin(BinaryOp.AND, x, y);
  }

  private List<Scratch> memory() {
    var all = new ArrayList<>(scratch.values());
    all.addAll(spread.memory());
    kept.forEach((r, s) -> all.add(new Scratch(s, Expr.i64(r.prim().byteSize()))));
    return all;
  }

  /** What the points read again in each iteration of a loop around them. */
  Optional<RepeatedReads> repeated() {
    return repeated;
  }

  /** Returns what precedes the loop over blocks: it makes memory, if there are any. */
  List<Code> prepared() {
    var some = new Expr.Cmp(CompareOp.LT, Expr.i64(0), Expr.use(steps));
    var out = new ArrayList<Code>();
    memory().forEach(s -> out.add(new Code.Ensure(s.slot(), Expr.size(s.bytes(), POINTS))));
    return List.of(new Code.If(some, out, List.of()));
  }

  /** How many points all blocks have together. */
  Expr done() {
    return Expr.mul(Expr.use(steps), Expr.i64(Lanes.STEP));
  }

  // Making the code

  /** A loop over the points of the block, and the registers into which it sums. */
  private static final class Group {
    final List<Code> before = new ArrayList<>();
    final List<Code> body = new ArrayList<>();
    final List<Code.Reduction> sums = new ArrayList<>();
    final List<Code> after = new ArrayList<>();
    final Map<Expr, Reg> loads = new HashMap<>();
  }

  private final List<Group> groups = new ArrayList<>();
  private Group open = new Group();

  /** How many loops are around what is being made. */
  private int depth;

  /** Whether what follows may be reached only because a check has let it. */
  private boolean checked;

  /** Returns the body of the loop over blocks. */
  List<Code> code() throws Unsuitable {
    var planned = statements(loop.body(), false);
    var needed = new LinkedHashSet<Reg>();
    for (var g : groups) {
      Liveness.of(withIndex(g.body)).needed().stream().filter(points::varies).forEach(needed::add);
    }
    needed.addAll(left());
    needed.remove(loop.i());
    loop.reductions().forEach(r -> needed.remove(r.reg()));
    for (var r : needed) {
      var place = points.place(r);
      if (place.isPresent()) {
        places.put(r, place.get());
      } else {
        kept.put(r, Slot.fresh(r.name()));
      }
    }
    requireKept();
    var out = new ArrayList<Code>();
    out.add(new Code.Set(start, Expr.mul(Expr.use(counter), POINTS)));
    long most = Lanes.POINTS / Lanes.STEP;
    var left = Expr.sub(Expr.use(steps), Expr.mul(Expr.use(counter), Expr.i64(most)));
    out.add(new Code.Set(own, new Expr.Bin(BinaryOp.MIN, left, Expr.i64(most))));
    out.addAll(spread.before(Expr.use(start)));
    out.addAll(finished(planned));
    PointLoop.require(spread.pays());
    out.addAll(spread.after());
    if (!alone.isEmpty()) {
      out.add(pointByPoint());
    }
    return renamed(out);
  }

  /** Returns what the points leave for what each of them does by itself. */
  private Set<Reg> left() {
    var needed = new LinkedHashSet<>(Liveness.of(alone).needed());
    needed.removeIf(r -> !points.varies(r));
    return needed;
  }

  /**
   * Loops over the points keep what varies, and set nothing else that is needed afterwards. What is
   * the same for all points is set once for the block, so no point may change it: the next one
   * would go on from there.
   */
  private void requireKept() throws Unsuitable {
    var set = new HashSet<Reg>();
    var changed = Registers.of(alone).assigned();
    groups.forEach(g -> set.addAll(Registers.of(g.body).assigned()));
    for (var r : Liveness.of(alone).needed()) {
      boolean sum = loop.reductions().stream().anyMatch(s -> s.reg().equals(r));
      PointLoop.require(
          r.equals(loop.i())
              || sum
              || places.containsKey(r)
              || (points.varies(r) ? set.contains(r) : !set.contains(r) && !changed.contains(r)));
    }
  }

  private Code pointByPoint() {
    var body = new ArrayList<Code>();
    places.forEach((reg, place) -> body.add(new Code.Set(reg, place)));
    kept.forEach((reg, slot) -> body.add(new Code.Set(reg, keptBy(reg, slot))));
    body.addAll(alone);
    var assigned = Registers.of(alone).assigned();
    var sums = loop.reductions().stream().filter(r -> assigned.contains(r.reg())).toList();
    return new Code.For(lane, size, withoutUnused(withIndex(body), sums), true, sums);
  }

  private Expr keptBy(Reg reg, Slot slot) {
    return new Expr.Load(reg.prim(), Expr.use(slot.base()), Expr.use(lane));
  }

  /** The loop over the points that are left has the old registers. */
  private List<Code> renamed(List<Code> code) {
    var names = new HashMap<Reg, Expr>();
    var assigned = new LinkedHashSet<>(points.assigned());
    assigned.addAll(Registers.of(alone).assigned());
    assigned.forEach(r -> names.put(r, Expr.use(Reg.fresh(r.name(), r.prim()))));
    names.put(loop.i(), Expr.use(Reg.index(loop.i().name())));
    loop.reductions().forEach(r -> names.remove(r.reg()));
    return Operands.renamed(code, names);
  }

  private List<Code> withIndex(List<Code> body) {
    var all = new ArrayList<Code>();
    all.add(new Code.Set(loop.i(), Expr.add(Expr.use(start), Expr.use(lane))));
    all.addAll(body);
    return all;
  }

  /** Stands for a group until all are known. */
  private static Code mark(int group) {
    return new Code.Print("lanes", Expr.i64(group));
  }

  private List<Code> finished(List<Code> code) throws Unsuitable {
    var out = new ArrayList<Code>();
    for (var c : code) {
      switch (c) {
        case Code.Print(_, Expr.Lit(var number)) ->
            out.addAll(loop(groups.get((int) number.bits())));
        case Code.For f ->
            out.add(new Code.For(f.i(), f.bound(), finished(f.body()), false, List.of()));
        case Code.If(var condition, var then, var otherwise) ->
            out.add(new Code.If(condition, finished(then), finished(otherwise)));
        default -> out.add(c);
      }
    }
    return out;
  }

  private List<Code> loop(Group g) throws Unsuitable {
    if (onlyFindsAgain(g)) {
      return List.of();
    }
    var body = new ArrayList<Code>();
    var stores = new ArrayList<Code>();
    var here = Registers.of(g.body);
    var live = Liveness.of(g.body);
    requireOwnUniforms(live, here, g.sums);
    places.forEach(
        (reg, place) -> {
          if (live.needed().contains(reg)) {
            body.add(new Code.Set(reg, place));
          }
        });
    kept.forEach(
        (reg, slot) -> {
          if (here.mentions(reg)) {
            var base = Expr.use(slot.base());
            if (live.needed().contains(reg) || !live.set().contains(reg)) {
              body.add(new Code.Set(reg, keptBy(reg, slot)));
            }
            if (here.assigned().contains(reg)) {
              stores.add(new Code.Store(reg.prim(), base, Expr.use(lane), Expr.use(reg)));
            }
          }
        });
    body.addAll(g.body);
    body.addAll(stores);
    var used = withoutUnused(withIndex(body), g.sums);
    var f = new Code.For(lane, size, used, true, g.sums);
    VectorLoops.of(f);
    var out = new ArrayList<>(g.before);
    out.add(f);
    out.addAll(g.after);
    return out;
  }

  /** Whether it only sets what whoever needs it finds again. */
  private boolean onlyFindsAgain(Group g) {
    return points.bounds().isEmpty()
        && g.body.stream()
            .allMatch(c -> c instanceof Code.Set(var reg, _) && places.containsKey(reg));
  }

  /** What is the same for all points is not counted on from one vector of points to the next. */
  private void requireOwnUniforms(Liveness live, Registers here, List<Code.Reduction> sums)
      throws Unsuitable {
    var summed = sums.stream().map(Code.Reduction::reg).toList();
    PointLoop.require(
        live.needed().stream()
            .allMatch(r -> points.varies(r) || summed.contains(r) || !here.assigned().contains(r)));
  }

  private static List<Code> withoutUnused(List<Code> code, List<Code.Reduction> sums) {
    var read = new HashSet<>(Registers.of(code).read());
    sums.forEach(s -> read.add(s.reg()));
    var out = keep(code, read);
    return out.equals(code) ? code : withoutUnused(out, sums);
  }

  private static List<Code> keep(List<Code> code, Set<Reg> read) {
    return code.stream()
        .filter(c -> !(c instanceof Code.Set(var reg, _)) || read.contains(reg))
        .map(c -> CodeWalk.withInner(c, x -> keep(x, read)))
        .toList();
  }

  private List<Code> statements(List<Code> code, boolean guarded) throws Unsuitable {
    var out = new ArrayList<Code>();
    for (int k = 0; k < code.size(); k++) {
      var c = code.get(k);
      var update = points.update(code, k);
      if (update.isPresent()) {
        add(update.get(), guarded);
        k += 2;
      } else if (c instanceof Code.Set(var reg, _) && !points.varies(reg)) {
        if (points.changes(reg)) {
          flush(out);
        }
        out.add(c);
      } else if (c instanceof Code.Check) {
        checked = true;
        out.add(c);
      } else if (points.shares(List.of(c))) {
        flush(out);
        switch (c) {
          case Code.For f when !guarded && updates(f.body(), f) -> {
            depth++;
            var body = converted(f.body(), new HashMap<>());
            depth--;
            tiled(UpdateTiles.of(new Code.For(f.i(), f.bound(), body, true, List.of())), out);
          }
          case Code.For f -> {
            depth++;
            var body = statements(f.body(), guarded);
            depth--;
            out.add(new Code.For(f.i(), f.bound(), body, false, List.of()));
          }
          case Code.If(var condition, var then, var otherwise) -> {
            PointLoop.require(!points.varies(condition));
            out.add(new Code.If(condition, statements(then, true), statements(otherwise, true)));
          }
          default -> throw new Unsuitable("has side effects");
        }
      } else if (!(c instanceof Code.Ensure)) {
        boolean loops =
            c instanceof Code.For && open.body.stream().anyMatch(Code.For.class::isInstance);
        if (loops || Region.size(open.body) + Region.size(c) > most()) {
          flush(out);
        }
        open.body.addAll(inLanes(List.of(c), guarded));
        sumsOf(c);
        if (points.leavesUniform(c)) {
          PointLoop.require(!branchLeavesUniform(c));
          flush(out);
        }
      }
    }
    flush(out);
    return out;
  }

  private int most() {
    return points.bounds().isEmpty() ? MOST_OF_CUT : MOST;
  }

  /**
   * Whether a branch sets a register that is the same for all points and is needed afterwards: as a
   * choice of vectors, it would not be set.
   */
  private boolean branchLeavesUniform(Code c) {
    return c instanceof Code.If && points.leavesUniform(c)
        || CodeWalk.inner(c).stream().flatMap(List::stream).anyMatch(this::branchLeavesUniform);
  }

  // Loops of updates

  /**
   * Whether the loop only updates accumulators, with values of which nothing is computed twice if
   * they are computed where they are used.
   */
  private boolean updates(List<Code> code, Code.For around) {
    if (!around.independent() || code.isEmpty()) {
      return false;
    }
    boolean any = false;
    for (int k = 0; k < code.size(); k++) {
      if (points.update(code, k).isPresent()) {
        any = true;
        k += 2;
      } else if (code.get(k) instanceof Code.For f && k == code.size() - 1) {
        any |= updates(f.body(), f);
        if (!any) {
          return false;
        }
      } else if (!(code.get(k) instanceof Code.Set(var reg, var e))
          || points.changes(reg)
          || points.varies(reg) && !(e instanceof Expr.Load) && points.reads(reg) > 1) {
        return false;
      }
    }
    return any && Region.size(code) <= MOST_TILED;
  }

  /**
   * Returns the body of such a loop with values in lanes.
   *
   * @param values of the registers that vary
   */
  private List<Code> converted(List<Code> code, Map<Reg, Expr> values) throws Unsuitable {
    var out = new ArrayList<Code>();
    for (int k = 0; k < code.size(); k++) {
      var update = points.update(code, k);
      switch (code.get(k)) {
        case Code.Set _ when update.isPresent() -> {
          var u = update.get();
          var x = Operands.substitute(inLanes(u.value(), false), values);
          var old = new Expr.Load(u.prim(), u.base(), u.index());
          out.add(new Code.Store(u.prim(), u.base(), u.index(), new Expr.Bin(u.op(), old, x)));
          k += 2;
        }
        case Code.Set(var reg, var e) when points.varies(reg) ->
            values.put(reg, Operands.substitute(inLanes(e, false), values));
        case Code.For f -> {
          depth++;
          var body = converted(f.body(), values);
          depth--;
          out.add(new Code.For(f.i(), f.bound(), body, true, List.of()));
        }
        case Code.Set c -> out.add(c);
        default -> throw new CompilerBug("jvm", "not only updates");
      }
    }
    return out;
  }

  /** Sums for all updates that follow one another in one loop over the points. */
  private void tiled(List<Code> code, List<Code> out) {
    for (var c : code) {
      switch (c) {
        case Code.Store(var prim, var base, var index, Expr.Bin(var op, _, var x)) ->
            sum(new PointLoop.Update(prim, base, index, op, shared(x)));
        case Code.For f -> {
          flush(out);
          var body = new ArrayList<Code>();
          tiled(f.body(), body);
          out.add(new Code.For(f.i(), f.bound(), body, false, List.of()));
        }
        default -> out.add(c);
      }
    }
    flush(out);
  }

  /** Returns the value with registers of the group for what is read. */
  private Expr shared(Expr e) {
    if (e instanceof Expr.Load) {
      var reg = open.loads.get(e);
      if (reg == null) {
        reg = Reg.fresh("x", e.prim());
        open.loads.put(e, reg);
        open.body.add(new Code.Set(reg, e));
      }
      return Expr.use(reg);
    }
    return e.map(this::shared);
  }

  private void sumsOf(Code c) {
    for (var r : loop.reductions()) {
      if (c instanceof Code.Set(var reg, _) && reg.equals(r.reg())) {
        open.sums.add(r);
      }
    }
  }

  private void add(PointLoop.Update u, boolean guarded) throws Unsuitable {
    sum(new PointLoop.Update(u.prim(), u.base(), u.index(), u.op(), inLanes(u.value(), guarded)));
  }

  private void sum(PointLoop.Update u) {
    var sum = Reg.fresh("sum", u.prim());
    open.before.add(new Code.Set(sum, Expr.zero(u.prim())));
    var next = Contraction.combined(u.op(), sum, u.value());
    open.body.add(new Code.Set(sum, next));
    open.sums.add(new Code.Reduction(sum, u.op()));
    var old = new Expr.Load(u.prim(), u.base(), u.index());
    open.after.add(
        new Code.Store(u.prim(), u.base(), u.index(), new Expr.Bin(u.op(), old, Expr.use(sum))));
  }

  private void flush(List<Code> out) {
    if (!open.body.isEmpty()) {
      out.add(mark(groups.size()));
      groups.add(open);
      open = new Group();
    }
  }

  // Statements in a loop over points

  private List<Code> inLanes(List<Code> code, boolean guarded) throws Unsuitable {
    var out = new ArrayList<Code>();
    for (var c : code) {
      switch (c) {
        case Code.Set(var reg, var e) -> out.add(new Code.Set(reg, inLanes(e, guarded)));
        case Code.Store(var prim, var base, var index, var value) -> {
          var at = inLanes(index, guarded);
          var x = inLanes(value, guarded);
          var own = base instanceof Expr.Use(var b) ? scratch.get(b) : null;
          if (own != null) {
            out.add(new Code.Store(prim, Expr.use(own.slot().base()), row(at), x));
          } else if (!guarded && spread.is(index)) {
            out.add(spread.write(prim, base, points.full(index), x));
          } else {
            spread.direct(base);
            out.add(new Code.Store(prim, base, at, x));
          }
        }
        case Code.If(var condition, var then, var otherwise) ->
            out.add(
                new Code.If(
                    inLanes(condition, guarded), inLanes(then, true), inLanes(otherwise, true)));
        case Code.For f -> {
          depth++;
          var body = inLanes(f.body(), guarded);
          depth--;
          out.add(new Code.For(f.i(), f.bound(), body, false, List.of()));
        }
        case Code.Ensure _ -> {}
        default -> throw new Unsuitable("has side effects");
      }
    }
    return out;
  }

  private Expr row(Expr index) {
    return spread.row(index);
  }

  private Expr inLanes(Expr e, boolean guarded) throws Unsuitable {
    if (!(e instanceof Expr.Load(var prim, var base, var index))) {
      var parts = new ArrayList<Expr>();
      for (var x : e.operands()) {
        parts.add(inLanes(x, guarded));
      }
      var next = parts.iterator();
      return e.map(_ -> next.next());
    }
    if (base instanceof Expr.Use(var b) && scratch.containsKey(b)) {
      var own = scratch.get(b);
      return new Expr.Load(prim, Expr.use(own.slot().base()), row(inLanes(index, guarded)));
    }
    if (!points.varies(index)) {
      return e;
    }
    var stride = points.stride(index);
    PointLoop.require(stride != null);
    if (!spread.is(index)) {
      return e;
    }
    PointLoop.require(!points.stores(base));
    return spread.read(prim, base, points.full(index), depth, !checked && !guarded);
  }
}
