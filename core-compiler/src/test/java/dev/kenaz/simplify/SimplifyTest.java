package dev.kenaz.simplify;

import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.main;
import static dev.kenaz.ir.TestPrograms.scalar;
import static dev.kenaz.ir.TestPrograms.size;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Apply;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Iota;
import dev.kenaz.ir.Exp.Rearrange;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.TestPrograms;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What the rules make of small programs. */
@Isolated
final class SimplifyTest {
  private static final Type F64 = Type.scalar(Prim.F64);
  private final Var n = size("n");
  private final Var m = size("m");
  private final Var xs = array("xs", Prim.F64, n);
  private final Var x = scalar("x", Prim.F64);
  private final Var i = scalar("i", Prim.I64);

  private CoreProgram program(BiFunction<Builder, List<Var>, List<? extends Atom>> body) {
    return main(List.of(n, m), List.of(xs, x, i), body);
  }

  /** The text of the body, simplified, with variables numbered in order of appearance. */
  private String simplified(BiFunction<Builder, List<Var>, List<? extends Atom>> body) {
    var p = Simplify.SIMPLIFY.apply(program(body));
    Verifier.verify(p, "simplify");
    var text = Printer.printRenumbered(p);
    return text.substring(text.indexOf(" =\n") + 3);
  }

  @Test
  void constantsAndLaws() {
    assertEquals(
        """
          in (x_3, i_4, 6.0f64)
        """,
        simplified(
            (b, _) -> {
              var one = b.bind("o", new dev.kenaz.ir.Exp.Alias(Atom.of(Prim.F64, 1)));
              var six = b.binary(BinaryOp.MUL, Atom.of(Prim.F64, 2), Atom.of(Prim.F64, 3));
              var plus = b.binary(BinaryOp.ADD, i, Atom.i64(3));
              return List.of(
                  b.binary(BinaryOp.MUL, x, one), b.binary(BinaryOp.SUB, plus, Atom.i64(3)), six);
            }));
  }

  @Test
  void floatsTimesZeroStay() {
    assertTrue(simplified((b, _) -> List.of(b.mul(x, Atom.of(Prim.F64, 0)))).contains("mul"));
  }

  @Test
  void equalExpressionsAreSharedAcrossScopes() {
    var text =
        simplified(
            (b, _) -> {
              var s = b.unary(UnaryOp.SIN, x);
              var mapped =
                  b.map(
                      n,
                      List.of(xs),
                      (c, p) -> List.of(c.mul(p.getFirst(), c.unary(UnaryOp.SIN, x))));
              return List.of(s, mapped.getFirst());
            });
    assertEquals(text.indexOf("sin"), text.lastIndexOf("sin"));
  }

  @Test
  void equalOperatorsAreShared() {
    var text =
        simplified(
            (b, _) -> {
              var a = b.map(n, List.of(xs), (c, p) -> List.of(c.unary(UnaryOp.SIN, p.getFirst())));
              var d = b.map(n, List.of(xs), (c, p) -> List.of(c.unary(UnaryOp.SIN, p.getFirst())));
              return List.of(a.getFirst(), d.getFirst());
            });
    assertEquals(text.indexOf("sin"), text.lastIndexOf("sin"));
  }

  @Test
  void elementsOfKnownArrays() {
    assertEquals(
        """
          let e_6: i64 = add i_4 7i64
          in (x_3, e_6)
        """,
        simplified(
            (b, _) -> {
              var rep = b.replicate(List.of(Atom.i64(9)), x);
              var iota = b.bind("iota", new Iota(Atom.i64(9), i, Atom.i64(7)));
              return List.of(
                  b.bind("e", new Index(rep, List.of(Atom.i64(4)), true)),
                  b.bind("e", new Index(iota, List.of(Atom.i64(1)), true)));
            }));
  }

  @Test
  void indicesBelowTheirBoundNeedNoCheck() {
    var text =
        simplified(
            (b, _) -> {
              var less = b.sub(n, Atom.i64(1));
              return b.map(
                  less,
                  List.of(b.iota(less)),
                  (c, p) -> {
                    var next = c.add(p.getFirst(), Atom.i64(1));
                    var back = c.sub(less, p.getFirst());
                    return List.of(
                        c.mul(
                            c.bind("e", new Index(xs, List.of(next), true)),
                            c.bind("e", new Index(xs, List.of(back), true))));
                  });
            });
    assertEquals(2, text.split("unchecked", -1).length - 1, text);
  }

  @Test
  void othersKeepIt() {
    var text = simplified((b, _) -> List.of(b.bind("e", new Index(xs, List.of(i), true))));
    assertFalse(text.contains("unchecked"));
  }

  @Test
  void invariantsLeaveLoopsAndLambdasButNotBranches() {
    var text =
        simplified(
            (b, _) ->
                b.map(
                    n,
                    List.of(xs),
                    (c, p) -> {
                      var s = c.unary(UnaryOp.EXP, x);
                      var small = c.compare(CompareOp.LT, p.getFirst(), x);
                      return c.ifThenElse(
                          small,
                          List.of(F64),
                          d -> List.of(d.mul(s, p.getFirst())),
                          d -> List.of(d.unary(UnaryOp.COS, x)));
                    }));
    assertTrue(text.indexOf("exp") < text.indexOf("map"), text);
    assertTrue(text.indexOf("cos") > text.indexOf("map"), text);
  }

