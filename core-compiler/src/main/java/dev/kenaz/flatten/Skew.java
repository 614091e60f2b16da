package dev.kenaz.flatten;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegStm;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Tells whether some points of a nest have far more elements than others: then threads for the
 * points would all wait for the longest row, however many points there are. Nor are threads good at
 * making arrays for themselves, if these are not small.
 */
final class Skew {
  /**
   * While one thread goes along a row, the device does about so many times as much: it has some
   * hundred thousand threads, but all of them together wait for the memory.
   */
  private static final long WHILE_ONE = 1 << 10;

  /** A row of so many elements is not long. */
  private static final long SHORT = 1 << 10;

  /** An array of so many elements is a thread's own; a larger one is on the device's heap. */
  private static final long OWN = 64;

  private Skew() {}

  /**
   * Returns code whose result says whether to distribute what is inside the nest: if there are few
   * points, the longest row has too much of all elements, or arrays of that size are made. Returns
   * nothing if the rows are of the same length, or their lengths are not found by a few scalar
   * operations.
   *
   * @param body what runs at a point
   */
  static Optional<SegBody> of(InnerParallelism inner, Nest nest, Body body) {
    if (nest.dims().size() != 1) {
      return Optional.empty();
    }
    var here = nest.inside(Stm.bound(body.stms()));
    for (int k = 0; k < body.stms().size(); k++) {
      var stm = body.stms().get(k);
      if (inner.ragged(here, stm)) {
        var before = body.stms().subList(0, k);
        return InnerParallelism.widthOf(stm.exp()).stream()
            .filter(w -> !here.invariant(List.of(w)))
            .findFirst()
            .flatMap(w -> lengths(nest, before, w, makesArrays(here, body), stm.span()));
      }
    }
    return Optional.empty();
  }

  /** Whether arrays are kept whose sizes differ from point to point. */
  private static boolean makesArrays(Nest nest, Body body) {
    return body.stms().stream()
        .filter(s -> s.exp() instanceof Soac || s.exp() instanceof Concat)
        .flatMap(s -> s.pattern().stream())
        .anyMatch(v -> v.type().isArray() && !nest.regular(v.type()));
  }

  private static Optional<SegBody> lengths(
      Nest nest, List<Stm> before, Atom width, boolean arrays, Span span) {
    return cheapSlice(before, width).map(s -> isLong(nest, s, width, arrays, span));
  }

  /** Returns what computes a width, if that takes a few scalar operations. */
  static Optional<List<Stm>> cheapSlice(List<Stm> before, Atom width) {
    var slice = BackwardSlice.of(before, List.of(width)).stms();
    boolean cheap = slice.stream().allMatch(Skew::isCheap);
    return cheap && Aliases.of(slice).consumed().isEmpty() ? Optional.of(slice) : Optional.empty();
  }

  private static SegBody isLong(Nest nest, List<Stm> slice, Atom width, boolean arrays, Span span) {
    var b = new Builder(span);
    var reduces =
        List.of(
            new Reduce(b.operator(BinaryOp.MAX, Prim.I64), List.of(i64(0)), true),
            new Reduce(b.operator(BinaryOp.ADD, Prim.I64), List.of(i64(0)), true));
    var kernel = nest.kernel(slice, List.of(width, width));
    var op = new SegRed(kernel.space(), reduces, kernel.body(), List.of(Type.I64, Type.I64));
    var longest = Names.fresh("longest", Type.I64);
    var all = Names.fresh("all", Type.I64);
    var stms = new ArrayList<SegStm>();
    stms.add(new SegStm(List.of(longest, all), new SegExp.Par(op), List.of(), span));
    Atom most = arrays ? i64(OWN) : b.add(b.binary(BinaryOp.QUOT, all, i64(WHILE_ONE)), i64(SHORT));
    var skewed = b.compare(CompareOp.LT, most, longest);
    stms.addAll(SegBody.sequential(new Body(b.stms(), List.of())).stms());
    var measured = new SegBody(stms, List.of(skewed));
    var few = new SegBody(List.of(), List.of(Atom.of(Prim.BOOL, 1)));
    var narrow = Names.fresh("narrow", Type.BOOL);
    var choice = new SegExp.Versions(nest.widths(), measured, few);
    var stm = new SegStm(List.of(narrow), choice, List.of(), span);
    return new SegBody(List.of(stm), List.of(narrow));
  }

  private static boolean isCheap(Stm stm) {
    return !(stm.exp() instanceof Soac)
        && !(stm.exp() instanceof Loop)
        && !(stm.exp() instanceof WithAcc)
        && !(stm.exp() instanceof Apply)
        && Effects.bodies(stm.exp()).flatMap(b -> b.stms().stream()).allMatch(Skew::isCheap);
  }
}
