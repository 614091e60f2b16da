package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Span;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Plans give, over any pieces, what the interpreter gives over the whole. */
final class PlanTest {
  private static final Type F64 = Type.scalar(Prim.F64);
  private static final Type I64 = Type.I64;

  /** A program {@code main (points: [n][d]f64) (keys: [n]i64) (weights: [d]f64)}. */
  private record Params(Var n, Var d, Var points, Var keys, Var weights) {}

  @FunctionalInterface
  private interface Definition {
    List<? extends Atom> body(Builder b, Params p);
  }

  private static CoreProgram program(Definition definition) {
    var n = Names.fresh("n", I64);
    var d = Names.fresh("d", I64);
    var points = Names.fresh("points", F64.under(List.of(n, d)));
    var keys = Names.fresh("keys", I64.under(n));
    var weights = Names.fresh("weights", F64.under(d));
    var b = new Builder(new Span("test.fut", 1, 1, 1, 1));
    var results = definition.body(b, new Params(n, d, points, keys, weights));
    var types = results.stream().map(Atom::type).toList();
    var sizes = types.stream().map(t -> Names.fresh("r", t)).toList();
    var params = List.of(n, d, points, keys, weights);
    var function = new FunDef("main", params, types, sizes, b.body(results));
    var entry =
        new EntryPoint(
            "main",
            "main",
            2,
            List.of(
                new EntryPoint.Param("points", false, new EntryPoint.Transparent(Prim.F64, 2)),
                new EntryPoint.Param("keys", false, new EntryPoint.Transparent(Prim.I64, 1)),
                new EntryPoint.Param("weights", false, new EntryPoint.Transparent(Prim.F64, 1))),
            0,
            types.stream()
                .map(
                    t ->
                        new EntryPoint.Result(
                            false, new EntryPoint.Transparent(t.elemPrim(), t.dims().size())))
                .toList());
    var program = new CoreProgram(List.of(function), List.of(entry));
    Verifier.verify(program, "test");
    return program;
  }

  private static List<Value> call(FunDef f, List<Value> arguments) {
    var program = StepProgram.of(f);
    Verifier.verify(program, "distribute");
    return Interpreter.call(program, f.name(), arguments);
  }

  /** Compares all ways of cutting; the plan. */
  private static Plan check(Definition definition) {
    var program = program(definition);
    var plan = Planner.passes("main", Set.of(0, 1), false).apply(program);
    var random = RandomGenerator.of("L64X128MixRandom");
    int n = 7;
    int d = 3;
    var points = ArrayValue.ofDoubles(random.doubles((long) n * d, -1, 1).toArray(), n, d);
    var keys = ArrayValue.ofLongs(random.longs(n, -1, 5).toArray(), n);
    var weights = ArrayValue.ofDoubles(random.doubles(d, -1, 1).toArray(), d);
    var expected = Interpreter.call(program, "main", List.of(points, keys, weights));
    for (long[] cuts :
        List.of(
            new long[] {0, 7},
            new long[] {0, 3, 7},
            new long[] {0, 0, 2, 2, 5, 7, 7},
            new long[] {0, 1, 2, 3, 4, 5, 6, 7})) {
      var engine = new LocalPieces(List.of(points, keys), Cuts.between(cuts), PlanTest::call);
      var results = engine.results(plan, List.of(ScalarValue.i64(d), weights));
      for (int i = 0; i < expected.size(); i++) {
        var got = results.get(i);
        assertTrue(
            ValueComparison.difference(expected.get(i), got).isEmpty(),
            () -> "expected " + expected + ", got " + got + " over " + Arrays.toString(cuts));
      }
    }
    return plan;
  }

  private static Reduce sum(Builder b) {
    return new Reduce(b.operator(BinaryOp.ADD, Prim.F64), List.of(Atom.of(Prim.F64, 0)), true);
  }

  private static Atom sumOf(Builder b, Atom width, List<Var> arrays, Lambda f) {
    return b.screma(width, arrays, List.of(), List.of(sum(b)), f).getFirst();
  }

