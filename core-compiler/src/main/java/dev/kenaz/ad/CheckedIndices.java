package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Var;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Lets a derivative access arrays at the indices of the program without a check of its own. If
 * nothing uses what the program reads there, its access is removed together with the check. So the
 * derivative uses indices that are checked by themselves: {@code (iota n)[i]} is i, or fails if i
 * is no index of an array of size n.
 */
final class CheckedIndices {
  private CheckedIndices() {}

  /** The access at such indices; any other expression is returned as it is. */
  static Exp of(Builder b, Exp exp) {
    return switch (exp) {
      case Index(var a, var is, var checked) when checked -> new Index(a, indices(b, a, is), false);
      case Slice(var a, var dims, var checked) when checked ->
          new Slice(a, slice(b, a, dims), true);
      case Update(var a, var dims, var x, var checked) when checked ->
          new Update(a, slice(b, a, dims), x, true);
      default -> exp;
    };
  }

  private static List<Atom> indices(Builder b, Var array, List<Atom> indices) {
    return IntStream.range(0, indices.size())
        .mapToObj(d -> index(b, array, d, indices.get(d)))
        .toList();
  }

  /** The bounds of ranges are checked by assertions, which are never removed. */
  private static List<DimSlice> slice(Builder b, Var array, List<DimSlice> dims) {
    return IntStream.range(0, dims.size())
        .mapToObj(
            d ->
                dims.get(d) instanceof DimSlice.Fix(var i)
                    ? new DimSlice.Fix(index(b, array, d, i))
                    : dims.get(d))
        .toList();
  }

  private static Atom index(Builder b, Var array, int dim, Atom i) {
    var all = b.iota(array.type().dims().get(dim));
    return b.bind("i", new Index(all, List.of(i), true));
  }
}
