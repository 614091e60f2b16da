package dev.kenaz.kernels;

import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Var;
import dev.kenaz.kernels.GpuTiling.Found;
import dev.kenaz.kernels.GpuTiling.Input;
import dev.kenaz.kernels.Sides.Tile;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Arrays;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import dev.kenaz.segir.SegOp;
import dev.kenaz.value.Prim;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Computes a map over a plane of reductions by tiles: a block computes a rectangle of points, each
 * thread some of them in registers. The parts of the rows that the rectangle needs come through
 * shared memory, a few elements of each at a time, so that an element is read from device memory
 * once for each rectangle, not for each point. While one part is worked on, the next one is on its
 * way into registers.
 *
 * <p>If there are few rectangles and the reductions are long, several blocks share a rectangle:
 * each reduces a part of the rows, and a second kernel combines the parts.
 */
abstract sealed class TiledKernel permits GridTiles, ProductTiles {
  /** The threads of a block form a square with so many on each side. */
  static final int SIDE = 16;

  /** Reductions of at most half as many elements are not worth tiles. */
  private static final int DEPTH = 16;

  /** So many lines of rectangles are worked on column by column. */
  private static final int LINES = 16;

  /** The sizes of rectangles, the largest first. */
  enum Size {
    LARGE(8, 8, 512, 256),
    MIDDLE(4, 4, 512, 256),
    /**
     * For sums of several products, or several sums, of which few rectangles keep a device busy.
     */
    HALF(4, 2, 640, 256),
    SMALL(2, 2, 4096, 64);

    /** How many points a thread has below each other, if their numbers have four bytes at most. */
    private final int down;

    /** How many points a thread has beside each other. */
    private final int across;

    /** So many points that keep a device busy are worth one block. */
    private final long share;

    /** A part of a reduction has at least this many elements. */
    private final long leastPart;

    Size(int down, int across, long share, long leastPart) {
      this.down = down;
      this.across = across;
      this.share = share;
      this.leastPart = leastPart;
    }

    /** Numbers of eight bytes need twice the registers. */
    private int down(Monoid monoid) {
      boolean wide = monoid.prims().stream().anyMatch(t -> t.byteSize() > 4);
      return this == LARGE && (wide || monoid.prims().size() > 1) ? down / 2 : down;
    }
  }

  private static final int MOST_OPERANDS = 4;

  /**
   * A thread's sums take so many registers of four bytes at most: with twice as many, the compiler
   * keeps them in memory, and a product of four sums is five times as slow as by smaller tiles.
   */
  private static final int MOST_REGISTERS = 64;

  /** A reduction of this many elements costs more than writing and reading its result. */
  private static final long MUCH = 32;

  /** Results are kept that take up to this part of the device's memory. */
  private static final long KEPT_PART = 8;

  /** What comes after the reductions is written once for each of a thread's points. */
  private static final int BRIEF = 16;

  static final long SHARED_BYTES = 40L << 10;

  final GpuTarget target;
  final Scope scope;
  private final Arrays arrays;
  private final List<SegOp.Dim> plane;
  private final Found found;
  private final List<View> outs;
  private final Monoid monoid;
  final Cooperation c;
  private final List<Expr> dims;
  private final long worthwhile;
  private final Size size;
  final int down;
  final int across;

  final Sides sides;

  /** The parts of operands in shared memory. */
  final Map<Tile, Reg> tiles = new LinkedHashMap<>();

  Expr row0;
  Expr column0;
  private List<Expr> batch;

  /** Where a point lies in the rectangle, or in the plane. */
  record Place(Expr row, Expr column) {}

  static TiledKernel of(
      GpuTarget target, List<SegOp.Dim> plane, Found found, List<View> outs, Size size) {
    var sides = Sides.of(found.inputs(), found.map());
    return ProductTiles.suit(sides, found.reduces())
        ? new ProductTiles(target, plane, found, outs, size, sides)
        : new GridTiles(target, plane, found, outs, size, sides);
  }

