package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every special rule for an operator against the general rules, which a switch forces: all agree
 * with forward mode, on inputs with and without zeros and ties, in reductions, scans and
 * histograms, of elements and of rows.
 */
class SpecialRulesTest {
  private static final Type F = Type.scalar(Prim.F64);

  /** Associative operators on so many numbers as they have neutral elements. */
  enum Operator {
    SUM(BinaryOp.ADD, 0),
    PRODUCT(BinaryOp.MUL, 1),
    MIN(BinaryOp.MIN, Double.POSITIVE_INFINITY),
    MAX(BinaryOp.MAX, Double.NEGATIVE_INFINITY),
    SUM_OF_PRODUCTS(
        true,
        (b, q) -> {
          var p = b.add(b.add(q.get(0), q.get(2)), b.mul(q.get(1), q.get(3)));
          return List.of(p, b.add(q.get(1), q.get(3)));
        },
        0,
        0),
    DUAL_PRODUCT(
        true,
        (b, q) ->
            List.of(
                b.mul(q.get(0), q.get(2)),
                b.add(b.mul(q.get(0), q.get(3)), b.mul(q.get(1), q.get(2)))),
        1,
        0),
    LINEAR(
        false,
        (b, q) -> List.of(b.mul(q.get(0), q.get(2)), b.add(q.get(3), b.mul(q.get(1), q.get(2)))),
        1,
        0),
    SIDE_BY_SIDE(
        true,
        (b, q) -> List.of(b.mul(q.get(0), q.get(2)), b.binary(BinaryOp.MAX, q.get(1), q.get(3))),
        1,
        Double.NEGATIVE_INFINITY),
    BLOCKS(
        false,
        (b, q) ->
            List.of(
                b.add(q.get(0), q.get(3)),
                b.mul(q.get(1), q.get(4)),
                b.add(b.mul(q.get(2), q.get(4)), q.get(5))),
        0,
        1,
        0),
    CURVED(true, (b, q) -> List.of(b.add(b.add(q.get(0), q.get(1)), b.mul(q.get(0), q.get(1)))), 0);

    private final boolean commutative;
    private final BiFunction<Builder, List<Var>, List<? extends Atom>> code;
    private final List<Atom> neutral;

    Operator(BinaryOp op, double neutral) {
      this(true, (b, q) -> List.of(b.binary(op, q.get(0), q.get(1))), neutral);
    }

    Operator(
        boolean commutative,
        BiFunction<Builder, List<Var>, List<? extends Atom>> code,
        double... neutral) {
      this.commutative = commutative;
      this.code = code;
      this.neutral = new ArrayList<>();
      for (double x : neutral) {
        this.neutral.add(Atom.of(Prim.F64, x));
      }
    }

    private int arity() {
      return neutral.size();
    }

    private Lambda lambda(Builder b) {
      return b.lambda(Collections.nCopies(2 * arity(), F), code::apply);
    }

    /** The operator on rows, element by element. */
    private Lambda onRows(Builder b, Atom columns) {
      var row = new Type.Array(Prim.F64, List.of(columns));
      return b.lambda(
          Collections.nCopies(2 * arity(), row),
          (in, q) -> in.map(columns, q, (c, x) -> List.copyOf(code.apply(c, x))));
    }
  }

  private static final List<Supplier<Jacobians>> WAYS =
      List.of(Jacobians::at, () -> Jacobians.at().general(), () -> Jacobians.at().rightFold());

  private static final double[][] SMOOTH = {
    {0.3, 0.9, -0.4, 1.1}, {2, 0.5, -1, 3}, {1.5, -0.7, 0.2, 0.8}
  };
  private static final double[][] KINKED = {{0, 1, 1, 0}, {2, 2, 0, 2}, {0, 0, 0, 1}};

  private static void check(Operator op, double[][] dests, Jacobians.Body body, boolean indices) {
    for (var way : WAYS) {
      for (var inputs : List.of(SMOOTH, KINKED)) {
        var at = way.get();
        for (int i = 0; indices && i < op.arity(); i++) {
          at.vector(dests[i]);
        }
        for (int i = 0; i < op.arity(); i++) {
          at.vector(inputs[i]);
        }
        if (indices) {
          at.indices(1, 0, 1, 5);
        }
        (inputs == SMOOTH ? at : at.withoutDifferences()).agree(body);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Operator.class)
  void reductions(Operator op) {
    check(
        op,
        SMOOTH,
        (b, p) -> {
          var n = p.getFirst().type().dims().getFirst();
          var reduce = new Reduce(op.lambda(b), op.neutral, op.commutative);
          return b.screma(n, p, List.of(), List.of(reduce), b.identity(p));
        },
        false);
  }

  @ParameterizedTest
  @EnumSource(Operator.class)
  void scans(Operator op) {
    check(
        op,
        SMOOTH,
        (b, p) ->
            Scans.inclusive(b, p.getFirst().type().dims().getFirst(), p, op.lambda(b), op.neutral),
        false);
  }

  @ParameterizedTest
  @EnumSource(Operator.class)
  void histograms(Operator op) {
    if (op.commutative) {
      double[][] dests = {{0.1, 0.7, 2}, {1, 0.2, 3}, {0, 1, 1}};
      check(
          op, dests, (b, p) -> HistRuleTest.hist(b, p, op.arity(), op.lambda(b), op.neutral), true);
    }
  }

  @ParameterizedTest
  @EnumSource(Operator.class)
  void rows(Operator op) {
    for (var way : WAYS) {
      var at = way.get();
      for (int i = 0; i < op.arity(); i++) {
        at.matrix(
            3,
            2,
            Stream.of(SMOOTH[i], KINKED[i])
                .flatMapToDouble(Arrays::stream)
                .limit(6)
                .map(x -> x + 0.01)
                .toArray());
      }
      at.withoutDifferences().agree((b, p) -> reduceAndScan(b, p, op));
    }
  }

  private static List<Var> reduceAndScan(Builder b, List<Var> p, Operator op) {
    var dims = p.getFirst().type().dims();
    var ones = new ArrayList<Atom>();
    op.neutral.forEach(e -> ones.add(b.replicate(dims.subList(1, 2), e)));
    var reduce = new Reduce(op.onRows(b, dims.get(1)), ones, op.commutative);
    var results =
        new ArrayList<>(b.screma(dims.getFirst(), p, List.of(), List.of(reduce), b.identity(p)));
    results.addAll(Scans.inclusive(b, dims.getFirst(), p, op.onRows(b, dims.get(1)), ones));
    return results;
  }
}
