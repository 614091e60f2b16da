package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Gives fixed shapes to loops whose parameters change their shapes (a limitation in 001 §6.3): what
 * is kept of every iteration must be a regular array. An inspector, a copy of the loop, finds the
 * most elements that such a parameter ever has; the loop itself then carries a vector of that many
 * elements, whose first ones are the array.
 */
final class VaryingShapes {
  private VaryingShapes() {}

  /**
   * Returns an equivalent loop with fixed shapes, if this one's shapes vary, and emits the
   * inspector.
   */
  static Optional<List<Stm>> fixed(Builder b, Stm stm, Loop loop) {
    var params = new HashSet<Var>();
    loop.params().forEach(p -> params.add(p.var()));
    var varying = new ArrayList<Integer>();
    for (int k = 0; k < loop.params().size(); k++) {
      var type = loop.params().get(k).var().type();
      if (FreeVars.of(type).stream().anyMatch(params::contains)) {
        varying.add(k);
      }
    }
    return varying.isEmpty()
        ? Optional.empty()
        : Optional.of(padded(b, stm, loop, varying, most(b, loop, varying)));
  }

  /** Returns the greatest number of elements that each of the varying parameters ever has. */
  private static List<Var> most(Builder b, Loop loop, List<Integer> varying) {
    var copy = (Loop) new Renaming().exp(loop);
    var params = new ArrayList<LoopParam>();
    for (var p : copy.params()) {
      // the loop itself still needs what its inspector would consume
      var init =
          p.init() instanceof Var v && v.type().isArray() ? b.bind("own", new Copy(v)) : p.init();
      params.add(new LoopParam(p.var(), init));
    }
    var inner = b.inner().addAll(copy.body().stms());
    var results = new ArrayList<>(copy.body().results());
    for (int k : varying) {
      var so = Names.fresh("most", Type.I64);
      params.add(new LoopParam(so, elements(b, copy.params().get(k).init())));
      var now = elements(inner, copy.body().results().get(k));
      results.add(inner.binary(BinaryOp.MAX, so, now));
    }
    var all = b.bindAll(pattern(params), new Loop(params, copy.form(), inner.body(results)));
    return all.subList(copy.params().size(), all.size());
  }

  /** Variables for the results, whose types mention each other as the parameters' do. */
  private static List<Var> pattern(List<LoopParam> params) {
    var renaming = new Renaming();
    return renaming.binders(params.stream().map(LoopParam::var).toList());
  }

  private static Atom elements(Builder b, Atom array) {
    Atom n = i64(1);
    for (var d : array.type().dims()) {
      n = b.sizes(n, d);
    }
    return n;
  }

  private static List<Stm> padded(
      Builder b, Stm stm, Loop loop, List<Integer> varying, List<Var> most) {
    var code = b.inner();
    var inner = b.inner();
    var params = new ArrayList<>(loop.params());
    var pattern = new ArrayList<>(stm.pattern());
    for (int m = 0; m < varying.size(); m++) {
      int k = varying.get(m);
      var p = loop.params().get(k);
      var type = new Type.Array(p.var().type().elemPrim(), List.of(most.get(m)));
      var param = Names.fresh(p.var().name(), type);
      params.set(k, new LoopParam(param, pad(code, p.init(), most.get(m))));
      pattern.set(k, Names.fresh(p.var().name(), type));
      unpad(inner, param, p.var());
    }
    inner.addAll(loop.body().stms());
    var results = new ArrayList<>(loop.body().results());
    for (int m = 0; m < varying.size(); m++) {
      int k = varying.get(m);
      results.set(k, pad(inner, results.get(k), most.get(m)));
    }
    var exp = new Loop(params, loop.form(), inner.body(results));
    code.add(stm.with(pattern, exp));
    varying.forEach(k -> unpad(code, pattern.get(k), stm.pattern().get(k)));
    return code.stms();
  }

  private static Var pad(Builder b, Atom array, Atom size) {
    var n = elements(b, array);
    var flat = b.bind("flat", new Reshape(List.of(n), (Var) array));
    var zeros = b.replicate(List.of(size), Atom.of(array.type().elemPrim(), 0));
    var first = List.<DimSlice>of(new DimSlice.Range(i64(0), n, i64(1)));
    return b.bind("pad", new Update(zeros, first, flat, false));
  }

  /** Binds the array that the first elements of the vector are. */
  private static void unpad(Builder b, Var vector, Var array) {
    var n = elements(b, array);
    var first = List.<DimSlice>of(new DimSlice.Range(i64(0), n, i64(1)));
    var flat = b.bind("flat", new Slice(vector, first, false));
    b.bindAll(List.of(array), new Reshape(array.type().dims(), flat));
  }
}