  TiledKernel(
      GpuTarget target,
      List<SegOp.Dim> plane,
      Found found,
      List<View> outs,
      Size size,
      Sides sides) {
    this.target = target;
    scope = target.scope;
    arrays = target.arrays;
    this.found = found;
    this.outs = outs;
    this.sides = sides;
    var ops = found.reduces().stream().map(Reduce::op).toList();
    var neutral = found.reduces().stream().flatMap(r -> r.neutral().stream()).toList();
    monoid = Monoid.of(target.lowering, ops, neutral);
    down = size.down(monoid);
    across = size.across;
    worthwhile = target.enough / size.share;
    this.size = size;
    c = new Cooperation(scope, monoid);
    this.plane = plane;
    dims = scope.scalars(plane.stream().map(SegOp.Dim::width).toList());
  }

  // What threads do with the parts in shared memory

  /** How many elements of a row come into shared memory at a time. */
  abstract int step();

  /**
   * How many parts of an operand are in shared memory: the next one may be put beside the first.
   */
  abstract int buffers();

  /** How many elements of shared memory a part of an operand takes. */
  abstract long room(Tile o);

  /** Where an element of an operand lies in its part. */
  abstract Expr index(Tile o, Expr along, Expr deep);

  /**
   * How far an element lies in shared memory from one before it. If the number of elements between
   * them along the reduction is odd, the first one's number along it is even.
   */
  abstract long distance(Tile o, long along, long deep);

  /** Returns what brings an operand's parts into shared memory. */
  abstract TileFetch fetch(Tile o);

  /** Computes what a thread needs all the time. */
  abstract void begin();

  /** Where each of the thread's points lies in the rectangle. */
  abstract List<Place> points();

  /**
   * Adds code that goes along the part of the rows that is in shared memory, for all points of the
   * thread. Where an operand ends within the part, there are zeros.
   *
   * @param start the part's first element
   * @param hi the reduction's end
   * @param buffer which part in shared memory it is
   */
  abstract void accumulate(List<List<Reg>> sums, Expr start, Expr hi, Expr buffer);

  final Stream<Tile> operands() {
    return sides.sources().stream().filter(Tile.class::isInstance).map(Tile.class::cast).distinct();
  }

  /** Whether there may be enough to do, and the operator may safely be applied beyond the edges. */
  boolean fits() {
    if (monoid.prims().size() > MOST_OPERANDS
        || atMost(rows(), height() / 2)
        || atMost(columns(), width() / 2)
        || atMost(depth(), DEPTH / 2)
        || size == Size.LARGE && found.rest().stms().size() > BRIEF
        || size == Size.HALF && operands().count() <= 2
        || registers() > MOST_REGISTERS) {
      return false;
    }
    long bytes = operands().mapToLong(o -> shared(o) * prim(o).byteSize()).sum();
    var code =
        scope.block(
            () -> {
              operands().forEach(o -> target.lowering.call(o.value(), unknown(o.value())));
              var sums = Cooperation.uses(c.neutral("sum"));
              monoid.combine(sums, scalars(sides.map(), unknown(sides.map())));
            });
    var unsafe = new boolean[1];
    CodeWalk.code(
        code,
        s -> unsafe[0] |= !(s instanceof Code.Set || s instanceof Code.If || s instanceof Code.For),
        e -> unsafe[0] |= e instanceof Expr.Load);
    return bytes <= SHARED_BYTES && !unsafe[0];
  }

  /** How many registers of four bytes the sums of a thread's points take. */
  private int registers() {
    int bytes = monoid.prims().stream().mapToInt(t -> Math.max(4, t.byteSize())).sum();
    return down * across * bytes / 4;
  }

  private static List<Val> unknown(Lambda lambda) {
    return lambda.params().stream()
        .<Val>map(p -> new Val.Scalar(Expr.use(Reg.fresh(p.name(), p.type().elemPrim()))))
        .toList();
  }

  /** Whether a size is known to be so small that tiles are never worth it. */
  private static boolean atMost(Expr size, long limit) {
    return size instanceof Expr.Lit n && n.value().bits() <= limit;
  }

  Expr rows() {
    return dims.get(dims.size() - 2);
  }

  Expr columns() {
    return dims.getLast();
  }

  private Expr depth() {
    return scope.scalar(found.width());
  }

