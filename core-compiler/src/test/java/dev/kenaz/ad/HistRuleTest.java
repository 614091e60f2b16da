package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistRuleTest {
  private static final Type F = Type.scalar(Prim.F64);

  /** Destinations, then values, one of each an operand; indices last. */
  static List<Var> hist(Builder b, List<Var> p, int k, Lambda op, List<Atom> neutral) {
    var dests = new ArrayList<Var>();
    p.subList(0, k).forEach(d -> dests.add(b.bind("dest", new Copy(d))));
    var inputs = new ArrayList<>(p.subList(2 * k, p.size()));
    int rank = inputs.size();
    inputs.addAll(p.subList(k, 2 * k));
    var shape = dests.getFirst().type().dims().subList(0, rank);
    var width = inputs.getFirst().type().dims().getFirst();
    var identity = b.identity(inputs);
    var ops = List.of(new HistOp(shape, dests, neutral, op));
    return b.bindAll("hist", new Hist(width, inputs, ops, identity));
  }

  private static Jacobians.Body scalar(BinaryOp op, double neutral) {
    return (b, p) -> hist(b, p, 1, b.operator(op, Prim.F64), List.of(Atom.of(Prim.F64, neutral)));
  }

  private static void everyWay(Jacobians.Body f, double[] dest, double[] xs, long... is) {
    Jacobians.at().vector(dest).vector(xs).indices(is).agreeTwice(f);
    Jacobians.at().general().vector(dest).vector(xs).indices(is).agreeTwice(f);
  }

  @Test
  void sum() {
    var f = scalar(BinaryOp.ADD, 0);
    everyWay(f, new double[] {1, 2, 3}, new double[] {4, 5, 6, 7}, 0, 2, 0, 5);
    everyWay(f, new double[] {1, 2}, new double[] {});
  }

  @Test
  void extremum() {
    var f = scalar(BinaryOp.MIN, Double.POSITIVE_INFINITY);
    everyWay(f, new double[] {1, 2, 9}, new double[] {4, 5, 0.5, 7, -1}, 0, 2, 0, 5, -1);
    everyWay(f, new double[] {1, 2}, new double[] {});
    var g = scalar(BinaryOp.MAX, Double.NEGATIVE_INFINITY);
    everyWay(g, new double[] {1, 2, 9}, new double[] {4, 5, 0.5, 7, -1}, 0, 2, 0, 5, 1);
  }

  @Test
  void tiesTakeTheFirst() {
    var f = scalar(BinaryOp.MIN, Double.POSITIVE_INFINITY);
    for (var at : List.of(Jacobians.at(), Jacobians.at().general())) {
      at.vector(7, 9).vector(2, 1, 1, 3).indices(0, 1, 1, 0).withoutDifferences().agree(f);
    }
  }

  @Test
  void product() {
    var f = scalar(BinaryOp.MUL, 1);
    everyWay(f, new double[] {1, 2, 3}, new double[] {4, 5, 6, 7}, 0, 2, 0, 5);
    everyWay(f, new double[] {1, 2, 3}, new double[] {0, 5, 6, 7}, 0, 2, 0, 1);
    everyWay(f, new double[] {1, 2, 0}, new double[] {0, 5, 0, 7}, 0, 2, 0, 1);
  }

  /** The sum of all products of two different elements, with the sum. */
  static Lambda sumOfProd(Builder b) {
    return b.lambda(
        List.of(F, F, F, F),
        (in, q) -> {
          var p = in.add(in.add(q.get(0), q.get(2)), in.mul(q.get(1), q.get(3)));
          return List.of(p, in.add(q.get(1), q.get(3)));
        });
  }

  @Test
  void tuples() {
    Jacobians.Body f =
        (b, p) -> {
          var zero = Atom.of(Prim.F64, 0);
          return hist(b, p, 2, sumOfProd(b), List.of(zero, zero));
        };
    for (var at : List.of(Jacobians.at(), Jacobians.at().general())) {
      at.vector(1, 2, 0)
          .vector(1, 0, 3)
          .vector(0.1, 0.2, 0.3, 0.4, 0.5)
          .vector(1, 2, 3, 4, 5)
          .indices(1, 0, 1, 1, 7)
          .agreeTwice(f);
    }
  }

  @Test
  void saturatedAddition() {
    Jacobians.Body f =
        (b, p) -> {
          var op =
              b.lambda(
                  List.of(F, F),
                  (in, q) ->
                      List.of(
                          in.binary(
                              BinaryOp.MIN, in.add(q.get(0), q.get(1)), Atom.of(Prim.F64, 10))));
          return hist(b, p, 1, op, List.of(Atom.of(Prim.F64, 0)));
        };
    everyWay(f, new double[] {1, 2, 3}, new double[] {4, 5, 6, 7, 2}, 0, 2, 0, 0, 1);
  }

  @Test
  void vectorised() {
    Jacobians.Body f =
        (b, p) -> {
          var dims = p.getFirst().type().dims();
          var row = new Type.Array(Prim.F64, dims.subList(1, 2));
          var op =
              b.lambda(
                  List.of(row, row),
                  (in, q) -> in.map(dims.get(1), q, (c, r) -> List.of(c.mul(r.get(0), r.get(1)))));
          var ones = b.replicate(dims.subList(1, 2), Atom.of(Prim.F64, 1));
          return hist(b, p, 1, op, List.of(ones));
        };
    Jacobians.at()
        .matrix(3, 2, 1, 2, 3, 4, 5, 6)
        .matrix(4, 2, 1, 2, 3, 0, 5, 6, 7, 8)
        .indices(2, 0, 2, 9)
        .agreeTwice(f);
  }

  @Test
  void severalIndices() {
    Jacobians.at()
        .matrix(3, 2, 1, 2, 3, 4, 5, 6)
        .vector(1, 2, 3, 4)
        .indices(2, 0, 2, 1)
        .indices(1, 0, 1, 2)
        .agreeTwice(scalar(BinaryOp.MUL, 1));
    Jacobians.at()
        .matrix(3, 2, 1, 2, 3, 4, 5, 6)
        .vector(1, 2, 3, 4)
        .indices(2, 0, 2, 1)
        .indices(1, 0, 1, 2)
        .agreeTwice(scalar(BinaryOp.ADD, 0));
  }
}
