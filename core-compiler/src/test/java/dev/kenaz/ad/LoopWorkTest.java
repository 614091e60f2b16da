package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.While;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * How often the attributes of loops have their bodies executed: the counted work of a gradient over
 * that of the function, for bodies so large that only they count.
 */
class LoopWorkTest {
  private static final int STEPS = 64;

  private static List<Attr> attr(String name, int argument) {
    return List.of(new Attr(name, List.of(Attr.of(Integer.toString(argument)))));
  }

  private static double forLoop(Jacobians at, List<Attr> attrs) {
    return at.scalar(0.5)
        .overhead(
            (b, p) ->
                b.with(attrs)
                    .forLoop(
                        Atom.i64(STEPS), p, (_, acc) -> in -> List.of(body(in, acc.getFirst()))));
  }

  /** Large enough that what loops cost themselves hardly counts. */
  private static Atom body(Builder in, Var x) {
    Atom y = x;
    for (int k = 0; k < 40; k++) {
      y = in.unary(UnaryOp.SIN, in.add(y, Atom.of(Prim.F64, k)));
    }
    return y;
  }

  /** While a counter, or a number that the body makes, says so. */
  private static double whileLoop(List<Attr> attrs, boolean counted) {
    return Jacobians.at()
        .scalar(0.5)
        .overhead(
            (b, p) -> {
              var more = Names.fresh("more", Type.BOOL);
              var x = Names.fresh("x", p.getFirst().type());
              var i = Names.fresh("i", Type.I64);
              var in = b.inner();
              var y = body(in, x);
              var next = in.add(i, Atom.i64(1));
              var few = in.compare(CompareOp.LT, next, Atom.i64(STEPS));
              var small = in.compare(CompareOp.LT, y, Atom.of(Prim.F64, 2));
              var params =
                  List.of(
                      new LoopParam(more, Atom.of(Prim.BOOL, 1)),
                      new LoopParam(x, p.getFirst()),
                      new LoopParam(i, Atom.i64(0)));
              var body = in.body(List.of(counted ? few : in.and(few, small), y, next));
              var loop = new Loop(params, new While(more), body);
              return List.of(b.with(attrs).bindAll("while", loop).get(1));
            });
  }

  @Test
  void stripMiningExecutesOnceMoreALevel() {
    double none = forLoop(Jacobians.at(), List.of());
    assertEquals(none + 1, forLoop(Jacobians.at(), attr("stripmine", 1)), 0.2);
    assertEquals(none + 2, forLoop(Jacobians.at(), attr("stripmine", 2)), 0.3);
  }

  @Test
  void inspectorsExecuteWhatConditionsNeed() {
    double none = forLoop(Jacobians.at(), List.of());
    // only the counter is executed once more
    assertEquals(none, whileLoop(List.of(), true), 0.2);
    assertEquals(none + 1, whileLoop(List.of(), false), 0.2);
    assertEquals(none, whileLoop(attr("bound", STEPS), false), 0.3);
  }

  @Test
  void budgetsThatSufficeCostNothing() {
    double none = forLoop(Jacobians.at(), List.of());
    assertEquals(none, forLoop(Jacobians.at().within(8 * STEPS), List.of()), 0.1);
    // room for 16 checkpoints: C(16 + 2, 2) = 153 iterations, each executed at most twice more
    double few = forLoop(Jacobians.at().within(8 * 16), List.of());
    assertEquals(none + 1.7, few, 0.4);
  }
}
