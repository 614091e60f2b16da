package dev.kenaz.fuse;

import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.main;
import static dev.kenaz.ir.TestPrograms.scalar;
import static dev.kenaz.ir.TestPrograms.size;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.analysis.Effects;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.Hist;
import dev.kenaz.ir.Exp.HistOp;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How many operators are left of small programs. */
final class FuseTest {
  private static final Type F64 = Type.scalar(Prim.F64);
  private final Var n = size("n");
  private final Var m = size("m");
  private final Var xs = array("xs", Prim.F64, n);
  private final Var is = array("is", Prim.I64, n);
  private final Var xss = array("xss", Prim.F64, n, m);
  private final Var c = scalar("c", Prim.BOOL);

  private Body fused(BiFunction<Builder, List<Var>, List<? extends Atom>> body) {
    var program = main(List.of(n, m), List.of(xs, is, xss, c), body);
    Verifier.verify(program, "test");
    var p = Pipelines.FUSED.apply(program);
    Verifier.verify(p, "fuse");
    return p.functions().getFirst().body();
  }

  private static long operators(Body body) {
    return all(body).filter(s -> s.exp() instanceof Screma || s.exp() instanceof Hist).count();
  }

  private static Stream<Stm> all(Body body) {
    return body.stms().stream()
        .flatMap(s -> Stream.concat(Stream.of(s), Effects.bodies(s.exp()).flatMap(FuseTest::all)));
  }

  private static Var sines(Builder b, Atom n, Var a) {
    return b.map(n, List.of(a), (d, x) -> List.of(d.unary(UnaryOp.SIN, x.getFirst()))).getFirst();
  }

  private static Var sum(Builder b, Atom n, Var a) {
    var op = new Reduce(b.operator(BinaryOp.ADD, Prim.F64), List.of(Atom.of(Prim.F64, 0)), true);
    return b.screma(n, List.of(a), List.of(), List.of(op), b.lambda(List.of(F64), (_, x) -> x))
        .getFirst();
  }

  @Test
  void mapsIntoReduction() {
    var body = fused((b, _) -> List.of(sum(b, n, sines(b, n, sines(b, n, xs)))));
    assertEquals(1, operators(body));
  }

  @Test
  void mapsIntoReductionInsideLambdas() {
    var body =
        fused(
            (b, _) ->
                b.map(
                    n, List.of(xss), (d, row) -> List.of(sum(d, m, sines(d, m, row.getFirst())))));
    assertEquals(2, operators(body));
  }

  @Test
  void resultsUsedElsewhereAreKept() {
    var body =
        fused(
            (b, _) -> {
              var ys = sines(b, n, xs);
              return List.of(ys, sum(b, n, ys));
            });
    assertEquals(1, operators(body));
  }

  @Test
  void nothingIsFusedIntoWhatReadsItOutOfOrder() {
    var body =
        fused(
            (b, _) -> {
              var ys = sines(b, n, xs);
              return b.map(
                  n,
                  List.of(is),
                  (d, i) -> List.of(d.bind("y", new Index(ys, List.of(i.getFirst()), true))));
            });
    assertEquals(2, operators(body));
  }

  @Test
  void rowsReadAtTheMapsOwnIndexFuse() {
    var body =
        fused(
            (b, _) -> {
              var ys = sines(b, n, xs);
              return b.map(
                  n,
                  List.of(b.iota(n)),
                  (d, i) ->
                      List.of(
                          d.unary(
                              UnaryOp.COS,
                              d.bind("y", new Index(ys, List.of(i.getFirst()), true)))));
            });
    assertEquals(1, operators(body));
  }

  @Test
  void noFusionAcrossAReduction() {
    var body =
        fused(
            (b, _) -> {
              var ys = sines(b, n, xs);
              var total = sum(b, n, ys);
              return b.map(n, List.of(ys), (d, y) -> List.of(d.div(y.getFirst(), total)));
            });
    assertEquals(2, operators(body));
  }

