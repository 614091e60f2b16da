package dev.kenaz.kernels;

import dev.kenaz.ir.Lambda;
import dev.kenaz.kernels.GpuTiling.Found;
import dev.kenaz.kernels.GpuTiling.Input;
import dev.kenaz.kernels.Sides.Tile;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Val;
import dev.kenaz.segir.SegOp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Tiles of which each thread has a grid of points, for any operator. A thread's rows lie in runs of
 * neighbours, and so do its columns, so that it reads several elements at once, in words of 16
 * bytes:
 *
 * <pre>
 *   a thread's eight columns    4 x, ..., 4 x + 3,  64 + 4 x, ..., 64 + 4 x + 3
 *   what it reads for a step    two words of rows and two of columns, for 64 points
 * </pre>
 *
 * <p>A warp has eight threads beside each other and four below each other. Where neighbouring lanes
 * read the same word of one operand, and those at a distance of two the same word of the other one,
 * shared memory delivers a half of the warp at once rather than a quarter. So the lanes' numbers
 * are dealt to columns and rows by turns, bit by bit.
 */
final class GridTiles extends TiledKernel {
  private static final int STEP = 16;

  private static final int LEAST_STEP = 4;

  /** A thread has so many elements of the next part on their way. */
  private static final int MOST_NEXT = 16;

  /** Wide loads from shared memory have this many bytes. */
  private static final int WORD = 16;

  /** Whether a part may be taken as a whole where it has fewer elements: the others are zeros. */
  private final boolean whole;

  /** How many elements of a row come into shared memory at a time. */
  private final int step;

  /** What is reduced of an element, or the terms of a sum. */
  private final Lambda terms;

  /** So many neighbouring rows or columns of a thread are read at once. */
  private final int run;

  /** The thread's first column, and its first row. */
  private Expr x;

  private Expr y;

  GridTiles(
      GpuTarget target,
      List<SegOp.Dim> plane,
      Found found,
      List<View> outs,
      Size size,
      Sides sides) {
    super(target, plane, found, outs, size, sides);
    whole = sides.addZeros(found.reduces());
    terms = sides.terms(found.reduces());
    step = chooseStep();
    run = WORD / operands().mapToInt(o -> prim(o).byteSize()).max().orElse(WORD);
  }

  @Override
  int step() {
    return step;
  }

  /** Parts are shorter where there are many operands: the next part takes registers, too. */
  private int chooseStep() {
    int lines = operands().mapToInt(this::side).sum();
    int step = STEP;
    while (step > LEAST_STEP && step * lines / Kernels.THREADS > MOST_NEXT) {
      step /= 2;
    }
    return step;
  }

  /** With two parts in shared memory threads wait for each other once for each, not twice. */
  @Override
  int buffers() {
    long bytes = operands().mapToLong(o -> room(o) * prim(o).byteSize()).sum();
    return 2 * bytes <= SHARED_BYTES ? 2 : 1;
  }

  /**
   * The length of a tile's row in shared memory: with a gap against conflicts between banks that
   * leaves wide loads aligned.
   */
  private long pitch(Tile o) {
    return side(o) + WORD / prim(o).byteSize();
  }

  @Override
  long room(Tile o) {
    return step * pitch(o);
  }

  @Override
  Expr index(Tile o, Expr along, Expr deep) {
    return Expr.add(Expr.mul(deep, Expr.i64(pitch(o))), along);
  }

  @Override
  long distance(Tile o, long along, long deep) {
    return deep * pitch(o) + along;
  }

  @Override
  TileFetch fetch(Tile o) {
    return new TileFetch(this, o, false);
  }

  @Override
  void begin() {
    var lane = c.lane();
    var warp = c.warp();
    var column = bits(bit(lane, 0), bit(lane, 2), bit(lane, 4), bit(warp, 0));
    var row = bits(bit(lane, 1), bit(lane, 3), bit(warp, 1), bit(warp, 2));
    x = scope.let("x", Expr.mul(column, Expr.i64(run(across))));
    y = scope.let("y", Expr.mul(row, Expr.i64(run(down))));
  }

  private static Expr bit(Expr number, int n) {
    return IndexMath.rem(IndexMath.quot(number, Expr.i64(1L << n)), Expr.i64(2));
  }

  /** Returns the number that has these bits, the lowest first. */
  private static Expr bits(Expr... bits) {
    Expr all = Expr.i64(0);
    for (int n = 0; n < bits.length; n++) {
      all = Expr.add(all, Expr.mul(bits[n], Expr.i64(1L << n)));
    }
    return all;
  }

  /** How many neighbours there are in a run of a thread that has so many rows or columns. */
  private int run(int count) {
    return Math.min(run, count);
  }

  /** Where the n-th of so many rows or columns of a thread lies, from its first one. */
  private Expr place(Expr first, int n, int count) {
    int run = run(count);
    return Expr.add(first, Expr.i64((long) n / run * run * SIDE + n % run));
  }

  private Expr down(int r) {
    return place(y, r, down);
  }

  private Expr along(int q) {
    return place(x, q, across);
  }

  @Override
  List<Place> points() {
    return IntStream.range(0, down * across)
        .mapToObj(p -> new Place(down(p / across), along(p % across)))
        .toList();
  }

  @Override
  void accumulate(List<List<Reg>> sums, Expr start, Expr hi, Expr buffer) {
    var most = Expr.i64(step);
    var count = whole ? most : scope.let("count", IndexMath.min(most, Expr.sub(hi, start)));
    Map<Tile, Expr> firsts = new LinkedHashMap<>();
    tiles.keySet().forEach(o -> firsts.put(o, scope.let("part", first(o, buffer))));
    scope.forSequence("k", count, k -> accumulate(sums, k, start, firsts));
  }

  /** Takes one step along the rows for all points of the thread. */
  private void accumulate(List<List<Reg>> sums, Expr k, Expr start, Map<Tile, Expr> firsts) {
    Map<Tile, List<Val>> parts = new LinkedHashMap<>();
    tiles.forEach(
        (o, reg) -> {
          var base = scope.let("base", Expr.add(firsts.get(o), index(o, Expr.i64(0), k)));
          var mine = new ArrayList<Val>();
          for (int n = 0; n < (o.onRow() ? down : across); n++) {
            var at = Expr.add(base, o.onRow() ? down(n) : along(n));
            mine.add(new Val.Scalar(scope.let("e", new Expr.Load(prim(o), Expr.use(reg), at))));
          }
          parts.put(o, mine);
        });
    var deep = scope.let("deep", Expr.add(start, k));
    for (int p = 0; p < down * across; p++) {
      int r = p / across;
      int q = p % across;
      List<Val> elements =
          sides.sources().stream()
              .map(
                  source ->
                      switch (source) {
                        case Tile o -> parts.get(o).get(o.onRow() ? r : q);
                        case Sides.Direct(var input) -> new Val.Scalar(direct(input, r, q, deep));
                      })
              .toList();
      var values = scalars(terms, elements);
      int operands = sums.get(p).size();
      for (int n = 0; n < values.size(); n += operands) {
        c.accumulate(sums.get(p), values.subList(n, n + operands));
      }
    }
  }

  /** Reads what depends on both coordinates, or none, where it is needed. */
  private Expr direct(Input i, int r, int q, Expr deep) {
    var last = Expr.i64(1);
    var at = inPlane(new Place(down(r), along(q)));
    var row = scope.let("row", IndexMath.min(at.row(), Expr.sub(rows(), last)));
    var column = scope.let("column", IndexMath.min(at.column(), Expr.sub(columns(), last)));
    return element(i, new Place(row, column), deep);
  }
}
