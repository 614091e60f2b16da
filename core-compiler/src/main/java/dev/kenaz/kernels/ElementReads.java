package dev.kenaz.kernels;

import dev.kenaz.analysis.ArrayParts;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Views;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Arrays;
import dev.kenaz.loops.Scope;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * Finds which elements of arrays a seg-op reads at a point, and so what neighbouring points read.
 */
final class ElementReads {

  /**
   * One element of an array from outside.
   *
   * @param at the index in each of the array's dimensions
   */
  private record Read(SegStm stm, Var array, List<Atom> at) {}

  // These are parts of memory that a warp's threads read together

  private static final int SAME = 1;
  private static final int NEIGHBOURS = 4;
  private static final int APART = 32;

  private final ArrayParts parts;
  private final List<Read> found = new ArrayList<>();

  private ElementReads(Scope scope, SegBody body) {
    parts = new ArrayParts(scope::counts);
    var made = new HashSet<Var>();
    for (var stm : body.stms()) {
      if (stm.exp() instanceof SegExp.Plain(var exp)
          && Views.operand(exp).orElse(null) instanceof Var from
          && from.type() instanceof Type.Array
          && (parts.knows(from) || !made.contains(from))
          && parts.note(stm.pattern().getFirst(), exp)
          && exp instanceof Index
          && parts.of(stm.pattern().getFirst()).isElement()) {
        var part = parts.of(stm.pattern().getFirst());
        found.add(new Read(stm, part.array(), part.at()));
      }
      made.addAll(stm.pattern());
    }
  }

  /** The dimension whose neighbours are neighbours in memory; -1 if that isn't known. */
  private static int unit(Scope scope, Var array) {
    if (scope.bound(array) && scope.array(array) instanceof View v) {
      for (int d = v.strides().size() - 1; d >= 0; d--) {
        if (Expr.isConst(v.strides().get(d), 1)) {
          return d;
        }
      }
    }
    return -1;
  }

  /**
   * Whether neighbours in memory are read by neighbours along the last dimension of the segments'
   * space rather than by those of one segment.
   */
  static boolean acrossSegments(Scope scope, SegOp op) {
    var dims = op.space().dims();
    var inner = op.space().innermost().index();
    if (dims.size() < 2) {
      return false;
    }
    var outer = dims.get(dims.size() - 2).index();
    int along = 0;
    int across = 0;
    for (var read : new ElementReads(scope, op.body()).found) {
      int unit = unit(scope, read.array);
      if (unit >= 0 && read.at.contains(inner)) {
        along += cost(read, unit, inner);
        across += cost(read, unit, outer);
      }
    }
    return across < along;
  }

  /** Returns the cost of a warp's reading where neighbouring threads are neighbours by an index. */
  private static int cost(Read read, int unit, Var index) {
    return read.at.get(unit).equals(index) ? NEIGHBOURS : read.at.contains(index) ? APART : SAME;
  }

  /**
   * Changes the layout of arrays whose neighbours belong to different segments, so that a scan
   * reads along its segments.
   */
  static SegScan alongSegments(Scope scope, Arrays arrays, SegScan s) {
    var indices = s.space().dims().stream().<Atom>map(d -> d.index()).toList();
    Map<SegStm, SegStm> changed = new HashMap<>();
    Map<List<Object>, Var> copies = new HashMap<>();
    for (var read : new ElementReads(scope, s.body()).found) {
      int unit = unit(scope, read.array);
      boolean apart =
          unit >= 0
              && indices.containsAll(read.at)
              && new HashSet<>(read.at).size() == read.at.size()
              && read.at.contains(indices.getLast())
              && !read.at.get(unit).equals(indices.getLast());
      if (!apart) {
        continue;
      }
      var perm = new ArrayList<Integer>();
      indices.stream().filter(read.at::contains).forEach(i -> perm.add(read.at.indexOf(i)));
      var copy =
          copies.computeIfAbsent(
              List.of(read.array, perm), _ -> copy(scope, arrays, read.array, perm));
      var at = perm.stream().map(read.at::get).toList();
      var stm = read.stm;
      changed.put(
          stm,
          new SegStm(
              stm.pattern(),
              new SegExp.Plain(new Index(copy, at, false)),
              stm.attrs(),
              stm.span()));
    }
    if (changed.isEmpty()) {
      return s;
    }
    var stms = s.body().stms().stream().map(t -> changed.getOrDefault(t, t)).toList();
    return new SegScan(
        s.space(), s.scans(), s.reduces(), new SegBody(stms, s.body().results()), s.returns());
  }

  private static Var copy(Scope scope, Arrays arrays, Var array, List<Integer> perm) {
    var dims = perm.stream().map(array.type().dims()::get).toList();
    var copy = Names.fresh(array.name(), Type.of(array.type().elemPrim(), dims));
    var turned = arrays.rearrange(perm, scope.array(array));
    scope.bind(copy, arrays.materialise(array.name() + "_turned", turned, null));
    return copy;
  }
}
