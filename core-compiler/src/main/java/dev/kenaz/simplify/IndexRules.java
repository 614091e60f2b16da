package dev.kenaz.simplify;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Simplifies the reading of an element or a row of an array whose making is known: {@code (map f
 * xs)[i] = f xs[i]}, {@code (iota n)[i] = i}, {@code (a with [i] <- x)[i] = x}, {@code (transpose
 * a)[i, j] = a[j, i]}, and the like.
 */
record IndexRules(Env env, Ranges ranges) {
  /**
   * An element that depends on its index only is computed again if that takes at most this many
   * operations.
   */
  private static final int CHEAP = 2;

  Exp apply(Index x) {
    if (x.indices().isEmpty()) {
      return new Alias(x.array());
    }
    if (x.checked()) {
      return checked(x);
    }
    var made = env.exp(x.array());
    return switch (made) {
      case Iota(_, var start, var step) -> element(x, start, step);
      case Replicate(var shape, var value) -> mayRead(x, value) ? ofReplicate(x, shape, value) : x;
      case ArrayLit(var elems, _) -> ofLiteral(x, elems);
      case Rearrange(var perm, var array) -> ofRearranged(x, perm, array);
      case Reshape(_, var array) -> ofReshaped(x, array);
      case Slice s -> ofSlice(x, s);
      case Index _ -> ofRow(x);
      case Copy(var array) when mayRead(x, array) -> new Index(array, x.indices(), false);
      case Update(_, var dims, var value, _) -> ofUpdate(x, dims, value);
      case null, default -> ofMapped(x);
    };
  }

  /**
   * Where a row is read, its indices are checked by themselves, so that parts of the row can be
   * read directly without a check of which row it is.
   */
  private Exp checked(Index x) {
    var dims = x.array().type().dims();
    boolean row = x.indices().size() < dims.size();
    var indices = new ArrayList<Atom>();
    boolean inside = true;
    for (int d = 0; d < x.indices().size(); d++) {
      var i = x.indices().get(d);
      indices.add(row ? index(i, dims.get(d)) : known(i, dims.get(d)));
      inside &= ranges.inside(indices.getLast(), dims.get(d));
    }
    var read = new Index(x.array(), indices, !inside);
    return inside ? read : ofRow(read);
  }

  /**
   * Returns the index as one that is known to be inside. {@code (iota n)[i]} is i, or fails if i is
   * no index of an array of size n; what is read at it depends on it, and so is read only if it
   * hasn't failed. Where integers have tangents, those of i would be lost.
   */
  Atom index(Atom i, Atom size) {
    var known = known(i, size);
    if (ranges.inside(known, size) || env.discreteTangents()) {
      return known;
    }
    var all = (Var) env.emit("iota", iota(size));
    return env.emit("i", new Index(all, List.of(i), true));
  }

  /** Returns the index as one that has been checked already, or itself. */
  Atom known(Atom i, Atom size) {
    var all = env.available(AlphaKey.of(iota(size)));
    var known =
        all == null
            ? null
            : env.available(AlphaKey.of(new Index(all.getFirst(), List.of(i), true)));
    return known == null ? i : known.getFirst();
  }

  private static Iota iota(Atom size) {
    return new Iota(size, Atom.i64(0), Atom.i64(1));
  }

  /**
   * {@code (a[i])[j]} is {@code a[i, j]}. A row whose index is still to be checked is left as it
   * is, so that the check is neither lost nor repeated for each j.
   */
  private Exp ofRow(Index x) {
    if (!(env.exp(x.array()) instanceof Index(var array, var outer, var checked)) || checked) {
      return x;
    }
    var all = Lists.concat(outer, x.indices());
    return new Index(array, all, x.checked());
  }

  private Exp element(Index x, Atom start, Atom step) {
    var i = x.indices().getFirst();
    var prim = start.type().elemPrim();
    var at = env.emit("i", new Convert(prim, i));
    var offset = env.emit("t", new Binary(BinaryOp.MUL, at, step));
    return new Binary(BinaryOp.ADD, start, offset);
  }

  private static Exp ofReplicate(Index x, List<Atom> shape, Atom value) {
    int n = x.indices().size();
    if (n < shape.size()) {
      return new Replicate(shape.subList(n, shape.size()), value);
    }
    var rest = x.indices().subList(shape.size(), n);
    return rest.isEmpty() ? new Alias(value) : new Index((Var) value, rest, false);
  }

  /**
   * Whether to read the source instead of the copy of it that is indexed. That is not so if the
   * source may have been changed since, nor for a row of it if the copy may be changed.
   */
  private boolean mayRead(Index x, Atom source) {
    boolean scalar = x.indices().size() == x.array().type().dims().size();
    return !env.isConsumed(source) && (scalar || !env.isConsumed(x.array()));
  }

  private Exp ofLiteral(Index x, List<Atom> elems) {
    if (!(x.indices().getFirst() instanceof Const(var c)) || c.asLong() >= elems.size()) {
      return x;
    }
    if (!mayRead(x, elems.get((int) c.asLong()))) {
      return x;
    }
    var elem = elems.get((int) c.asLong());
    var rest = x.indices().subList(1, x.indices().size());
    return rest.isEmpty() ? new Alias(elem) : new Index((Var) elem, rest, false);
  }

