package dev.kenaz.jvm;

import dev.kenaz.jvm.LaneBlock.Scratch;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What the points of a {@link LaneBlock} read and write at a stride, such as the coordinates of
 * points in an array of them. It has copies in which the points lie side by side: made before the
 * block's other code, or written back after it. What a loop around reads again is copied once
 * ({@link RepeatedReads}).
 */
final class SpreadAccesses {
  private static final Expr POINTS = Expr.i64(Lanes.POINTS);

  /** The counters of loops over copies, by their depth. */
  private final List<Reg> depths =
      List.of(Reg.index("g"), Reg.index("g"), Reg.index("g"), Reg.index("g"));

  private final PointLoop points;
  private final Reg lane;
  private final Expr size;
  private final UnaryOperator<List<Code>> withIndex;
  private final Optional<RepeatedReads> repeated;
  private final List<Code> copiesOfRepeated = new ArrayList<>();
  private final Map<Key, Scratch> gathered = new LinkedHashMap<>();
  private final Map<Key, Scratch> scattered = new LinkedHashMap<>();
  private final List<Code> before = new ArrayList<>();
  private final List<Code> after = new ArrayList<>();

  /** Where points store at once. */
  private final Set<Expr> direct = new HashSet<>();

  /** Whether anything that is read is read again. */
  private boolean reused;

  /** What is read or written: counters of the loops around have names by their depth. */
  private record Key(Prim prim, Expr base, Expr index, List<Expr> bounds) {}

  /**
   * @param size how many points the block has
   * @param withIndex puts before code for a lane what sets the number of its point
   */
  SpreadAccesses(
      PointLoop points,
      Optional<RepeatedReads> repeated,
      Reg lane,
      Expr size,
      UnaryOperator<List<Code>> withIndex) {
    this.repeated = repeated;
    this.points = points;
    this.lane = lane;
    this.size = size;
    this.withIndex = withIndex;
  }

  /** Whether points that follow one another have places with others in between. */
  boolean is(Expr index) {
    return points.varies(index) && points.stride(index) != null && !points.isDirect(index);
  }

  /** Whether the copies are worth it: something is read again from them, or there are none. */
  boolean pays() {
    return reused || gathered.isEmpty() && scattered.isEmpty();
  }

  /**
   * Returns what precedes the other code of a block.
   *
   * @param start the block's first point
   */
  List<Code> before(Expr start) {
    var out = new ArrayList<>(before);
    repeated.ifPresent(r -> out.addAll(r.made(copiesOfRepeated, start)));
    return out;
  }

  List<Code> after() {
    return after;
  }

  /** The memory that each block needs for itself. */
  List<Scratch> memory() {
    var all = new ArrayList<>(gathered.values());
    repeated.ifPresent(r -> all.removeAll(r.memory()));
    all.addAll(scattered.values());
    return all;
  }

  /** Returns where a lane's element is, in memory with one for each lane in each row. */
  Expr row(Expr index) {
    return Expr.add(Expr.mul(index, POINTS), Expr.use(lane));
  }

  /**
   * Memory for what each point has at one place of the program, in each iteration of the loops
   * whose counters decide where.
   *
   * @param row where a lane's element is, by {@link #depths}
   * @param place the same by the counters themselves
   */
  private record Table(Key key, Expr bytes, Expr row, Expr place) {}

  private Table table(Prim prim, Expr base, Expr index) throws Unsuitable {
    var counters = new LinkedHashSet<Reg>();
    CodeWalk.expr(
        index,
        x -> {
          if (x instanceof Expr.Use(var r) && points.bound(r) != null) {
            counters.add(r);
          }
        });
    PointLoop.require(counters.size() <= depths.size());
    var names = new HashMap<Reg, Expr>();
    var limits = new ArrayList<Expr>();
    Expr place = Expr.i64(0);
    Expr row = Expr.i64(0);
    Expr bytes = Expr.i64(prim.byteSize());
    for (var c : counters) {
      var bound = points.bound(c);
      var g = Expr.use(depths.get(limits.size()));
      names.put(c, g);
      limits.add(bound);
      place = Expr.add(Expr.mul(place, bound), Expr.use(c));
      row = Expr.add(Expr.mul(row, bound), g);
      bytes = Expr.size(bytes, bound);
    }
    var key = new Key(prim, base, Operands.substitute(index, names), limits);
    return new Table(key, bytes, row, place);
  }

  /**
   * Reads what all points need before the other code, and returns where it is then.
   *
   * @param depth how many loops are around the read
   * @param certain whether every point reads it, whatever the other code finds
   */
  Expr read(Prim prim, Expr base, Expr index, int depth, boolean certain) throws Unsuitable {
    var table = table(prim, base, index);
    var key = table.key();
    var memory = gathered.get(key);
    reused |= memory != null || depth > key.bounds().size();
    var again = repeated.filter(r -> r.isSame(base, key.index()));
    if (memory == null) {
      PointLoop.require(certain);
      var x = new Expr.Load(prim, base, key.index());
      memory =
          again
              .map(r -> r.copy(table.bytes()))
              .orElseGet(() -> new Scratch(Slot.fresh("gathered"), table.bytes()));
      gathered.put(key, memory);
      var to = Expr.use(memory.slot().base());
      again.ifPresentOrElse(
          r -> {
            var at = r.target(table.row(), lane);
            copiesOfRepeated.add(copy(table, r.count(size), new Code.Store(prim, to, at, x)));
          },
          () -> before.add(copy(table, size, new Code.Store(prim, to, row(table.row()), x))));
    }
    var from = Expr.use(memory.slot().base());
    var place = table.place();
    return new Expr.Load(prim, from, again.map(r -> r.row(place, lane)).orElse(row(place)));
  }

  /**
   * Keeps what all points write until the other code is done. Nothing is known of the order of
   * other accesses to the array, so there may be none. Every point must write all of it: no branch
   * is around, and no loop around is empty.
   */
  Code write(Prim prim, Expr base, Expr index, Expr value) throws Unsuitable {
    var table = table(prim, base, index);
    var key = table.key();
    PointLoop.require(!points.loads(base) && !points.storesElsewhere(base));
    PointLoop.require(!direct.contains(base));
    PointLoop.require(
        scattered.keySet().stream().allMatch(k -> k.equals(key) || !k.base().equals(base)));
    var memory = scattered.get(key);
    if (memory == null) {
      memory = new Scratch(Slot.fresh("scattered"), table.bytes());
      scattered.put(key, memory);
      var from = new Expr.Load(prim, Expr.use(memory.slot().base()), row(table.row()));
      after.add(copy(table, size, new Code.Store(prim, base, key.index(), from)));
    }
    return new Code.Store(prim, Expr.use(memory.slot().base()), row(table.place()), value);
  }

  /** Notes that points store there at once, which must not come before what is kept. */
  void direct(Expr base) throws Unsuitable {
    direct.add(base);
    PointLoop.require(scattered.keySet().stream().noneMatch(k -> k.base().equals(base)));
  }

  private Code copy(Table table, Expr count, Code.Store each) {
    var body = withIndex.apply(List.of(each));
    Code nest = new Code.For(lane, count, body, false, List.of());
    var bounds = table.key().bounds();
    for (int k = bounds.size() - 1; k >= 0; k--) {
      nest = new Code.For(depths.get(k), bounds.get(k), List.of(nest), false, List.of());
    }
    return nest;
  }
}
