package dev.kenaz.flatten;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Optional;

/**
 * The elements that the points of a nest have, of all points one after another: those of a point
 * are a segment. How many a point has may differ from point to point.
 *
 * <pre>
 *   sizes       2 0 3         of the points
 *   offsets     0 2 2         where their segments begin
 *   owners      0 0 2 2 2     whose segment an element is in
 *   places      0 1 0 1 2     which of it
 * </pre>
 *
 * @param width how many elements a point has; a variable of the nest, or the same at all points
 * @param total how many elements all points have
 * @param sizes the width at all points, an array over the nest, if it differs from point to point
 * @param offsets over the nest, if the width differs
 * @param owners numbers of points, for all elements, if the width differs and they are needed
 */
record Segments(
    Nest nest,
    Atom width,
    Atom total,
    Optional<Var> sizes,
    Optional<Var> offsets,
    Optional<Var> owners) {

  /** Returns the segments of points that all have as many elements. */
  static Segments equal(Builder b, Nest nest, Atom width) {
    var total = b.mul(nest.points(b), width);
    return new Segments(nest, width, total, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * Returns the segments of points each of which has its own number of elements. The owners are not
   * known yet.
   *
   * @param sizes the width at all points, an array over the nest
   */
  static Segments of(Builder b, Nest nest, Atom width, Var sizes) {
    var points = nest.points(b);
    var flat = flat(b, nest, points, sizes);
    var add = new Scan(b.operator(BinaryOp.ADD, Prim.I64), List.of(i64(0)));
    var ends =
        b.screma(points, List.of(flat), List.of(add), List.of(), b.identity(List.of(flat)))
            .getFirst();
    var begins =
        b.map(
                points,
                List.of(ends, flat),
                (in, p) -> List.of(in.binary(BinaryOp.SUB, p.get(0), p.get(1))))
            .getFirst();
    var total = last(b, points, ends);
    var offsets =
        nest.dims().size() == 1 ? begins : b.bind("offsets", new Reshape(nest.widths(), begins));
    return new Segments(
        nest, width, total, Optional.of(sizes), Optional.of(offsets), Optional.empty());
  }

  /**
   * Returns the segments with the owners of all elements: each segment that is not empty says whose
   * it is where it begins, and a scan passes that on.
   */
  Segments owned(Builder b) {
    if (offsets.isEmpty() || owners.isPresent()) {
      return this;
    }
    var points = nest.points(b);
    var inputs =
        List.of(
            flat(b, nest, points, offsets.orElseThrow()),
            flat(b, nest, points, sizes.orElseThrow()),
            b.iota(points));
    var first =
        b.lambda(
            List.of(Type.I64, Type.I64, Type.I64),
            (in, p) -> {
              var none = in.compare(CompareOp.EQ, p.get(1), i64(0));
              return List.of(in.choose(none, i64(-1), p.get(0)), p.get(2));
            });
    var dest = new ScatterDest(List.of(total), b.replicate(List.of(total), i64(0)));
    var begun = b.bind("begun", new Scatter(points, inputs, List.of(dest), first));
    var max = new Scan(b.operator(BinaryOp.MAX, Prim.I64), List.of(i64(0)));
    var all =
        b.screma(total, List.of(begun), List.of(max), List.of(), b.identity(List.of(begun)))
            .getFirst();
    return new Segments(nest, width, total, sizes, offsets, Optional.of(all));
  }

  /** Returns the last of so many sums up to each point; 0 if there is none. */
  static Atom last(Builder b, Atom points, Var sums) {
    return b.ifThenElse(
            b.compare(CompareOp.EQ, points, i64(0)),
            List.of(Type.I64),
            _ -> List.of(i64(0)),
            in -> List.of(in.index(sums, in.add(points, i64(-1)))))
        .getFirst();
  }

  private static Var flat(Builder b, Nest nest, Atom points, Var overNest) {
    return nest.dims().size() == 1
        ? overNest
        : b.bind("flat", new Reshape(List.of(points), overNest));
  }

  /** Returns what an array holds that has a row for each element. */
  Type over(Type row) {
    return row instanceof Type.Acc ? row : row.under(List.of(total));
  }

  /**
   * Binds the nest's indices to those of the point that has an element.
   *
   * @param number which of all elements
   * @param place is bound to which of the point's elements it is
   */
  void find(Builder b, Atom number, Var place) {
    if (owners.isEmpty()) {
      b.bindAll(List.of(place), new Binary(BinaryOp.REM, number, width));
      nest.find(b, b.binary(BinaryOp.QUOT, number, width));
    } else {
      nest.find(b, b.index(owners.get(), number));
      var begin = b.index(offsets.orElseThrow(), nest.indices().toArray(Atom[]::new));
      b.bindAll(List.of(place), new Binary(BinaryOp.SUB, number, begin));
    }
  }

  /** Returns the place where the segment of the nest's point begins. */
  Exp begin() {
    return new Index(offsets.orElseThrow(), List.copyOf(nest.indices()), false);
  }
}
