package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.ReverseMap.Seed;
import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.IndexedExtremum;
import dev.kenaz.simplify.OperatorInterchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Differentiates scan (001 §5.2, 003 §5). Written as a loop, it is {@code r_i = r_(i-1) ⊙ a_i}; its
 * return sweep is the backward linear recurrence {@code r̄_i = ȳ_i + J_(i+1)ᵀ r̄_(i+1)} with {@code
 * J_(i+1) = ∂(r_i ⊙ a_(i+1)) / ∂r_i}, followed by the map {@code ā_i += ∂(r_(i-1) ⊙ a_i)/∂a_i ·
 * r̄_i}. {@link LinearRecurrence} solves the recurrence. For addition it is a scan of ȳ from the
 * right (003 §5.3.1), and vectorised operators are interchanged with the scan first (003 §5.3.2,
 * rule ISWIM).
 */
final class ReverseScan {
  /** If blocks are larger, products of Jacobians cost more than derivatives of ⊙. */
  private static final int WIDEST_BLOCK = 5;

  private ReverseScan() {}

  static Reverse.Return forward(
      Reverse r, Builder b, List<Var> results, Atom n, List<Var> inputs, Scan scan) {
    var row = Operators.ofRows(scan.op());
    if (row.isPresent()) {
      var code = b.inner();
      new OperatorInterchange(code, inputs, r.forms().uniform()).scan(results, scan, row.get());
      return r.forward(b, code.stms());
    }
    var known = r.options.generalOnly() ? Optional.<BinaryOp>empty() : Operators.scalar(scan.op());
    if (known.isPresent() && Operators.isExtremum(scan.op())) {
      if (r.activity.anyActive(scan.neutral())) {
        return withNeutral(r, b, results.getFirst(), n, inputs.getFirst(), scan);
      }
      return r.options.twice()
          ? indexed(b, results.getFirst(), n, inputs.getFirst(), scan)
          : extremum(r, b, results.getFirst(), n, inputs.getFirst(), scan);
    }
    var identity = b.identity(inputs);
    b.bindAll(results, new Screma(n, inputs, List.of(scan), List.of(), identity));
    boolean sum = !r.options.generalOnly() && Operators.isSum(scan.op());
    boolean moves = r.activity.anyActive(scan.neutral());
    return s -> {
      if (results.stream().allMatch(s::isZero)) {
        return;
      }
      if (sum) {
        var adjoint = (Var) s.takeValue(results.getFirst());
        var sums = suffixes(s.b, n, adjoint, scan.op());
        s.add(inputs.getFirst(), sums, true);
        if (moves) {
          s.add(scan.neutral().getFirst(), first(s.b, n, sums), false);
        }
      } else if (known.equals(Optional.of(BinaryOp.MUL))
          && !moves
          && isPlain(r, results.getFirst())) {
        product(r, s, results, n, inputs, scan);
      } else {
        general(r, s, results, n, inputs, scan);
      }
    };
  }

  /** Returns the first element, or zero if there is none. */
  private static Atom first(Builder b, Atom n, Var array) {
    var type = Builder.rowType(array.type());
    return b.ifThenElse(
            b.compare(CompareOp.LT, i64(0), n),
            List.of(type),
            in -> List.of(in.index(array, i64(0))),
            in -> List.of(in.zero(type)))
        .getFirst();
  }

  /** Sums every element and what follows it. */
  private static Var suffixes(Builder b, Atom n, Var adjoint, Lambda plus) {
    var zero = List.<Atom>of(Atom.of(adjoint.type().elemPrim(), 0));
    var backwards = List.of(Scans.reversed(b, adjoint));
    return Scans.reversed(b, Scans.inclusive(b, n, backwards, plus, zero).getFirst());
  }

  /** Treats a neutral element that depends on what is differentiated as one more element. */
  private static Reverse.Return withNeutral(
      Reverse r, Builder b, Var y, Atom n, Var input, Scan scan) {
    var op = Operators.scalar(scan.op()).orElseThrow();
    var neutral = scan.neutral();
    var own = new Scan(scan.op(), ReverseReduce.constants(r, b, neutral));
    var code = b.inner();
    var identity = code.identity(List.of(input));
    var rest = code.screma(n, List.of(input), List.of(own), List.of(), identity);
    var map =
        code.lambda(
            List.of(Builder.rowType(y.type())),
            (in, p) -> List.of(in.binary(op, neutral.getFirst(), p.getFirst())));
    code.bindAll(List.of(y), new Screma(n, rest, List.of(), List.of(), map));
    return r.forward(b, code.stms());
  }

  private static Reverse.Return extremum(
      Reverse r, Builder b, Var y, Atom n, Var input, Scan scan) {
    var identity = b.identity(List.of(input));
    b.bindAll(List.of(y), new Screma(n, List.of(input), List.of(scan), List.of(), identity));
    return s -> {
      if (!s.isZero(y)) {
        var neutral = scan.neutral().getFirst();
        var adjoint = (Var) s.takeValue(y);
        var contribution =
            r.options.manyThreads()
                ? ReverseScanExtremum.byScan(s.b, n, y, adjoint, neutral)
                : ReverseScanExtremum.emit(s.b, n, y, adjoint, neutral);
        s.add(input, contribution, true);
      }
    };
  }

