package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Turns a map over rows whose function has a loop into a loop whose body has a map over the rows:
 * {@code map (\x -> loop s = a while p s do f x table[s]) xs}, such as a bisection for each row.
 * The loop carries the states of all rows. In each iteration an exchange brings what the states
 * name. A row whose own loop is over keeps its state.
 */
final class LoopOfMaps {
  private final Labeller labeller;
  private final Spaces spaces;

  LoopOfMaps(Labeller labeller) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
  }

  /** Returns statements in the place of a map over rows, if they can be divided. */
  Optional<List<Stm>> of(Stm stm) {
    return stm.exp() instanceof Screma s && spaces.has(s.width())
        ? turned(stm, s).filter(t -> canDivide(t.step())).map(Turned::stms)
        : Optional.empty();
  }

  /**
   * @param step the map in the loop
   */
  private record Turned(List<Stm> stms, Stm step) {}

  /** Whether exchanges bring all that the function of a row reads. */
  private boolean canDivide(Stm map) {
    var rest = map;
    var reads = new RemoteReads(labeller);
    for (var read = reads.in(rest); read.isPresent(); read = reads.in(rest)) {
      if (!isRowWise(((Screma) read.get().number().exp()).map())) {
        return false;
      }
      rest = read.get().rest();
    }
    return isRowWise(((Screma) rest.exp()).map()) || of(rest).isPresent();
  }

  private boolean isRowWise(Lambda map) {
    return !needsRows(FreeVars.of(map)) && !spaces.asSize(map);
  }

  private boolean needsRows(Set<Var> used) {
    return used.stream()
        .anyMatch(v -> labeller.of(v) instanceof Label.Sharded && !spaces.isOfStretches(v));
  }

  private Optional<Turned> turned(Stm stm, Screma s) {
    if (s.inputs().stream().anyMatch(v -> v.type() instanceof Type.Acc)) {
      return Optional.empty();
    }
    var stms = s.map().body().stms();
    for (int k = 0; k < stms.size(); k++) {
      var inner = stms.get(k);
      if (!needsRows(FreeVars.of(inner))) {
        continue;
      }
      if (inner.exp() instanceof Loop loop) {
        return fits(stm, s, k, loop) ? Optional.of(split(stm, s, k, loop)) : Optional.empty();
      }
      int at = k;
      if (inner.exp() instanceof Screma operator) {
        return turned(inner, operator).flatMap(t -> turned(stm, with(s, at, t.stms())));
      }
      if (inner.exp() instanceof If branch) {
        return outOf(inner, branch, true)
            .or(() -> outOf(inner, branch, false))
            .flatMap(stms1 -> turned(stm, with(s, at, stms1)));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns a branch as a loop between two branches. The loop has no iteration if the branch isn't
   * taken.
   */
  private Optional<List<Stm>> outOf(Stm stm, If branch, boolean taken) {
    var body = taken ? branch.then() : branch.otherwise();
    var stms = body.stms();
    int k = 0;
    while (k < stms.size() && !needsRows(FreeVars.of(stms.get(k)))) {
      k++;
    }
    if (k == stms.size() || !(stms.get(k).exp() instanceof Loop loop)) {
      return Optional.empty();
    }
    var used = FreeVars.of(new Body(stms.subList(k, stms.size()), body.results()));
    var before = Stm.bound(stms.subList(0, k));
    var handed = before.stream().filter(used::contains).toList();
    var given = new ArrayList<Atom>(handed);
    given.addAll(loop.params().stream().map(LoopParam::init).toList());
    if (loop.form() instanceof For(_, var trips)) {
      given.add(trips);
    }
    boolean fits =
        given.stream().allMatch(x -> Collections.disjoint(FreeVars.of(x.type()), before))
            && given.stream().noneMatch(x -> x.type() instanceof Type.Acc);
    if (!fits) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var types = given.stream().map(Atom::type).toList();
    var none = b.inner();
    var nothing = none.body(types.stream().map(none::zero).toList());
    var either = IteratedReads.either(branch, taken, new Body(stms.subList(0, k), given), nothing);
    var results = b.bindAll("given", types, either);
    var own = new HashMap<Var, Atom>();
    for (int i = 0; i < handed.size(); i++) {
      own.put(handed.get(i), results.get(i));
    }
    var params = new ArrayList<LoopParam>();
    for (int i = 0; i < loop.params().size(); i++) {
      params.add(new LoopParam(loop.params().get(i).var(), results.get(handed.size() + i)));
    }
    var form = loop.form() instanceof For(var i, _) ? new For(i, results.getLast()) : loop.form();
    var pattern = stms.get(k).pattern();
    b.bindAll(pattern, new Substitution(own).exp(new Loop(params, form, loop.body())));
    var after = new Body(stms.subList(k + 1, stms.size()), body.results());
    b.bindAll(
        stm.pattern(), IteratedReads.branch(branch, taken, new Substitution(own).body(after)));
    return Optional.of(b.stms());
  }

  private static Screma with(Screma s, int at, List<Stm> inner) {
    var stms = new ArrayList<>(s.map().body().stms());
    stms.remove(at);
    stms.addAll(at, inner);
    var body = new Body(stms, s.map().body().results());
    var map = new Lambda(s.map().params(), body, s.map().returns());
    return new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map);
  }

  /** Whether states have the same shape for all rows, and the loop has few iterations. */
  private boolean fits(Stm stm, Screma s, int k, Loop loop) {
    var sizes = new GrowingSizes(labeller, s);
    boolean few =
        switch (loop.form()) {
          case For(_, var trips) -> !sizes.grows(trips);
          case While _ -> true;
        };
    return few
        && loop.params().stream().map(p -> p.var().type()).allMatch(t -> isShared(t, sizes))
        && handed(s, k).stream().map(Var::type).allMatch(t -> isShared(t, sizes));
  }

  private static boolean isShared(Type type, GrowingSizes sizes) {
    return !(type instanceof Type.Acc) && Collections.disjoint(FreeVars.of(type), sizes.inside());
  }

  /** Returns what is computed before the loop and used by it or after it. */
  private static List<Var> handed(Screma s, int k) {
    var stms = s.map().body().stms();
    var used = FreeVars.of(new Body(stms.subList(k, stms.size()), s.map().body().results()));
    return Stm.bound(stms.subList(0, k)).stream().filter(used::contains).toList();
  }

  private Turned split(Stm stm, Screma s, int k, Loop loop) {
    var b = new Builder(stm.span());
    var body = s.map().body();
    var handed = handed(s, k);
    var starts = loop.params().stream().map(LoopParam::init).toList();
    var first = new ArrayList<Atom>(handed);
    first.addAll(starts);
    var slice = BackwardSlice.withEffects(body.stms().subList(0, k), first).stms();
    var types = first.stream().map(Atom::type).toList();
    var before = new Renaming().lambda(new Lambda(s.map().params(), new Body(slice, first), types));
    var given = b.screma(s.width(), s.inputs(), List.of(), List.of(), before);
    var inputs = new ArrayList<>(s.inputs());
    inputs.addAll(given.subList(0, handed.size()));
    var params = new ArrayList<>(s.map().params());
    params.addAll(handed);
    var states = given.subList(handed.size(), given.size());
    var step = new Stm[1];
    var ends =
        switch (loop.form()) {
          case For form -> counted(b, s.width(), inputs, params, states, loop, form, step);
          case While(var goesOn) ->
              whilst(b, s.width(), inputs, params, states, loop, goesOn, step);
        };
    inputs.addAll(ends);
    params.addAll(body.stms().get(k).pattern());
    var rest = new Body(body.stms().subList(k + 1, body.stms().size()), body.results());
    var last = new Lambda(params, rest, s.map().returns());
    b.with(stm.attrs())
        .bindAll(stm.pattern(), new Screma(s.width(), inputs, s.scans(), s.reduces(), last));
    return new Turned(b.stms(), step[0]);
  }

  /** Emits a loop with as many iterations as the row with the most has. */
  private List<Var> counted(
      Builder b,
      Atom width,
      List<Var> inputs,
      List<Var> params,
      List<Var> states,
      Loop loop,
      For form,
      Stm[] step) {
    int own = params.indexOf(form.bound());
    var trips = own < 0 ? form.bound() : most(b, width, inputs.get(own));
    return b.forLoop(
        trips,
        states,
        (i, acc) ->
            in ->
                step(
                    in,
                    width,
                    inputs,
                    params,
                    acc,
                    loop,
                    step,
                    (row, xs) -> {
                      row.bindAll(List.of(form.i()), new Alias(i));
                      return own < 0
                          ? Atom.bool(true)
                          : row.compare(CompareOp.LT, i, xs.get(acc.size() + own));
                    }));
  }

  private static Atom most(Builder b, Atom width, Var trips) {
    var prim = trips.type().elemPrim();
    var zero = Atom.of(prim, 0);
    var most = new Reduce(b.operator(BinaryOp.MAX, prim), List.of(zero), true);
    var all = List.of(trips);
    var found = b.screma(width, all, List.of(), List.of(most), b.identity(all));
    return found.getFirst();
  }

  /** Emits a loop that goes on as long as that of any row does. */
  private List<Var> whilst(
      Builder b,
      Atom width,
      List<Var> inputs,
      List<Var> params,
      List<Var> states,
      Loop loop,
      Var goesOn,
      Stm[] step) {
    int own = loop.params().stream().map(LoopParam::var).toList().indexOf(goesOn);
    var starts = new ArrayList<Atom>(states);
    starts.add(any(b, width, states.get(own)));
    var carried = starts.stream().map(x -> Names.fresh("acc", x.type())).toList();
    var in = b.inner();
    var acc = carried.subList(0, states.size());
    var next = step(in, width, inputs, params, acc, loop, step, (_, xs) -> xs.get(own));
    var results = new ArrayList<Atom>(next);
    results.add(any(in, width, next.get(own)));
    var loopParams = new ArrayList<LoopParam>();
    for (int i = 0; i < carried.size(); i++) {
      loopParams.add(new LoopParam(carried.get(i), starts.get(i)));
    }
    var types = carried.stream().map(Var::type).toList();
    var turned = new Loop(loopParams, new While(carried.getLast()), in.body(results));
    return b.bindAll("loop", types, turned).subList(0, states.size());
  }

  private static Var any(Builder b, Atom width, Var truths) {
    var or = new Reduce(b.operator(BinaryOp.OR, Prim.BOOL), List.of(Atom.bool(false)), true);
    var all = List.of(truths);
    return b.screma(width, all, List.of(), List.of(or), b.identity(all)).getFirst();
  }

  @FunctionalInterface
  private interface Condition {
    Atom of(Builder row, List<Var> xs);
  }

  /** Emits one iteration of all rows; a row whose loop is over keeps its state. */
  private static List<Var> step(
      Builder b,
      Atom width,
      List<Var> inputs,
      List<Var> params,
      List<Var> states,
      Loop loop,
      Stm[] step,
      Condition goesOn) {
    var all = new ArrayList<>(states);
    all.addAll(inputs);
    var types = states.stream().map(v -> Builder.rowType(v.type())).toList();
    var next =
        b.map(
            width,
            all,
            (row, xs) -> {
              var own = new HashMap<Var, Atom>();
              for (int i = 0; i < states.size(); i++) {
                own.put(loop.params().get(i).var(), xs.get(i));
              }
              for (int i = 0; i < params.size(); i++) {
                own.put(params.get(i), xs.get(states.size() + i));
              }
              var condition = goesOn.of(row, xs);
              var body = new Renaming(own).body(loop.body());
              if (condition.isConst(1)) {
                return row.inline(body);
              }
              return row.ifThenElse(
                  condition, types, c -> c.inline(body), _ -> xs.subList(0, states.size()));
            });
    step[0] = b.stms().getLast();
    return next;
  }
}
