package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reverses a loop with room for only so many values of each parameter: {@code #[checkpoints(c)]},
 * or for only so many bytes ({@link Budget}). The forward sweep keeps nothing but where the loop
 * starts. The return sweep has a stack of at most c checkpoints; for each iteration it executes the
 * loop again from the last checkpoint on, and leaves new ones where that makes the least work: by
 * the binomial schedule (Griewank and Walther's revolve) n iterations with {@code n <= C(c + r, r)}
 * execute the body at most r + 1 times each. The papers do not have this rule: the strip-mining of
 * 001 §4.3 needs memory for {@code n^(1/k)} values to do as well.
 *
 * @param changing the parameters that the body reads and changes, by position
 * @param starts their initial values, which nothing overwrites
 * @param slots how many checkpoints there may be at a time, at least one
 */
record Checkpoints(Loop loop, For form, List<Integer> changing, List<Atom> starts, Atom slots) {

  /** Whether a loop's iterations can simply be executed again. */
  static boolean apply(Loop loop) {
    return FreeVars.of(loop.body()).stream().noneMatch(v -> v.type() instanceof Type.Acc)
        && loop.params().stream().noneMatch(p -> p.var().type() instanceof Type.Acc);
  }

  /** The stack when the return sweep begins: its only checkpoint is where the loop starts. */
  List<LoopParam> stack(Builder b) {
    var params = new ArrayList<LoopParam>();
    params.add(param("used", i64(1)));
    params.add(param("at", b.replicate(List.of(slots), i64(0))));
    for (var x : starts) {
      var type = x.type().under(slots);
      var rows = b.bind("ck", type, new Scratch(type.elemPrim(), type.dims()));
      params.add(param("ck", b.update(rows, List.of(i64(0)), x)));
    }
    return params;
  }

  private static LoopParam param(String name, Atom init) {
    return new LoopParam(Names.fresh(name, init.type()), init);
  }

  /**
   * What is known when the return sweep enters an iteration.
   *
   * @param values the parameters' values at the entry of the iteration
   * @param stack the stack of checkpoints afterwards
   */
  record Entry(Map<Var, Atom> values, List<Atom> stack) {}

  /**
   * Emits code that gets to the entry of an iteration; checkpoints of later iterations are gone.
   */
  Entry entry(Builder b, Atom iteration, List<Var> stack) {
    var top = b.sub(stack.getFirst(), i64(1));
    var init = new ArrayList<Atom>();
    var from = b.index(stack.get(1), top);
    init.add(b.compare(CompareOp.LT, from, iteration));
    init.add(from);
    init.addAll(stack);
    stack.subList(2, stack.size()).forEach(rows -> init.add(Chunks.read(b, rows, top)));
    var params = new ArrayList<LoopParam>();
    init.forEach(x -> params.add(param("so", x)));
    var vars = params.stream().map(LoopParam::var).toList();
    var inner = b.inner();
    var results = advance(inner, iteration, vars);
    var all = b.bindAll("so", new Loop(params, new While(vars.getFirst()), inner.body(results)));
    var values = new HashMap<Var, Atom>();
    int k = changing.size();
    for (int i = 0; i < k; i++) {
      values.put(loop.params().get(changing.get(i)).var(), all.get(4 + k + i));
    }
    return new Entry(values, popped(b, iteration, all.subList(2, 4 + k)));
  }

  /** Returns the stack without the iteration's own checkpoint. */
  private static List<Atom> popped(Builder b, Atom iteration, List<Var> stack) {
    var top = b.sub(stack.getFirst(), i64(1));
    var own = b.compare(CompareOp.EQ, b.index(stack.get(1), top), iteration);
    var result = new ArrayList<Atom>(stack);
    result.set(0, b.choose(own, top, stack.getFirst()));
    return result;
  }

  /** Executes some iterations, and leaves a checkpoint after them where there is room. */
  private List<Atom> advance(Builder b, Atom iteration, List<Var> so) {
    int k = changing.size();
    var from = so.get(1);
    var used = so.get(2);
    var left = b.sub(iteration, from);
    var free = b.sub(slots, used);
    var room = b.compare(CompareOp.LT, i64(0), free);
    var steps =
        b.ifThenElse(
                room, List.of(Type.I64), in -> List.of(split(in, left, free)), _ -> List.of(left))
            .getFirst();
    var state =
        b.forLoop(
            steps,
            so.subList(4 + k, so.size()),
            (j, now) -> in -> executed(in, in.add(from, j), now));
    var to = b.add(from, steps);
    var more = b.compare(CompareOp.LT, to, iteration);
    var stack = so.subList(2, 4 + k);
    var pushed =
        b.ifThenElse(
            b.and(more, room),
            stack.stream().map(Var::type).toList(),
            in -> {
              var next = new ArrayList<Atom>();
              next.add(in.add(used, i64(1)));
              next.add(in.update(stack.get(1), List.of(used), to));
              for (int i = 0; i < k; i++) {
                next.add(in.update(stack.get(2 + i), List.of(used), state.get(i)));
              }
              return next;
            },
            _ -> stack);
    return Lists.concat(List.of(more, to), pushed, state);
  }

  /**
   * Returns how many iterations to execute before the next checkpoint, if {@code left} iterations
   * are before the one that is wanted: with s places, of which the present state has one, r
   * repetitions reverse {@code C(s + r, r)} iterations, and behind the next checkpoint there is one
   * place less.
   */
  private static Atom split(Builder b, Atom left, Atom free) {
    var s = b.add(free, i64(1));
    var l = b.add(left, i64(1));
    var params = new ArrayList<LoopParam>();
    params.add(param("more", b.compare(CompareOp.LT, i64(1), l)));
    params.add(param("most", i64(1)));
    params.add(param("r", i64(0)));
    var vars = params.stream().map(LoopParam::var).toList();
    var inner = b.inner();
    var r = inner.add(vars.get(2), i64(1));
    var product = inner.mul(vars.get(1), inner.add(s, r));
    var most = inner.binary(BinaryOp.QUOT, product, r);
    var results = List.of(inner.compare(CompareOp.LT, most, l), most, r);
    var found =
        b.bindAll("most", new Loop(params, new While(vars.getFirst()), inner.body(results)));
    var less = b.binary(BinaryOp.QUOT, b.mul(found.get(1), s), b.add(s, found.get(2)));
    var steps = b.binary(BinaryOp.MAX, b.sub(l, less), i64(1));
    return b.binary(BinaryOp.MIN, steps, left);
  }

  /** Executes one iteration of the loop. */
  private List<Atom> executed(Builder in, Atom i, List<Var> now) {
    var known = new HashMap<Var, Atom>();
    loop.params().forEach(p -> known.put(p.var(), p.init()));
    for (int q = 0; q < now.size(); q++) {
      known.put(loop.params().get(changing.get(q)).var(), now.get(q));
    }
    known.put(form.i(), in.convert(form.i().type().elemPrim(), i));
    var results = in.inline(new Renaming(known).body(loop.body()));
    return changing.stream().map(results::get).toList();
  }
}
