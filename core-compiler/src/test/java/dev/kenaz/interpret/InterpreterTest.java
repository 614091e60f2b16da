package dev.kenaz.interpret;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K5002;
import static dev.kenaz.error.ErrorCode.K5003;
import static dev.kenaz.error.ErrorCode.K6302;
import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.main;
import static dev.kenaz.ir.TestPrograms.scalar;
import static dev.kenaz.ir.TestPrograms.size;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.TestPrograms;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
final class InterpreterTest {
  private static List<Value> run(CoreProgram program, Value... arguments) {
    Verifier.verify(program, "test");
    return Interpreter.call(program, "main", List.of(arguments));
  }

  private static final Type F64 = Type.scalar(Prim.F64);

  private static CoreProgram dotProduct() {
    var n = size("n");
    return main(
        List.of(n),
        List.of(array("xs", Prim.F64, n), array("ys", Prim.F64, n)),
        (b, p) ->
            b.screma(
                n,
                p,
                List.of(),
                List.of(
                    new Reduce(
                        b.operator(BinaryOp.ADD, Prim.F64), List.of(Atom.of(Prim.F64, 0)), true)),
                b.lambda(List.of(F64, F64), (c, xy) -> List.of(c.mul(xy.get(0), xy.get(1))))));
  }

  @Test
  void mapAndReduce() {
    var result =
        run(
            dotProduct(),
            ArrayValue.ofDoubles(new double[] {1, 2, 3}),
            ArrayValue.ofDoubles(new double[] {4, 5, 6}));
    assertEquals(List.of(ScalarValue.f64(32)), result);
  }

  @Test
  void emptyReduceIsNeutral() {
    var none = ArrayValue.ofDoubles(new double[0]);
    assertEquals(List.of(ScalarValue.f64(0)), run(dotProduct(), none, none));
  }

  @Test
  void sizesThatDisagreeAreTheUsersFault() {
    var e =
        assertThrows(
            UserError.class,
            () ->
                run(
                    dotProduct(),
                    ArrayValue.ofDoubles(new double[1]),
                    ArrayValue.ofDoubles(new double[2])));
    assertEquals(K6302, e.diagnostics().getFirst().code());
  }

  @Test
  void counts() {
    var counter = new Counter();
    var xs = ArrayValue.ofDoubles(new double[100]);
    Interpreter.call(dotProduct(), "main", List.of(xs, xs), counter);
    assertEquals(200, counter.scalarOps());
    assertEquals(200, counter.reads());
    assertEquals(0, counter.writes());
  }

  @Test
  void scanIsInclusive() {
    var n = size("n");
    var p =
        main(
            List.of(n),
            List.of(array("xs", Prim.I32, n)),
            (b, xs) ->
                b.screma(
                    n,
                    xs,
                    List.of(
                        new Scan(
                            b.operator(BinaryOp.ADD, Prim.I32), List.of(Atom.of(Prim.I32, 0)))),
                    List.of(),
                    b.lambda(List.of(Type.scalar(Prim.I32)), (_, x) -> x)));
    assertEquals(
        List.of(ArrayValue.ofInts(new int[] {1, 3, 6})),
        run(p, ArrayValue.ofInts(new int[] {1, 2, 3})));
  }

  @Test
  void emptyMapKeepsInnerShape() {
    var n = size("n");
    var p =
        main(
            List.of(n),
            List.of(array("xs", Prim.I32, n)),
            (b, xs) ->
                b.map(n, xs, (c, x) -> List.of(c.replicate(List.of(Atom.i64(3)), x.getFirst()))));
    var result = run(p, ArrayValue.ofInts(new int[0])).getFirst();
    assertEquals(List.of(0L, 3L), List.of(result.shape()[0], result.shape()[1]));
  }