  int height() {
    return down * SIDE;
  }

  int width() {
    return across * SIDE;
  }

  int side(Tile o) {
    return o.onRow() ? height() : width();
  }

  static Prim prim(Tile o) {
    return o.type().elemPrim();
  }

  private long shared(Tile o) {
    return buffers() * room(o);
  }

  private Expr rectangles() {
    var wide = IndexMath.ceil(columns(), Expr.i64(width()));
    var high = IndexMath.ceil(rows(), Expr.i64(height()));
    return Expr.mul(ArrayVal.count(dims.subList(0, dims.size() - 2)), Expr.mul(high, wide));
  }

  /** Into how many parts a reduction may be divided: a sum of several products is longer. */
  private Expr mostParts() {
    long pairs = Math.max(1, operands().count() / (2L * monoid.prims().size()));
    return IndexMath.max(Expr.i64(1), IndexMath.quot(depth(), Expr.i64(size.leastPart / pairs)));
  }

  /** Whether there is enough to do for this to be better than a thread for each point. */
  Expr worth() {
    var blocks = Expr.mul(rectangles(), mostParts());
    var many = new Expr.Cmp(CompareOp.LE, Expr.i64(worthwhile), blocks);
    var high = Scope.less(Expr.i64(height() / 2), rows());
    var wide = Scope.less(Expr.i64(width() / 2), columns());
    var deep = Scope.less(Expr.i64(DEPTH / 2), depth());
    return Scope.and(many, Scope.and(Scope.and(high, wide), deep));
  }

  /**
   * Whether the operator is worth a kernel of its own, whose results another one reads: it does
   * much for each of them, and there is room for them.
   */
  Expr worthKeeping() {
    var much = new Expr.Cmp(CompareOp.LE, Expr.i64(MUCH), depth());
    long each = monoid.prims().stream().mapToLong(Prim::byteSize).sum();
    var bytes = Expr.mul(ArrayVal.count(dims), Expr.i64(each));
    var part = IndexMath.quot(target.kernels.memory(), Expr.i64(KEPT_PART));
    var room = new Expr.Cmp(CompareOp.LE, bytes, part);
    return Scope.and(worth(), Scope.and(much, room));
  }

  void launch() {
    var span = target.span();
    var rectangles = scope.let("rectangles", rectangles());
    var busy = Expr.i64(target.enough / Kernels.THREADS);
    var wanted = IndexMath.quot(busy, IndexMath.max(rectangles, Expr.i64(1)));
    var number = IndexMath.max(Expr.i64(1), IndexMath.min(mostParts(), wanted));
    var steps = scope.let("steps", IndexMath.ceil(depth(), Expr.i64(step())));
    var perPart = scope.let("per_part", IndexMath.ceil(steps, number));
    var parts = scope.let("parts", IndexMath.max(Expr.i64(1), IndexMath.ceil(steps, perPart)));
    var one = scope.let("one", Scope.equal(parts, Expr.i64(1)));
    var points = scope.let("points", ArrayVal.count(dims));
    var count = scope.let("count", new Expr.Select(one, Expr.i64(0), Expr.mul(points, parts)));
    var partials =
        monoid.prims().stream().map(t -> scope.allocate("partial", t, List.of(count))).toList();
    var code = scope.task(() -> block(new Division(rectangles, perPart, one, points, partials)));
    var blocks = scope.let("blocks", Expr.mul(rectangles, parts));
    var draft = new Kernels.Draft(Kernel.TILED, span, c.grid, c.shared(), code);
    var shape = new Kernels.Shape(blocks, Expr.i64(Kernels.THREADS), Expr.i64(0));
    target.kernels.launch(draft, shape).forEach(scope::add);
    var second = scope.block(() -> combine(parts, points, partials));
    scope.add(new Code.If(one, List.of(), second));
  }

  /**
   * How the work is divided between blocks.
   *
   * @param perPart how many times {@link #step} elements a block takes
   * @param one whether no rectangle is shared
   * @param points how many there are
   * @param partials what the parts give: all points of the first part, then those of the second
   */
  private record Division(
      Expr rectangles, Expr perPart, Expr one, Expr points, List<View> partials) {}

