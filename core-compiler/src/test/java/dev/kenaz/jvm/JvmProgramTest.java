package dev.kenaz.jvm;

import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.main;
import static dev.kenaz.ir.TestPrograms.scalar;
import static dev.kenaz.ir.TestPrograms.size;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice.Fix;
import dev.kenaz.ir.DimSlice.Range;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Concat;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.Hist;
import dev.kenaz.ir.Exp.HistOp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Iota;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.Rearrange;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Reshape;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.Scatter;
import dev.kenaz.ir.Exp.ScatterDest;
import dev.kenaz.ir.Exp.Slice;
import dev.kenaz.ir.Exp.Update;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.Exp.While;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class JvmProgramTest {
  private static final Type F64 = Type.scalar(Prim.F64);

  private static ArrayValue numbers(int n) {
    var xs = new double[n];
    for (int i = 0; i < n; i++) {
      xs[i] = (i * 7919 % 101) / 10.0 - 5;
    }
    return ArrayValue.ofDoubles(xs);
  }

  private static ArrayValue matrix(int n, int m) {
    return numbers(n * m).reshape(n, m);
  }

  private static Reduce sum(Builder b) {
    return new Reduce(b.operator(BinaryOp.ADD, Prim.F64), List.of(Atom.of(Prim.F64, 0)), true);
  }

  @Test
  void scalarsAndBranches() {
    var x = scalar("x", Prim.F64);
    var i = scalar("i", Prim.I32);
    var p =
        main(
            List.of(),
            List.of(x, i),
            (b, ps) -> {
              var c = b.compare(CompareOp.LT, x, Atom.of(Prim.F64, 2));
              var y =
                  b.ifThenElse(
                      c,
                      List.of(F64),
                      t -> List.of(t.mul(x, x)),
                      e -> List.of(e.unary(UnaryOp.SQRT, x)));
              return List.of(
                  y.getFirst(),
                  b.binary(BinaryOp.DIV, i, Atom.of(Prim.I32, 3)),
                  b.convert(Prim.U8, i),
                  b.binary(BinaryOp.MOD, i, Atom.of(Prim.I32, -5)));
            });
    Compare.same(p, ScalarValue.f64(1.5), ScalarValue.i32(-7));
    Compare.same(p, ScalarValue.f64(9), ScalarValue.i32(700));
  }

  @Test
  void mapReduceScan() {
    var n = size("n");
    var xs = array("xs", Prim.F64, n);
    var p =
        main(
            List.of(n),
            List.of(xs),
            (b, ps) -> {
              var square =
                  b.lambda(
                      List.of(F64),
                      (lb, l) -> {
                        var s = lb.mul(l.get(0), l.get(0));
                        return List.of(l.get(0), s, lb.add(s, Atom.of(Prim.F64, 1)));
                      });
              var scan =
                  new Scan(b.operator(BinaryOp.ADD, Prim.F64), List.of(Atom.of(Prim.F64, 0)));
              return b.screma(n, List.of(xs), List.of(scan), List.of(sum(b)), square);
            });
    for (int size : new int[] {0, 1, 2, 7, 100, 1000}) {
      Compare.same(p, numbers(size));
    }
  }

  @Test
  void nestedMapsAndTransposes() {
    var n = size("n");
    var m = size("m");
    var xss = array("xss", Prim.F64, n, m);
    var p =
        main(
            List.of(n, m),
            List.of(xss),
            (b, ps) -> {
              var t = b.bind("t", new Rearrange(List.of(1, 0), xss));
              var doubled =
                  b.map(
                          m,
                          List.of(t),
                          (mb, row) ->
                              mb.map(n, row, (ib, x) -> List.of(ib.add(x.get(0), x.get(0)))))
                      .getFirst();
              var sums =
                  b.map(
                          n,
                          List.of(xss),
                          (mb, row) ->
                              mb.screma(
                                  m,
                                  row,
                                  List.of(),
                                  List.of(sum(mb)),
                                  mb.lambda(List.of(F64), (ib, x) -> x)))
                      .getFirst();
              var flat = b.bind("flat", new Reshape(List.of(b.mul(n, m)), t));
              return List.of(doubled, sums, t, flat);
            });
    Compare.same(p, matrix(3, 5));
    Compare.same(p, matrix(1, 1));
    Compare.same(p, matrix(40, 17));
    Compare.same(p, ArrayValue.ofDoubles(new double[0], 0, 4));
    Compare.same(p, ArrayValue.ofDoubles(new double[0], 4, 0));
  }

  @Test
  void slicesConcatsUpdates() {
    var n = size("n");
    var xs = array("xs", Prim.F64, n);
    var p =
        main(
            List.of(n),
            List.of(xs),
            (b, ps) -> {
              var half = b.binary(BinaryOp.QUOT, n, Atom.i64(2));
              var minus = Atom.i64(-1);
              var back =
                  b.bind(
                      "back",
                      new Slice(xs, List.of(new Range(b.sub(n, Atom.i64(1)), n, minus)), true));
              var front =
                  b.bind(
                      "front",
                      new Slice(back, List.of(new Range(Atom.i64(0), half, Atom.i64(1))), true));
              var total = b.add(n, half);
              var both = b.bind("both", new Concat(0, List.of(xs, front), total));
              var copy = b.bind("copy", new Copy(both));
              var updated =
                  b.bind(
                      "updated",
                      new Update(
                          copy, List.of(new Range(Atom.i64(0), half, Atom.i64(1))), front, true));
              var once = b.update(updated, List.of(Atom.i64(0)), Atom.of(Prim.F64, 42));
              return List.of(both, once, front);
            });
    Compare.same(p, numbers(9));
    Compare.same(p, numbers(1));
    Compare.same(p, numbers(2));
  }

  @Test
  void failuresAreTheSame() {
    var n = size("n");
    var xs = array("xs", Prim.I64, n);
    var p =
        main(
            List.of(n),
            List.of(xs),
            (b, ps) ->
                b.map(
                    n,
                    List.of(xs),
                    (mb, x) -> {
                      var y = mb.bind("y", new Index(xs, List.of(x.get(0)), true));
                      mb.check(
                          mb.compare(CompareOp.LT, y, Atom.i64(100)),
                          "element {} is too large",
                          List.of(y));
                      return List.of(mb.binary(BinaryOp.QUOT, Atom.i64(12), y));
                    }));
    Compare.same(p, ArrayValue.ofLongs(new long[] {1, 2, 1}));
    Compare.same(p, ArrayValue.ofLongs(new long[] {1, 3, 1}));
    Compare.same(p, ArrayValue.ofLongs(new long[] {1, -1, 1}));
    Compare.same(p, ArrayValue.ofLongs(new long[] {0, 2, 1}));
    Compare.same(p, ArrayValue.ofLongs(new long[] {1, 2, 101}));
    var iota =
        main(List.of(), List.of(n), (b, ps) -> List.of(b.iota(n), b.replicate(List.of(n), n)));
    Compare.same(iota, ScalarValue.i64(-1));
    Compare.same(iota, ScalarValue.i64(4));
  }

  @Test
  void loopsCarryArrays() {
    var n = size("n");
    var xs = array("xs", Prim.F64, n);
    var ys = array("ys", Prim.F64, n);
    var steps = scalar("steps", Prim.I32);
    var p =
        main(
            List.of(n),
            List.of(xs, ys, steps),
            (b, ps) -> {
              // swaps, a fresh array each time, an in-place one, one carried twice
              var start = b.bind("start", new Copy(ys));
              var r =
                  b.forLoop(
                      steps,
                      List.of(xs, ys, start, ys, ys),
                      (i, v) ->
                          lb -> {
                            var fresh =
                                lb.map(
                                        n,
                                        List.of(v.get(0), v.get(1)),
                                        (mb, x) -> List.of(mb.sub(x.get(0), x.get(1))))
                                    .getFirst();
                            var at = lb.convert(Prim.I64, i);
                            var first = lb.index(v.get(1), Atom.i64(0));
                            var placed =
                                lb.update(v.get(2), List.of(lb.binary(BinaryOp.MOD, at, n)), first);
                            return List.of(v.get(1), fresh, placed, fresh, v.get(3));
                          });
              return r;
            });
    for (int k : new int[] {0, 1, 2, 3, 10}) {
      Compare.same(p, numbers(5), matrix(1, 5).reshape(5), ScalarValue.i32(k));
    }
  }

  @Test
  void whileLoopsThatGrow() {
    var limit = size("limit");
    var p =
        main(
            List.of(),
            List.of(limit),
            (b, ps) -> {
              var go = Names.fresh("go", Type.BOOL);
              var m = Names.fresh("m", Type.I64);
              var zs = array("zs", Prim.I64, m);
              var start = b.bind("z", new Iota(Atom.i64(1), Atom.i64(5), Atom.i64(1)));
              var inner = b.inner();
              var m2 = inner.add(m, m);
              var doubled = inner.bind("d", new Concat(0, List.of(zs, zs), m2));
              var more =
                  inner
                      .map(m2, List.of(doubled), (mb, x) -> List.of(mb.add(x.get(0), m)))
                      .getFirst();
              var c = inner.compare(CompareOp.LT, m2, limit);
              var outM = Names.fresh("m", Type.I64);
              var out = array("out", Prim.I64, outM);
              b.bindAll(
                  List.of(Names.fresh("go", Type.BOOL), outM, out),
                  new Loop(
                      List.of(
                          new LoopParam(go, Atom.bool(true)),
                          new LoopParam(m, Atom.i64(1)),
                          new LoopParam(zs, start)),
                      new While(go),
                      inner.body(List.of(c, m2, more))));
              return List.of(outM, out);
            });
    Compare.same(p, ScalarValue.i64(1));
    Compare.same(p, ScalarValue.i64(40));
  }

  @Test
  void branchesWithArrays() {
    var n = size("n");
    var xs = array("xs", Prim.F64, n);
    var k = scalar("k", Prim.I64);
    var type = Type.of(Prim.F64, List.of(n));
    var p =
        main(
            List.of(n),
            List.of(xs, k),
            (b, ps) -> {
              var r =
                  b.forLoop(
                      k,
                      List.of(xs),
                      (i, v) ->
                          lb -> {
                            var odd =
                                lb.compare(
                                    CompareOp.EQ,
                                    lb.binary(BinaryOp.AND, i, Atom.i64(1)),
                                    Atom.i64(1));
                            return lb.ifThenElse(
                                odd,
                                List.of(type),
                                t ->
                                    t.map(
                                        n,
                                        v,
                                        (mb, x) ->
                                            List.of(mb.mul(x.get(0), Atom.of(Prim.F64, 1.5)))),
                                e -> v);
                          });
              return r;
            });
    for (int i = 0; i < 6; i++) {
      Compare.same(p, numbers(4), ScalarValue.i64(i));
    }
  }

  @Test
  void reduceOfRows() {
    var n = size("n");
    var m = size("m");
    var xss = array("xss", Prim.F64, n, m);
    var row = Type.of(Prim.F64, List.of(m));
    var p =
        main(
            List.of(n, m),
            List.of(xss),
            (b, ps) -> {
              var zero = b.zero(row);
              var plus = new Reduce(b.plus(row), List.of(zero), true);
              var last =
                  new Reduce(
                      b.lambda(List.of(row, row), (lb, v) -> List.of(v.get(1))),
                      List.of(zero),
                      false);
              var scan = new Scan(b.plus(row), List.of(zero));
              var three =
                  b.lambda(
                      List.of(row),
                      (lb, v) -> {
                        var twice = lb.plus(v.get(0), v.get(0));
                        return List.of(v.get(0), v.get(0), twice, twice);
                      });
              return b.screma(n, List.of(xss), List.of(scan), List.of(plus, last), three);
            });
    Compare.same(p, matrix(1, 3));
    Compare.same(p, matrix(50, 3));
    Compare.same(p, ArrayValue.ofDoubles(new double[0], 0, 3));
  }

  @Test
  void nonCommutativeScanAndReduce() {
    // composition of affine functions
    var n = size("n");
    var as = array("as", Prim.I64, n);
    var bs = array("bs", Prim.I64, n);
    var p =
        main(
            List.of(n),
            List.of(as, bs),
            (b, ps) -> {
              Lambda op =
                  b.lambda(
                      List.of(Type.I64, Type.I64, Type.I64, Type.I64),
                      (lb, v) ->
                          List.of(
                              lb.mul(v.get(0), v.get(2)),
                              lb.add(lb.mul(v.get(1), v.get(2)), v.get(3))));
              var neutral = List.<Atom>of(Atom.i64(1), Atom.i64(0));
              var map =
                  b.lambda(
                      List.of(Type.I64, Type.I64),
                      (lb, v) -> List.of(v.get(0), v.get(1), v.get(1), v.get(0), v.get(0)));
              return b.screma(
                  n,
                  List.of(as, bs),
                  List.of(new Scan(op, neutral)),
                  List.of(new Reduce(op, neutral, false)),
                  map);
            });
    for (int k : new int[] {0, 1, 5, 64, 333}) {
      var a = LongStream.range(0, k).map(i -> i % 5 - 2).toArray();
      var c = LongStream.range(0, k).map(i -> i % 7).toArray();
      Compare.same(p, ArrayValue.ofLongs(a), ArrayValue.ofLongs(c));
    }
  }

  @Test
  void histogramsAndScatters() {
    var n = size("n");
    var m = size("m");
    var dest = array("dest", Prim.F64, m);
    var is = array("is", Prim.I64, n);
    var xs = array("xs", Prim.F64, n);
    var p =
        main(
            List.of(n, m),
            List.of(dest, is, xs),
            (b, ps) -> {
              var copy = b.bind("copy", new Copy(dest));
              var map = b.lambda(List.of(Type.I64, F64), (lb, v) -> v);
              var op =
                  new HistOp(
                      List.of(m),
                      List.of(dest),
                      List.of(Atom.of(Prim.F64, 0)),
                      b.operator(BinaryOp.ADD, Prim.F64));
              var hist = b.bind("hist", new Hist(n, List.of(is, xs), List.of(op), map));
              var index =
                  b.lambda(
                      List.of(Type.I64, F64),
                      (lb, v) -> List.of(lb.mul(v.get(0), Atom.i64(3)), Atom.of(Prim.F64, 7)));
              var scattered =
                  b.bind(
                      "scattered",
                      new Scatter(
                          n, List.of(is, xs), List.of(new ScatterDest(List.of(m), copy)), index));
              return List.of(hist, scattered);
            });
    var where = LongStream.range(0, 200).map(i -> i * 13 % 12 - 1).toArray();
    Compare.same(p, numbers(10), ArrayValue.ofLongs(where), numbers(200));
    Compare.same(p, numbers(10), ArrayValue.ofLongs(new long[0]), numbers(0));
  }

  @Test
  void accumulatorsOfScalarsAndRows() {
    var n = size("n");
    var k = size("k");
    var d = size("d");
    var points = array("points", Prim.F64, n, d);
    var which = array("which", Prim.I64, n);
    var sums = array("sums", Prim.F64, k, d);
    var counts = array("counts", Prim.F64, k);
    var p =
        main(
            List.of(n, k, d),
            List.of(points, which, sums, counts),
            (b, ps) -> {
              var in = List.of(b.addInto(sums, 1), b.addInto(counts, 1));
              var row = Type.of(Prim.F64, List.of(d));
              var sumAcc =
                  Names.fresh("sa", new Type.Acc(Names.freshTag(), List.of(k), List.of(row)));
              var countAcc =
                  Names.fresh("ca", new Type.Acc(Names.freshTag(), List.of(k), List.of(F64)));
              var body =
                  b.lambdaOf(
                      List.of(sumAcc, countAcc),
                      (lb, accs) ->
                          lb.map(
                              n,
                              List.of(points, which, sumAcc, countAcc),
                              (mb, v) ->
                                  List.of(
                                      add(mb, v.get(2), v.get(1), v.get(0)),
                                      add(mb, v.get(3), v.get(1), Atom.of(Prim.F64, 1)))));
              return b.bindAll("r", List.of(sums.type(), counts.type()), new WithAcc(in, body));
            });
    var where = LongStream.range(0, 300).map(i -> i * 31 % 7 - 1).toArray();
    Compare.same(p, matrix(300, 4), ArrayValue.ofLongs(where), matrix(5, 4), numbers(5));
  }

  private static Var add(Builder b, Var acc, Atom index, Atom value) {
    return b.bind(acc.name(), new UpdateAcc(acc, List.of(index), List.of(value)));
  }

  @Test
  void updatesOfRowsInsideMaps() {
    // each row made by a loop with in-place updates, of an array made in the row's body
    var n = size("n");
    var m = size("m");
    var xss = array("xss", Prim.F64, n, m);
    var p =
        main(
            List.of(n, m),
            List.of(xss),
            (b, ps) ->
                b.map(
                    n,
                    List.of(xss),
                    (mb, row) -> {
                      var start = mb.replicate(List.of(m), Atom.of(Prim.F64, 1));
                      var prefix =
                          mb.forLoop(
                              m,
                              List.of(start, Atom.of(Prim.F64, 0)),
                              (i, v) ->
                                  lb -> {
                                    var s = lb.add(v.get(1), lb.index(row.getFirst(), i));
                                    var u =
                                        lb.bind(
                                            "u",
                                            new Update(v.get(0), List.of(new Fix(i)), s, true));
                                    return List.of(u, s);
                                  });
                      return List.of(prefix.get(0), prefix.get(1));
                    }));
    Compare.same(p, matrix(6, 5));
    Compare.same(p, matrix(100, 1));
  }

  @Test
  void everyPrimitiveType() {
    var n = size("n");
    for (var prim : Prim.values()) {
      var xs = array("xs", prim, n);
      var ys = array("ys", prim, n);
      var p =
          main(
              List.of(n),
              List.of(xs, ys),
              (b, ps) ->
                  b.map(
                      n,
                      List.of(xs, ys),
                      (mb, v) -> {
                        var x = v.get(0);
                        var y = v.get(1);
                        var results = new ArrayList<Atom>();
                        for (var op : BinaryOp.values()) {
                          if (Operators.defined(op, prim)) {
                            results.add(mb.binary(op, x, y));
                          }
                        }
                        for (var op : UnaryOp.values()) {
                          if (Operators.defined(op, prim)) {
                            results.add(mb.unary(op, x));
                          }
                        }
                        for (var op : CompareOp.values()) {
                          results.add(mb.compare(op, x, y));
                        }
                        for (var to : Prim.values()) {
                          results.add(mb.bind("c", new dev.kenaz.ir.Exp.Convert(to, x)));
                        }
                        return results;
                      }));
      var a = new double[] {0, 1, 2, 3, -1, -7, 100, 200, 1e9, -1e9, 0.5, 77.75, Double.NaN};
      var c = new double[] {1, 1, 3, 2, 5, 3, 7, 11, 13, 6, 0.25, 1, 2};
      Compare.same(p, ArrayValue.ofDoubles(prim, a), ArrayValue.ofDoubles(prim, c));
    }
  }

  @Test
  void optionalCombineReplaces() {
    var n = size("n");
    var dest = array("dest", Prim.F64, n);
    var p =
        main(
            List.of(n),
            List.of(dest),
            (b, ps) -> {
              var acc = Names.fresh("a", new Type.Acc(Names.freshTag(), List.of(n), List.of(F64)));
              var in = new Exp.AccInput(List.of(n), List.of(dest), Optional.empty());
              var body =
                  b.lambdaOf(
                      List.of(acc),
                      (lb, accs) ->
                          lb.map(
                              n,
                              List.of(lb.iota(n), acc),
                              (mb, v) ->
                                  List.of(
                                      add(
                                          mb,
                                          v.get(1),
                                          v.get(0),
                                          mb.convert(Prim.F64, v.get(0))))));
              return b.bindAll("r", List.of(dest.type()), new WithAcc(List.of(in), body));
            });
    Compare.same(p, numbers(20));
  }
}
