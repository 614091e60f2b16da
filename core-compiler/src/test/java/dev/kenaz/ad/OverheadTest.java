package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Counted work of a gradient, simplified, over that of the function. */
class OverheadTest {
  private static final Random RANDOM = new Random(1);

  private static double[] random(int n) {
    return RANDOM.doubles(n).toArray();
  }

  /** Numbers whose products neither vanish nor overflow. */
  private static double[] nearOne(int n) {
    return RANDOM.doubles(n, 0.999, 1.001).toArray();
  }

  private static long[] indices(int n, int bound) {
    return RANDOM.longs(n, 0, bound).toArray();
  }

  private static void atMost(double bound, Jacobians at, Jacobians.Body f) {
    double overhead = at.overhead(f);
    assertTrue(overhead <= bound, "overhead " + overhead);
  }

  @Test
  void nearestCentres() {
    atMost(
        2.6,
        Jacobians.at().matrix(8, 4, random(32)).matrix(200, 4, random(800)),
        MapRuleTest::cost);
  }

  @Test
  void matrixProduct() {
    atMost(
        3.6,
        Jacobians.at().matrix(20, 30, random(600)).matrix(30, 20, random(600)),
        MapRuleTest::product);
  }

  @Test
  void reductions() {
    for (var op : List.of(BinaryOp.ADD, BinaryOp.MUL, BinaryOp.MIN)) {
      double e = op == BinaryOp.ADD ? 0 : op == BinaryOp.MUL ? 1 : Double.POSITIVE_INFINITY;
      atMost(
          2.6,
          Jacobians.at().vector(nearOne(1000)),
          (b, p) -> List.of(MapRuleTest.reduce(b, op, e, p.getFirst())));
    }
  }

  @Test
  void scans() {
    for (var op : List.of(BinaryOp.ADD, BinaryOp.MUL, BinaryOp.MIN)) {
      double e = op == BinaryOp.ADD ? 0 : op == BinaryOp.MUL ? 1 : Double.POSITIVE_INFINITY;
      atMost(
          op == BinaryOp.ADD ? 2.1 : op == BinaryOp.MUL ? 4.7 : 2.9,
          Jacobians.at().vector(nearOne(1000)),
          (b, p) -> ScanRuleTest.scan(b, p, b.operator(op, Prim.F64), e));
    }
  }

  @Test
  void scanOfMinimaThatAllDiffer() {
    var falling = new double[1000];
    Arrays.setAll(falling, i -> -i);
    atMost(
        5.3,
        Jacobians.at().vector(falling),
        (b, p) ->
            ScanRuleTest.scan(b, p, b.operator(BinaryOp.MIN, Prim.F64), Double.POSITIVE_INFINITY));
  }

  @Test
  void histograms() {
    for (var op : List.of(BinaryOp.ADD, BinaryOp.MUL, BinaryOp.MIN)) {
      double e = op == BinaryOp.ADD ? 0 : op == BinaryOp.MUL ? 1 : Double.POSITIVE_INFINITY;
      atMost(
          2.6,
          Jacobians.at().vector(random(31)).vector(random(1000)).indices(indices(1000, 31)),
          (b, p) ->
              HistRuleTest.hist(b, p, 1, b.operator(op, Prim.F64), List.of(Atom.of(Prim.F64, e))));
    }
  }

  @Test
  void sumOfProductsHistogram() {
    atMost(
        2.9,
        Jacobians.at()
            .vector(random(31))
            .vector(random(31))
            .vector(random(1000))
            .vector(random(1000))
            .indices(indices(1000, 31)),
        (b, p) -> {
          var zero = Atom.of(Prim.F64, 0);
          return HistRuleTest.hist(b, p, 2, HistRuleTest.sumOfProd(b), List.of(zero, zero));
        });
  }

  @Test
  void saturatedAdditionHistogram() {
    // not invertible: in chunks
    atMost(
        9.5,
        Jacobians.at().vector(random(31)).vector(random(1000)).indices(indices(1000, 31)),
        (b, p) -> HistRuleTest.hist(b, p, 1, saturated(b), List.of(Atom.of(Prim.F64, 0))));
  }

  private static Lambda saturated(Builder b) {
    var f = Type.scalar(Prim.F64);
    return b.lambda(
        List.of(f, f),
        (in, q) ->
            List.of(in.binary(BinaryOp.MIN, in.add(q.get(0), q.get(1)), Atom.of(Prim.F64, 100))));
  }