  @Test
  void indexOutOfBounds() {
    var n = size("n");
    var i = scalar("i", Prim.I64);
    var p =
        main(
            List.of(n),
            List.of(array("xs", Prim.I32, n), i),
            (b, xs) -> List.of(b.bind("x", new Index(xs.getFirst(), List.of(i), true))));
    var e =
        assertThrows(
            UserError.class,
            () -> run(p, ArrayValue.ofInts(new int[] {1, 2, 3}), ScalarValue.i64(5)));
    assertEquals(K5001, e.diagnostics().getFirst().code());
    assertEquals(TestPrograms.HERE, e.diagnostics().getFirst().span());
    assertEquals(
        "Index [5] out of bounds for array of shape [3].", e.diagnostics().getFirst().message());
  }

  @Test
  void assertionsAndDivisions() {
    var x = scalar("x", Prim.I32);
    var p =
        main(
            List.of(),
            List.of(x),
            (b, _) -> {
              b.check(b.compare(CompareOp.LT, x, Atom.of(Prim.I32, 9)), "{} is large", List.of(x));
              return List.of(b.div(Atom.of(Prim.I32, 6), x));
            });
    assertEquals(List.of(ScalarValue.i32(-3)), run(p, ScalarValue.i32(-2)));
    var big = assertThrows(UserError.class, () -> run(p, ScalarValue.i32(10)));
    assertEquals(K5002, big.diagnostics().getFirst().code());
    assertEquals("10 is large", big.diagnostics().getFirst().message());
    var zero = assertThrows(UserError.class, () -> run(p, ScalarValue.i32(0)));
    assertEquals(K5003, zero.diagnostics().getFirst().code());
  }

  @Test
  void loopsAndUpdates() {
    var n = size("n");
    var p =
        main(
            List.of(n),
            List.of(array("xs", Prim.I64, n)),
            (b, xs) ->
                b.forLoop(
                    n,
                    xs,
                    (i, a) ->
                        c -> {
                          var old = c.index(a.getFirst(), i);
                          return List.of(
                              c.update(a.getFirst(), List.of(i), c.mul(old, c.add(i, i))));
                        }));
    assertEquals(
        List.of(ArrayValue.ofLongs(new long[] {0, 4, 12})),
        run(p, ArrayValue.ofLongs(new long[] {1, 2, 3})));
  }

  @Test
  void viewsOfArrays() {
    var a = array("a", Prim.I32, Atom.i64(2), Atom.i64(3));
    var p =
        main(
            List.of(),
            List.of(a),
            (b, _) -> {
              var t = b.bind("t", new Rearrange(List.of(1, 0), a));
              var flat = b.bind("f", new Reshape(List.of(Atom.i64(6)), a));
              var back =
                  b.bind(
                      "s",
                      new Slice(
                          flat,
                          List.of(new DimSlice.Range(Atom.i64(5), Atom.i64(3), Atom.i64(-2))),
                          true));
              var c = b.bind("c", new Concat(1, List.of(a, a), Atom.i64(6)));
              return List.of(t, back, c);
            });
    var given = ArrayValue.ofInts(new int[] {1, 2, 3, 4, 5, 6}, 2, 3);
    assertEquals(
        List.of(
            ArrayValue.ofInts(new int[] {1, 4, 2, 5, 3, 6}, 3, 2),
            ArrayValue.ofInts(new int[] {6, 4, 2}),
            ArrayValue.ofInts(new int[] {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}, 2, 6)),
        run(p, given));
  }

  @Test
  void histogramsIgnoreOutOfRange() {
    var n = size("n");
    var k = Atom.i64(3);
    var is = array("is", Prim.I64, n);
    var p =
        main(
            List.of(n),
            List.of(is, array("d", Prim.I32, k)),
            (b, xs) -> {
              var op =
                  new HistOp(
                      List.of(k),
                      List.of(xs.get(1)),
                      List.of(Atom.of(Prim.I32, 0)),
                      b.operator(BinaryOp.ADD, Prim.I32));
              var map =
                  b.lambda(
                      List.of(Type.I64), (_, i) -> List.of(i.getFirst(), Atom.of(Prim.I32, 1)));
              return b.bindAll("h", new Hist(n, List.of(is), List.of(op), map));
            });
    assertEquals(
        List.of(ArrayValue.ofInts(new int[] {3, 1, 1})),
        run(
            p,
            ArrayValue.ofLongs(new long[] {0, 1, -1, 0, 3, 0}),
            ArrayValue.ofInts(new int[] {0, 0, 1})));
  }

