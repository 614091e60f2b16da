package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.error.Span;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ArrayRulesTest {
  private static final Type F = Type.scalar(Prim.F64);

  private static Var squares(Builder b, Var xs) {
    var n = xs.type().dims().getFirst();
    return b.map(n, List.of(xs), (in, p) -> List.of(in.mul(p.getFirst(), p.getFirst()))).getFirst();
  }

  @Test
  void movesOfData() {
    Jacobians.at()
        .matrix(2, 3, 1, 2, 3, 4, 5, 6)
        .vector(7, 8)
        .scalar(9)
        .agreeTwice(
            (b, p) -> {
              var m = p.get(0);
              var tr = b.bind("tr", new Rearrange(List.of(1, 0), m));
              var flat = b.bind("flat", new Reshape(List.of(i64(6)), tr));
              var slice = List.<DimSlice>of(new DimSlice.Range(i64(4), i64(3), i64(-2)));
              var part = b.bind("part", new Slice(flat, slice, true));
              var s = b.mul(p.get(2), p.get(2));
              var rep = b.replicate(List.of(i64(2)), s);
              var cat = b.bind("cat", new Concat(0, List.of(part, p.get(1), rep), i64(7)));
              var lit = b.bind("lit", new ArrayLit(List.of(s, p.get(2), s), F));
              var deep = b.replicate(List.of(i64(2), i64(2)), lit);
              var fresh = b.bind("fresh", new Copy(cat));
              var row = b.bind("row", new Index(m, List.of(i64(1)), true));
              return List.of(squares(b, fresh), deep, squares(b, row), b.index(m, i64(0), i64(2)));
            });
  }

  @Test
  void concatenationOfColumns() {
    Jacobians.at()
        .matrix(2, 3, 1, 2, 3, 4, 5, 6)
        .matrix(2, 1, 7, 8)
        .agreeTwice(
            (b, p) -> {
              var cat = b.bind("cat", new Concat(1, p, i64(4)));
              var n = cat.type().dims().getFirst();
              return b.map(n, List.of(cat), (in, q) -> List.of(squares(in, q.getFirst())));
            });
  }

  @Test
  void updates() {
    // the array is read before and after, so that its old contents are needed
    Jacobians.at()
        .vector(1, 2, 3, 4)
        .scalar(5)
        .agreeTwice(
            (b, p) -> {
              var xs = squares(b, p.get(0));
              var before = squares(b, xs);
              var y = b.mul(b.index(xs, i64(1)), p.get(1));
              var one = b.update(xs, List.of(i64(2)), y);
              var two = b.update(one, List.of(i64(1)), b.mul(y, b.index(one, i64(2))));
              var slice = List.<DimSlice>of(new DimSlice.Range(i64(0), i64(2), i64(1)));
              var part = b.bind("part", new Slice(before, slice, false));
              var own = b.bind("own", new Copy(part));
              var three = b.bind("three", new Update(two, slice, own, true));
              return List.of(squares(b, three), before);
            });
  }

  @Test
  void updateInBranch() {
    for (double x : new double[] {1, -1}) {
      Jacobians.at()
          .vector(1, 2, 3)
          .scalar(x)
          .agreeTwice(
              (b, p) -> {
                var xs = squares(b, p.get(0));
                var s = MapRuleTest.sum(b, xs);
                var c = b.compare(CompareOp.LT, Atom.of(Prim.F64, 0), p.get(1));
                var ys =
                    b.ifThenElse(
                        c,
                        List.of(xs.type()),
                        then -> {
                          var t = then.mul(then.index(xs, i64(0)), p.get(1));
                          return List.of(then.update(xs, List.of(i64(1)), t));
                        },
                        _ -> List.of(xs));
                return List.of(squares(b, ys.getFirst()), s);
              });
    }
  }

  @Test
  void scatterWithoutDuplicates() {
    Jacobians.at()
        .vector(1, 2, 3, 4)
        .vector(5, 6, 7)
        .indices(2, -1, 0)
        .agreeTwice(
            (b, p) -> {
              var dest = squares(b, p.get(0));
              var map =
                  b.lambda(
                      List.of(Type.I64, F),
                      (in, q) -> List.of(q.get(0), in.unary(UnaryOp.SIN, q.get(1))));
              var n = p.get(0).type().dims();
              var width = p.get(1).type().dims().getFirst();
              var ys =
                  b.bind(
                      "sc",
                      new Scatter(
                          width,
                          List.of(p.get(2), p.get(1)),
                          List.of(new ScatterDest(n, dest)),
                          map));
              return List.of(squares(b, ys));
            });
  }

  @Test
  void sumByIndex() {
    Jacobians.at()
        .vector(1, 2, 3, 4)
        .vector(5, 6, 7)
        .indices(0, 2, 0, 9)
        .agreeTwice(
            (b, p) -> {
              var dest = squares(b, p.get(1));
              var op = b.operator(BinaryOp.ADD, Prim.F64);
              var hist =
                  new HistOp(dest.type().dims(), List.of(dest), List.of(Atom.of(Prim.F64, 0)), op);
              var map =
                  b.lambda(
                      List.of(Type.I64, F),
                      (in, q) -> List.of(q.get(0), in.unary(UnaryOp.SIN, q.get(1))));
              var width = p.get(0).type().dims().getFirst();
              var ys =
                  b.bind("h", new Hist(width, List.of(p.get(2), p.get(0)), List.of(hist), map));
              return List.of(squares(b, ys));
            });
  }

  @Test
  void callsAreInlined() {
    var x = Names.fresh("x", F);
    var b = new Builder(Span.NONE);
    var body = b.body(List.of(b.unary(UnaryOp.EXP, x)));
    var f = new FunDef("f", List.of(x), List.of(F), List.of(Names.fresh("r", F)), body);
    Jacobians.at()
        .calling(f)
        .scalar(0.5)
        .agreeTwice((in, p) -> in.bindAll("y", List.of(F), new Apply("f", List.of(p.getFirst()))));
  }

  @Test
  void unrolledVectorMode() {
    var attrs = List.of(dev.kenaz.ir.Attr.of("unroll"));
    for (boolean reverse : new boolean[] {false, true}) {
      Jacobians.at()
          .vector(0.5, 1.5)
          .matrix(2, 2, 1, 2, 3, 4)
          .agree(
              (b, p) -> {
                var xs = List.of(p.get(0).type());
                var f = b.lambda(xs, (in, q) -> List.of(squares(in, q.getFirst())));
                var two = Optional.<Atom>of(i64(2));
                var x = List.<Atom>of(p.get(0));
                var ds = List.<Atom>of(p.get(1));
                return b.with(attrs)
                    .bindAll("all", reverse ? new Vjp(f, x, ds, two) : new Jvp(f, x, ds, two));
              });
    }
  }

  @Test
  void customDerivative() {
    // a rule that says that the derivative of x * x is 3 x
    var s = Names.fresh("s", F);
    var b = new Builder(Span.NONE);
    var function =
        b.lambda(
            List.of(F),
            (in, p) -> List.of(in.mul(p.getFirst(), p.getFirst()), in.neg(p.getFirst())));
    var rule =
        b.lambda(
            List.of(F, F, F, F),
            (in, p) -> {
              var kept = in.neg(p.get(2));
              return List.of(in.mul(p.get(3), in.mul(Atom.of(Prim.F64, 3), kept)));
            });
    var custom =
        b.lambda(
            List.of(F),
            (in, p) ->
                List.of(in.bind("y", new WithVjp(function, 1, rule, List.of(p.getFirst())))));
    var exp = new Vjp(custom, List.of(s), List.of(Atom.of(Prim.F64, 1)), Optional.empty());
    var all = b.bindAll("all", exp);
    var f =
        new FunDef(
            "f",
            List.of(s),
            List.of(F, F),
            List.of(Names.fresh("r", F), Names.fresh("r", F)),
            b.body(List.copyOf(all)));
    var program = new CoreProgram(List.of(f), List.of());
    var done = Differentiate.PASS.apply(program);
    dev.kenaz.ir.Verifier.verify(done, "ad");
    var results = Interpreter.function(done, "f", List.of(ScalarValue.f64(2)), new Counter());
    org.junit.jupiter.api.Assertions.assertEquals(
        List.of(ScalarValue.f64(4), ScalarValue.f64(6)), results);
  }
}
