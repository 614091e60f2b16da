package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;
import org.junit.jupiter.api.Test;

class MapRuleTest {
  static Var sum(Builder b, Var array) {
    return (Var) ReverseArray.sumRows(b, array);
  }

  @Test
  void freeScalarsAndArrays() {
    Jacobians.at()
        .vector(0.3, 1.2, -0.7)
        .vector(2.0, 0.5)
        .scalar(1.1)
        .agreeTwice(
            (b, p) -> {
              var n = p.get(0).type().dims().getFirst();
              var ys =
                  b.map(
                      n,
                      List.of(p.get(0), b.iota(n)),
                      (in, q) -> {
                        var j = in.binary(BinaryOp.MOD, q.get(1), i64(2));
                        var w = in.index(p.get(1), j);
                        var t = in.mul(in.unary(UnaryOp.SIN, q.get(0)), p.get(2));
                        return List.of(in.mul(t, w), in.mul(t, t));
                      });
              return List.of(ys.get(0), sum(b, ys.get(1)));
            });
  }

  @Test
  void matrixProduct() {
    Jacobians.at()
        .matrix(2, 3, 1, 2, 3, 4, 5, 6)
        .matrix(3, 2, 0.5, -1, 2, 0.25, 1, 3)
        .agreeTwice(MapRuleTest::product);
  }

  static List<Var> product(Builder b, List<Var> p) {
    var k = p.get(0).type().dims().get(1);
    var bt = b.bind("bt", new Rearrange(List.of(1, 0), p.get(1)));
    return b.map(
        p.get(0).type().dims().getFirst(),
        List.of(p.get(0)),
        (in, row) ->
            in.map(
                p.get(0).type().dims().getFirst(),
                List.of(bt),
                (in2, column) -> {
                  var products =
                      in2.map(
                          k,
                          List.of(row.getFirst(), column.getFirst()),
                          (in3, q) -> List.of(in3.mul(q.get(0), q.get(1))));
                  return List.of(sum(in2, products.getFirst()));
                }));
  }

  @Test
  void nearestCentreCost() {
    // k-means: the sum over points of the least squared distance to a centre
    Jacobians.at()
        .matrix(2, 2, 0.1, 0.2, 1.3, 0.9)
        .matrix(5, 2, 0, 0, 1, 1, 1.5, 0.5, 0.2, 0.4, -1, 2)
        .agreeTwice(MapRuleTest::cost);
  }

  static List<? extends Atom> cost(Builder b, List<Var> p) {
    var centres = p.get(0);
    var points = p.get(1);
    var costs =
        b.map(
            points.type().dims().getFirst(),
            List.of(points),
            (in, point) -> {
              var ds =
                  in.map(
                      centres.type().dims().getFirst(),
                      List.of(centres),
                      (in2, centre) -> {
                        var squares =
                            in2.map(
                                centres.type().dims().get(1),
                                List.of(point.getFirst(), centre.getFirst()),
                                (in3, q) -> {
                                  var d = in3.sub(q.get(0), q.get(1));
                                  return List.of(in3.mul(d, d));
                                });
                        return List.of(sum(in2, squares.getFirst()));
                      });
              return List.of(reduce(in, BinaryOp.MIN, Double.POSITIVE_INFINITY, ds.getFirst()));
            });
    return List.of(sum(b, costs.getFirst()));
  }

  static Var reduce(Builder b, BinaryOp op, double neutral, Var array) {
    var prim = array.type().elemPrim();
    var red = new Reduce(b.operator(op, prim), List.of(Atom.of(prim, neutral)), true);
    return b.screma(
            array.type().dims().getFirst(),
            List.of(array),
            List.of(),
            List.of(red),
            b.lambda(List.of(Type.scalar(prim)), (_, q) -> q))
        .getFirst();
  }

  @Test
  void bothFreeAndInput() {
    Jacobians.at()
        .vector(0.3, 0.9, -0.4)
        .agreeTwice(
            (b, p) -> {
              var n = p.get(0).type().dims().getFirst();
              return b.map(
                  n,
                  List.of(p.get(0), b.iota(n)),
                  (in, q) -> {
                    var j = in.binary(BinaryOp.MOD, in.mul(q.get(1), i64(2)), n);
                    return List.of(in.mul(q.get(0), in.index(p.get(0), j)));
                  });
            });
  }

  @Test
  void branchesAndWholeRows() {
    Jacobians.at()
        .matrix(3, 2, 1, 2, -3, 4, 5, -6)
        .vector(0.5, 1.5)
        .agreeTwice(
            (b, p) ->
                b.map(
                    p.get(0).type().dims().getFirst(),
                    List.of(p.get(0)),
                    (in, q) -> {
                      var x = in.index(q.getFirst(), i64(0));
                      var big = in.compare(CompareOp.LT, Atom.of(Prim.F64, 0), x);
                      return in.ifThenElse(
                          big,
                          List.of(q.getFirst().type()),
                          then -> List.of(then.plus(q.getFirst(), p.get(1))),
                          otherwise -> {
                            var y = otherwise.mul(x, otherwise.index(p.get(1), i64(1)));
                            return List.of(otherwise.replicate(q.getFirst().type().dims(), y));
                          });
                    }));
  }
}
