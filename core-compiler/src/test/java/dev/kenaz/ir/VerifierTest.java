package dev.kenaz.ir;

import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.main;
import static dev.kenaz.ir.TestPrograms.scalar;
import static dev.kenaz.ir.TestPrograms.size;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.Exp.*;
import dev.kenaz.testing.Blame;
import dev.kenaz.value.Prim;
import java.util.List;
import org.junit.jupiter.api.Test;

final class VerifierTest {
  private static void rejects(CoreProgram program, String message) {
    var blame = Blame.of("some pass", () -> Verifier.verify(program, "some pass"));
    assertTrue(blame.contains(message), blame);
  }

  private static final Atom ONE = Atom.of(Prim.I32, 1);

  @Test
  void scope() {
    var x = scalar("x", Prim.I32);
    rejects(main(List.of(), List.of(), (_, _) -> List.of(x)), "is not bound");
    var inner = scalar("y", Prim.I32);
    rejects(
        main(
            List.of(),
            List.of(x),
            (b, _) -> {
              b.ifThenElse(
                  Atom.bool(true),
                  List.of(x.type()),
                  c -> c.bindAll(List.of(inner), new Alias(x)),
                  _ -> List.of(x));
              return List.of(inner);
            }),
        "out of its scope");
  }

  @Test
  void bindingTwice() {
    var x = scalar("x", Prim.I32);
    rejects(
        main(List.of(), List.of(x), (b, _) -> b.bindAll(List.of(x), new Alias(ONE))),
        "bound twice");
  }

  @Test
  void types() {
    var x = scalar("x", Prim.I32);
    rejects(
        main(List.of(), List.of(x), (_, _) -> List.of(x.withType(Type.I64))), "but used as i64");
  }

  @Test
  void updateConsumes() {
    var n = size("n");
    var xs = array("xs", Prim.I32, n);
    rejects(
        main(
            List.of(n),
            List.of(xs),
            (b, _) -> List.of(b.update(xs, List.of(Atom.i64(0)), ONE), xs)),
        "after it was consumed");
    rejects(
        main(
            List.of(n),
            List.of(xs),
            (b, _) -> {
              var alias = b.bind("a", new Alias(xs));
              return List.of(b.update(xs, List.of(Atom.i64(0)), ONE), alias);
            }),
        "after it was consumed");
    assertDoesNotThrow(
        () ->
            Verifier.verify(
                main(
                    List.of(n),
                    List.of(xs),
                    (b, _) -> {
                      var copy = b.bind("a", new Copy(xs));
                      return List.of(b.update(xs, List.of(Atom.i64(0)), ONE), copy);
                    }),
                "test"));
  }

  @Test
  void lambdasConsumeOnlyTheirOwn() {
    var n = size("n");
    var xs = array("xs", Prim.I32, n);
    rejects(
        main(
            List.of(n),
            List.of(xs),
            (b, _) ->
                b.map(
                    n,
                    List.of(b.iota(n)),
                    (c, i) -> List.of(c.update(xs, List.of(i.getFirst()), ONE)))),
        "is consumed inside");
    rejects(
        main(
            List.of(n),
            List.of(xs),
            (b, _) ->
                b.forLoop(
                    n,
                    List.of(ONE),
                    (i, acc) ->
                        c -> {
                          c.update(xs, List.of(i), ONE);
                          return acc;
                        })),
        "is consumed inside");
  }

  @Test
  void accumulatorsAreLinear() {
    var xs = array("xs", Prim.F64, Atom.i64(3));
    rejects(
        main(
            List.of(),
            List.of(xs),
            (b, _) -> {
              var type =
                  new Type.Acc(Names.freshTag(), xs.type().dims(), List.of(Type.scalar(Prim.F64)));
              var one = List.<Atom>of(Atom.of(Prim.F64, 1));
              var body =
                  b.lambda(
                      List.of(type),
                      (c, acc) -> {
                        c.bind("a", new UpdateAcc(acc.getFirst(), List.of(Atom.i64(0)), one));
                        return List.of(
                            c.bind("a", new UpdateAcc(acc.getFirst(), List.of(Atom.i64(1)), one)));
                      });
              return b.bindAll("w", new WithAcc(List.of(b.addInto(xs, 1)), body));
            }),
        "after it was consumed");
  }
}
