package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.ReverseMap.Seed;
import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.OperatorInterchange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Differentiates reduction with any associative operator (001 §5.1, 003 §3.1). With l_i and r_i the
 * combined elements before and after a_i, {@code y = l_i ⊙ a_i ⊙ r_i}, hence {@code ā_i += ∂(l_i ⊙
 * a_i ⊙ r_i)/∂a_i · ȳ}, and all l_i and r_i come from two scans. Special operators have rules of
 * their own, chosen here.
 *
 * <p>Where we differ: the operator may have free variables. In a fold from the left the i-th
 * application is {@code l_i ⊙ a_i}, so a free variable gets the contributions of the inner
 * application in {@code (l_i ⊙ a_i) ⊙ r_i}, while it is a constant in the outer one.
 */
final class ReverseReduce {
  private ReverseReduce() {}

  static Reverse.Return forward(
      Reverse r, Builder b, List<Var> results, Atom n, List<Var> inputs, Reduce reduce) {
    if (results.stream().noneMatch(r.activity::active)) {
      var identity = b.identity(inputs);
      b.bindAll(results, new Screma(n, inputs, List.of(), List.of(reduce), identity));
      return Reverse.Return.NOTHING;
    }
    if (!r.options.generalOnly() && results.size() == 1) {
      if (Operators.isSum(reduce.op())) {
        return sum(b, results, n, inputs, reduce);
      }
      boolean product = isProduct(reduce.op());
      if (Operators.isExtremum(reduce.op()) || product) {
        if (r.activity.anyActive(reduce.neutral())) {
          return apart(r, b, results.getFirst(), n, inputs.getFirst(), reduce);
        }
        // the product rule's code is not differentiable where an element is zero
        if (!product) {
          return ReverseExtremum.forward(b, results.getFirst(), n, inputs.getFirst(), reduce);
        } else if (!r.options.twice()) {
          return ReverseProduct.forward(b, results.getFirst(), n, inputs.getFirst(), reduce);
        }
      }
    }
    var row = Operators.ofRows(reduce.op());
    if (!r.options.generalOnly() && row.isPresent()) {
      var code = b.inner();
      new OperatorInterchange(code, inputs, r.forms().uniform()).reduce(results, reduce, row.get());
      return r.forward(b, code.stms());
    }
    boolean moves = r.activity.anyActive(reduce.neutral());
    var inverse =
        moves || r.options.generalOnly()
            ? Optional.<Invertible>empty()
            : Invertible.of(r, reduce.op());
    if (inverse.isEmpty() && inputs.stream().allMatch(v -> v.type().dims().size() == 1)) {
      return scanned(r, b, results, n, inputs, reduce);
    }
    var identity = b.identity(inputs);
    b.bindAll(results, new Screma(n, inputs, List.of(), List.of(reduce), identity));
    if (inverse.isPresent() && Invertible.isChecked(r)) {
      var totals = results.stream().map(y -> b.replicate(List.of(n), y)).toList();
      inverse.get().check(b, n, inputs, totals, b.replicate(List.of(n), Atom.bool(true)));
    }
    return s -> {
      if (results.stream().anyMatch(v -> !s.isZero(v))) {
        var seeds = results.stream().map(v -> seed(s, v)).toList();
        if (inverse.isPresent()) {
          inverted(r, s, n, results, inputs, inverse.get(), seeds);
        } else {
          general(r, s, n, inputs, reduce, seeds);
          addIfEmpty(s, n, reduce.neutral(), seeds);
        }
      }
    };
  }

  /** Whether an operator multiplies numbers that can be divided again: floats. */
  static boolean isProduct(Lambda op) {
    return op.returns().getFirst().elemPrim().isFloat()
        && Operators.scalar(op).equals(Optional.of(BinaryOp.MUL));
  }

  /**
   * Treats minimum, maximum and product with a neutral element that depends on what is
   * differentiated, as in {@code reduce f64.max xs[0] xs}: it is one more element before the first.
   */
  private static Reverse.Return apart(
      Reverse r, Builder b, Var y, Atom n, Var input, Reduce reduce) {
    var neutral = reduce.neutral();
    var op = Operators.scalar(reduce.op()).orElseThrow();
    List<Atom> start =
        op == BinaryOp.MUL
            ? List.<Atom>of(Atom.of(y.type().elemPrim(), 1))
            : constants(r, b, neutral);
    var own = new Reduce(reduce.op(), start, reduce.commutative());
    var code = b.inner();
    var identity = code.identity(List.of(input));
    var rest = code.screma(n, List.of(input), List.of(), List.of(own), identity).getFirst();
    code.bindAll(List.of(y), new Binary(op, neutral.getFirst(), rest));
    return r.forward(b, code.stms());
  }

