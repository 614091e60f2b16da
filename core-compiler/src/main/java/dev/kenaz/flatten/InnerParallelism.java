package dev.kenaz.flatten;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.fuse.Fuse;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Decides what of the code inside maps is worth running in parallel too, and can be.
 *
 * @param unfolded operators on arrays that have been asked for, see {@link #unfolded(Nest, Stm)}
 */
record InnerParallelism(
    FlattenOptions options, UniformArrays uniform, Map<Stm, Optional<List<Stm>>> unfolded) {
  /**
   * A nest of maps is not cut if that can be avoided by computing at most this many scalars again.
   */
  private static final int FEW = 6;

  private static final Attr SEQUENTIAL = Attr.of("sequential");
  private static final Attr SEQUENTIAL_INNER = Attr.of("sequential_inner");

  InnerParallelism(FlattenOptions options, Collection<FunDef> functions) {
    this(options, UniformArrays.of(functions), new IdentityHashMap<>());
  }

  /** Returns the decisions for code that one thread runs. */
  InnerParallelism alone() {
    return new InnerParallelism(options.alone(), uniform, unfolded);
  }

  /** Whether the user wants the statement on one thread. */
  static boolean sequential(Stm stm) {
    return stm.attrs().contains(SEQUENTIAL);
  }

  /** Whether the user wants what is inside the statement on one thread. */
  static boolean sequentialInside(Stm stm) {
    return stm.attrs().contains(SEQUENTIAL_INNER);
  }

  /** Views of arrays and a few cheap scalars, and then a map. */
  record Perfect(List<Stm> views, Screma map) {}

  /**
   * Returns the map that is everything in this map's body, if its width is the same at every point.
   * Views of arrays and cheap scalars may stand before it, where there are many threads to repeat
   * them.
   */
  Optional<Perfect> perfect(Nest deeper, Screma s) {
    var body = s.map().body();
    var views = body.stms().subList(0, Math.max(0, body.stms().size() - 1));
    if (body.stms().isEmpty()
        || !views.stream().allMatch(v -> options.nested() && repeats(v))
        || views.stream().filter(v -> !view(v)).count() > FEW
        || !(body.stms().getLast().exp() instanceof Screma inside)
        || !inside.isMap()
        || sequential(body.stms().getLast())
        || !body.results().equals(body.stms().getLast().pattern())) {
      return Optional.empty();
    }
    boolean accumulates = inside.map().returns().stream().anyMatch(t -> t instanceof Type.Acc);
    // the width may be one of the cheap scalars, which is another at each point
    var here = deeper.inside(Stm.bound(views));
    boolean possible =
        here.invariant(List.of(inside.width()))
            && inside.map().returns().stream().allMatch(here::regular)
            && (options.nested() || !accumulates || accumulatesProducts(deeper, views, inside));
    return possible ? Optional.of(new Perfect(views, inside)) : Optional.empty();
  }

  private boolean accumulatesProducts(Nest deeper, List<Stm> views, Screma inside) {
    for (var stm : views) {
      deeper = deeper.with(stm);
    }
    return options.products() && NestedProducts.isAccumulation(deeper, inside);
  }

  /** Whether each of many threads may as well evaluate the statement again. */
  private static boolean repeats(Stm stm) {
    return view(stm) || stm.pattern().size() == 1 && cheap(stm.exp());
  }

  static boolean view(Stm stm) {
    return switch (stm.exp()) {
      case Index x -> !x.checked() && stm.var().type().isArray();
      case Rearrange _, Reshape _, Iota _ -> true;
      case Slice x -> !x.checked();
      default -> false;
    };
  }

  /**
   * Whether the outer points alone would leave the device idle, or the user asks for distribution.
   */
  boolean alwaysDistribute(Stm stm, Nest deeper) {
    long points = 1;
    for (var w : deeper.widths()) {
      if (!(w instanceof Const(var c))) {
        return false;
      }
      points *= c.asLong();
    }
    return points <= options.fewPoints();
  }

  /** Whether anything in a body at these points is worth running in parallel. */
  boolean parallel(Nest nest, Body body) {
    return parallel(nest, body.stms());
  }

  private boolean parallel(Nest nest, List<Stm> stms) {
    var bound = new HashSet<Var>();
    for (int k = 0; k < stms.size(); k++) {
      var stm = stms.get(k);
      var here = nest.inside(bound);
      if (parallel(here, stm) || isFilled(here, stm, stms.subList(k + 1, stms.size()))) {
        return true;
      }
      if (!invariant(here, stm)) {
        bound.addAll(stm.pattern());
      }
    }
    return false;
  }

  /**
   * Whether the statement makes an array of which larger parts, the same at all points, are
   * overwritten by what follows, and by nothing else: then that can be done at all points at once.
   */
  boolean isFilled(Nest nest, Stm stm, List<Stm> later) {
    boolean made =
        switch (stm.exp()) {
          case Replicate(var shape, var value) ->
              nest.invariant(shape) && nest.invariant(List.of(value));
          case Copy _ -> nest.regular(stm.var().type());
          default -> false;
        };
    if (!options.nested() || !made || nest.dims().isEmpty() || sequential(stm)) {
      return false;
    }
    var inside = nest.inside(Stm.bound(later)).inside(Set.of(stm.var()));
    var array = stm.var();
    boolean large = false;
    for (var next : later) {
      if (next.exp() instanceof Update u && u.array().equals(array)) {
        if (!liftable(inside, u)) {
          return false;
        }
        large |= u.value().type().dims().stream().anyMatch(d -> !small(d));
        array = next.var();
      } else if (Aliases.of(next).consumed().contains(array)) {
        return false;
      }
    }
    return large;
  }

  /**
   * Whether the statement is a scalar that is the same at all points, and may be computed before
   * them.
   */
  boolean invariant(Nest nest, Stm stm) {
    return options.nested()
        && Effects.safeScalar(stm.exp())
        && nest.invariant(List.copyOf(FreeVars.of(stm)));
  }

  /** Returns the statements, more parallel than it, of an operator on arrays in a nest. */
  Optional<List<Stm>> unfolded(Nest nest, Stm stm) {
    return options.nested() && !nest.dims().isEmpty() && !sequential(stm)
        ? unfolded.computeIfAbsent(stm, s -> Fuse.arrayOperators(s, uniform))
        : Optional.empty();
  }

  /**
   * Whether the update overwrites a part of an array, which is the same at all points, with
   * something that exists over the nest.
   */
  static boolean liftable(Nest nest, Update u) {
    return !u.checked()
        && nest.regular(u.array().type())
        && nest.regular(u.value().type())
        && nest.invariant(atoms(u.slice()));
  }

  boolean parallel(Nest nest, Stm stm) {
    // a size may be one of the statement's own results, which is another at each point
    var made = nest.inside(Set.copyOf(stm.pattern()));
    if (sequential(stm)) {
      return false;
    }
    var unfolded = unfolded(nest, stm);
    if (unfolded.isPresent()) {
      return parallel(nest, unfolded.get());
    }
    if (ragged(nest, stm)) {
      // to make an array is worth that only if something parallel takes it
      return stm.exp() instanceof Soac;
    }
    if (!options.nested() && !options.products()
        || !stm.pattern().stream().allMatch(v -> made.regular(v.type()))
        || !nest.invariant(widthOf(stm.exp()))) {
      return false;
    }
    if (!options.nested()) {
      return switch (stm.exp()) {
        case Screma s -> products(nest, stm, s);
        case Loop l -> loop(nest, l);
        default -> false;
      };
    }
    return switch (stm.exp()) {
      case Screma s -> !small(s.width()) && screma(nest, s);
      case Hist h ->
          !small(h.width())
              && h.ops().stream().allMatch(o -> nest.invariant(o.shape()) && operator(nest, o));
      case Scatter s ->
          !small(s.width()) && s.dests().stream().allMatch(d -> nest.invariant(d.shape()));
      case If i when nest.invariant(List.of(i.condition())) ->
          parallel(nest, i.then()) || parallel(nest, i.otherwise()) || views(stm, i);
      case If i ->
          VaryingBranch.possible(nest, stm)
              && (parallel(nest, i.then()) || parallel(nest, i.otherwise()));
      case Loop l -> loop(nest, l);
      case WithAcc w ->
          w.inputs().stream().allMatch(in -> accumulator(nest, in))
              && returns(nest, w.body())
              && parallel(nest.inside(Set.copyOf(w.body().params())), w.body().body());
      default -> false;
    };
  }

  /**
   * Whether the statement goes over, makes, or overwrites arrays that have another size at each
   * point, in their outer dimension only, and can do so for all points at once.
   */
  boolean ragged(Nest nest, Stm stm) {
    if (!options.nested() || nest.dims().isEmpty() || sequential(stm)) {
      return false;
    }
    return switch (stm.exp()) {
      case Screma s -> !nest.invariant(List.of(s.width())) && screma(nest, s);
      case Hist h -> {
        var shapes = h.ops().stream().map(HistOp::shape).toList();
        yield ragged(nest, h.width(), shapes)
            && h.ops().stream().allMatch(o -> operator(nest, o))
            && rows(nest, stm);
      }
      case Scatter s ->
          ragged(nest, s.width(), s.dests().stream().map(ScatterDest::shape).toList())
              && rows(nest, stm);
      case Concat c -> c.dim() == 0 && ragged(nest, stm.var().type());
      case Copy _, Replicate _, Scratch _ -> ragged(nest, stm.var().type());
      default -> false;
    };
  }

  /** Whether something parallel reads the array, or a view of it. */
  boolean takes(Nest nest, Var array, List<Stm> later) {
    var here = nest.inside(Stm.bound(later)).inside(Set.of(array));
    var views = new HashSet<>(Set.of(array));
    for (var stm : later) {
      if (FreeVars.of(stm).stream().anyMatch(views::contains)) {
        if (parallel(here, stm)) {
          return true;
        }
        if (view(stm)) {
          views.addAll(stm.pattern());
        }
      }
    }
    return false;
  }

  private static boolean ragged(Nest nest, Atom width, List<List<Atom>> shapes) {
    return !nest.invariant(List.of(width)) || !shapes.stream().allMatch(nest::invariant);
  }

  private static boolean ragged(Nest nest, Type type) {
    return type.isArray()
        && !nest.invariant(type.dims().subList(0, 1))
        && nest.invariant(type.dims().subList(1, type.dims().size()));
  }

  /** Whether only the outer dimension of each result differs. */
  private static boolean rows(Nest nest, Stm stm) {
    return stm.pattern().stream().allMatch(v -> nest.regular(v.type()) || ragged(nest, v.type()));
  }

  private static boolean operator(Nest nest, HistOp op) {
    return nest.invariant(op.neutral()) && invariant(nest, op.op());
  }

  /** Divides a reduction or scan around matrix products. */
  Optional<Fission> divided(Nest nest, Stm stm) {
    return options.products()
            && !options.nested()
            && !nest.dims().isEmpty()
            && stm.exp() instanceof Screma s
            && !s.isMap()
            && parallel(nest, stm)
            && !NestedProducts.isSums(nest, stm)
        ? Fission.of(nest, stm)
        : Optional.empty();
  }

  private static boolean products(Nest nest, Stm stm, Screma s) {
    return NestedProducts.in(nest, stm).isPresent()
        && (s.isMap()
            || nest.dims().isEmpty()
            || NestedProducts.isSums(nest, stm)
            || Fission.of(nest, stm).isPresent());
  }

  static List<Atom> widthOf(Exp exp) {
    return switch (exp) {
      case Screma s -> List.of(s.width());
      case Hist h -> List.of(h.width());
      case Scatter s -> List.of(s.width());
      default -> List.of();
    };
  }

  /** Returns the arrays that an operator overwrites, or control flow around one may. */
  static List<Var> destinations(Exp exp) {
    return switch (exp) {
      case Hist h -> h.ops().stream().flatMap(o -> o.dests().stream()).toList();
      case Scatter s -> s.dests().stream().map(ScatterDest::dest).toList();
      case WithAcc w -> w.inputs().stream().flatMap(in -> in.arrays().stream()).toList();
      case Loop l ->
          l.params().stream()
              .map(LoopParam::init)
              .filter(Var.class::isInstance)
              .map(Var.class::cast)
              .toList();
      default -> List.of();
    };
  }

  private boolean small(Atom width) {
    return width instanceof Const(var c) && c.asLong() <= options.smallWidth();
  }

  private static List<Atom> atoms(List<DimSlice> slice) {
    return slice.stream()
        .flatMap(
            d ->
                switch (d) {
                  case DimSlice.Fix(var i) -> Stream.of(i);
                  case DimSlice.Range(var start, var count, var stride) ->
                      Stream.of(start, count, stride);
                })
        .toList();
  }

  /** Whether both branches choose arrays that exist. */
  private static boolean views(Stm stm, If i) {
    return stm.pattern().stream().allMatch(v -> v.type().isArray())
        && Stream.of(i.then(), i.otherwise())
            .allMatch(b -> b.stms().stream().allMatch(s -> view(s) || s.exp() instanceof Alias));
  }

  /** Whether the operator can run in parallel. Operators on arrays can't: see {@link #unfolded}. */
  private static boolean screma(Nest nest, Screma s) {
    return s.scans().stream().allMatch(x -> operator(nest, x.op(), x.neutral()))
        && s.reduces().stream().allMatch(x -> operator(nest, x.op(), x.neutral()))
        && returns(nest, s.map());
  }

  private static boolean operator(Nest nest, Lambda op, List<Atom> neutral) {
    return op.returns().stream().allMatch(Type::isScalar)
        && invariant(nest, op)
        && nest.invariant(neutral);
  }

  private static boolean invariant(Nest nest, Lambda op) {
    return FreeVars.of(op).stream().noneMatch(nest.inside()::contains);
  }

  private static boolean returns(Nest nest, Lambda map) {
    var inner = nest.inside(Set.copyOf(map.params()));
    return map.returns().stream().allMatch(inner::regular);
  }

  private static boolean accumulator(Nest nest, AccInput in) {
    return nest.invariant(in.space())
        && in.combine()
            .map(c -> invariant(nest, c.op()) && nest.invariant(c.neutral()))
            .orElse(true);
  }

  /**
   * Whether a loop is to change places with the maps around it: if there is something parallel in
   * it. What it carries must not be updated in place by sequential code, as that would become
   * copying.
   */
  private boolean loop(Nest nest, Loop loop) {
    if (!(loop.form() instanceof For(var i, var bound)) || !nest.invariant(List.of(bound))) {
      return false;
    }
    var params = new HashSet<Var>();
    loop.params().forEach(p -> params.add(p.var()));
    var inside = nest.inside(params);
    boolean regular =
        loop.params().stream().allMatch(p -> inside.regular(p.var().type()))
            && loop.body().results().stream().allMatch(r -> nest.regular(r.type()));
    return regular
        && overwritesWhole(inside, loop.body(), params)
        && !Effects.observable(loop.body())
        && parallel(inside, loop.body());
  }

  /** Whether it overwrites the same part of the parameters at all points. */
  private boolean overwritesWhole(Nest nest, Body body, Set<Var> params) {
    var here = nest;
    var others = new ArrayList<Stm>();
    for (var stm : body.stms()) {
      if (!(stm.exp() instanceof Update u && liftable(here, u))) {
        others.add(stm);
      }
      if (!invariant(here, stm)) {
        here = here.inside(Set.copyOf(stm.pattern()));
      }
    }
    return Aliases.of(others).consumed().stream().noneMatch(params::contains);
  }

  /**
   * Whether it is a view, a read or a few operations: these are repeated where they are needed, not
   * kept.
   */
  static boolean cheap(Exp exp) {
    return switch (exp) {
      case Alias _, Index _, Slice _, Rearrange _, Reshape _, Iota _, Compare _, Convert _ -> true;
      case Unary(var op, _) ->
          switch (op) {
            case NEG, NOT, ABS, SGN -> true;
            default -> false;
          };
      case Binary b -> Effects.safeScalar(b) && b.op() != BinaryOp.POW;
      default -> false;
    };
  }
}
