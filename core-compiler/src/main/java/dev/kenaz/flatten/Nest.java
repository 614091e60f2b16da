package dev.kenaz.flatten;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegOp.SegSpace;
import dev.kenaz.simplify.Overwrites;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The maps around a piece of code: their index space, and what makes the variables that the code
 * uses at a point of it. The prelude is repeated in every kernel that needs it, so it holds only
 * reads, views and cheap scalars.
 *
 * @param inside everything bound inside the maps; anything else is the same at all points
 * @param shared whether other kernels evaluate the same prelude: then nothing that it binds may be
 *     overwritten in place
 */
record Nest(List<Dim> dims, List<Stm> prelude, Set<Var> inside, boolean shared) {
  Nest {
    dims = List.copyOf(dims);
    prelude = List.copyOf(prelude);
    inside = Set.copyOf(inside);
  }

  static final Nest NONE = new Nest(List.of(), List.of(), Set.of(), false);

  List<Atom> widths() {
    return dims.stream().map(Dim::width).toList();
  }

  List<Var> indices() {
    return dims.stream().map(Dim::index).toList();
  }

  /** Returns how many points there are. */
  Atom points(Builder b) {
    return widths().stream().reduce(b::mul).orElseThrow();
  }

  /** Returns the type of an array over the nest of values of this type. */
  Type over(Type type) {
    return type instanceof Type.Acc ? type : type.under(widths());
  }

  /**
   * Whether arrays over the nest of values of this type exist: their sizes are the same at all
   * points.
   */
  boolean regular(Type type) {
    return FreeVars.of(type).stream().noneMatch(inside::contains);
  }

  boolean invariant(List<? extends Atom> atoms) {
    return FreeVars.of(atoms).stream().noneMatch(inside::contains);
  }

  /** Returns the nest with one map further in. */
  Nest under(Atom width, List<Var> inputs, List<Var> params, Span span) {
    var index = Names.fresh("gi", Type.I64);
    var newDims = Lists.with(dims, new Dim(index, width));
    var stms = new ArrayList<>(prelude);
    var bound = new HashSet<>(inside);
    bound.add(index);
    for (int k = 0; k < inputs.size(); k++) {
      stms.add(new Stm(List.of(params.get(k)), row(inputs.get(k), List.of(index)), span));
      bound.add(params.get(k));
    }
    return new Nest(newDims, stms, bound, shared);
  }

  private static Exp row(Var input, List<? extends Atom> indices) {
    return input.type() instanceof Type.Acc || indices.isEmpty()
        ? new Alias(input)
        : new Index(input, List.copyOf(indices), false);
  }

  /**
   * Returns the nest with a variable that stands for this array's (or accumulator's) part at a
   * point.
   */
  Nest with(Var v, Var over, Span span) {
    return with(new Stm(List.of(v), row(over, indices()), span));
  }

  /** Returns the nest with another statement that every kernel may repeat. */
  Nest with(Stm stm) {
    var stms = Lists.with(prelude, stm);
    var bound = new HashSet<>(inside);
    bound.addAll(stm.pattern());
    return new Nest(dims, stms, bound, shared);
  }

  /** Returns the nest with the array's element at a point instead of what computes it. */
  Nest replacing(Var v, Var over) {
    var stms =
        prelude.stream()
            .map(
                s ->
                    s.pattern().equals(List.of(v))
                        ? new Stm(s.pattern(), row(over, indices()), s.span())
                        : s)
            .toList();
    return new Nest(dims, stms, inside, shared);
  }

  Nest inside(Set<Var> more) {
    var bound = new HashSet<>(inside);
    bound.addAll(more);
    return new Nest(dims, prelude, bound, shared);
  }

  Nest sharing() {
    return new Nest(dims, prelude, inside, true);
  }

  /**
   * Binds the indices to those of a point.
   *
   * @param number which of all points
   */
  void find(Builder b, Atom number) {
    for (var dim : dims.reversed()) {
      boolean outermost = dim == dims.getFirst();
      var index = outermost ? new Alias(number) : new Binary(BinaryOp.REM, number, dim.width());
      b.bindAll(List.of(dim.index()), index);
      number = outermost ? number : b.binary(BinaryOp.QUOT, number, dim.width());
    }
  }

  /**
   * Makes a function of code that stands inside the nest.
   *
   * @param start what binds the nest's indices
   */
  Lambda function(List<Var> params, List<Stm> start, Body code, List<Type> returns) {
    var own = Stm.bound(prelude);
    var safe = Overwrites.protect(List.copyOf(own), code);
    var before = BackwardSlice.of(Lists.concat(start, prelude), FreeVars.of(safe)).stms();
    var body = new Body(Lists.concat(before, safe.stms()), safe.results());
    return new Renaming().lambda(new Lambda(params, body, returns));
  }

  /** A kernel's space and code. */
  record Kernel(SegSpace space, SegBody body) {}

  /** Makes a kernel of code at every point, under names of its own. */
  Kernel kernel(List<Stm> stms, List<? extends Atom> results) {
    var code = new Body(stms, List.copyOf(results));
    if (shared) {
      var own = new ArrayList<Var>();
      prelude.forEach(s -> own.addAll(s.pattern()));
      code = Overwrites.protect(own, code);
    }
    var all = Lists.concat(BackwardSlice.of(prelude, FreeVars.of(code)).stms(), code.stms());
    var names = new HashMap<Var, Atom>();
    var fresh = new ArrayList<Dim>();
    for (var d : dims) {
      var index = Names.like(d.index());
      names.put(d.index(), index);
      fresh.add(new Dim(index, d.width()));
    }
    var renamed = new Renaming(names).body(new Body(all, code.results()));
    return new Kernel(new SegSpace(fresh), SegBody.sequential(renamed));
  }
}
