package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.While;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops that keep everything, and that have room for some of it only. */
class BudgetTest {
  private static final long MUCH = 1 << 20;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 9})
  void inPlace(long n) {
    for (long budget : new long[] {1, 100, MUCH}) {
      Jacobians.at()
          .within(budget)
          .vector(0.3, 0.9, -0.4)
          .scalar(0.7)
          .integer(n)
          .agreeTwice((b, p) -> b.forLoop(p.get(2), own(b, p), (i, acc) -> in -> step(in, i, acc)));
    }
  }

  private static List<Var> own(Builder b, List<Var> p) {
    return List.of(b.bind("copy", new Copy(p.get(0))), p.get(1));
  }

  private static List<Atom> step(Builder in, Var i, List<Var> acc) {
    var size = acc.get(0).type().dims().getFirst();
    var j = in.binary(BinaryOp.MOD, i, size);
    var x = in.index(acc.get(0), j);
    var k = in.convert(Prim.F64, i);
    var y = in.unary(UnaryOp.SIN, in.add(in.mul(x, acc.get(1)), k));
    return List.of(in.update(acc.get(0), List.of(j), y), in.add(acc.get(1), y));
  }

  @Test
  void nested() {
    for (long budget : new long[] {1, 60, MUCH}) {
      Jacobians.at()
          .within(budget)
          .vector(0.3, 0.9, -0.4)
          .scalar(0.7)
          .integer(3)
          .agree(
              (b, p) ->
                  b.forLoop(
                      p.get(2),
                      own(b, p),
                      (_, outer) ->
                          out -> out.forLoop(p.get(2), outer, (i, acc) -> in -> step(in, i, acc))));
    }
  }

  @Test
  void copies() {
    for (long budget : new long[] {1, 100, MUCH}) {
      Jacobians.at()
          .within(budget)
          .vector(0.3, 0.9, -0.4)
          .scalar(0.7)
          .integer(7)
          .agreeTwice(
              (b, p) ->
                  b.forLoop(
                      p.get(2),
                      List.of(p.get(0)),
                      (_, acc) ->
                          in ->
                              in.map(
                                  acc.getFirst().type().dims().getFirst(),
                                  acc,
                                  (c, x) ->
                                      List.of(
                                          c.unary(UnaryOp.SIN, c.mul(x.getFirst(), p.get(1)))))));
    }
  }

  @Test
  void whileLoop() {
    for (long budget : new long[] {1, MUCH}) {
      Jacobians.at()
          .within(budget)
          .scalar(0.7)
          .agreeTwice(
              (b, p) -> {
                var more = Names.fresh("more", Type.BOOL);
                var x = Names.fresh("x", p.getFirst().type());
                var in = b.inner();
                var next = in.mul(x, Atom.of(Prim.F64, 1.5));
                var go = in.compare(CompareOp.LT, next, Atom.of(Prim.F64, 20));
                var params =
                    List.of(
                        new LoopParam(more, Atom.of(Prim.BOOL, 1)), new LoopParam(x, p.getFirst()));
                var loop = new Loop(params, new While(more), in.body(List.of(go, next)));
                var out = b.bindAll("w", loop);
                return List.of(b.unary(UnaryOp.SIN, out.get(1)));
              });
    }
  }

  /** Two loops, one after the other or one in the other, that keep a number an iteration. */
  private static double work(long budget, boolean nested) {
    return Jacobians.at()
        .within(budget)
        .scalar(0.7)
        .overhead(
            (b, p) ->
                nested
                    ? b.forLoop(
                        Atom.i64(40),
                        p,
                        (_, x) -> in -> in.forLoop(Atom.i64(40), x, BudgetTest::sine))
                    : b.forLoop(
                        Atom.i64(40),
                        b.forLoop(Atom.i64(40), p, BudgetTest::sine),
                        BudgetTest::sine));
  }

  private static Function<Builder, List<? extends Atom>> sine(Var i, List<Var> x) {
    return in -> {
      Atom y = x.getFirst();
      for (int k = 0; k < 20; k++) {
        y = in.unary(UnaryOp.SIN, in.add(y, Atom.of(Prim.F64, k)));
      }
      return List.of(y);
    };
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void loopsShareTheBound(boolean nested) {
    double none = work(1, nested);
    double one = work(40 * 8, nested);
    double both = work(2 * 40 * 8, nested);
    assertEquals(work(MUCH, nested), both, 1e-9);
    assertTrue(both < one - 0.1, both + " " + one);
    assertTrue(one < none - 0.1, one + " " + none);
  }
}