  /**
   * Treats minimum and maximum in code that is linear in the adjoints: r_i is one of the elements,
   * and the scan also finds which, k_i; a histogram adds ȳ_i to the adjoint of that element.
   */
  private static Reverse.Return indexed(Builder b, Var y, Atom n, Var input, Scan scan) {
    var op = Operators.scalar(scan.op()).orElseThrow();
    var lifted = IndexedExtremum.of(b, op, Builder.rowType(y.type()));
    var arg = Names.fresh("arg", Type.I64.under(n));
    var inputs = List.of(input, b.iota(n));
    var indexed = new Scan(lifted, List.of(scan.neutral().getFirst(), i64(-1)));
    b.bindAll(
        List.of(y, arg), new Screma(n, inputs, List.of(indexed), List.of(), b.identity(inputs)));
    return s -> {
      if (!s.isZero(y)) {
        var adjoint = (Var) s.takeValue(y);
        var prim = y.type().elemPrim();
        var zero = Atom.of(prim, 0);
        var sums = s.b.replicate(List.of(n), zero);
        var plus = s.b.operator(Builder.addition(prim), prim);
        var into = new HistOp(List.of(n), List.of(sums), List.of(zero), plus);
        var elements = List.of(arg, adjoint);
        var identity = s.b.identity(elements);
        s.add(input, s.b.bind("adj", new Hist(n, elements, List.of(into), identity)), true);
      }
    };
  }

  /**
   * Treats products: unless there are zeros or infinities, {@code ā_i = (Σ_(j>=i) ȳ_j r_j) / a_i},
   * as {@code ∂r_j/∂a_i = r_j / a_i}; that is a sum in place of a recurrence. The last product
   * tells whether there are any. The papers don't have this rule.
   */
  private static void product(
      Reverse r, Sweep s, List<Var> results, Atom n, List<Var> inputs, Scan scan) {
    var y = results.getFirst();
    var input = inputs.getFirst();
    var adjoint = (Var) s.takeValue(y);
    var prim = y.type().elemPrim();
    var none = i64(0);
    var last =
        s.b.ifThenElse(
            s.b.compare(CompareOp.LT, none, n),
            List.of(Type.scalar(prim)),
            in -> List.of(in.index(y, in.sub(n, i64(1)))),
            _ -> List.of(Atom.of(prim, 0)));
    var ok = ScaledProduct.isNormal(s.b, last.getFirst());
    var contribution =
        s.b.ifThenElse(
            ok,
            List.of(y.type()),
            in -> {
              var products =
                  in.map(n, List.of(adjoint, y), (c, p) -> List.of(c.mul(p.get(0), p.get(1))));
              var sums =
                  suffixes(in, n, products.getFirst(), in.operator(Builder.addition(prim), prim));
              return in.map(n, List.of(sums, input), (c, p) -> List.of(c.div(p.get(0), p.get(1))));
            },
            in -> {
              var inner = new Sweep(in, s.activity);
              inner.set(y, new Adjoint.Value(adjoint, false));
              general(r, inner, results, n, inputs, scan);
              return List.of(inner.owned(input));
            });
    s.add(input, contribution.getFirst(), true);
  }

  /** Whether dividing is allowed: see {@link ReverseReduce}. */
  private static boolean isPlain(Reverse r, Var y) {
    return !r.options.twice() && y.type().elemPrim().isFloat();
  }

  private static void general(
      Reverse r, Sweep s, List<Var> results, Atom n, List<Var> inputs, Scan scan) {
    var adjoints = adjoints(r, s, results, n, inputs, scan);
    // here the scan's own results are constants: their adjoints are complete
    var lambda = application(s.b, inputs, results, scan);
    var seeds = new ArrayList<Seed>();
    adjoints.forEach(a -> seeds.add(a == null ? new Seed.None() : new Seed.Rows(a)));
    var constants = Lists.with(inputs, s.b.bind("before", new Iota(n, i64(-1), i64(1))));
    ReverseMap.emit(r, s, n, constants, lambda, seeds);
  }

  private static List<Var> adjoints(
      Reverse r, Sweep s, List<Var> results, Atom n, List<Var> inputs, Scan scan) {
    var active = new ArrayList<Integer>();
    for (int k = 0; k < results.size(); k++) {
      if (r.activity.active(results.get(k))) {
        active.add(k);
      }
    }
    boolean arrays = results.stream().anyMatch(v -> v.type().dims().size() > 1);
    if (!arrays && !r.options.rightFold()) {
      // the code that is emitted for a plan that isn't chosen is dead
      var scanned = new LinearRecurrence.Scanned(inputs, scan.op(), r.activity);
      var plan = LinearRecurrence.plan(s.b, active, results, n, scanned);
      if (!plan.mixes() && (r.options.generalOnly() || plan.width() <= WIDEST_BLOCK)) {
        return plan.solve(s, results);
      }
    }
    return RightFold.solve(r, s, active, results, n, inputs, scan);
  }

  /**
   * Returns the function {@code (a, i) -> (if i < 0 then e else r[i]) ⊙ a}, where i is the index of
   * the element before.
   */
  private static Lambda application(Builder b, List<Var> inputs, List<Var> results, Scan scan) {
    var types = new ArrayList<Type>();
    inputs.forEach(v -> types.add(Builder.rowType(v.type())));
    types.add(Type.I64);
    // these names differ, so that the results are inactive
    var before = results.stream().map(v -> b.bind(v.name(), new Alias(v))).toList();
    return b.lambda(
        types,
        (in, p) -> {
          int k = inputs.size();
          var i = p.get(k);
          var first = in.compare(CompareOp.LT, i, i64(0));
          var left = ReverseReduce.unless(in, first, scan.neutral(), before, i);
          return in.call(scan.op(), Lists.concat(left, p.subList(0, k)));
        });
  }
}