  /** Returns the same values, but none that have adjoints. */
  static List<Atom> constants(Reverse r, Builder b, List<Atom> values) {
    return values.stream()
        .<Atom>map(x -> r.activity.active(x) ? b.bind(((Var) x).name(), new Alias(x)) : x)
        .toList();
  }

  /** Adds the results' adjoints to the neutral elements', which they are if there is no element. */
  private static void addIfEmpty(Sweep s, Atom n, List<Atom> neutral, List<Seed> seeds) {
    for (int k = 0; k < neutral.size(); k++) {
      if (s.activity.active(neutral.get(k)) && seeds.get(k) instanceof Seed.Same(var adjoint)) {
        var type = adjoint.type();
        var none = s.b.compare(CompareOp.EQ, n, i64(0));
        var own =
            s.b.ifThenElse(
                none, List.of(type), _ -> List.of(adjoint), in -> List.of(in.zero(type)));
        s.add(neutral.get(k), own.getFirst(), false);
      }
    }
  }

  /** The adjoint of a sum is that of every summand (003 §3.2.1). */
  private static Reverse.Return sum(
      Builder b, List<Var> results, Atom n, List<Var> inputs, Reduce reduce) {
    var identity = b.identity(inputs);
    b.bindAll(results, new Screma(n, inputs, List.of(), List.of(reduce), identity));
    return s -> {
      var y = results.getFirst();
      if (!s.isZero(y)) {
        var adjoint = s.takeValue(y);
        s.add(inputs.getFirst(), new Adjoint.Broadcast(adjoint));
        s.add(reduce.neutral().getFirst(), adjoint, false);
      }
    };
  }

  private static Seed seed(Sweep s, Var v) {
    return s.isZero(v) ? new Seed.None() : new Seed.Same(s.takeValue(v));
  }

  /** Emits the rule for operators that {@link Invertible} undoes. */
  private static void inverted(
      Reverse r,
      Sweep s,
      Atom n,
      List<Var> results,
      List<Var> inputs,
      Invertible inverse,
      List<Seed> seeds) {
    int k = inputs.size();
    var all = Lists.concat(inputs, Invertible.constants(s.b, inputs));
    var total = Invertible.constants(s.b, results);
    var lambda =
        s.b.lambda(
            all.stream().map(v -> Builder.rowType(v.type())).toList(),
            (in, p) -> inverse.around(in, total, p.subList(0, k), p.subList(k, 2 * k)));
    ReverseMap.emit(r, s, n, all, lambda, seeds);
  }

  /**
   * Treats scalars: the scan from the left is the forward sweep, as the last of its results is the
   * reduction's. The elements before and after a_i are read where they are wanted.
   */
  private static Reverse.Return scanned(
      Reverse r, Builder b, List<Var> results, Atom n, List<Var> inputs, Reduce reduce) {
    var op = reduce.op();
    var neutral = reduce.neutral();
    var prefixes = Scans.inclusive(b, n, inputs, op, neutral);
    var last =
        new If(
            b.compare(CompareOp.LT, i64(0), n),
            body(b, in -> rows(in, prefixes, in.sub(n, i64(1)))),
            new Body(List.of(), neutral));
    b.bindAll(results, last);
    return s -> {
      if (results.stream().allMatch(s::isZero)) {
        return;
      }
      var seeds = results.stream().map(v -> seed(s, v)).toList();
      var backwards = Scans.reversed(s.b, inputs);
      var flipped = Scans.flipped(op);
      var suffixes = Scans.reversed(s.b, Scans.inclusive(s.b, n, backwards, flipped, neutral));
      var all =
          Lists.with(
              inputs,
              s.b.bind("before", new Iota(n, i64(-1), i64(1))),
              s.b.bind("after", new Iota(n, i64(1), i64(1))));
      var around = around(r, s.b, op);
      // the fold starts with the neutral element, which is nothing else's neighbour
      var beyond = constants(r, s.b, neutral);
      boolean moves = moves(r, op);
      int k = inputs.size();
      var lambda =
          s.b.lambda(
              all.stream().map(v -> Builder.rowType(v.type())).toList(),
              (in, p) -> {
                var before = p.get(k);
                var after = p.get(k + 1);
                var isLast = in.compare(CompareOp.EQ, after, n);
                List<Atom> arguments =
                    Lists.concat(
                        p.subList(0, k),
                        unless(
                            in,
                            in.compare(CompareOp.LT, before, i64(0)),
                            neutral,
                            prefixes,
                            before),
                        unless(in, isLast, beyond, suffixes, after),
                        moves ? List.of(isLast) : List.of());
                return in.call(around, arguments);
              });
      ReverseMap.emit(r, s, n, all, lambda, seeds);
      addIfEmpty(s, n, neutral, seeds);
    };
  }

