package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopRuleTest {
  private static final Atom ONE = Atom.of(Prim.F64, 1);

  @Test
  void scalarLoop() {
    for (long n : new long[] {0, 1, 4}) {
      Jacobians.at()
          .scalar(0.7)
          .scalar(1.3)
          .integer(n)
          .agreeTwice(
              (b, p) ->
                  b.forLoop(
                      p.get(2),
                      List.of(p.get(0), ONE),
                      (i, acc) ->
                          in -> {
                            var t = in.unary(UnaryOp.SIN, in.mul(acc.get(0), p.get(1)));
                            var k = in.convert(Prim.F64, i);
                            return List.of(in.add(t, k), in.mul(acc.get(1), acc.get(0)));
                          }));
    }
  }

  @Test
  void unwantedParameters() {
    // the second parameter's adjoint is zero at the end, but the first depends on it
    Jacobians.at()
        .scalar(0.7)
        .scalar(1.3)
        .agreeTwice(
            (b, p) -> {
              var all =
                  b.forLoop(
                      i64(3),
                      List.of(p.get(0), p.get(1), p.get(1)),
                      (i, acc) ->
                          in ->
                              List.of(
                                  in.mul(acc.get(0), acc.get(1)),
                                  in.mul(acc.get(1), acc.get(1)),
                                  in.mul(acc.get(2), acc.get(0))));
              return List.of(all.getFirst());
            });
  }

  @Test
  void arrayUpdatedInPlace() {
    // xs[i] = sin(xs[i - 1]) * xs[i] for all i, and a running product of another array
    Jacobians.at()
        .vector(0.3, 0.9, -0.4, 1.7)
        .vector(2, 3)
        .agreeTwice(
            (b, p) -> {
              var n = p.get(0).type().dims().getFirst();
              var start = b.bind("copy", new Copy(p.get(0)));
              return b.forLoop(
                  b.sub(n, i64(1)),
                  List.of(start, ONE),
                  (i, acc) ->
                      in -> {
                        var xs = acc.get(0);
                        var next = in.add(i, i64(1));
                        var s = in.unary(UnaryOp.SIN, in.index(xs, i));
                        var w = in.index(p.get(1), in.binary(BinaryOp.MOD, i, i64(2)));
                        var y = in.mul(in.mul(s, in.index(xs, next)), w);
                        var product = in.mul(acc.get(1), y);
                        return List.of(in.update(xs, List.of(next), y), product);
                      });
            });
  }

  @Test
  void updatesInBranches() {
    // where and whether an element is overwritten depends on the data
    Jacobians.at()
        .vector(0.3, 0.9, -0.4, 1.7)
        .indices(2, 0, 1, 3)
        .agreeTwice(
            (b, p) -> {
              var n = p.get(0).type().dims().getFirst();
              var xs = b.bind("copy", new Copy(p.get(0)));
              var is = b.bind("copy", new Copy(p.get(1)));
              return b.forLoop(
                  n,
                  List.of(xs, is, i64(0)),
                  (i, acc) ->
                      in -> {
                        var j = in.index(acc.get(1), i);
                        var x = in.index(acc.get(0), j);
                        var big = in.compare(CompareOp.LT, Atom.of(Prim.F64, 0), x);
                        var both =
                            in.ifThenElse(
                                big,
                                List.of(acc.get(0).type(), acc.get(1).type()),
                                then -> {
                                  var y = then.mul(x, then.index(acc.get(0), i));
                                  var one = then.update(acc.get(0), List.of(i), y);
                                  var z = then.unary(UnaryOp.SIN, then.index(one, j));
                                  var two = then.update(one, List.of(acc.get(2)), z);
                                  return List.of(two, then.update(acc.get(1), List.of(i), i));
                                },
                                _ -> acc.subList(0, 2));
                        return List.of(both.get(0), both.get(1), in.add(acc.get(2), i64(1)));
                      });
            });
  }

  @Test
  void writtenAndReadWhole() {
    // the body reads the whole array besides updating it
    Jacobians.at()
        .vector(0.3, 0.9, -0.4)
        .agreeTwice(
            (b, p) -> {
              var n = p.get(0).type().dims().getFirst();
              var xs = b.bind("copy", new Copy(p.get(0)));
              var ys = b.bind("ys", new Scratch(Prim.F64, List.of(n)));
              return b.forLoop(
                  n,
                  List.of(xs, ys),
                  (i, acc) ->
                      in -> {
                        var total = MapRuleTest.sum(in, acc.get(0));
                        var y = in.mul(total, in.index(acc.get(0), i));
                        return List.of(
                            in.update(acc.get(0), List.of(i), in.unary(UnaryOp.SIN, y)),
                            in.update(acc.get(1), List.of(i), y));
                      });
            });
  }

  @Test
  void whileLoop() {
    Jacobians.at()
        .scalar(1.2)
        .scalar(1.5)
        .agreeTwice(
            (b, p) -> {
              var x = Names.fresh("x", p.get(0).type());
              var go = Names.fresh("go", Type.BOOL);
              var first = b.compare(CompareOp.LT, p.get(0), Atom.of(Prim.F64, 20));
              var in = b.inner();
              var y = in.mul(x, in.mul(x, p.get(1)));
              var again = in.compare(CompareOp.LT, y, Atom.of(Prim.F64, 20));
              var params = List.of(new LoopParam(x, p.get(0)), new LoopParam(go, first));
              var loop = new Loop(params, new While(go), in.body(List.of(y, again)));
              return List.of(b.bindAll("while", loop).getFirst());
            });
  }

  @Test
  void shapesThatChange() {
    // xs doubles in every iteration: xs ++ map (* y) xs
    for (long n : new long[] {0, 1, 3}) {
      Jacobians.at()
          .vector(0.3, 0.9)
          .scalar(1.5)
          .integer(n)
          .agreeTwice(
              (b, p) -> {
                var size = Names.fresh("n", Type.I64);
                var xs = Names.fresh("xs", new Type.Array(Prim.F64, List.of(size)));
                var in = b.inner();
                var ys =
                    in.map(
                            size,
                            List.of(xs),
                            (c, q) -> List.of(c.unary(UnaryOp.SIN, c.mul(q.get(0), p.get(1)))))
                        .getFirst();
                var twice = in.mul(size, i64(2));
                var both = in.bind("both", new Concat(0, List.of(xs, ys), twice));
                var params =
                    List.of(
                        new LoopParam(size, p.get(0).type().dims().getFirst()),
                        new LoopParam(xs, p.get(0)));
                var i = Names.fresh("i", Type.I64);
                var loop = new Loop(params, new For(i, p.get(2)), in.body(List.of(twice, both)));
                var outSize = Names.fresh("n", Type.I64);
                var out = Names.fresh("xs", new Type.Array(Prim.F64, List.of(outSize)));
                b.bindAll(List.of(outSize, out), loop);
                return List.of(MapRuleTest.reduce(b, BinaryOp.MUL, 1, out));
              });
    }
  }

  @Test
  void checkpoints() {
    for (long n : new long[] {0, 1, 2, 5, 13}) {
      for (var slots : List.of("1", "2", "4")) {
        var attr = new Attr("checkpoints", List.of(Attr.of(slots)));
        Jacobians.at()
            .vector(0.3, 0.9, -0.4)
            .scalar(0.7)
            .integer(n)
            .agreeTwice(
                (b, p) -> {
                  var size = p.get(0).type().dims().getFirst();
                  var start = b.bind("copy", new Copy(p.get(0)));
                  return b.with(List.of(attr))
                      .forLoop(
                          p.get(2),
                          List.of(start, p.get(1)),
                          (i, acc) ->
                              in -> {
                                var j = in.binary(BinaryOp.MOD, i, size);
                                var x = in.index(acc.get(0), j);
                                var k = in.convert(Prim.F64, i);
                                var y = in.unary(UnaryOp.SIN, in.add(in.mul(x, acc.get(1)), k));
                                return List.of(
                                    in.update(acc.get(0), List.of(j), y), in.add(acc.get(1), y));
                              });
                });
      }
    }
  }

  @Test
  void stripMining() {
    for (long n : new long[] {0, 1, 5, 9}) {
      for (var depth : List.of("1", "2")) {
        var attr = new Attr("stripmine", List.of(Attr.of(depth)));
        Jacobians.at()
            .scalar(0.7)
            .integer(n)
            .agreeTwice(
                (b, p) ->
                    b.with(List.of(attr))
                        .forLoop(
                            p.get(1),
                            List.of(p.get(0)),
                            (i, acc) ->
                                in -> {
                                  var k = in.convert(Prim.F64, i);
                                  var w = in.mul(k, Atom.of(Prim.F64, 0.2));
                                  var t = in.mul(acc.getFirst(), in.add(w, p.get(0)));
                                  return List.of(in.unary(UnaryOp.SIN, t));
                                }));
      }
    }
  }

  @Test
  void whileLoopWithABound() {
    var attr = new Attr("bound", List.of(Attr.of("7")));
    Jacobians.at()
        .scalar(1.2)
        .scalar(1.5)
        .agreeTwice(
            (b, p) -> {
              var x = Names.fresh("x", p.get(0).type());
              var go = Names.fresh("go", Type.BOOL);
              var first = b.compare(CompareOp.LT, p.get(0), Atom.of(Prim.F64, 20));
              var in = b.inner();
              var y = in.mul(x, in.mul(x, p.get(1)));
              var again = in.compare(CompareOp.LT, y, Atom.of(Prim.F64, 20));
              var params = List.of(new LoopParam(x, p.get(0)), new LoopParam(go, first));
              var loop = new Loop(params, new While(go), in.body(List.of(y, again)));
              return List.of(b.with(List.of(attr)).bindAll("while", loop).getFirst());
            });
  }

  @Test
  void nestedLoopInMap() {
    Jacobians.at()
        .vector(0.3, 0.9)
        .vector(0.5, 1.5, 2.5)
        .agreeTwice(
            (b, p) ->
                b.map(
                    p.get(0).type().dims().getFirst(),
                    List.of(p.get(0)),
                    (in, q) ->
                        in.forLoop(
                            p.get(1).type().dims().getFirst(),
                            List.of(q.getFirst()),
                            (i, acc) ->
                                c -> {
                                  var w = c.index(p.get(1), i);
                                  var inner =
                                      c.forLoop(
                                          i,
                                          List.of(w),
                                          (j, acc2) ->
                                              d ->
                                                  List.of(
                                                      d.mul(
                                                          acc2.getFirst(), d.index(p.get(1), j))));
                                  return List.of(
                                      c.unary(
                                          UnaryOp.COS, c.mul(acc.getFirst(), inner.getFirst())));
                                })));
  }
}
