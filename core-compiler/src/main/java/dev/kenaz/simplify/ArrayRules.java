package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.ResultTypes;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;

/**
 * Simplifies expressions on whole arrays: views of views, such as {@code transpose (transpose a) =
 * a}; views of arrays whose making is known, such as a slice of a literal; and updates, such as one
 * that writes what is there.
 */
record ArrayRules(Env env, Ranges ranges, IndexRules indices) {
  /** Literals of at most this many elements are written out once more. */
  private static final int FEW = 64;

  Exp apply(Exp exp) {
    return switch (exp) {
      case Index x -> indices.apply(x);
      case Slice s -> slice(s);
      case Update u -> update(u);
      case Replicate r -> replicate(r);
      case ArrayLit a -> literal(a);
      case Concat c -> concat(c);
      case Rearrange r -> rearrange(r);
      case Reshape r -> reshape(r);
      case UpdateAcc u -> updateAcc(u);
      default -> exp;
    };
  }

  // Slices

  private Exp slice(Slice s) {
    var dims = s.slice();
    var sizes = s.array().type().dims();
    if (s.checked()) {
      var at = fixed(dims, sizes, indices::index);
      return new Slice(s.array(), at, !inside(at, sizes));
    }
    if (isWhole(dims, sizes)) {
      return new Alias(s.array());
    }
    var row = asIndex(s);
    if (row != null) {
      return row;
    }
    return switch (env.exp(s.array())) {
      case Slice(var array, var outer, var checked) ->
          new Slice(array, compose(outer, dims), checked);
      case Index(var array, var is, var checked) -> {
        var all = new ArrayList<DimSlice>();
        is.forEach(i -> all.add(new DimSlice.Fix(i)));
        all.addAll(dims);
        yield new Slice(array, all, checked);
      }
      case Replicate(_, var value) when value.type().isScalar() ->
          new Replicate(ResultTypes.counts(dims), value);
      case Iota(_, var start, var step)
          when dims.getFirst() instanceof DimSlice.Range(var from, var count, var stride) ->
          sliceOfIota(start, step, from, count, stride);
      case null, default -> s;
    };
  }

  /** Returns the slice with the indices in it replaced. */
  private List<DimSlice> fixed(
      List<DimSlice> dims, List<Atom> sizes, BinaryOperator<Atom> replacement) {
    return IntStream.range(0, dims.size())
        .mapToObj(
            d ->
                dims.get(d) instanceof DimSlice.Fix(var i)
                    ? new DimSlice.Fix(replacement.apply(i, sizes.get(d)))
                    : dims.get(d))
        .toList();
  }

  private Exp sliceOfIota(Atom start, Atom step, Atom from, Atom count, Atom stride) {
    var prim = start.type().elemPrim();
    var at = env.emit("i", new Convert(prim, from));
    var by = env.emit("s", new Convert(prim, stride));
    var offset = env.emit("t", new Binary(BinaryOp.MUL, at, step));
    var first = env.emit("t", new Binary(BinaryOp.ADD, start, offset));
    return new Iota(count, first, env.emit("t", new Binary(BinaryOp.MUL, by, step)));
  }

  private boolean inside(List<DimSlice> dims, List<Atom> sizes) {
    for (int d = 0; d < dims.size(); d++) {
      boolean ok =
          switch (dims.get(d)) {
            case DimSlice.Fix(var i) -> ranges.inside(i, sizes.get(d));
            case DimSlice.Range(var start, var count, var stride) ->
                dims.get(d).isWhole(sizes.get(d))
                    || stride.isConst(1)
                        && ranges.notNegative(start)
                        && ranges.notNegative(count)
                        && ranges.lessOrEqual(end(start, count), sizes.get(d));
          };
      if (!ok) {
        return false;
      }
    }
    return true;
  }

  private Atom end(Atom start, Atom count) {
    return start.isConst(0) ? count : env.emit("end", new Binary(BinaryOp.ADD, start, count));
  }

  private static boolean isWhole(List<DimSlice> dims, List<Atom> sizes) {
    for (int d = 0; d < dims.size(); d++) {
      if (!dims.get(d).isWhole(sizes.get(d))) {
        return false;
      }
    }
    return true;
  }

  /**
   * The slice as an index, if it fixes leading dimensions and takes the others whole; else null.
   */
  private static Exp asIndex(Slice s) {
    var dims = s.slice();
    var is = new ArrayList<Atom>();
    for (var d : dims) {
      if (!(d instanceof DimSlice.Fix(var i))) {
        break;
      }
      is.add(i);
    }
    var sizes = s.array().type().dims();
    int n = is.size();
    boolean rest = isWhole(dims.subList(n, dims.size()), sizes.subList(n, sizes.size()));
    return n > 0 && rest ? new Index(s.array(), is, false) : null;
  }