  private static Atom total(Builder b, Params p) {
    return sumOf(
        b,
        p.n(),
        List.of(p.points()),
        b.lambda(
            List.of(F64.under(p.d())),
            (in, row) ->
                List.of(
                    sumOf(
                        in,
                        p.d(),
                        List.of(row.getFirst(), p.weights()),
                        in.lambda(
                            List.of(F64, F64), (x, e) -> List.of(x.mul(e.get(0), e.get(1))))))));
  }

  @Test
  void aReductionIsOneStage() {
    var plan = check((b, p) -> List.of(total(b, p)));
    assertEquals(1, plan.stages().size());
    assertEquals(1, plan.steps().size());
  }

  @Test
  void whatNeedsTheCombinedValueIsTheNextStage() {
    var plan =
        check(
            (b, p) -> {
              var mean = b.div(total(b, p), b.convert(Prim.F64, p.n()));
              var spread =
                  sumOf(
                      b,
                      p.n(),
                      List.of(p.points()),
                      b.lambda(
                          List.of(F64.under(p.d())),
                          (in, row) -> {
                            var x = in.sub(in.index(row.getFirst(), Atom.i64(0)), mean);
                            return List.of(in.mul(x, x));
                          }));
              return List.of(mean, spread);
            });
    assertEquals(2, plan.stages().size());
  }

  @Test
  void rowsStayInPieces() {
    var plan =
        check(
            (b, p) -> {
              var scaled =
                  b.map(
                      p.n(),
                      List.of(p.points(), b.iota(p.n())),
                      (in, row) ->
                          List.of(
                              in.add(
                                  in.index(row.get(0), Atom.i64(1)),
                                  in.convert(Prim.F64, row.get(1)))));
              return List.of(scaled.getFirst());
            });
    assertEquals(List.of(true), plan.shardedResults());
  }

  /** The next stage has its own share of the rows, but must not take its own share of the sum. */
  @Test
  void aCombinedValueIsUsedAsItIs() {
    check(
        (b, p) -> {
          var both =
              b.screma(
                  p.n(),
                  List.of(p.keys()),
                  List.of(),
                  List.of(
                      new Reduce(b.operator(BinaryOp.ADD, Prim.I64), List.of(Atom.i64(0)), true)),
                  b.lambda(
                      List.of(I64),
                      (in, k) -> List.of(k.getFirst(), in.mul(k.getFirst(), Atom.i64(3)))));
          var rows =
              b.map(
                  p.n(),
                  List.of(both.get(1)),
                  (in, k) -> List.of(in.sub(both.getFirst(), k.getFirst())));
          return List.of(both.getFirst(), rows.getFirst());
        });
  }

  @Test
  void aHistogramThatStartsFromValuesAddsThemOnce() {
    check(
        (b, p) -> {
          var ones = b.replicate(List.of(Atom.i64(4)), Atom.i64(10));
          var lambda = b.lambda(List.of(I64), (_, k) -> List.of(k.getFirst(), Atom.i64(1)));
          var op =
              new HistOp(
                  List.of(Atom.i64(4)),
                  List.of(ones),
                  List.of(Atom.i64(0)),
                  b.operator(BinaryOp.ADD, Prim.I64));
          return b.bindAll("h", new Hist(p.n(), List.of(p.keys()), List.of(op), lambda));
        });
  }

  @Test
  void anAccumulationCollectsInEveryPiece() {
    var plan =
        check(
            (b, p) -> {
              var start = b.replicate(List.of(p.d()), Atom.of(Prim.F64, 0.5));
              var token = Names.freshTag();
              var accType = new Type.Acc(token, List.of(p.d()), List.of(F64));
              var acc = Names.fresh("acc", accType);
              var lambda =
                  b.lambdaOf(
                      List.of(acc),
                      (in, accs) -> {
                        var rows =
                            in.map(
                                p.n(),
                                List.of(p.points(), accs.getFirst()),
                                (row, xs) -> {
                                  var x = row.index(xs.get(0), Atom.i64(2));
                                  var update =
                                      new UpdateAcc(xs.get(1), List.of(Atom.i64(1)), List.of(x));
                                  return row.bindAll("acc", update);
                                });
                        var once =
                            new UpdateAcc(
                                rows.getFirst(),
                                List.of(Atom.i64(0)),
                                List.of(Atom.of(Prim.F64, 3)));
                        return in.bindAll("acc", once);
                      });
              return b.bindAll("w", new WithAcc(List.of(b.addInto(start, 1)), lambda));
            });
    assertEquals(1, plan.stages().size());
  }

