package dev.kenaz.ad;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * This is the forward mode of the parallel operators (001 §3): tangents travel as further inputs
 * and results. An operator ⊙ of a reduction, scan or histogram becomes an operator on values and
 * tangents, {@code (x, x') ⊙' (y, y') = (x ⊙ y, ∂(x ⊙ y)(x', y'))}, which is associative because ⊙
 * is.
 *
 * <p>Where we differ: addition stays a separate addition of tangents, so that everything that later
 * recognises sums still does.
 */
final class ForwardSoacs {
  private ForwardSoacs() {}

  static void screma(Forward f, Builder b, Stm stm, Screma s) {
    var inputs = new ArrayList<>(s.inputs());
    var params = new ArrayList<>(s.map().params());
    lift(f, s.inputs(), s.map().params(), inputs, params);
    var inner = b.inner();
    f.stms(inner, s.map().body().stms());
    var from = s.map().body().results();
    var results = new ArrayList<Atom>();
    var pattern = new ArrayList<Var>();
    var scans = new ArrayList<Scan>();
    int at = 0;
    for (var scan : s.scans()) {
      int end = at + scan.neutral().size();
      var vars = stm.pattern().subList(at, end);
      var operands = from.subList(at, end);
      var op = new Operator(scan.op(), scan.neutral());
      for (var o : lift(f, b, inner, op, vars, operands, results, pattern)) {
        scans.add(new Scan(o.op(), o.neutral()));
      }
      at = end;
    }
    var reduces = new ArrayList<Reduce>();
    for (var reduce : s.reduces()) {
      int end = at + reduce.neutral().size();
      var vars = stm.pattern().subList(at, end);
      var operands = from.subList(at, end);
      var op = new Operator(reduce.op(), reduce.neutral());
      var lifted = lift(f, b, inner, op, vars, operands, results, pattern);
      boolean commutative = reduce.commutative() && isSmooth(reduce.op());
      for (var o : lifted) {
        reduces.add(new Reduce(o.op(), o.neutral(), lifted.size() > 1 || commutative));
      }
      at = end;
    }
    var rest = stm.pattern().subList(at, stm.pattern().size());
    var mapped = from.subList(at, from.size());
    results.addAll(mapped);
    results.addAll(f.tangentsWhere(inner, mapped, rest));
    pattern.addAll(f.withTangents(rest));
    var map = lambda(params, inner, results);
    b.with(stm.attrs()).bindAll(pattern, new Screma(s.width(), inputs, scans, reduces, map));
  }

  private static Lambda lambda(List<Var> params, Builder inner, List<Atom> results) {
    return new Lambda(params, inner.body(results), results.stream().map(Atom::type).toList());
  }

  /** Adds the tangents of active inputs, and parameters for them. */
  private static void lift(
      Forward f, List<Var> inputs, List<Var> params, List<Var> newInputs, List<Var> newParams) {
    for (int i = 0; i < inputs.size(); i++) {
      if (f.has(inputs.get(i))) {
        newInputs.add(f.tangentVar(null, inputs.get(i)));
        newParams.add(f.tangentParam(params.get(i)));
      }
    }
  }

  /** An associative operator comes with its neutral elements. */
  record Operator(Lambda op, List<Atom> neutral) {}

  /**
   * The operators that replace one. Adds their operands to the map's results and their results to
   * the pattern.
   */
  private static List<Operator> lift(
      Forward f,
      Builder outer,
      Builder inner,
      Operator op,
      List<Var> vars,
      List<Atom> operands,
      List<Atom> results,
      List<Var> pattern) {
    results.addAll(operands);
    pattern.addAll(vars);
    if (vars.stream().noneMatch(f.activity::active)) {
      return List.of(op);
    }
    var tangents = f.tangentsWhere(inner, operands, vars);
    results.addAll(
        Operators.isExtremum(op.op())
            ? List.of(unlessNeutral(inner, op, operands.getFirst(), tangents.getFirst()))
            : tangents);
    pattern.addAll(f.tangentPattern(vars));
    return operators(f, outer, op, vars);
  }

  /** The neutral element counts as one before the first, whether or not it is ever combined. */
  private static Atom unlessNeutral(Builder inner, Operator op, Atom operand, Atom tangent) {
    var neutral = inner.compare(CompareOp.EQ, operand, op.neutral().getFirst());
    var zero = Atom.of(tangent.type().elemPrim(), 0);
    return inner.choose(neutral, zero, tangent);
  }

  private static List<Operator> operators(Forward f, Builder b, Operator op, List<Var> vars) {
    if (Operators.isSum(op.op())) {
      return List.of(
          op, new Operator(copy(op.op()), List.of(zeroLike(b, op.neutral().getFirst()))));
    }
    return List.of(dual(f, b, new Operator(Operators.inOrder(op.op()), op.neutral()), vars));
  }

  private static Atom zeroLike(Builder b, Atom neutral) {
    return b.zero(neutral.type());
  }

  private static Lambda copy(Lambda op) {
    return new Renaming().lambda(op);
  }

  private static Operator dual(Forward f, Builder b, Operator op, List<Var> vars) {
    int k = vars.size();
    var neutral = new ArrayList<>(op.neutral());
    neutral.addAll(f.tangentsWhere(b, op.neutral(), vars));
    var params = new ArrayList<Var>();
    for (int side = 0; side < 2; side++) {
      var own = op.op().params().subList(side * k, side * k + k);
      params.addAll(own);
      for (int i = 0; i < k; i++) {
        if (f.activity.active(vars.get(i))) {
          params.add(f.tangentParam(own.get(i)));
        }
      }
    }
    var inner = b.inner();
    var body = f.body(inner, op.op().body(), vars);
    boolean byElements =
        op.neutral().stream().allMatch(x -> x.type().isScalar())
            || Operators.ofRows(op.op()).isPresent();
    if (byElements && !isPolynomial(op.op())) {
      var apart = b.inner();
      var made = apart.inline(body);
      var left = params.subList(0, neutral.size());
      var right = params.subList(neutral.size(), params.size());
      var tangents = unlessNeutral(apart, k, neutral, left, right, made);
      body = apart.body(Lists.concat(made.subList(0, k), tangents));
    }
    return new Operator(
        new Lambda(params, body, body.results().stream().map(Atom::type).toList()), neutral);
  }

  /**
   * Returns the tangents of an operator's results, except that an operand that is the neutral
   * element, with the tangents of constants, leaves the other one's tangents alone, as it leaves
   * its values. The formula may be no number there, as for {@code sqrt (a*a + b*b)} at zero, and
   * backends may well combine neutral elements. Where the values change, as by {@code min c (sqrt
   * (a*a + b*b))} beyond c, the tangents do.
   *
   * @param values how many of the components are values; the others are tangents
   */
  private static List<Atom> unlessNeutral(
      Builder b,
      int values,
      List<Atom> neutral,
      List<? extends Atom> left,
      List<? extends Atom> right,
      List<? extends Atom> made) {
    int n = neutral.size();
    if (made.getFirst().type().isArray()) {
      var rows = new ArrayList<Var>();
      Lists.concat(neutral, left, right, made).forEach(x -> rows.add((Var) x));
      return List.copyOf(
          b.map(
              made.getFirst().type().dims().getFirst(),
              rows,
              (in, p) ->
                  unlessNeutral(
                      in,
                      values,
                      List.copyOf(p.subList(0, n)),
                      p.subList(n, 2 * n),
                      p.subList(2 * n, 3 * n),
                      p.subList(3 * n, 4 * n))));
    }
    var first = equal(b, neutral, left);
    var second = equal(b, neutral, right);
    var keepsRight = b.and(first, equal(b, made.subList(0, values), right));
    var keepsLeft = b.and(second, equal(b, made.subList(0, values), left));
    var tangents = new ArrayList<Atom>();
    for (int i = values; i < n; i++) {
      var none = b.not(b.compare(CompareOp.EQ, made.get(i), made.get(i)));
      var takesRight = b.binary(BinaryOp.OR, keepsRight, b.and(first, none));
      var takesLeft = b.binary(BinaryOp.OR, keepsLeft, b.and(second, none));
      tangents.add(
          b.choose(takesLeft, left.get(i), b.choose(takesRight, right.get(i), made.get(i))));
    }
    return tangents;
  }

  /** Whether some values are those at the beginning of a list. */
  private static Atom equal(Builder b, List<? extends Atom> some, List<? extends Atom> all) {
    Atom equal = b.compare(CompareOp.EQ, some.getFirst(), all.getFirst());
    for (int i = 1; i < some.size(); i++) {
      equal = b.and(equal, b.compare(CompareOp.EQ, some.get(i), all.get(i)));
    }
    return equal;
  }

  /** Whether tangents are numbers wherever the operands are. */
  private static boolean isPolynomial(Lambda op) {
    return Operators.ofRows(op).map(ForwardSoacs::isPolynomial).orElseGet(() -> polynomials(op));
  }

  private static boolean polynomials(Lambda op) {
    return op.body().stms().stream()
        .allMatch(
            s ->
                switch (s.exp()) {
                  case Binary(var o, _, _) ->
                      switch (o) {
                        case ADD, SUB, MUL, MIN, MAX -> true;
                        default -> !s.var().type().elemPrim().isFloat();
                      };
                  case Unary(var o, _) -> o == UnaryOp.NEG || o == UnaryOp.ABS;
                  case Compare _, Alias _, Convert _ -> true;
                  case If(_, var then, var otherwise) ->
                      then.stms().isEmpty() && otherwise.stms().isEmpty();
                  default -> false;
                });
  }

  /** Whether tangents don't depend on which of two equal operands comes first. */
  private static boolean isSmooth(Lambda op) {
    return op.body().stms().stream()
        .allMatch(
            s -> s.exp() instanceof Binary(var o, _, _) && o != BinaryOp.MIN && o != BinaryOp.MAX);
  }

  static void hist(Forward f, Builder b, Stm stm, Hist h) {
    var inputs = new ArrayList<>(h.inputs());
    var params = new ArrayList<>(h.map().params());
    lift(f, h.inputs(), h.map().params(), inputs, params);
    var inner = b.inner();
    f.stms(inner, h.map().body().stms());
    var from = h.map().body().results();
    int at = h.ops().stream().mapToInt(o -> o.shape().size()).sum();
    int indexAt = 0;
    int varAt = 0;
    var indices = new ArrayList<Atom>();
    var values = new ArrayList<Atom>();
    var pattern = new ArrayList<Var>();
    var ops = new ArrayList<HistOp>();
    for (var op : h.ops()) {
      int k = op.dests().size();
      var vars = stm.pattern().subList(varAt, varAt + k);
      var index = from.subList(indexAt, indexAt + op.shape().size());
      var dests = new ArrayList<>(op.dests());
      for (int i = 0; i < k; i++) {
        if (f.activity.active(vars.get(i))) {
          dests.add(f.tangentVar(b, op.dests().get(i)));
        }
      }
      var operands = from.subList(at, at + k);
      var operator = new Operator(op.op(), op.neutral());
      int taken = 0;
      for (var o : lift(f, b, inner, operator, vars, operands, values, pattern)) {
        int end = taken + o.neutral().size();
        ops.add(new HistOp(op.shape(), dests.subList(taken, end), o.neutral(), o.op()));
        indices.addAll(index);
        taken = end;
      }
      indexAt += op.shape().size();
      varAt += k;
      at += k;
    }
    indices.addAll(values);
    var map = lambda(params, inner, indices);
    b.with(stm.attrs()).bindAll(pattern, new Hist(h.width(), inputs, ops, map));
  }

  static void scatter(Forward f, Builder b, Stm stm, Scatter s) {
    var inputs = new ArrayList<>(s.inputs());
    var params = new ArrayList<>(s.map().params());
    lift(f, s.inputs(), s.map().params(), inputs, params);
    var inner = b.inner();
    f.stms(inner, s.map().body().stms());
    var from = s.map().body().results();
    int valuesAt = from.size() - s.dests().size();
    var indices = new ArrayList<Atom>();
    var values = new ArrayList<Atom>();
    var dests = new ArrayList<ScatterDest>();
    var pattern = new ArrayList<Var>();
    int at = 0;
    for (int i = 0; i < s.dests().size(); i++) {
      var dest = s.dests().get(i);
      var index = from.subList(at, at + dest.shape().size());
      at += dest.shape().size();
      var v = stm.pattern().get(i);
      indices.addAll(index);
      values.add(from.get(valuesAt + i));
      dests.add(dest);
      pattern.add(v);
      if (f.activity.active(v)) {
        indices.addAll(index);
        values.add(f.tangent(inner, from.get(valuesAt + i)));
        dests.add(new ScatterDest(dest.shape(), f.tangentVar(b, dest.dest())));
        pattern.add(f.tangentParam(v));
      }
    }
    indices.addAll(values);
    var map = lambda(params, inner, indices);
    b.with(stm.attrs()).bindAll(pattern, new Scatter(s.width(), inputs, dests, map));
  }

  /**
   * A second accumulator gathers tangents: updating is linear when combining adds or replaces. With
   * another operator it gathers values and tangents.
   */
  static void withAcc(Forward f, Builder b, Stm stm, WithAcc w) {
    int n = w.inputs().size();
    var inputs = new ArrayList<AccInput>();
    var params = new ArrayList<Var>();
    var pattern = new ArrayList<Var>();
    var accResults = new ArrayList<Atom>();
    var inner = b.inner();
    int at = 0;
    var lifted = new ArrayList<Integer>();
    for (int i = 0; i < n; i++) {
      var in = w.inputs().get(i);
      var param = w.body().params().get(i);
      var vars = stm.pattern().subList(at, at + in.arrays().size());
      boolean dual = in.combine().filter(c -> !Operators.isSum(c.op())).isPresent();
      boolean active = f.activity.active(param);
      inputs.add(active && dual ? withCopiedOperator(in) : in);
      params.add(param);
      pattern.addAll(vars);
      if (active) {
        inputs.add(dual ? dualInput(f, b, in, vars) : tangentInput(f, b, in));
        params.add(f.tangentAcc(param, dual, in.combine().isEmpty()));
        if (dual) {
          vars.forEach(v -> pattern.add(Names.like(v)));
        }
        vars.stream()
            .filter(v -> !dual || f.activity.active(v))
            .forEach(v -> pattern.add(f.tangentParam(v)));
        lifted.add(i);
      }
      at += in.arrays().size();
    }
    f.stms(inner, w.body().body().stms());
    var from = w.body().body().results();
    for (int i = 0; i < n; i++) {
      accResults.add(from.get(i));
      if (lifted.contains(i)) {
        accResults.add(f.tangent(inner, from.get(i)));
      }
    }
    var rest = stm.pattern().subList(at, stm.pattern().size());
    var others = from.subList(n, from.size());
    accResults.addAll(others);
    accResults.addAll(f.tangentsWhere(inner, others, rest));
    pattern.addAll(f.withTangents(rest));
    b.with(stm.attrs()).bindAll(pattern, new WithAcc(inputs, lambda(params, inner, accResults)));
  }

  private static AccInput tangentInput(Forward f, Builder b, AccInput in) {
    var arrays = in.arrays().stream().map(a -> f.tangentVar(b, a)).toList();
    Optional<Combine> combine =
        in.combine()
            .map(
                c -> {
                  var zeros = c.neutral().stream().map(e -> zeroLike(b, e)).toList();
                  return new Combine(copy(c.op()), zeros);
                });
    return new AccInput(in.space(), arrays, combine);
  }

  private static AccInput dualInput(Forward f, Builder b, AccInput in, List<Var> vars) {
    var arrays = new ArrayList<Var>();
    in.arrays().forEach(a -> arrays.add(b.bind("own", new Copy(a))));
    for (int i = 0; i < vars.size(); i++) {
      if (f.activity.active(vars.get(i))) {
        arrays.add(f.tangentVar(b, in.arrays().get(i)));
      }
    }
    var combine = in.combine().get();
    var dual = dual(f, b, new Operator(combine.op(), combine.neutral()), vars);
    return new AccInput(in.space(), arrays, Optional.of(new Combine(dual.op(), dual.neutral())));
  }

  private static AccInput withCopiedOperator(AccInput in) {
    var combine = in.combine().map(c -> new Combine(copy(c.op()), c.neutral()));
    return new AccInput(in.space(), in.arrays(), combine);
  }
}