  private static Exp ofRearranged(Index x, List<Integer> perm, Var array) {
    int n = x.indices().size();
    // the leading dimensions must come from leading dimensions, and the rest stay in order
    for (int d = n; d < perm.size(); d++) {
      if (perm.get(d) != d) {
        return x;
      }
    }
    var indices = new ArrayList<>(x.indices());
    for (int d = 0; d < n; d++) {
      indices.set(perm.get(d), x.indices().get(d));
    }
    return new Index(array, indices, false);
  }

  /**
   * Reads a reshaped array where the shapes differ only in ones, or an outer part of a vector is
   * indexed.
   */
  private Exp ofReshaped(Index x, Var array) {
    var to = x.array().type().dims();
    var from = array.type().dims();
    if (x.indices().size() < to.size()) {
      return x;
    }
    if (from.size() == 1) {
      Atom flat = Atom.i64(0);
      for (int d = 0; d < to.size(); d++) {
        var outer = env.emit("t", new Binary(BinaryOp.MUL, flat, to.get(d)));
        flat = env.emit("t", new Binary(BinaryOp.ADD, outer, x.indices().get(d)));
      }
      return new Index(array, List.of(flat), false);
    }
    var kept = new ArrayList<Atom>();
    var keptDims = new ArrayList<Atom>();
    for (int d = 0; d < to.size(); d++) {
      if (!to.get(d).isConst(1)) {
        kept.add(x.indices().get(d));
        keptDims.add(to.get(d));
      }
    }
    var indices = new ArrayList<Atom>();
    int at = 0;
    for (var d : from) {
      if (d.isConst(1)) {
        indices.add(Atom.i64(0));
      } else if (at < kept.size() && keptDims.get(at).equals(d)) {
        indices.add(kept.get(at++));
      } else {
        return x;
      }
    }
    return at == kept.size() ? new Index(array, indices, false) : x;
  }

  private Exp ofSlice(Index x, Slice s) {
    var indices = new ArrayList<Atom>();
    int at = 0;
    for (var d : s.slice()) {
      switch (d) {
        case DimSlice.Fix(var i) -> indices.add(i);
        case DimSlice.Range(var start, _, var stride) -> {
          if (at == x.indices().size()) {
            // not all of it is indexed: a slice of fewer dimensions
            return narrower(x, s);
          }
          indices.add(offset(start, stride, x.indices().get(at++)));
        }
      }
    }
    return new Index(s.array(), indices, s.checked());
  }

  private Exp narrower(Index x, Slice s) {
    var narrowed = new ArrayList<DimSlice>();
    int at = 0;
    for (var d : s.slice()) {
      narrowed.add(
          d instanceof DimSlice.Range(var start, _, var stride) && at < x.indices().size()
              ? new DimSlice.Fix(offset(start, stride, x.indices().get(at++)))
              : d);
    }
    return new Slice(s.array(), narrowed, s.checked());
  }

  /** Computes {@code start + i * stride}. */
  Atom offset(Atom start, Atom stride, Atom i) {
    if (stride.isConst(-1)) {
      return env.emit("t", new Binary(BinaryOp.SUB, start, i));
    }
    var scaled = env.emit("t", new Binary(BinaryOp.MUL, i, stride));
    return env.emit("t", new Binary(BinaryOp.ADD, start, scaled));
  }

  /** Returns the element that the update has just written. */
  private static Exp ofUpdate(Index x, List<DimSlice> dims, Atom value) {
    if (!value.type().isScalar() || x.indices().size() != dims.size()) {
      return x;
    }
    for (int d = 0; d < dims.size(); d++) {
      if (!(dims.get(d) instanceof DimSlice.Fix(var i)) || !i.equals(x.indices().get(d))) {
        return x;
      }
    }
    return new Alias(value);
  }

  /** Computes an element of a map that depends on its index only, or is an element of its input. */
  private Exp ofMapped(Index x) {
    var stm = env.definition(x.array());
    if (stm == null || !(stm.exp() instanceof Screma s) || !s.isMap()) {
      return x;
    }
    var map = s.map();
    int at = stm.pattern().indexOf(x.array());
    var result = map.body().results().get(at);
    boolean indexOnly = s.inputs().stream().allMatch(in -> env.exp(in) instanceof Iota);
    boolean cheap =
        map.body().stms().size() <= (indexOnly ? CHEAP : 0)
            && map.body().stms().stream().map(Stm::exp).allMatch(Effects::safeScalar)
            && map.body().stms().stream().map(Stm::exp).noneMatch(IndexRules::costly)
            && s.inputs().stream().noneMatch(env::isConsumed)
            && result.type().isScalar()
            && s.inputs().stream().noneMatch(in -> in.type() instanceof Type.Acc);
    if (!cheap) {
      return x;
    }
    return new Alias(new MappedElement(env).of(s, result, x.indices().getFirst()));
  }

  private static boolean costly(Exp e) {
    return switch (e) {
      case Unary(var op, _) ->
          switch (op) {
            case NEG, NOT, ABS, SGN, FLOOR, CEIL, ROUND, TRUNC, TO_BITS, FROM_BITS, ISNAN, ISINF ->
                false;
            default -> true;
          };
      case Binary(var op, _, _) ->
          switch (op) {
            case POW, ATAN2, HYPOT -> true;
            default -> false;
          };
      default -> false;
    };
  }
}
