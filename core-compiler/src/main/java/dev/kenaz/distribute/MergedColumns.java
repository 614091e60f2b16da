package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Reshape;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code flatten columns} of {@code columns: [k][n]t}, where the rows are the inner dimension, as
 * in {@code flatten (replicate 2 xs)}, is a map that reads the element of each of its numbers.
 */
final class MergedColumns {
  private MergedColumns() {}

  static Optional<List<Stm>> of(Labeller labeller, NewSpaces newSpaces, Stm stm) {
    if (!(stm.exp() instanceof Reshape(var shape, var array))
        || shape.size() != 1
        || !(labeller.of(array) instanceof Label.Sharded(var dim))
        || dim == 0
        || !newSpaces.isLarge(shape.getFirst())) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var size = shape.getFirst();
    var numbers = b.iota(size);
    var elements =
        b.map(size, List.of(numbers), (in, p) -> List.of(element(in, array, p.getFirst())));
    b.with(stm.attrs()).bindAll(stm.pattern(), new Alias(elements.getFirst()));
    return Optional.of(b.stms());
  }

  /** Reads the element of this number, which there is only if no dimension is zero. */
  private static Atom element(Builder in, Var array, Atom number) {
    var dims = array.type().dims();
    var is = new ArrayList<Atom>();
    var rest = number;
    for (var dim : dims.subList(1, dims.size()).reversed()) {
      is.addFirst(in.binary(BinaryOp.REM, rest, dim));
      rest = in.binary(BinaryOp.QUOT, rest, dim);
    }
    is.addFirst(rest);
    return in.bind("element", new Index(array, is, false));
  }
}