  @Test
  void linearRecurrences() {
    // reductions and scans with products of two by two matrices
    var xs = Jacobians.at();
    for (int i = 0; i < 4; i++) {
      xs.vector(random(1000));
    }
    atMost(4.5, xs, (b, p) -> ScanRuleTest.scan(b, p, ScanRuleTest.product(b), 1, 0, 0, 1));
    atMost(
        5.8,
        xs,
        (b, p) -> {
          var e = List.<Atom>of(one(1), one(0), one(0), one(1));
          var red = new Reduce(ScanRuleTest.product(b), e, false);
          var n = p.get(0).type().dims().getFirst();
          return b.screma(n, p, List.of(), List.of(red), b.identity(p));
        });
  }

  private static Atom one(double x) {
    return Atom.of(Prim.F64, x);
  }

  @Test
  void loop() {
    atMost(
        5,
        Jacobians.at().vector(random(50)).scalar(0.5),
        (b, p) -> {
          var n = p.get(0).type().dims().getFirst();
          return b.forLoop(
              n,
              List.of(p.get(1)),
              (i, acc) ->
                  in -> {
                    var t = in.mul(acc.get(0), in.index(p.get(0), i));
                    return List.of(in.unary(UnaryOp.SIN, in.add(t, acc.get(0))));
                  });
        });
  }

  @Test
  void checkpoints() {
    // C(3 + 5, 5) = 56: with 3 checkpoints no iteration is executed more than 5 times to get there
    double kept = recurrence(List.of());
    double few = recurrence(List.of(new Attr("checkpoints", List.of(Attr.of("3")))));
    double one = recurrence(List.of(new Attr("checkpoints", List.of(Attr.of("1")))));
    assertTrue(few > kept && few < kept + 8, "overheads " + kept + ", " + few);
    assertTrue(one > 25 && one < 45, "overhead " + one);
  }

  private static double recurrence(List<Attr> attrs) {
    return Jacobians.at()
        .scalar(0.5)
        .overhead(
            (b, p) ->
                b.with(attrs)
                    .forLoop(
                        Atom.i64(56),
                        List.of(p.get(0)),
                        (_, acc) ->
                            in -> {
                              Atom x = acc.get(0);
                              for (int k = 0; k < 20; k++) {
                                x = in.unary(UnaryOp.SIN, in.add(x, one(k)));
                              }
                              return List.of(x);
                            }));
  }

  @Test
  void loopsInLoops() {
    // the inner loop's sum is kept, so that nothing is executed once more for the outer loop
    atMost(
        4,
        Jacobians.at().vector(random(30)),
        (b, p) ->
            b.forLoop(
                p.get(0).type().dims().getFirst(),
                List.of(one(1)),
                (i, outer) ->
                    out -> {
                      var x = out.index(p.get(0), i);
                      var sum =
                          out.forLoop(
                              Atom.i64(30),
                              List.of(one(0)),
                              (j, inner) ->
                                  in -> {
                                    Atom y = in.mul(x, in.index(p.get(0), j));
                                    return List.of(in.add(inner.get(0), in.unary(UnaryOp.SIN, y)));
                                  });
                      return List.of(out.unary(UnaryOp.COS, out.mul(outer.get(0), sum.get(0))));
                    }));
  }

  @Test
  void updatesInALoopInALoop() {
    // the work must stay linear in the size of the matrix, though the outer loop carries all of it
    for (int m : new int[] {10, 40}) {
      atMost(
          6.5,
          Jacobians.at().matrix(m, m, random(m * m)),
          (b, p) -> {
            var start = b.bind("copy", new Copy(p.get(0)));
            return b.forLoop(
                Atom.i64(m),
                List.of(start),
                (i, outer) ->
                    out ->
                        out.forLoop(
                            Atom.i64(m - 1),
                            outer,
                            (j, acc) -> in -> List.of(row(in, acc.get(0), i, j))));
          });
    }
  }

  private static Var row(Builder in, Var xs, Var i, Var j) {
    var next = in.add(j, Atom.i64(1));
    var s = in.unary(UnaryOp.SIN, in.index(xs, i, j));
    return in.update(xs, List.of(i, next), in.mul(s, in.index(xs, i, next)));
  }

  @Test
  void updatesInALoop() {
    // xs[i + 1] = sin(xs[i]) xs[i + 1]: the work must stay linear in the size
    atMost(
        12,
        Jacobians.at().vector(random(300)),
        (b, p) -> {
          var n = p.get(0).type().dims().getFirst();
          Var start = b.bind("copy", new Copy(p.get(0)));
          return b.forLoop(
              b.sub(n, Atom.i64(1)),
              List.of(start),
              (i, acc) -> in -> List.of(step(in, acc.get(0), i)));
        });
  }

  private static Var step(Builder in, Var xs, Var i) {
    var next = in.add(i, Atom.i64(1));
    var s = in.unary(UnaryOp.SIN, in.index(xs, i));
    return in.update(xs, List.of(next), in.mul(s, in.index(xs, next)));
  }
}