  @Test
  void operatorsOverTheSameArrayAreJoined() {
    var body =
        fused(
            (b, _) -> {
              var max =
                  new Reduce(
                      b.operator(BinaryOp.MAX, Prim.F64), List.of(Atom.of(Prim.F64, 0)), true);
              var id = b.lambda(List.of(F64), (_, x) -> x);
              var greatest = b.screma(n, List.of(xs), List.of(), List.of(max), id).getFirst();
              return List.of(sum(b, n, xs), greatest);
            });
    assertEquals(1, operators(body));
  }

  @Test
  void mapsIntoScans() {
    var body =
        fused(
            (b, _) -> {
              var zero = List.of(Atom.of(Prim.F64, 0));
              var scan = new Scan(b.operator(BinaryOp.ADD, Prim.F64), List.copyOf(zero));
              return b.screma(
                  n,
                  List.of(sines(b, n, xs)),
                  List.of(scan),
                  List.of(),
                  b.lambda(List.of(F64), (_, x) -> x));
            });
    assertEquals(1, operators(body));
  }

  @Test
  void mapsIntoHistograms() {
    var body =
        fused(
            (b, _) -> {
              var ys = sines(b, n, xs);
              var dest = b.replicate(List.of(m), Atom.of(Prim.F64, 0));
              var op =
                  new HistOp(
                      List.of(m),
                      List.of(dest),
                      List.of(Atom.of(Prim.F64, 0)),
                      b.operator(BinaryOp.ADD, Prim.F64));
              var map = b.lambda(List.of(Type.I64, F64), (_, p) -> p);
              return b.bindAll("h", new Hist(n, List.of(is, ys), List.of(op), map));
            });
    assertEquals(1, operators(body));
  }

  @Test
  void producersThatAreConsumedLaterStayBefore() {
    var body =
        fused(
            (b, _) -> {
              var own = b.bind("f", new Copy(xs));
              var ys = sines(b, n, own);
              var last = b.sub(n, Atom.i64(1));
              var changed = b.update(own, List.of(last), Atom.of(Prim.F64, 1));
              return List.of(sum(b, n, ys), changed);
            });
    assertEquals(2, operators(body));
  }

  @Test
  void updatesAtKnownPlacesComeAfterWhatReadsBefore() {
    var body =
        fused(
            (b, _) -> {
              var own = b.bind("f", new Copy(xs));
              var ys = sines(b, n, own);
              var changed = b.update(own, List.of(Atom.i64(0)), Atom.of(Prim.F64, 1));
              return List.of(sum(b, n, ys), changed);
            });
    assertEquals(1, operators(body));
  }

  @Test
  void branchesOnOneConditionAreJoined() {
    var body =
        fused(
            (b, _) -> {
              var x =
                  b.ifThenElse(
                      c, List.of(F64), _ -> List.of(b.index(xs, Atom.i64(0))), d -> one(d));
              var y =
                  b.ifThenElse(
                      c,
                      List.of(F64),
                      d -> List.of(d.unary(UnaryOp.SIN, x.getFirst())),
                      d -> List.of(d.unary(UnaryOp.COS, x.getFirst())));
              return List.of(y.getFirst());
            });
    assertEquals(1, all(body).filter(s -> s.exp() instanceof If).count());
  }

  @Test
  void accumulationMovesIntoTheBranchThatAdds() {
    var i = scalar("i", Prim.I64);
    var dest = array("dest", Prim.F64, n, m);
    var program =
        main(
            List.of(n, m),
            List.of(array("row", Prim.F64, m), dest, i, c),
            (b, p) -> {
              var type = new Type.Acc(Names.freshTag(), dest.type().dims(), List.of(F64));
              var body =
                  b.lambda(List.of(type), (d, acc) -> maybeAdd(d, acc.getFirst(), p.getFirst(), i));
              return b.bindAll("w", new WithAcc(List.of(b.addInto(dest, 2)), body));
            });
    Verifier.verify(program, "test");
    var fused = Pipelines.FUSED.apply(program);
    Verifier.verify(fused, "fuse");
    var body = fused.functions().getFirst().body();
    assertEquals(1, operators(body), Printer.print(fused));
    for (var condition : List.of(true, false)) {
      var arguments =
          List.of(
              ArrayValue.ofDoubles(new double[] {1, 2}),
              ArrayValue.ofDoubles(new double[] {1, 1, 1, 1}, 2, 2),
              ScalarValue.i64(1),
              ScalarValue.bool(condition));
      assertEquals(
          Interpreter.call(program, "main", arguments), Interpreter.call(fused, "main", arguments));
    }
  }