  private void block(Division d) {
    var wide = scope.let("wide", IndexMath.ceil(columns(), Expr.i64(width())));
    var high = scope.let("high", IndexMath.ceil(rows(), Expr.i64(height())));
    var block = Expr.use(c.grid.block());
    var part = scope.let("part", IndexMath.quot(block, d.rectangles));
    var number = scope.let("number", Expr.sub(block, Expr.mul(part, d.rectangles)));
    var inPlane = scope.let("in_plane", Expr.mul(high, wide));
    var outer = scope.let("batch", IndexMath.quot(number, inPlane));
    order(scope.let("rectangle", Expr.sub(number, Expr.mul(outer, inPlane))), wide, high);
    var outerDims = dims.subList(0, dims.size() - 2);
    batch = outerDims.isEmpty() ? List.of() : arrays.unflatten(outerDims, outer);
    begin();
    operands().forEach(o -> tiles.put(o, c.sharedArray(o.name() + "_tile", prim(o), shared(o))));
    var length = scope.let("length", Expr.mul(d.perPart, Expr.i64(step())));
    var lo = scope.let("lo", Expr.mul(part, length));
    var hi = scope.let("hi", IndexMath.min(depth(), Expr.add(lo, length)));
    var sums = reduce(lo, hi);
    var whole = scope.block(() -> results((sum, at) -> write(Cooperation.uses(sum), at), sums));
    var keep = scope.block(() -> results((sum, at) -> keep(sum, d, part, at), sums));
    scope.add(new Code.If(d.one, whole, keep));
  }

  /**
   * Finds a rectangle by its number: the first column of some lines of rectangles, then their
   * second column, and so on. So those that are worked on at the same time share rows and columns,
   * which are in the device's cache then.
   */
  private void order(Expr number, Expr wide, Expr high) {
    var lines = Expr.i64(LINES);
    var some = scope.let("some", Expr.mul(lines, wide));
    var group = scope.let("group", IndexMath.quot(number, some));
    var first = scope.let("first_line", Expr.mul(group, lines));
    var count = scope.let("lines", IndexMath.min(lines, Expr.sub(high, first)));
    var inGroup = scope.let("in_group", Expr.sub(number, Expr.mul(group, some)));
    var column = scope.let("column", IndexMath.quot(inGroup, count));
    var line = scope.let("line", Expr.add(first, Expr.sub(inGroup, Expr.mul(column, count))));
    column0 = scope.let("column0", Expr.mul(column, Expr.i64(width())));
    row0 = scope.let("row0", Expr.mul(line, Expr.i64(height())));
  }

  /** Does something with the results of each of the thread's points, and the point. */
  private void results(BiConsumer<List<Reg>, List<Expr>> action, List<List<Reg>> sums) {
    var points = points();
    for (int p = 0; p < points.size(); p++) {
      var sum = sums.get(p);
      var at = inPlane(points.get(p));
      c.when(
          Scope.and(Scope.less(at.row, rows()), Scope.less(at.column, columns())),
          () -> action.accept(sum, point(at)));
    }
  }

  /** Returns where a point of the rectangle is in the plane. */
  Place inPlane(Place p) {
    return new Place(
        scope.let("row", Expr.add(row0, p.row)), scope.let("column", Expr.add(column0, p.column)));
  }

  /** Reduces the elements between {@code lo} and {@code hi} for all points of the thread. */
  private List<List<Reg>> reduce(Expr lo, Expr hi) {
    List<List<Reg>> sums =
        IntStream.range(0, down * across).mapToObj(k -> c.neutral("sum")).toList();
    var fetches = tiles.keySet().stream().map(this::fetch).toList();
    fetches.forEach(f -> f.begin(lo, hi));
    scope.whileLess(
        "start",
        lo,
        hi,
        start -> Expr.add(start, Expr.i64(step())),
        start -> {
          var buffer = buffer(start);
          fetches.forEach(f -> f.put(buffer));
          c.barrier();
          var next = scope.let("next", Expr.add(start, Expr.i64(step())));
          fetches.forEach(f -> f.fetch(next, hi));
          accumulate(sums, start, hi, buffer);
          if (buffers() == 1) {
            c.barrier();
          }
        });
    return sums;
  }

