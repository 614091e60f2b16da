package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Slice;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Tells what is known of parts of one array, each a slice of all its dimensions: whether they
 * overlap.
 */
public final class Regions {
  /** A dimension of at most this many positions is looked at position by position. */
  private static final long FEW = 16;

  private Regions() {}

  /** Returns what an index or a slice reads. */
  public static List<DimSlice> read(Exp exp) {
    return switch (exp) {
      case Index(var array, var indices, _) -> {
        var region = new ArrayList<DimSlice>();
        indices.forEach(i -> region.add(new DimSlice.Fix(i)));
        var dims = array.type().dims();
        for (var d : dims.subList(indices.size(), dims.size())) {
          region.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1)));
        }
        yield region;
      }
      case Slice(_, var slice, _) -> slice;
      default -> throw new IllegalArgumentException("not a read: " + exp);
    };
  }

  /** Whether the regions certainly have nothing in common. */
  public static boolean disjoint(List<DimSlice> a, List<DimSlice> b) {
    for (int d = 0; d < a.size(); d++) {
      var x = interval(a.get(d));
      var y = interval(b.get(d));
      if (x.isPresent() && y.isPresent() && !x.get().meets(y.get())) {
        return true;
      }
    }
    return false;
  }

  /** Whether all of {@code part} certainly lies in {@code whole}. */
  public static boolean contains(List<DimSlice> whole, List<DimSlice> part, List<Atom> dims) {
    for (int d = 0; d < dims.size(); d++) {
      if (!contains(whole.get(d), part.get(d), dims.get(d))) {
        return false;
      }
    }
    return true;
  }

  private static boolean contains(DimSlice whole, DimSlice part, Atom size) {
    if (whole.equals(part) || whole.isWhole(size)) {
      return true;
    }
    var x = interval(whole);
    var y = interval(part);
    return x.isPresent()
        && y.isPresent()
        && whole instanceof DimSlice.Range
        && x.get().from <= y.get().from
        && y.get().to <= x.get().to;
  }

  /** Whether the parts together certainly hold all of the region. */
  public static boolean covered(
      List<DimSlice> region, List<List<DimSlice>> parts, List<Atom> dims) {
    if (parts.stream().anyMatch(p -> contains(p, region, dims))) {
      return true;
    }
    for (int d = 0; d < region.size(); d++) {
      var few = region.get(d) instanceof DimSlice.Range ? interval(region.get(d)) : EMPTY;
      if (few.isPresent() && few.get().to - few.get().from < FEW) {
        for (long i = few.get().from; i <= few.get().to; i++) {
          var at = new ArrayList<>(region);
          at.set(d, new DimSlice.Fix(Atom.i64(i)));
          var there = parts.stream().filter(p -> !disjoint(p, at)).toList();
          if (there.isEmpty() || !covered(at, there, dims)) {
            return false;
          }
        }
        return true;
      }
    }
    return false;
  }

  /**
   * Returns an expression that reads the part from an array of what {@code whole} holds, if that
   * certainly contains it.
   */
  public static Optional<Exp> within(Var value, List<DimSlice> whole, List<DimSlice> part) {
    var slice = new ArrayList<DimSlice>();
    for (int d = 0; d < whole.size(); d++) {
      if (!(whole.get(d) instanceof DimSlice.Range(var start, var count, _))) {
        continue;
      }
      var here =
          part.get(d).equals(whole.get(d))
              ? Optional.<DimSlice>of(new DimSlice.Range(Atom.i64(0), count, Atom.i64(1)))
              : moved(part.get(d), start);
      if (here.isEmpty()) {
        return Optional.empty();
      }
      slice.add(here.get());
    }
    var fixed = new ArrayList<Atom>();
    slice.forEach(
        d -> {
          if (d instanceof DimSlice.Fix(var i)) {
            fixed.add(i);
          }
        });
    return Optional.of(
        fixed.size() == slice.size()
            ? new Index(value, fixed, false)
            : new Slice(value, slice, false));
  }

  private static Optional<DimSlice> moved(DimSlice d, Atom start) {
    if (start.isConst(0)) {
      return Optional.of(d);
    }
    if (!(start instanceof Const(var by))) {
      return Optional.empty();
    }
    return switch (d) {
      case DimSlice.Fix(Const(var i)) ->
          Optional.of(new DimSlice.Fix(Atom.i64(i.asLong() - by.asLong())));
      case DimSlice.Range(Const(var i), var count, var stride) ->
          Optional.of(new DimSlice.Range(Atom.i64(i.asLong() - by.asLong()), count, stride));
      default -> Optional.empty();
    };
  }

  private static final Optional<Interval> EMPTY = Optional.empty();

  private record Interval(long from, long to) {
    boolean meets(Interval other) {
      return from <= other.to && other.from <= to;
    }
  }

  /**
   * Returns the positions, from the first to the last, where they are constants next to each other.
   */
  private static Optional<Interval> interval(DimSlice d) {
    return switch (d) {
      case DimSlice.Fix(Const(var i)) -> Optional.of(new Interval(i.asLong(), i.asLong()));
      case DimSlice.Range(Const(var start), Const(var count), var stride)
          when stride.isConst(1) && count.asLong() > 0 ->
          Optional.of(new Interval(start.asLong(), start.asLong() + count.asLong() - 1));
      default -> EMPTY;
    };
  }
}
