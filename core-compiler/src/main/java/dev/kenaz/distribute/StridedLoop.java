package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Expresses a loop that writes each k-th row, such as {@code for t in 2..4..<n do ys with [t] = …},
 * by one over all rows, which leaves out the others: so the pieces can go over their rows.
 */
final class StridedLoop {
  /** Iterations over the rows between are cheap, but not for nothing. */
  private static final long LARGEST = 32;

  private StridedLoop() {}

  /** Returns statements in the place of such a loop. */
  static Optional<List<Stm>> of(Labeller labeller, NewSpaces newSpaces, Stm stm) {
    if (!(stm.exp() instanceof Loop loop)
        || !(loop.form() instanceof For(var i, var trips))
        || !i.type().equals(Type.I64)
        || !newSpaces.isLarge(trips)
        || goesOverRows(labeller, loop)) {
      return Optional.empty();
    }
    var stride = stride(loop, i);
    if (stride.isEmpty()) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var times = b.binary(BinaryOp.MAX, Atom.i64(0), trips);
    var all = b.bind("trips", new Binary(BinaryOp.MUL, times, Atom.i64(stride.getAsLong())));
    var turned = overAll(stm.span(), loop, i, all, stride.getAsLong());
    b.with(stm.attrs()).bindAll(stm.pattern(), turned);
    return goesOverRows(labeller, turned) ? Optional.of(b.stms()) : Optional.empty();
  }

  /** Whether an iteration touches rows near its own number alone of what the loop carries. */
  private static boolean goesOverRows(Labeller labeller, Loop loop) {
    var rows =
        loop.params().stream()
            .map(LoopParam::var)
            .filter(v -> labeller.spaces().inType(v.type()))
            .toList();
    var near = new NearRows(labeller, loop, rows);
    return rows.stream().allMatch(v -> near.of(v).isPresent());
  }

  /** Returns by what the number of the iteration is multiplied, if that is always the same. */
  private static OptionalLong stride(Loop loop, Var i) {
    var strides =
        loop.body().stms().stream()
            .map(s -> factor(s, i))
            .filter(OptionalLong::isPresent)
            .mapToLong(OptionalLong::getAsLong)
            .distinct()
            .toArray();
    return strides.length == 1 && strides[0] >= 2 && strides[0] <= LARGEST
        ? OptionalLong.of(strides[0])
        : OptionalLong.empty();
  }

  /** Returns the constant by which the statement multiplies a variable, if it does so. */
  private static OptionalLong factor(Stm stm, Var i) {
    if (!(stm.exp() instanceof Binary(var op, var x, var y)) || op != BinaryOp.MUL) {
      return OptionalLong.empty();
    }
    var other = x.equals(i) ? y : x;
    return (x.equals(i) || y.equals(i)) && other instanceof Const(var c)
        ? OptionalLong.of(c.asLong())
        : OptionalLong.empty();
  }

  private static Loop overAll(Span span, Loop loop, Var i, Var all, long stride) {
    var row = Names.fresh("row", Type.I64);
    var in = new Builder(span);
    var params = loop.params().stream().map(LoopParam::var).toList();
    var rest = in.binary(BinaryOp.REM, row, Atom.i64(stride));
    var results =
        in.ifThenElse(
            in.compare(CompareOp.EQ, rest, Atom.i64(0)),
            params.stream().map(Var::type).toList(),
            c -> {
              c.bindAll(List.of(i), new Binary(BinaryOp.QUOT, row, Atom.i64(stride)));
              for (var s : loop.body().stms()) {
                c.add(factor(s, i).isPresent() ? s.with(new Alias(row)) : s);
              }
              return loop.body().results();
            },
            _ -> List.<Atom>copyOf(params));
    return new Loop(loop.params(), new For(row, all), in.body(new ArrayList<Atom>(results)));
  }
}
