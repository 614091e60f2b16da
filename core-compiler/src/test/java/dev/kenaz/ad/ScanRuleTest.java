package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScanRuleTest {
  private static final Type F = Type.scalar(Prim.F64);

  static List<Var> scan(Builder b, List<Var> arrays, Lambda op, double... neutral) {
    var e = new ArrayList<Atom>();
    for (double x : neutral) {
      e.add(Atom.of(Prim.F64, x));
    }
    return Scans.inclusive(b, arrays.getFirst().type().dims().getFirst(), arrays, op, e);
  }

  private static Jacobians.Body scan(BinaryOp op, double neutral) {
    return (b, p) -> scan(b, p, b.operator(op, Prim.F64), neutral);
  }

  @Test
  void sum() {
    for (var xs : new double[][] {{}, {2}, {1, 2, 3, -1}}) {
      Jacobians.at().vector(xs).agreeTwice(scan(BinaryOp.ADD, 0));
      Jacobians.at().general().vector(xs).agree(scan(BinaryOp.ADD, 0));
    }
  }

  @Test
  void oneScalar() {
    for (var xs : new double[][] {{}, {2}, {1, 2, 3, -1}, {2, 0, 3}, {0, 2, 0}, {3, 2, 0}}) {
      Jacobians.at().vector(xs).agreeTwice(scan(BinaryOp.MUL, 1));
      Jacobians.at().general().vector(xs).agree(scan(BinaryOp.MUL, 1));
      Jacobians.at().rightFold().vector(xs).agreeTwice(scan(BinaryOp.MUL, 1));
    }
    Jacobians.at().vector(3, 1, 4, 0.5).agreeTwice(scan(BinaryOp.MIN, Double.POSITIVE_INFINITY));
    Jacobians.at().vector(3, 1, 4, 0.5).agreeTwice(scan(BinaryOp.MAX, Double.NEGATIVE_INFINITY));
    // the last product has fewer digits than the others
    Jacobians.at().vector(1e-160, 1e-160, 2, 3).agree(scan(BinaryOp.MUL, 1));
    Jacobians.at().vector(1e-200, 1e-200, 2, 3).agree(scan(BinaryOp.MUL, 1));
    for (var at : List.of(Jacobians.at(), Jacobians.at().general(), Jacobians.at().manyThreads())) {
      at.vector(3, 3, 1, 1, 2, 1).withoutDifferences();
      at.agree(scan(BinaryOp.MIN, Double.POSITIVE_INFINITY));
      at.agree(scan(BinaryOp.MAX, Double.NEGATIVE_INFINITY));
    }
    for (var xs : new double[][] {{}, {2}, {3, 1, 4, 0.5}, {1, 2, 3}, {3, 2, 1}}) {
      Jacobians.at().vector(xs).agree(scan(BinaryOp.MIN, Double.POSITIVE_INFINITY));
      Jacobians.at().manyThreads().vector(xs).agree(scan(BinaryOp.MIN, Double.POSITIVE_INFINITY));
      Jacobians.at().manyThreads().vector(xs).agree(scan(BinaryOp.MAX, 2.5));
    }
  }

  @Test
  void linearFunctionComposition() {
    Jacobians.at()
        .vector(0.3, 0.9, -0.4, 1.5)
        .vector(2, 3, 0.5, -1)
        .agreeTwice(
            (b, p) -> {
              var op =
                  b.lambda(
                      List.of(F, F, F, F),
                      (in, q) ->
                          List.of(
                              in.add(q.get(2), in.mul(q.get(3), q.get(0))),
                              in.mul(q.get(1), q.get(3))));
              return scan(b, p, op, 0, 1);
            });
  }

  @Test
  void matrixProducts() {
    for (var at : List.of(Jacobians.at(), Jacobians.at().rightFold())) {
      at.vector(0.3, 0.9, -0.4)
          .vector(2, 3, 0.5)
          .vector(1.1, 0.2, 0.7)
          .vector(-1, 2, 1)
          .agreeTwice((b, p) -> scan(b, p, product(b), 1, 0, 0, 1));
    }
  }

  @Test
  void arraysThatAreNotVectorised() {
    // two by two matrices as arrays, multiplied
    var xs = new double[] {0.3, 2, 1.1, -1, 0.9, 3, 0.2, 2, -0.4, 0.5, 0.7, 1};
    Jacobians.at()
        .matrix(3, 4, xs)
        .agreeTwice(
            (b, p) -> {
              var row = new Type.Array(Prim.F64, List.of(Atom.i64(4)));
              var op =
                  b.lambda(
                      List.of(row, row),
                      (in, q) -> {
                        var all = new ArrayList<Atom>();
                        for (var side : q) {
                          for (int i = 0; i < 4; i++) {
                            all.add(in.index(side, Atom.i64(i)));
                          }
                        }
                        var entries = in.call(product(in), all);
                        return List.of(in.bind("m", new ArrayLit(entries, F)));
                      });
              var unit = new ArrayList<Atom>();
              for (double x : new double[] {1, 0, 0, 1}) {
                unit.add(Atom.of(Prim.F64, x));
              }
              var e = b.bind("e", new ArrayLit(unit, F));
              var n = p.getFirst().type().dims().getFirst();
              return Scans.inclusive(b, n, p, op, List.<Atom>of(e));
            });
  }

  @Test
  void triangularJacobian() {
    // the sum of products of different elements: ones on the diagonal
    Jacobians.at()
        .vector(0.3, 0.9, -0.4)
        .vector(2, 3, 0.5)
        .agreeTwice((b, p) -> scan(b, p, HistRuleTest.sumOfProd(b), 0, 0));
  }

  /** Two by two matrices. */
  static Lambda product(Builder b) {
    return b.lambda(
        List.of(F, F, F, F, F, F, F, F),
        (in, q) -> {
          var results = new ArrayList<Atom>();
          for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
              results.add(
                  in.add(
                      in.mul(q.get(2 * i), q.get(4 + j)), in.mul(q.get(2 * i + 1), q.get(6 + j))));
            }
          }
          return results;
        });
  }

  @Test
  void segmented() {
    // with an inactive flag, and a free variable in the operator
    Jacobians.at()
        .vector(0.3, 0.9, -0.4, 1.5)
        .indices(1, 0, 1, 0)
        .scalar(0.7)
        .agreeTwice(
            (b, p) -> {
              var op =
                  b.lambda(
                      List.of(Type.I64, F, Type.I64, F),
                      (in, q) -> {
                        var flag = in.binary(BinaryOp.OR, q.get(0), q.get(2));
                        var starts = in.compare(CompareOp.EQ, q.get(2), Atom.i64(1));
                        var xy = in.mul(p.get(2), in.mul(q.get(1), q.get(3)));
                        var sum = in.add(in.add(q.get(1), q.get(3)), xy);
                        return List.of(flag, in.choose(starts, q.get(3), sum));
                      });
              var arrays = List.of(p.get(1), p.get(0));
              var neutral = List.<Atom>of(Atom.i64(0), Atom.of(Prim.F64, 0));
              var n = p.get(0).type().dims().getFirst();
              return List.of(Scans.inclusive(b, n, arrays, op, neutral).get(1));
            });
  }

  @Test
  void vectorised() {
    Jacobians.at()
        .matrix(3, 2, 1, 2, 3, 0.5, 5, 6)
        .agreeTwice(
            (b, p) -> {
              var dims = p.getFirst().type().dims();
              var row = new Type.Array(Prim.F64, dims.subList(1, 2));
              var op =
                  b.lambda(
                      List.of(row, row),
                      (in, q) ->
                          in.map(dims.get(1), q, (c, r) -> List.of(c.mul(r.get(0), r.get(1)))));
              var ones = b.replicate(dims.subList(1, 2), Atom.of(Prim.F64, 1));
              return Scans.inclusive(b, dims.getFirst(), p, op, List.<Atom>of(ones));
            });
  }
}
