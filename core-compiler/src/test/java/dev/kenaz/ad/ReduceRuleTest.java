package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReduceRuleTest {
  private static final Type F = Type.scalar(Prim.F64);

  private static Jacobians.Body reduce(BinaryOp op, double neutral) {
    return (b, p) -> List.of(MapRuleTest.reduce(b, op, neutral, p.getFirst()));
  }

  @Test
  void sum() {
    Jacobians.at().vector(1, 2, 3).agreeTwice(reduce(BinaryOp.ADD, 0));
    Jacobians.at().vector().agree(reduce(BinaryOp.ADD, 0));
    Jacobians.at().general().vector(1, 2, 3).agreeTwice(reduce(BinaryOp.ADD, 0));
  }

  @Test
  void extremum() {
    for (var op : List.of(BinaryOp.MIN, BinaryOp.MAX)) {
      double neutral = op == BinaryOp.MIN ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
      Jacobians.at().vector(1, -2, 3, 0.5).agreeTwice(reduce(op, neutral));
      Jacobians.at().vector().agree(reduce(op, neutral));
      Jacobians.at().vector(7).agree(reduce(op, neutral));
      Jacobians.at().vector(3, 1, 1, 3).withoutDifferences().agree(reduce(op, neutral));
      Jacobians.at().general().vector(3, 1, 1, 3).withoutDifferences().agree(reduce(op, neutral));
      Jacobians.at()
          .vector(2, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 0)
          .withoutDifferences()
          .agree(reduce(op, neutral));
    }
  }

  @Test
  void product() {
    for (var xs :
        new double[][] {{1, 2, 3}, {}, {5}, {0}, {2, 0, 3}, {0, 2, 0, 3}, {1e-3, 1e3, -2}}) {
      Jacobians.at().vector(xs).agreeTwice(reduce(BinaryOp.MUL, 1));
      Jacobians.at().general().vector(xs).agree(reduce(BinaryOp.MUL, 1));
    }
  }

  @Test
  void vectorisedProduct() {
    Jacobians.at().matrix(3, 2, 1, 2, 3, 0, 5, 6).agreeTwice(ReduceRuleTest::columns);
    Jacobians.at().general().matrix(3, 2, 1, 2, 3, 0, 5, 6).agree(ReduceRuleTest::columns);
  }

  private static List<Var> columns(Builder b, List<Var> p) {
    var dims = p.getFirst().type().dims();
    var row = new Type.Array(Prim.F64, dims.subList(1, 2));
    var op =
        b.lambda(
            List.of(row, row),
            (in, q) -> in.map(dims.get(1), q, (c, r) -> List.of(c.mul(r.get(0), r.get(1)))));
    var ones = b.replicate(dims.subList(1, 2), Atom.of(Prim.F64, 1));
    return b.screma(
        dims.getFirst(),
        List.of(p.getFirst()),
        List.of(),
        List.of(new Reduce(op, List.of(ones), true)),
        b.lambda(List.of(row), (_, q) -> q));
  }

  /** Composition of linear functions, with a free variable in the operator. */
  private static List<Var> linear(Builder b, List<Var> p) {
    var op =
        b.lambda(
            List.of(F, F, F, F),
            (in, q) -> {
              var c = in.mul(in.mul(q.get(1), q.get(3)), p.get(2));
              return List.of(in.add(q.get(2), in.mul(q.get(3), q.get(0))), c);
            });
    return b.screma(
        p.get(0).type().dims().getFirst(),
        List.of(p.get(0), p.get(1)),
        List.of(),
        List.of(new Reduce(op, List.of(Atom.of(Prim.F64, 0), Atom.of(Prim.F64, 1)), false)),
        b.lambda(List.of(F, F), (in, q) -> List.of(in.unary(UnaryOp.SIN, q.get(0)), q.get(1))));
  }

  @Test
  void anyOperatorOverTuples() {
    Jacobians.at()
        .vector(0.3, 0.9, -0.4)
        .vector(2, 3, 0.5)
        .scalar(1)
        .agreeTwice(ReduceRuleTest::associative);
  }

  private static List<Var> associative(Builder b, List<Var> p) {
    return linear(b, List.of(p.get(0), p.get(1), b.bind("one", new Alias(Atom.of(Prim.F64, 1)))));
  }

  @Test
  void freeVariableOfTheOperator() {
    // x ⊙ y = x + y + p x y is associative for every p, with neutral element 0
    for (var p0 : new double[] {0.5, 1}) {
      Jacobians.at()
          .vector(0.3, 0.9, -0.4, 1.1)
          .scalar(p0)
          .agreeTwice(
              (b, p) -> {
                var op =
                    b.lambda(
                        List.of(F, F),
                        (in, q) -> {
                          var xy = in.mul(q.get(0), q.get(1));
                          return List.of(in.add(in.add(q.get(0), q.get(1)), in.mul(p.get(1), xy)));
                        });
                return b.screma(
                    p.get(0).type().dims().getFirst(),
                    List.of(p.get(0)),
                    List.of(),
                    List.of(new Reduce(op, List.of(Atom.of(Prim.F64, 0)), true)),
                    b.lambda(List.of(F), (_, q) -> q));
              });
    }
  }

  @Test
  void invertible() {
    // the sum of products of different elements, found to be invertible
    for (var at : List.of(Jacobians.at(), Jacobians.at().general())) {
      at.vector(0.3, 0.9, -0.4, 1.1)
          .vector(2, 0, -1, 3)
          .agreeTwice(
              (b, p) -> {
                var zero = Atom.of(Prim.F64, 0);
                var op = new Reduce(HistRuleTest.sumOfProd(b), List.of(zero, zero), false);
                var n = p.get(0).type().dims().getFirst();
                var identity = b.identity(p);
                return b.screma(n, p, List.of(), List.of(op), identity);
              });
    }
  }

  @Test
  void severalOperatorsSideBySide() {
    for (var at : List.of(Jacobians.at(), Jacobians.at().general())) {
      at.vector(0.3, 0.9, -0.4, 1.1)
          .vector(2, 0.5, -1, 3)
          .vector(2, 0.1, 3, 1)
          .indices(3, 1, 0, 2)
          .agreeTwice(
              (b, p) -> {
                var op =
                    b.lambda(
                        List.of(F, F, F, Type.I64, F, F, F, Type.I64),
                        (in, q) ->
                            List.of(
                                in.add(q.get(0), q.get(4)),
                                in.mul(q.get(5), q.get(1)),
                                in.binary(BinaryOp.MAX, q.get(2), q.get(6)),
                                in.binary(BinaryOp.MIN, q.get(3), q.get(7))));
                var e =
                    List.<Atom>of(
                        Atom.of(Prim.F64, 0),
                        Atom.of(Prim.F64, 1),
                        Atom.of(Prim.F64, Double.NEGATIVE_INFINITY),
                        Atom.i64(9));
                var n = p.get(0).type().dims().getFirst();
                var identity = b.identity(p);
                var all = b.screma(n, p, List.of(), List.of(new Reduce(op, e, true)), identity);
                return all.subList(0, 3);
              });
    }
  }

  @Test
  void whatIsInvertible() {
    var b = new Builder(Span.NONE);
    var r = new Reverse(new Activity(), Options.DEFAULT, new AffineForms());
    assertTrue(Invertible.of(r, HistRuleTest.sumOfProd(b)).isPresent());
    assertTrue(Invertible.of(r, b.operator(BinaryOp.ADD, Prim.F32)).isPresent());
    assertFalse(Invertible.of(r, b.operator(BinaryOp.MUL, Prim.F64)).isPresent());
    assertFalse(Invertible.of(r, b.operator(BinaryOp.MIN, Prim.F64)).isPresent());
    assertFalse(Invertible.of(r, b.operator(BinaryOp.ADD, Prim.I64)).isPresent());
    assertFalse(Invertible.of(r, ScanRuleTest.product(b)).isPresent());
    // x + y + x y: the derivative by x is not 1
    var op =
        b.lambda(
            List.of(F, F),
            (in, q) -> List.of(in.add(in.add(q.get(0), q.get(1)), in.mul(q.get(0), q.get(1)))));
    assertFalse(Invertible.of(r, op).isPresent());
  }
}