  private List<Var> maybeAdd(Builder b, Var acc, Var row, Var i) {
    var added =
        b.ifThenElse(
            c,
            List.of(row.type()),
            d -> List.of(sines(d, m, row)),
            d -> List.of(d.zero(row.type())));
    return b.map(
        m,
        List.of(b.iota(m), added.getFirst(), acc),
        (d, p) ->
            List.of(d.bind("a", new UpdateAcc(p.get(2), List.of(i, p.get(0)), List.of(p.get(1))))));
  }

  /** For each i: acc[k] += xss[j, k] * ys[j] * ys[i], over all j and k. */
  @Test
  void accumulationsInPerfectNestsBecomeReductions() {
    var ys = array("ys", Prim.F64, n);
    var program =
        main(
            List.of(n, m),
            List.of(xss, ys),
            (b, _) ->
                b.map(
                    n,
                    List.of(ys),
                    (d, y) -> {
                      var zeros = (Var) d.zero(Type.of(Prim.F64, List.of(m)));
                      var type = new Type.Acc(Names.freshTag(), List.of(m), List.of(F64));
                      var body =
                          d.lambda(
                              List.of(type), (e, acc) -> sums(e, acc.getFirst(), ys, y.getFirst()));
                      return d.bindAll("w", new WithAcc(List.of(d.addInto(zeros, 1)), body));
                    }));
    Verifier.verify(program, "test");
    var fused = Pipelines.FUSED.apply(program);
    Verifier.verify(fused, "fuse");
    var body = fused.functions().getFirst().body();
    assertEquals(0, all(body).filter(s -> s.exp() instanceof WithAcc).count());
    var arguments =
        List.of(
            ArrayValue.ofDoubles(new double[] {1, 2, 3, 4, 5, 6}, 3, 2),
            ArrayValue.ofDoubles(new double[] {1, -2, 4}));
    assertEquals(
        Interpreter.call(program, "main", arguments), Interpreter.call(fused, "main", arguments));
  }

  private List<Var> sums(Builder b, Var acc, Var ys, Var y) {
    return b.map(
        n,
        List.of(xss, ys, acc),
        (d, p) ->
            d.map(
                m,
                List.of(p.get(0), d.iota(m), p.get(2)),
                (e, q) -> {
                  var v = e.mul(e.mul(q.get(0), p.get(1)), y);
                  return List.of(
                      e.bind("a", new UpdateAcc(q.get(2), List.of(q.get(1)), List.of(v))));
                }));
  }

  /** The sum over the rows of the data stays an accumulation: it may be distributed. */
  @Test
  void sumsOverTheDataStayAccumulations() {
    var program =
        main(
            List.of(n, m),
            List.of(xss, array("ys", Prim.F64, n), scalar("y", Prim.F64)),
            (b, p) -> {
              var zeros = (Var) b.zero(Type.of(Prim.F64, List.of(m)));
              var type = new Type.Acc(Names.freshTag(), List.of(m), List.of(F64));
              var body =
                  b.lambda(List.of(type), (e, acc) -> sums(e, acc.getFirst(), p.get(1), p.get(2)));
              return b.bindAll("w", new WithAcc(List.of(b.addInto(zeros, 1)), body));
            });
    var fused = Pipelines.FUSED.apply(program).functions().getFirst().body();
    assertEquals(1, all(fused).filter(s -> s.exp() instanceof WithAcc).count());
  }

  private static List<Atom> one(Builder b) {
    return List.of(b.unary(UnaryOp.EXP, Atom.of(Prim.F64, 1)));
  }
}