  @Test
  void anOuterMapOverSomethingElseIsLifted() {
    var plan =
        check(
            (b, p) ->
                b.map(
                    p.d(),
                    List.of(p.weights()),
                    (in, w) -> {
                      var keyed =
                          sumOf(
                              in,
                              p.n(),
                              List.of(p.keys()),
                              in.lambda(
                                  List.of(I64),
                                  (x, k) ->
                                      List.of(
                                          x.mul(w.getFirst(), x.convert(Prim.F64, k.getFirst())))));
                      return List.of(keyed);
                    }));
    assertEquals(1, plan.stages().size());
  }

  @Test
  void aLoopWithStagesRunsThemEachTime() {
    var plan =
        check(
            (b, p) ->
                b.forLoop(
                    Atom.i64(3),
                    List.of(Atom.of(Prim.F64, 0.25)),
                    (_, w) ->
                        in -> {
                          var gradient =
                              sumOf(
                                  in,
                                  p.n(),
                                  List.of(p.points()),
                                  in.lambda(
                                      List.of(F64.under(p.d())),
                                      (x, row) ->
                                          List.of(
                                              x.sub(
                                                  x.index(row.getFirst(), Atom.i64(0)),
                                                  w.getFirst()))));
                          return List.of(
                              in.add(w.getFirst(), in.mul(Atom.of(Prim.F64, 0.1), gradient)));
                        }));
    assertTrue(plan.steps().stream().anyMatch(s -> s instanceof Plan.Repeat));
  }

  @Test
  void aScanOverTheRowsTakesTwoStages() {
    var plan =
        check(
            (b, p) -> {
              var scan = new Scan(b.operator(BinaryOp.ADD, Prim.I64), List.of(Atom.i64(0)));
              var lambda = b.lambda(List.of(I64), (_, k) -> k);
              return b.screma(p.n(), List.of(p.keys()), List.of(scan), List.of(), lambda);
            });
    assertEquals(2, plan.stages().size());
  }

  @Test
  void anOperatorThatDoesNotCommuteKeepsTheOrder() {
    var plan =
        check(
            (b, p) -> {
              var first =
                  b.lambda(
                      List.of(I64, I64),
                      (in, xs) ->
                          in.ifThenElse(
                              in.compare(CompareOp.EQ, xs.get(0), Atom.i64(-9)),
                              List.of(I64),
                              _ -> List.of(xs.get(1)),
                              _ -> List.of(xs.get(0))));
              var reduce = new Reduce(first, List.of(Atom.i64(-9)), false);
              var lambda = b.lambda(List.of(I64), (_, k) -> k);
              return b.screma(p.n(), List.of(p.keys()), List.of(), List.of(reduce), lambda);
            });
    assertTrue(plan.stages().getFirst().ordered());
  }

  @Test
  void ownRowsMayBeReadByNumber() {
    check(
        (b, p) ->
            List.of(
                sumOf(
                    b,
                    p.n(),
                    List.of(b.iota(p.n())),
                    b.lambda(
                        List.of(I64),
                        (in, i) -> List.of(in.index(p.points(), i.getFirst(), Atom.i64(0)))))));
  }

  @Test
  void oneRowIsPickedFromThePieces() {
    var plan = check((b, p) -> List.of(b.index(p.points(), Atom.i64(3), Atom.i64(0))));
    assertEquals(1, plan.stages().size());
  }

  @Test
  void pairsOfRowsGoBlockAfterBlock() {
    var plan =
        check(
            (b, p) ->
                b.map(
                    p.n(),
                    List.of(p.keys()),
                    (in, k) -> {
                      var max =
                          new Reduce(
                              in.operator(BinaryOp.MAX, Prim.I64), List.of(Atom.i64(-100)), true);
                      var times =
                          in.lambda(
                              List.of(I64), (x, o) -> List.of(x.mul(o.getFirst(), k.getFirst())));
                      return in.screma(p.n(), List.of(p.keys()), List.of(), List.of(max), times);
                    }));
    assertTrue(plan.gathered().isEmpty());
    assertTrue(plan.steps().stream().anyMatch(s -> s instanceof Plan.Repeat));
  }
}
