package dev.kenaz.analysis;

import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.main;
import static dev.kenaz.ir.TestPrograms.size;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** {@link Aliases} and {@link Sharing}. */
final class AliasesTest {
  private final Var n = size("n");
  private final Var xs = array("xs", Prim.I64, n);
  private final Var ys = array("ys", Prim.I64, n);

  /** What is passed on by one parameter of a loop may have come in by another. */
  @Test
  void resultsOfLoopsMayBeWhatOtherParametersStartWith() {
    var b = new Builder(Span.NONE);
    var p = Names.like(xs);
    var q = Names.like(ys);
    var params = List.of(new LoopParam(p, xs), new LoopParam(q, ys));
    var i = Names.fresh("i", Type.I64);
    var body = b.inner().body(List.of(p, p));
    var out = b.bindAll("out", new Loop(params, new For(i, n), body));
    var aliases = Aliases.of(b.stms());
    assertEquals(Set.of(xs), aliases.rootsOf(out.get(0)));
    assertEquals(Set.of(xs, ys), aliases.rootsOf(out.get(1)));
    b.update(out.get(1), List.of(Atom.i64(0)), Atom.i64(7));
    assertTrue(Aliases.of(b.stms()).consumed().containsAll(List.of(xs, ys)));
  }

  @Test
  void whatAnAccumulationPassesOnIsNoNewArray() {
    var b = new Builder(Span.NONE);
    var in = b.addInto(xs, 1);
    var acc = Names.fresh("acc", new Type.Acc(Names.freshTag(), in.space(), List.of(Type.I64)));
    var inner = b.inner();
    var same = inner.bind("same", new Alias(ys));
    var lambda =
        new Lambda(List.of(acc), inner.body(List.of(acc, same)), List.of(acc.type(), ys.type()));
    var out = b.bindAll("out", new WithAcc(List.of(in), lambda));
    var aliases = Aliases.of(b.stms());
    assertTrue(aliases.isMadeHere(out.get(0)));
    assertFalse(aliases.isMadeHere(out.get(1)));
    assertEquals(Set.of(ys), aliases.rootsOf(out.get(1)));
    assertEquals(Set.of(xs), aliases.consumed());
  }

  /** One array of a random program may be overwritten at its end, and another still be read. */
  @Test
  void arraysWithoutCommonRootsShareNoMemory() {
    check((_, aliases) -> (v, w) -> Collections.disjoint(aliases.rootsOf(v), aliases.rootsOf(w)));
  }

  @Test
  void arraysOfDifferentClassesShareNoMemory() {
    check(
        (program, _) -> {
          var sharing = Sharing.of(program);
          return (v, w) -> !sharing.classOf(v).equals(sharing.classOf(w));
        });
  }

  private interface Apart {
    BiPredicate<Var, Var> of(CoreProgram program, Aliases aliases);
  }

  private static void check(Apart apart) {
    int checked = 0;
    for (long seed = 0; seed < 120; seed++) {
      var sample = RandomPrograms.of(seed);
      var f = sample.program().functions().getLast();
      var aliases = Aliases.of(f.body());
      var arrays = new ArrayList<>(f.params());
      f.body().stms().forEach(s -> arrays.addAll(s.pattern()));
      arrays.removeIf(
          v ->
              !v.type().isArray()
                  || aliases.isConsumed(v)
                  || !f.params().containsAll(FreeVars.of(v.type())));
      Collections.shuffle(arrays, new Random(seed));
      var apartHere = apart.of(sample.program(), aliases);
      for (int k = 0; k + 1 < Math.min(arrays.size(), 8); k++) {
        var v = arrays.get(k);
        var w = arrays.get(k + 1);
        if (apartHere.test(v, w)) {
          int sizes = sample.program().entries().getFirst().sizeParams();
          var program =
              main(
                  f.params().subList(0, sizes),
                  f.params().subList(sizes, f.params().size()),
                  (b, _) -> {
                    b.addAll(f.body().stms());
                    var before = b.bind("before", new Copy(w));
                    var dims = v.type().dims();
                    b.update(v, List.of(), b.replicate(dims, Atom.of(v.type().elemPrim(), 1)));
                    return List.of(before, b.bind("after", new Copy(w)));
                  });
          Verifier.verify(program, "seed " + seed);
          checked += unchanged(program, sample) ? 1 : 0;
        }
      }
    }
    assertTrue(checked > 60, checked + " pairs");
  }

  private static boolean unchanged(CoreProgram program, RandomPrograms.Sample sample) {
    try {
      var results = Interpreter.call(program, "main", sample.arguments());
      assertEquals(results.get(0), results.get(1));
      return true;
    } catch (UserError _) {
      return false;
    }
  }
}