  private List<DimSlice> compose(List<DimSlice> outer, List<DimSlice> inner) {
    var result = new ArrayList<DimSlice>();
    int at = 0;
    for (var d : outer) {
      switch (d) {
        case DimSlice.Fix f -> result.add(f);
        case DimSlice.Range(var start, _, var stride) ->
            result.add(
                switch (inner.get(at++)) {
                  case DimSlice.Fix(var i) -> new DimSlice.Fix(indices.offset(start, stride, i));
                  case DimSlice.Range(var from, var count, var by) ->
                      new DimSlice.Range(
                          indices.offset(start, stride, from),
                          count,
                          env.emit("t", new Binary(BinaryOp.MUL, stride, by)));
                });
      }
    }
    return result;
  }

  // Others

  private Exp update(Update u) {
    var sizes = u.array().type().dims();
    if (u.checked()) {
      var at = fixed(u.slice(), sizes, indices::known);
      return new Update(u.array(), at, u.value(), !inside(at, sizes));
    }
    return isWhole(u.slice(), sizes) ? new Copy((Var) u.value()) : u;
  }

  private Exp replicate(Replicate r) {
    if (r.shape().isEmpty()) {
      return r.value().type().isScalar() ? new Alias(r.value()) : new Copy((Var) r.value());
    }
    if (env.exp(r.value()) instanceof Replicate(var inner, var value)) {
      var shape = Lists.concat(r.shape(), inner);
      // by now, the value may be consumed
      return env.isConsumed(value) ? r : new Replicate(shape, value);
    }
    return r;
  }

  private static Exp literal(ArrayLit a) {
    var elems = a.elems();
    boolean same = elems.size() > 1 && elems.stream().allMatch(elems.getFirst()::equals);
    return same ? new Replicate(List.of(Atom.i64(elems.size())), elems.getFirst()) : a;
  }

  private Exp concat(Concat c) {
    if (c.arrays().size() == 1) {
      return new Copy(c.arrays().getFirst());
    }
    var parts = new ArrayList<Var>();
    for (var a : c.arrays()) {
      if (a.type().dims().get(c.dim()).isConst(0)) {
        continue;
      }
      if (env.exp(a) instanceof Concat(var dim, var inner, _)
          && dim == c.dim()
          && inner.stream().noneMatch(env::isConsumed)) {
        parts.addAll(inner);
      } else {
        parts.add(a);
      }
    }
    var elements = elements(c);
    if (!elements.isEmpty()) {
      return new ArrayLit(elements, Type.scalar(c.arrays().getFirst().type().elemPrim()));
    }
    if (parts.isEmpty() || parts.equals(c.arrays())) {
      return c;
    }
    return new Concat(c.dim(), parts, c.size());
  }

  /** The elements of the literals of scalars, if all parts are such; else none. */
  private List<Atom> elements(Concat c) {
    var elements = new ArrayList<Atom>();
    for (var a : c.arrays()) {
      if (!(env.exp(a) instanceof ArrayLit(var xs, Type.Scalar _)) || env.isConsumed(a)) {
        return List.of();
      }
      elements.addAll(xs);
    }
    return elements.size() <= FEW ? elements : List.of();
  }

  private Exp rearrange(Rearrange r) {
    boolean identity = true;
    for (int d = 0; d < r.perm().size(); d++) {
      identity &= r.perm().get(d) == d;
    }
    if (identity) {
      return new Alias(r.array());
    }
    return switch (env.exp(r.array())) {
      case Rearrange(var perm, var array) ->
          new Rearrange(r.perm().stream().map(perm::get).toList(), array);
      case Replicate(_, var value) when value.type().isScalar() ->
          new Replicate(r.perm().stream().map(r.array().type().dims()::get).toList(), value);
      case null, default -> r;
    };
  }

  private Exp reshape(Reshape r) {
    if (r.shape().equals(r.array().type().dims())) {
      return new Alias(r.array());
    }
    return switch (env.exp(r.array())) {
      case Reshape(_, var array) -> new Reshape(r.shape(), array);
      case Replicate(_, var value) when value.type().isScalar() -> new Replicate(r.shape(), value);
      case null, default -> r;
    };
  }

  /** Adding literal zeros to an accumulator changes nothing. */
  private Exp updateAcc(UpdateAcc u) {
    if (!(u.acc().type() instanceof Type.Acc acc) || !env.adds(acc.token())) {
      return u;
    }
    boolean zeros = u.values().stream().allMatch(this::isZero);
    boolean outside = false;
    for (int d = 0; d < u.indices().size(); d++) {
      outside |= u.indices().get(d) instanceof Const(var c) && c.asLong() < 0;
    }
    return zeros || outside ? new Alias(u.acc()) : u;
  }

  private boolean isZero(Atom x) {
    if (x.type().isScalar()) {
      return x.isConst(0);
    }
    return x instanceof Var v && env.exp(v) instanceof Replicate(_, var value) && value.isConst(0);
  }
}