  /** Which part in shared memory is the one that starts there: they take turns. */
  private Expr buffer(Expr start) {
    var number = IndexMath.quot(start, Expr.i64(step()));
    return buffers() == 1
        ? Expr.i64(0)
        : scope.let("buffer", IndexMath.rem(number, Expr.i64(buffers())));
  }

  private List<Expr> point(Place p) {
    return Lists.concat(batch, List.of(p.row, p.column));
  }

  private List<Expr> indices(Input i, Place at, Expr k) {
    target.bind(plane, point(at));
    scope.bind(found.k(), new Val.Scalar(k));
    return scope.scalars(i.indices());
  }

  /** Returns the place in memory of the element of an input at a point of the plane. */
  Expr memory(Input i, View array, Place at, Expr k) {
    return array.place(indices(i, at, k));
  }

  /** How far an input's elements lie apart along the reduction. */
  Expr strideAlongDepth(Input i, View array) {
    return stride(i, array, found.k());
  }

  /** How far they lie apart from row to row, or from column to column. */
  Expr strideAlongSide(Input i, View array, boolean onRow) {
    return stride(i, array, plane.get(plane.size() - (onRow ? 2 : 1)).index());
  }

  private static Expr stride(Input i, View array, Var index) {
    Expr all = Expr.i64(0);
    for (int d = 0; d < i.indices().size(); d++) {
      if (i.indices().get(d).equals(index)) {
        all = Expr.add(all, array.strides().get(d));
      }
    }
    return all;
  }

  /** Returns the element of an input at a point of the plane. */
  Expr element(Input i, Place at, Expr k) {
    return ((Val.Scalar) arrays.index(scope.array(i.array()), indices(i, at, k))).expr();
  }

  /** Where the first element of an operand's part lies in shared memory. */
  Expr first(Tile o, Expr buffer) {
    return Expr.mul(buffer, Expr.i64(room(o)));
  }

  List<Expr> scalars(Lambda lambda, List<Val> arguments) {
    return target.lowering.call(lambda, arguments).stream()
        .map(v -> ((Val.Scalar) v).expr())
        .toList();
  }

  /** Runs the rest of the body on the results of a point's reductions. */
  private void write(List<Expr> sums, List<Expr> at) {
    var body =
        scope.block(
            () -> {
              target.bind(plane, at);
              for (int k = 0; k < sums.size(); k++) {
                scope.bind(found.results().get(k), new Val.Scalar(sums.get(k)));
              }
              var vals = target.lowering.body(found.rest());
              for (int k = 0; k < vals.size(); k++) {
                arrays.write(outs.get(k), at, vals.get(k));
              }
            });
    scope.add(new Code.Gpu(new GpuCode.Attempt(body)));
  }

  /** Keeps what a part of the reductions gives for a point. */
  private void keep(List<Reg> sum, Division d, Expr part, List<Expr> at) {
    var point = IndexMath.flat(dims, at);
    var index = scope.let("index", Expr.add(Expr.mul(part, d.points), point));
    for (int k = 0; k < sum.size(); k++) {
      var value = Expr.use(sum.get(k));
      scope.add(new Code.Store(sum.get(k).prim(), d.partials.get(k).base(), index, value));
    }
  }

  /** Combines the parts of each point's reductions, in order, and runs the rest of the body. */
  private void combine(Expr parts, Expr points, List<View> partials) {
    target.perPoint(
        "combine parts",
        dims,
        at -> {
          var sum = c.neutral("sum");
          var point = scope.let("point", IndexMath.flat(dims, at));
          scope.forEach(
              "part",
              parts,
              part -> {
                var index = scope.let("index", Expr.add(Expr.mul(part, points), point));
                var values =
                    partials.stream()
                        .<Expr>map(p -> scope.let("x", new Expr.Load(p.prim(), p.base(), index)))
                        .toList();
                c.accumulate(sum, values);
              });
          write(Cooperation.uses(sum), at);
        });
  }
}
