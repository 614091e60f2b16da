package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Expresses slices, updates and concatenations of rows by maps over the rows of their results,
 * which read by number: {@code xs[a:b:c]} is {@code map (\j -> xs[a + j * c]) (iota count)}. What
 * such a map reads is then brought by exchanges, or, if the result is small, picked from the
 * pieces.
 */
final class RowRewrites {
  private final Labeller labeller;
  private final Spaces spaces;
  private final NewSpaces newSpaces;

  RowRewrites(Labeller labeller, NewSpaces newSpaces) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
    this.newSpaces = newSpaces;
  }

  /** Returns the statements in the place of this one, if it takes rows apart or puts some in. */
  Optional<List<Stm>> of(Stm stm) {
    return switch (stm.exp()) {
      case Slice(var array, var dims, var checked)
          when rowsOf(array, dims) && !newSpaces.isStretch(stm) ->
          Optional.of(slice(stm, array, dims, checked));
      case Update(var array, var dims, var value, var checked) when rowsOf(array, dims) ->
          Optional.of(update(stm, array, dims, value, checked));
      case Concat(var dim, var arrays, var size) when newSpaces.isLarge(size) ->
          concat(stm, dim, arrays, size);
      default -> Optional.empty();
    };
  }

  /** Whether the dimensions select some of the rows. */
  private boolean rowsOf(Var array, List<DimSlice> dims) {
    return labeller.of(array) instanceof Label.Sharded(var dim)
        && !dims.get(dim).isWhole(array.type().dims().get(dim))
        && positions(dims).stream().allMatch(x -> labeller.of(x) == Label.REPLICATED);
  }

  private static List<Atom> positions(List<DimSlice> dims) {
    var atoms = new ArrayList<Atom>();
    for (var d : dims) {
      switch (d) {
        case DimSlice.Fix(var i) -> atoms.add(i);
        case DimSlice.Range(var start, var count, var stride) ->
            Collections.addAll(atoms, start, count, stride);
      }
    }
    return atoms;
  }

  /** Whether all dimensions but the first are whole. */
  static boolean onlyRows(Var array, List<DimSlice> dims) {
    return IntStream.range(1, dims.size())
        .allMatch(i -> dims.get(i).isWhole(array.type().dims().get(i)));
  }

  private List<Stm> slice(Stm stm, Var array, List<DimSlice> dims, boolean checked) {
    int dim = ((Label.Sharded) labeller.of(array)).dim();
    var b = new Builder(stm.span());
    var of = array;
    var rows = dims.get(dim);
    int at = dim;
    if (IntStream.range(0, dims.size()).anyMatch(i -> i != dim && !isWhole(array, dims, i))) {
      var others = new ArrayList<>(dims);
      others.set(dim, whole(array, dim));
      of = b.bind(array.name(), new Slice(array, others, checked));
      at = rangesBefore(dims, dim);
    }
    of = rowsFirst(b, of, at);
    switch (rows) {
      case DimSlice.Fix(var i) -> b.bindAll(stm.pattern(), new Index(of, List.of(i), checked));
      case DimSlice.Range(var start, var count, var stride) -> {
        if (checked) {
          check(b, of.type().dims().getFirst(), start, count, stride);
        }
        var from = of;
        var type = Type.of(from.type().elemPrim(), inner(from)).under(count);
        int back = at;
        if (at == 0) {
          b.bindAll(stm.pattern(), picked(b, from, start, count, stride));
        } else {
          var part = b.bind(array.name(), type, picked(b, from, start, count, stride));
          b.bindAll(stm.pattern(), new Rearrange(backTo(back, type.dims().size()), part));
        }
      }
    }
    return b.stms();
  }

  private static List<Atom> inner(Var array) {
    return array.type().dims().subList(1, array.type().dims().size());
  }

  private Exp picked(Builder b, Var from, Atom start, Atom count, Atom stride) {
    if (stride.isConst(1) && newSpaces.isLarge(count)) {
      var dims = new ArrayList<DimSlice>();
      dims.add(new DimSlice.Range(start, count, stride));
      IntStream.range(1, from.type().dims().size()).forEach(i -> dims.add(whole(from, i)));
      return new Slice(from, dims, false);
    }
    var map =
        b.lambda(
            List.of(Type.I64),
            (in, j) -> List.of(in.index(from, in.add(start, in.mul(j.getFirst(), stride)))));
    return new Screma(count, List.of(b.iota(count)), List.of(), List.of(), map);
  }

  private static void check(Builder b, Atom rows, Atom start, Atom count, Atom stride) {
    var last = b.add(start, b.mul(b.sub(count, Atom.i64(1)), stride));
    var none = b.compare(CompareOp.EQ, count, Atom.i64(0));
    var inside = b.and(within(b, start, rows), within(b, last, rows));
    var positive = b.compare(CompareOp.LE, Atom.i64(0), count);
    var ok = b.and(positive, b.binary(BinaryOp.OR, none, inside));
    b.check(
        ok, "rows from {} to {} aren't all in an array of shape [{}]", List.of(start, last, rows));
  }

  private static Atom within(Builder b, Atom i, Atom rows) {
    return b.and(b.compare(CompareOp.LE, Atom.i64(0), i), b.compare(CompareOp.LT, i, rows));
  }

  private boolean isWhole(Var array, List<DimSlice> dims, int i) {
    return dims.get(i).isWhole(array.type().dims().get(i));
  }

  private static DimSlice whole(Var array, int dim) {
    return new DimSlice.Range(Atom.i64(0), array.type().dims().get(dim), Atom.i64(1));
  }

  private static int rangesBefore(List<DimSlice> dims, int dim) {
    return (int) dims.subList(0, dim).stream().filter(d -> d instanceof DimSlice.Range).count();
  }

  /** Returns the array with this dimension as its first. */
  static Var rowsFirst(Builder b, Var array, int dim) {
    if (dim == 0) {
      return array;
    }
    var perm = new ArrayList<Integer>();
    perm.add(dim);
    IntStream.range(0, array.type().dims().size()).filter(i -> i != dim).forEach(perm::add);
    return b.bind(array.name(), new Rearrange(perm, array));
  }

  /** Returns the permutation that brings the first dimension back to where it was. */
  private static List<Integer> backTo(int dim, int rank) {
    var perm = new ArrayList<Integer>();
    IntStream.range(1, rank).forEach(perm::add);
    perm.add(dim, 0);
    return perm;
  }

  /** Returns the array with its first dimension brought back to where it was. */
  static Var rowsBack(Builder b, Var array, int dim) {
    return dim == 0
        ? array
        : b.bind(array.name(), new Rearrange(backTo(dim, array.type().dims().size()), array));
  }

  /** Returns the array with so many rows, each of which is read from the one that is given. */
  static Var spread(Builder b, Var array, int dim, Var rows) {
    var all = rowsFirst(b, array, dim);
    var type = Builder.rowType(all.type());
    var map =
        b.map(
            rows,
            List.of(b.iota(rows)),
            (in, j) -> List.of(in.bind("row", type, new Index(all, List.of(j.getFirst()), false))));
    return rowsBack(b, map.getFirst(), dim);
  }

  private List<Stm> update(Stm stm, Var array, List<DimSlice> dims, Atom value, boolean checked) {
    int dim = ((Label.Sharded) labeller.of(array)).dim();
    var b = new Builder(stm.span());
    var of = rowsFirst(b, array, dim);
    var rows = of.type().dims().getFirst();
    var others = new ArrayList<>(dims);
    others.remove(dim);
    Function<Builder, Function<Atom, Atom>> inside;
    Function<Builder, Function<Atom, Atom>> given;
    switch (dims.get(dim)) {
      case DimSlice.Fix(var i) -> {
        if (checked) {
          OwnRow.check(b, i, rows);
        }
        inside = in -> j -> in.compare(CompareOp.EQ, j, i);
        given = _ -> _ -> value;
      }
      case DimSlice.Range(var start, var count, var stride) -> {
        if (checked) {
          check(b, rows, start, count, stride);
        }
        var values = rowsFirst(b, (Var) value, rangesBefore(dims, dim));
        inside = in -> j -> hits(in, j, start, count, stride);
        given = in -> j -> in.index(values, number(in, j, start, stride));
      }
    }
    var numbers = b.iota(rows);
    var result =
        b.map(
            rows,
            List.of(numbers, of),
            (in, p) ->
                in.ifThenElse(
                    inside.apply(in).apply(p.getFirst()),
                    List.of(p.getLast().type()),
                    c ->
                        List.of(
                            row(
                                c,
                                p.getLast(),
                                others,
                                given.apply(c).apply(p.getFirst()),
                                checked)),
                    _ -> List.of(p.getLast())));
    b.bindAll(stm.pattern(), new Alias(rowsBack(b, result.getFirst(), dim)));
    return b.stms();
  }

  private static Atom number(Builder in, Atom j, Atom start, Atom stride) {
    var distance = in.sub(j, start);
    return stride.isConst(1) ? distance : in.binary(BinaryOp.QUOT, distance, stride);
  }

  private static Atom hits(Builder in, Atom j, Atom start, Atom count, Atom stride) {
    var q = number(in, j, start, stride);
    var among = within(in, q, count);
    return stride.isConst(1)
        ? among
        : in.and(among, in.compare(CompareOp.EQ, in.add(start, in.mul(q, stride)), j));
  }

  /** Returns the row with the value in the place that its own dimensions select. */
  private static Atom row(Builder b, Var row, List<DimSlice> others, Atom value, boolean checked) {
    boolean all =
        IntStream.range(0, others.size())
            .allMatch(i -> others.get(i).isWhole(row.type().dims().get(i)));
    if (all) {
      return value;
    }
    var own = b.bind(row.name(), new Copy(row));
    return b.bind(row.name(), row.type(), new Update(own, others, value, checked));
  }

  /** Reads each row of the result from the array that it comes from. */
  private Optional<List<Stm>> concat(Stm stm, int dim, List<Var> arrays, Atom size) {
    boolean fits =
        arrays.stream()
            .map(labeller::of)
            .allMatch(l -> l == Label.REPLICATED || l.equals(new Label.Sharded(dim)));
    if (!fits) {
      return Optional.empty();
    }
    newSpaces.needed(stm.span(), (Var) size);
    var b = new Builder(stm.span());
    var parts = arrays.stream().map(a -> rowsFirst(b, a, dim)).toList();
    var ends = new ArrayList<Atom>();
    Atom end = Atom.i64(0);
    for (var p : parts) {
      end = b.add(end, p.type().dims().getFirst());
      ends.add(end);
    }
    var type = Builder.rowType(parts.getFirst().type());
    var result =
        b.map(
            size,
            List.of(b.iota(size)),
            (in, j) -> List.of(from(in, parts, ends, 0, j.getFirst(), type)));
    b.bindAll(stm.pattern(), new Alias(rowsBack(b, result.getFirst(), dim)));
    return Optional.of(b.stms());
  }

  private static Atom from(Builder in, List<Var> parts, List<Atom> ends, int k, Atom j, Type type) {
    var at = k == 0 ? j : in.sub(j, ends.get(k - 1));
    if (k == parts.size() - 1) {
      return in.bind("row", type, new Index(parts.get(k), List.of(at), false));
    }
    return in.ifThenElse(
            in.compare(CompareOp.LT, j, ends.get(k)),
            List.of(type),
            c -> List.of(c.bind("row", type, new Index(parts.get(k), List.of(at), false))),
            c -> List.of(from(c, parts, ends, k + 1, j, type)))
        .getFirst();
  }
}
