package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Finds the spaces that a program makes itself. A size that is computed from the number of rows of
 * another space, such as {@code n - 1}, is as large, so what has this size is divided too.
 */
final class NewSpaces {
  private final Labeller labeller;
  private final Spaces spaces;
  private final Schedule schedule;

  NewSpaces(Labeller labeller, Schedule schedule) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
    this.schedule = schedule;
  }

  /** Makes the spaces that a statement's results need, and are not there yet, in equal parts. */
  void of(Stm stm) {
    if (stm.pattern().size() == 1 && stm.var().type().equals(Type.I64)) {
      if (grows(stm)) {
        spaces.addLarge(stm.var());
      }
      return;
    }
    if (stm.exp() instanceof Slice || stm.exp() instanceof Reshape || stm.exp() instanceof Concat) {
      return;
    }
    for (var size : sizes(stm)) {
      if (size instanceof Var m && spaces.isLarge(m) && !spaces.has(m)) {
        even(stm.span(), m);
      }
    }
  }

  private boolean grows(Stm stm) {
    return switch (stm.exp()) {
      case Alias(var x) -> isLarge(x);
      case If(_, var then, var otherwise) ->
          isLarge(then.results().getFirst()) || isLarge(otherwise.results().getFirst());
      case Binary(var op, var x, var y) ->
          switch (op) {
            case ADD, MUL, MAX -> isLarge(x) || isLarge(y);
            case SUB -> isLarge(x);
            case QUOT, DIV -> isLarge(x) && !isLarge(y);
            default -> false;
          };
      default -> false;
    };
  }

  boolean isLarge(Atom size) {
    return spaces.has(size) || size instanceof Var v && spaces.isLarge(v);
  }

  /** Whether the statement takes a long stretch of rows. */
  boolean isStretch(Stm stm) {
    return stm.exp() instanceof Slice(var array, var dims, var checked)
        && !checked
        && labeller.of(array).equals(new Label.Sharded(0))
        && RowRewrites.onlyRows(array, dims)
        && dims.getFirst() instanceof DimSlice.Range(_, var count, var stride)
        && stride.isConst(1)
        && isLarge(count);
  }

  private static Set<Atom> sizes(Stm stm) {
    var sizes = new HashSet<Atom>();
    stm.pattern().forEach(v -> sizes.addAll(RowsUse.sizesOf(v.type())));
    switch (stm.exp()) {
      case Screma s -> sizes.add(s.width());
      case Hist h -> sizes.add(h.width());
      case Scatter s -> sizes.add(s.width());
      case Filter f -> sizes.add(f.width());
      default -> {}
    }
    return sizes;
  }

  /** Returns the space of a size, which is made if there is none yet. */
  Space needed(Span span, Var rows) {
    return spaces.has(rows) ? spaces.of(rows) : even(span, rows);
  }

  /** Makes a space whose pieces are about equal. */
  Space even(Span span, Var rows) {
    var pieces = schedule.pieces();
    return cut(
        span,
        rows,
        (b, p) -> {
          var each = b.binary(BinaryOp.QUOT, rows, pieces.pieces());
          var rest = b.binary(BinaryOp.REM, rows, pieces.pieces());
          return b.add(b.mul(each, p), b.binary(BinaryOp.MIN, p, rest));
        });
  }

  /**
   * Makes the space of a stretch of the rows of another one, from some row on. Each piece has those
   * that it has of the other space, so that nothing need be moved.
   */
  Space aligned(Span span, Var rows, Space source, Atom start) {
    if (!schedule.isKnown(rows, source.cut()) || !schedule.isKnown(rows, start)) {
      return even(span, rows);
    }
    return cut(
        span,
        rows,
        (b, p) -> {
          var first = b.sub(b.index(source.cut(), p), start);
          var inside = b.binary(BinaryOp.MIN, b.binary(BinaryOp.MAX, Atom.i64(0), first), rows);
          var last = b.compare(CompareOp.EQ, p, schedule.pieces().pieces());
          var none = b.compare(CompareOp.EQ, p, Atom.i64(0));
          return b.ifThenElse(
                  none,
                  List.of(Type.I64),
                  _ -> List.of(Atom.i64(0)),
                  c ->
                      c.ifThenElse(
                          last, List.of(Type.I64), _ -> List.of(rows), _ -> List.of(inside)))
              .getFirst();
        });
  }

  /** Makes the space of the elements of rows, so many of each; each piece has those of its rows. */
  Space times(Span span, Space source, Atom each) {
    var b = new Builder(span);
    var rows = b.bind("elements", new Binary(BinaryOp.MUL, source.rows(), each));
    b.stms().forEach(s -> schedule.driver(s, 0));
    return cut(span, rows, (in, p) -> in.mul(in.index(source.cut(), p), each));
  }

  /** Makes a space whose pieces begin where a function of the piece's number says. */
  Space cut(Span span, Var rows, BiFunction<Builder, Atom, Atom> first) {
    var owner = schedule.owner(rows);
    var pieces = schedule.pieces();
    var space = Space.of(rows, pieces.bounds());
    var b = new Builder(span);
    b.bindAll(List.of(space.total()), new Alias(rows));
    var cut =
        b.map(
            pieces.bounds(),
            List.of(b.iota(pieces.bounds())),
            // A size below zero has a check of its own, which may come later.
            (in, p) ->
                List.of(in.binary(BinaryOp.MAX, Atom.i64(0), first.apply(in, p.getFirst()))));
    b.bindAll(List.of(space.cut()), new Alias(cut.getFirst()));
    b.stms().forEach(s -> owner.driver(s, 0));
    spaces.addIndependent(space);
    schedule.waitForOwner(space.cut());
    return space;
  }

  /**
   * Makes the space of what pieces decide each for itself.
   *
   * @param own the size of the piece's part, which a stage of the level binds; the space's rows
   */
  Space counted(Span span, Var own, int at) {
    var pieces = schedule.pieces();
    var space = Space.of(own, pieces.bounds());
    var local = new Builder(span);
    var count = local.bind("own", new Alias(own));
    spaces.addOwn(count);
    local.stms().forEach(s -> schedule.local(s, at));
    var counts = schedule.ofEachPiece(count, span, at);
    var b = new Builder(span);
    var after =
        Scans.inclusive(
            b,
            pieces.pieces(),
            List.of(counts),
            b.operator(BinaryOp.ADD, Prim.I64),
            List.of(Atom.i64(0)));
    var cut =
        b.map(
            pieces.bounds(),
            List.of(b.iota(pieces.bounds())),
            (in, p) ->
                in.ifThenElse(
                    in.compare(CompareOp.EQ, p.getFirst(), Atom.i64(0)),
                    List.of(Type.I64),
                    _ -> List.of(Atom.i64(0)),
                    c -> List.of(c.index(after.getFirst(), c.sub(p.getFirst(), Atom.i64(1))))));
    b.bindAll(List.of(space.cut()), new Alias(cut.getFirst()));
    b.bindAll(List.of(space.total()), new Index(space.cut(), List.of(pieces.pieces()), true));
    b.bindAll(List.of(own), new Alias(space.total()));
    b.stms().forEach(s -> schedule.driver(s, at + 1));
    schedule.asSizeFrom(own, at);
    spaces.add(space);
    return space;
  }
}
