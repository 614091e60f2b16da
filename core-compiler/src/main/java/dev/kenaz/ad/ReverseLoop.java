package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Differentiates loops (001 §4.2, 004 REVFORLOOP). The forward sweep is the loop, which also saves
 * its parameters at the entry of every iteration. The return sweep is a loop over the iterations in
 * reverse: it takes the parameters from there, executes the body again and then its return sweep,
 * which turns the adjoints of the parameters after the iteration into those before it; carried are
 * the adjoints of the parameters and of the free variables, to which every iteration adds.
 *
 * <p>Where we differ: only parameters that the body reads and changes are saved, and of arrays that
 * are updated in place only what is overwritten ({@link UndoLog}); results of contractions are
 * saved too ({@link SavedSums}); only parameters that a wanted result depends on have adjoints; a
 * free variable's adjoint is carried only if the body adds to it. A while loop becomes a for loop
 * whose length an inspector counts first (001 §6.2).
 */
final class ReverseLoop {
  private ReverseLoop() {}

  static Reverse.Return forward(Reverse r, Builder b, Stm stm, Stm primal) {
    var loop = (Loop) stm.exp();
    var plain = (Loop) primal.exp();
    var other = VaryingShapes.fixed(b, stm, loop).or(() -> LoopAttributes.apply(b, stm, loop));
    if (other.isPresent()) {
      return r.forward(b, other.get());
    }
    if (countsNested(r, stm)) {
      var counted = Counters.apply(r, b, stm, loop);
      if (counted.isPresent()) {
        return r.forward(b, counted.get());
      }
    }
    For form =
        switch (loop.form()) {
          case For f -> f;
          case While _ -> new For(Names.fresh("i", Type.I64), Inspector.count(b, plain));
        };
    var slots = LoopAttributes.checkpoints(stm);
    if (slots.isPresent() && Checkpoints.apply(loop)) {
      var tape = LoopTape.of(again(b, loop, form, i64(slots.get())));
      r.plain(b, primal);
      return s -> new LoopReturn(r, s, stm, loop, form, tape).emit();
    }
    var n = length(b, form.bound());
    if (Budget.apply(r, loop) && !r.again().isInside(stm)) {
      return withinBudget(r, b, stm, plain, form, n);
    }
    var taped = LoopTape.taped(r, b, b, stm, plain, form, n);
    r.plain(b, stm.with(taped.pattern(), taped.loop()));
    Budget.take(r, b, stm.pattern(), taped.pattern(), n);
    return s -> new LoopReturn(r, s, stm, loop, form, taped.tape()).emit();
  }

  /**
   * Whether loops within get counters; under a bound on memory, a loop keeps one row for each
   * iteration or nothing.
   */
  private static boolean countsNested(Reverse r, Stm stm) {
    return !r.options.generalOnly()
        && r.options.budget().isEmpty()
        && LoopAttributes.checkpoints(stm).isEmpty()
        && !r.again().isInside(stm);
  }

  /** Keeps all if there is room for that, and else as many checkpoints as there is room for. */
  private static Reverse.Return withinBudget(
      Reverse r, Builder b, Stm stm, Loop plain, For form, Atom n) {
    var loop = (Loop) stm.exp();
    var states = changing(loop).stream().map(k -> loop.params().get(k).var()).toList();
    var slots = Budget.slots(r, b, states);
    var checkpoints = LoopTape.of(again(b, loop, form, slots));
    // the loop keeps as many iterations as there are, or none
    var m = Names.fresh("m", Type.I64);
    var inner = b.inner();
    var taped = LoopTape.taped(r, b, inner, stm, plain, form, m);
    var each = Budget.each(b, stm.pattern(), taped.pattern());
    var fits = Budget.fits(r, b, each, n, m);
    Budget.emit(b, stm, plain, fits, inner, taped.pattern(), taped.loop());
    Budget.take(r, b, fits, b.mul(each, n), b.mul(Budget.bytes(b, states, 0), slots));
    return s ->
        Budget.sweep(
            r,
            s,
            stm,
            fits,
            then -> new LoopReturn(r, then, stm, loop, form, taped.tape()).emit(),
            otherwise -> new LoopReturn(r, otherwise, stm, loop, form, checkpoints).emit());
  }

  /** Returns the checkpoints of a loop that keeps nothing except where it starts. */
  private static Optional<Checkpoints> again(Builder b, Loop loop, For form, Atom slots) {
    var changing = changing(loop);
    var starts = new ArrayList<Atom>();
    for (int k : changing) {
      var init = loop.params().get(k).init();
      boolean array = init instanceof Var v && v.type().isArray();
      starts.add(array ? b.bind("start", new Copy((Var) init)) : init);
    }
    return Optional.of(new Checkpoints(loop, form, changing, starts, slots));
  }

  /** Emits the number of iterations, as an i64 that isn't negative. */
  static Atom length(Builder b, Atom bound) {
    var n = b.convert(Prim.I64, bound);
    if (n instanceof Const c) {
      return i64(Math.max(0, c.value().asLong()));
    }
    return b.binary(BinaryOp.MAX, n, i64(0));
  }

  /** Returns the parameters that the body reads and changes, by position. */
  static List<Integer> changing(Loop loop) {
    var read = new HashSet<Var>();
    loop.body().stms().forEach(t -> read.addAll(FreeVars.of(t)));
    var result = new ArrayList<Integer>();
    for (int i = 0; i < loop.params().size(); i++) {
      var p = loop.params().get(i).var();
      boolean changes = !Recompute.origin(loop.body(), loop.body().results().get(i)).equals(p);
      if (read.contains(p) && changes && !(p.type() instanceof Type.Acc)) {
        result.add(i);
      }
    }
    return result;
  }
}
