package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import dev.kenaz.simplify.Simplify;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * 001 §4.1, Figure 2: the return sweep of a perfect nest of a map, a branch and a map executes no
 * forward sweep, once dead code is gone.
 */
class PerfectNestTest {
  @Test
  void nothingIsExecutedTwice() {
    var b = new Builder(Span.NONE);
    var m = Names.fresh("m", Type.I64);
    var n = Names.fresh("n", Type.I64);
    var cs = Names.fresh("cs", new Type.Array(Prim.BOOL, List.of(m)));
    var matrix = new Type.Array(Prim.F64, List.of(m, n));
    var xss = Names.fresh("xss", matrix);
    var adjoint = Names.fresh("adj", matrix);
    var f = b.lambda(List.of(matrix), (in, p) -> nest(in, m, n, cs, p.getFirst()));
    var vjp = new Vjp(f, List.of(xss), List.of(adjoint), Optional.empty());
    var all = b.bindAll("all", vjp);
    var fun =
        new FunDef(
            "f",
            List.of(m, n, cs, xss, adjoint),
            List.of(matrix),
            List.of(Names.fresh("r", matrix)),
            b.body(List.of(all.get(1))));
    var program = Differentiate.PASS.apply(new CoreProgram(List.of(fun), List.of()));
    var simplified = Simplify.SIMPLIFY.apply(program);
    Verifier.verify(simplified, "simplify");
    var maps = new ArrayList<Integer>();
    new Rewriter() {
      private int depth;

      @Override
      public Exp exp(Exp exp) {
        if (exp instanceof Screma) {
          maps.add(depth);
        }
        depth++;
        var result = Rewriter.super.exp(exp);
        depth--;
        return result;
      }
    }.body(simplified.function("f").body());
    // one outer map; in each branch, below the If, one inner map
    assertEquals(List.of(0, 2, 2), maps);
  }

  private static List<Var> nest(Builder b, Var m, Var n, Var cs, Var xss) {
    return b.map(
        m,
        List.of(cs, xss),
        (in, p) ->
            in.ifThenElse(
                p.get(0),
                List.of(p.get(1).type()),
                then -> elementwise(then, n, p.get(1), BinaryOp.MUL),
                otherwise -> elementwise(otherwise, n, p.get(1), BinaryOp.ADD)));
  }

  private static List<? extends Atom> elementwise(Builder b, Var n, Var xs, BinaryOp op) {
    return b.map(
        n,
        List.of(xs),
        (in, p) -> {
          var x = p.getFirst();
          return List.of(in.binary(op, x, in.mul(x, x)));
        });
  }
}