  @Test
  void addingARowOfZerosIsNothing() {
    assertEquals(
        """
          in (xs_2)
        """,
        simplified(
            (b, _) -> {
              var zeros = (Var) b.zero(xs.type());
              return List.of(b.plus(zeros, xs));
            }));
  }

  @Test
  void deadResultsGo() {
    var text =
        simplified(
            (b, _) -> {
              var zero = Atom.of(Prim.F64, 0);
              var sum = new Reduce(b.operator(BinaryOp.ADD, Prim.F64), List.of(zero), true);
              var all =
                  b.screma(
                      n,
                      List.of(xs),
                      List.of(),
                      List.of(sum),
                      b.lambda(
                          List.of(F64),
                          (c, p) -> List.of(p.getFirst(), c.unary(UnaryOp.SIN, p.getFirst()))));
              return List.of(all.getFirst());
            });
    assertFalse(text.contains("sin"), text);
  }

  @Test
  void deadLoopParametersGo() {
    var text =
        simplified(
            (b, _) -> {
              var loop =
                  b.forLoop(
                      n,
                      List.of(x, x),
                      (_, p) -> c -> List.of(c.mul(p.get(0), x), c.unary(UnaryOp.SIN, p.get(1))));
              return List.of(loop.getFirst());
            });
    assertFalse(text.contains("sin"), text);
  }

  @Test
  void unusedAccumulatorsGo() {
    assertEquals(
        """
          in (x_3)
        """,
        simplified(
            (b, _) -> {
              var acc = new Type.Acc(Names.freshTag(), xs.type().dims(), List.of(F64));
              var body =
                  b.lambda(
                      List.of(acc),
                      (c, accs) ->
                          c.map(
                              n,
                              List.of(accs.getFirst(), c.iota(n)),
                              (d, p) ->
                                  List.of(
                                      d.bind(
                                          "a",
                                          new UpdateAcc(
                                              p.get(0), List.of(p.get(1)), List.of(x))))));
              b.bindAll("w", new WithAcc(List.of(b.addInto(xs, 1)), body));
              return List.of(x);
            }));
  }

  @Test
  void sizesAssertedEqualAreOne() {
    var text =
        simplified(
            (b, _) -> {
              b.check(b.compare(CompareOp.EQ, n, m), "sizes", List.of());
              return List.of(b.binary(BinaryOp.SUB, n, m));
            });
    assertTrue(text.contains("in (0i64)"), text);
  }

  @Test
  void transposedTwiceIsNothing() {
    var a = array("a", Prim.F64, n, m);
    var p =
        Simplify.SIMPLIFY.apply(
            main(
                List.of(n, m),
                List.of(a),
                (b, _) -> {
                  var t = b.bind("t", new Rearrange(List.of(1, 0), a));
                  return List.of(b.bind("t", new Rearrange(List.of(1, 0), t)));
                }));
    assertTrue(p.functions().getFirst().body().stms().isEmpty());
  }

  @Test
  void callsAreInlined() {
    var y = scalar("y", Prim.F64);
    var b = new Builder(TestPrograms.HERE);
    var twice =
        new FunDef(
            "twice",
            List.of(y),
            List.of(F64),
            List.of(scalar("r", Prim.F64)),
            b.body(List.of(b.add(y, y))));
    var caller = program((c, _) -> c.bindAll("r", List.of(F64), new Apply("twice", List.of(x))));
    var p = new CoreProgram(List.of(twice, caller.functions().getFirst()), caller.entries());
    Verifier.verify(p, "test");
    var inlined = Simplify.INLINE.apply(p);
    Verifier.verify(inlined, "inline");
    assertEquals(1, inlined.functions().size());
    assertFalse(Printer.print(inlined).contains("apply"));
  }

  @Test
  void mapsOfManyKindsOfScremaStayValid() {
    var p =
        program(
            (b, _) -> {
              var s = new ArrayList<Atom>();
              for (int k = 0; k < 3; k++) {
                s.addAll(
                    b.map(
                        n,
                        List.of(xs, xs),
                        (c, r) -> List.of(r.get(0), c.mul(r.get(0), r.get(1)))));
              }
              return s;
            });
    var q = Simplify.SIMPLIFY.apply(p);
    Verifier.verify(q, "simplify");
    assertEquals(
        1,
        q.functions().getFirst().body().stms().stream()
            .filter(s -> s.exp() instanceof Screma)
            .count());
  }

  @Test
  void largeProgramsAreFast() {
    var p =
        program(
            (b, _) -> {
              Atom sum = x;
              for (int k = 0; k < 50_000; k++) {
                sum = b.binary(k % 2 == 0 ? BinaryOp.ADD : BinaryOp.MUL, sum, k % 3 == 0 ? x : sum);
              }
              return List.of(sum);
            });
    Simplify.SIMPLIFY.apply(p);
    long start = System.nanoTime();
    Simplify.SIMPLIFY.apply(p);
    assertTrue(System.nanoTime() - start < 4_000_000_000L, "slow");
  }

  /** Rows of one array are merged where the function changes none, though the array was changed. */
  @Test
  void anArrayThatWasChangedIsOneInput() {
    var text =
        Printer.print(
            Optimised.verified(
                """
                entry main [n][m] (xs: [n][m]f64) =
                  let ys = loop ys = copy xs for i < n do ys with [i, 0] = f64.sum ys[i]
                  in map2 (\\a b -> f64.sum (map2 (\\x y -> f64.exp x * f64.exp y) a b)) ys ys
                """));
    assertEquals(1, text.split(" = exp ", -1).length - 1, text);
  }
}