  /** Returns the rows of some arrays at an index or, if the condition holds, other values. */
  static List<Var> unless(
      Builder b, Atom outside, List<Atom> instead, List<Var> arrays, Atom index) {
    var types = arrays.stream().map(v -> Builder.rowType(v.type())).toList();
    return b.ifThenElse(outside, types, _ -> instead, in -> rows(in, arrays, index));
  }

  private static List<Atom> rows(Builder b, List<Var> arrays, Atom index) {
    return arrays.stream().map(v -> b.index(v, index)).toList();
  }

  private static Body body(Builder b, Function<Builder, List<Atom>> code) {
    var in = b.inner();
    return in.body(code.apply(in));
  }

  private static void general(
      Reverse r, Sweep s, Atom n, List<Var> inputs, Reduce reduce, List<Seed> seeds) {
    var b = s.b;
    var ls = Scans.exclusive(b, n, inputs, reduce.op(), reduce.neutral());
    var backwards = Scans.reversed(b, inputs);
    var flipped = Scans.flipped(reduce.op());
    var rs = Scans.reversed(b, Scans.exclusive(b, n, backwards, flipped, reduce.neutral()));
    var around = around(r, b, reduce.op());
    var all = new ArrayList<>(Lists.concat(inputs, ls, rs));
    if (moves(r, reduce.op())) {
      var end = b.sub(n, i64(1));
      all.addAll(
          b.map(
              n,
              List.of(b.iota(n)),
              (in, p) -> List.of(in.compare(CompareOp.EQ, p.getFirst(), end))));
    }
    if (!s.activity.anyActive(reduce.neutral())) {
      ReverseMap.emit(r, s, n, all, around, seeds);
      return;
    }
    all.add(b.iota(n));
    int k = inputs.size();
    var lambda =
        b.lambda(
            all.stream().map(v -> Builder.rowType(v.type())).toList(),
            (in, p) -> {
              var left = p.subList(k, 2 * k);
              var first = in.compare(CompareOp.EQ, p.getLast(), i64(0));
              var types = left.stream().map(Var::type).toList();
              var before = in.ifThenElse(first, types, _ -> reduce.neutral(), _ -> left);
              var rest = p.subList(2 * k, p.size() - 1);
              return in.call(around, Lists.concat(p.subList(0, k), before, rest));
            });
    ReverseMap.emit(r, s, n, all, lambda, seeds);
  }

  /**
   * Returns {@code (a, l, r) -> (l ⊙ a) ⊙ r}, where free variables are constants in the outer
   * application. If there are any that {@link #moves}, the function also takes whether a is the
   * last element, and leaves that application out then: {@code min c (x + y)} would find the
   * constant c and {@code c + 0} equal.
   */
  static Lambda around(Reverse r, Builder b, Lambda op) {
    int k = op.returns().size();
    var constants = new HashMap<Var, Atom>();
    for (var v : r.activity.among(FreeVars.of(op))) {
      constants.put(v, b.bind(v.name(), new Alias(v)));
    }
    var types = new ArrayList<Type>();
    for (int i = 0; i < 3; i++) {
      op.params().subList(0, k).forEach(p -> types.add(p.type()));
    }
    if (!constants.isEmpty()) {
      types.add(Type.BOOL);
    }
    return b.lambda(
        types,
        (in, p) -> {
          var a = p.subList(0, k);
          var l = p.subList(k, 2 * k);
          var right = p.subList(2 * k, 3 * k);
          var left = in.call(op, Lists.concat(l, a));
          var outer = new Substitution(constants).lambda(new Renaming().lambda(op));
          return constants.isEmpty()
              ? in.call(outer, Lists.concat(left, right))
              : in.ifThenElse(
                  p.getLast(),
                  op.returns(),
                  _ -> left,
                  c -> c.call(outer, Lists.concat(left, right)));
        });
  }

  /** Whether an operator has free variables with adjoints. */
  static boolean moves(Reverse r, Lambda op) {
    return r.activity.anyActive(FreeVars.of(op));
  }
}