  @Test
  void accumulators() {
    var n = size("n");
    var k = Atom.i64(3);
    var is = array("is", Prim.I64, n);
    var dest = array("d", Prim.F64, k);
    var p =
        main(List.of(n), List.of(is, dest), (b, _) -> List.of(withAcc(b, n, is, dest).getFirst()));
    assertEquals(
        List.of(ArrayValue.ofDoubles(new double[] {2, 1, 0})),
        run(p, ArrayValue.ofLongs(new long[] {0, 1, 7, 0}), ArrayValue.ofDoubles(new double[3])));
  }

  private static List<Var> withAcc(Builder b, Atom n, Var is, Var dest) {
    var type = new Type.Acc(Names.freshTag(), dest.type().dims(), List.of(F64));
    var body =
        b.lambda(
            List.of(type),
            (c, accs) -> {
              var inputs = new ArrayList<>(accs);
              inputs.add(is);
              return c.map(
                  n,
                  inputs,
                  (d, row) ->
                      List.of(
                          d.bind(
                              "acc",
                              new UpdateAcc(
                                  row.get(0),
                                  List.of(row.get(1)),
                                  List.of(Atom.of(Prim.F64, 1))))));
            });
    return b.bindAll("w", new WithAcc(List.of(b.addInto(dest, 1)), body));
  }

  @Test
  void derivatives() {
    // f x y = (x * sin y, x) at (2, 3)
    var x = scalar("x", Prim.F64);
    var y = scalar("y", Prim.F64);
    var one = Atom.of(Prim.F64, 1);
    var zero = Atom.of(Prim.F64, 0);
    var p =
        main(
            List.of(),
            List.of(x, y),
            (b, xy) -> {
              var results = new ArrayList<Atom>();
              results.addAll(
                  b.bindAll(
                      "j", new Jvp(f(b), List.copyOf(xy), List.of(one, zero), Optional.empty())));
              results.addAll(
                  b.bindAll(
                      "v", new Vjp(f(b), List.copyOf(xy), List.of(one, one), Optional.empty())));
              return results;
            });
    var results = run(p, ScalarValue.f64(2), ScalarValue.f64(3));
    double[] expected = {
      2 * Math.sin(3), 2, Math.sin(3), 1, 2 * Math.sin(3), 2, Math.sin(3) + 1, 2 * Math.cos(3)
    };
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], ((ScalarValue) results.get(i)).asDouble(), 1e-15);
    }
  }

  private static Lambda f(Builder b) {
    return b.lambda(
        List.of(F64, F64),
        (c, p) -> List.of(c.mul(p.get(0), c.unary(UnaryOp.SIN, p.get(1))), p.get(0)));
  }

  @Test
  void nestedDerivativesDoNotMixPerturbations() {
    // d/dx (x * d/dy (x + y)) = 1
    var x = scalar("x", Prim.F64);
    var one = Atom.of(Prim.F64, 1);
    var p =
        main(
            List.of(),
            List.of(x),
            (b, _) -> {
              var outer =
                  b.lambda(
                      List.of(F64),
                      (c, u) -> {
                        var inner =
                            c.lambda(
                                List.of(F64), (d, v) -> List.of(d.add(u.getFirst(), v.getFirst())));
                        var j =
                            c.bindAll(
                                "j", new Jvp(inner, List.of(one), List.of(one), Optional.empty()));
                        return List.of(c.mul(u.getFirst(), j.get(1)));
                      });
              return List.of(
                  b.bindAll("j", new Jvp(outer, List.of(x), List.of(one), Optional.empty()))
                      .get(1));
            });
    assertEquals(List.of(ScalarValue.f64(1)), run(p, ScalarValue.f64(5)));
  }

  @Test
  void aMillionElementsTakeSeconds() {
    var xs = ArrayValue.ofDoubles(new double[1_000_000]);
    long start = System.nanoTime();
    run(dotProduct(), xs, xs);
    assertTrue(System.nanoTime() - start < 10_000_000_000L);
  }
}
