package dev.kenaz.distribute;

import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Filter;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Cuts loops and branches whose bodies need stages of their own. The driver decides about
 * iterations and branches. What a scope hands on is with the driver if it is replicated, and with
 * the engine if it has rows.
 */
final class NestedScopes {
  private final Cutter cutter;
  private final Labeller labeller;
  private final Spaces spaces;
  private final Schedule schedule;
  private final Stm stm;

  /** The numbers of rows that the scope hands on, each with what it is at first. */
  private final Map<Var, Atom> sizes = new HashMap<>();

  NestedScopes(Cutter cutter, Stm stm) {
    this.cutter = cutter;
    this.labeller = cutter.labeller();
    this.spaces = labeller.spaces();
    this.schedule = cutter.schedule();
    this.stm = stm;
  }

  void repeat(Loop given) {
    var loop = fromRows(given);
    var inner = cutter.inner();
    var params = new ArrayList<LoopParam>();
    int at = schedule.driverLevel(stm);
    for (int i = 0; i < loop.params().size(); i++) {
      var p = loop.params().get(i);
      if (isSizeOf(p.var(), loop.params().stream().map(LoopParam::var).toList())
          && spaces.has(p.init())) {
        at = Math.max(at, carried(inner, p, params));
      }
    }
    for (var p : loop.params()) {
      boolean rows = hasRows(p.var());
      checkHandedOn(p.init(), rows, "a loop's " + p.var().name());
      label(p.var(), rows);
      if (rows) {
        checkCut(p.var(), (Var) p.init(), sizes);
        at = Math.max(at, schedule.store((Var) p.init()));
        inner.schedule().given(p.var(), 0);
      } else {
        params.add(p);
      }
    }
    inner.placeAll(loop.body().stms());
    var rows = new ArrayList<Plan.CarriedRows>();
    var outputs = new ArrayList<Var>();
    var results = new ArrayList<Atom>();
    var handed = new ArrayList<Atom>(loop.body().results());
    var next = new HashMap<Var, Atom>();
    for (int i = 0; i < loop.params().size(); i++) {
      var size = loop.params().get(i).var();
      if (sizes.containsKey(size)) {
        next.put(size, loop.body().results().get(i));
        cutOf(next.get(size), results, handed);
        made(stm.pattern().get(i), outputs);
      }
    }
    for (int i = 0; i < loop.params().size(); i++) {
      var p = loop.params().get(i);
      var output = stm.pattern().get(i);
      var result = handedOn(inner, loop.body().results().get(i), hasRows(p.var()), p.var().name());
      if (hasRows(p.var())) {
        checkCut(p.var(), (Var) result, next);
        rows.add(new Plan.CarriedRows(p.var(), (Var) p.init(), (Var) result, output));
      } else {
        results.add(result);
        outputs.add(output);
      }
    }
    var steps = finished(inner, handed);
    int from = Math.max(at, inner.schedule().outerLevel());
    schedule.nested(
        new Plan.Repeat(params, loop.form(), steps, results, outputs, rows, stm.span()), from);
    outputs.forEach(v -> schedule.bound(v, from + 1));
    stm.pattern().forEach(v -> bound(v, from + 1));
  }

  /**
   * Returns the loop with arrays that are cut at first, where it starts from arrays that are the
   * same everywhere and hands on others whose number of rows those of a dataset decide.
   */
  private Loop fromRows(Loop loop) {
    var params = loop.params().stream().map(LoopParam::var).toList();
    var first = new ArrayList<Atom>(loop.params().stream().map(LoopParam::init).toList());
    var cut = new HashSet<Var>();
    boolean more = true;
    while (more) {
      more = false;
      for (int i = 0; i < params.size(); i++) {
        var size = params.get(i);
        if (!cut.contains(size) && isSizeOf(size, params)) {
          boolean isCut = spaces.has(first.get(i));
          if (isCut || rowsDecide(loop.body(), loop.body().results().get(i), cut)) {
            if (!isCut) {
              spread(cutter, i, params, first);
            }
            cut.add(size);
            more = true;
          }
        }
      }
    }
    var started = new ArrayList<LoopParam>();
    for (int i = 0; i < params.size(); i++) {
      started.add(new LoopParam(params.get(i), first.get(i)));
    }
    return new Loop(started, loop.form(), loop.body());
  }

  /** Whether a number of rows depends on what is cut. */
  private boolean rowsDecide(Body body, Atom size, Set<Var> cut) {
    var needed = new HashSet<Atom>(Set.of(size));
    for (var s : body.stms().reversed()) {
      if (s.pattern().stream().anyMatch(needed::contains)) {
        // A filter of a short list leaves a short list, whatever its function reads.
        needed.addAll(s.exp() instanceof Filter f ? Set.of(f.width()) : FreeVars.of(s));
      }
    }
    return needed.stream()
        .anyMatch(v -> cut.contains(v) || spaces.has(v) || labeller.of(v) instanceof Label.Sharded);
  }

  /** Whether arrays among the variables have that many rows. */
  private static boolean isSizeOf(Var size, List<Var> arrays) {
    return size.type().equals(Type.I64)
        && arrays.stream().anyMatch(v -> RowsUse.sizesOf(v.type()).contains(size));
  }

  /**
   * Has a loop carry a number of rows, and how these are cut. What has so many rows may have others
   * in each iteration.
   *
   * @return the level at which the driver knows how they are cut at first
   */
  private int carried(Cutter inner, LoopParam size, List<LoopParam> params) {
    var first = spaces.of(size.init());
    var space = Space.of(size.var(), schedule.pieces().bounds());
    spaces.addIndependent(space);
    sizes.put(size.var(), size.init());
    params.add(new LoopParam(space.total(), first.total()));
    params.add(new LoopParam(space.cut(), first.cut()));
    for (var v : List.of(space.rows(), space.total(), space.cut())) {
      inner.schedule().bound(v, 0);
    }
    schedule.waitForOwner(first.cut());
    return Math.max(schedule.levelOf(first.total()), schedule.levelOf(first.cut()));
  }

  /** Hands on how the rows of a number are cut. */
  private void cutOf(Atom size, List<Atom> results, List<Atom> handed) {
    if (!spaces.has(size)) {
      throw Undistributable.at(
          stm.span(),
          "a loop or branch hands on arrays of different numbers of rows, some of which aren't"
              + " divided",
          "carry arrays that are computed from the dataset's rows");
    }
    var space = spaces.of(size);
    for (var v : List.of(space.total(), space.cut())) {
      results.add(v);
      handed.add(v);
    }
  }

  /** Makes the space of a number of rows that a loop or branch gives. */
  private void made(Var rows, List<Var> outputs) {
    var space = Space.of(rows, schedule.pieces().bounds());
    spaces.addIndependent(space);
    outputs.add(space.total());
    outputs.add(space.cut());
  }

  /** Checks that an array is cut as the number of rows says that is handed on with it. */
  private void checkCut(Var v, Var given, Map<Var, Atom> numbers) {
    int dim = spaces.dimOf(v.type());
    if (RowsUse.sizesOf(v.type()).get(dim) instanceof Var size
        && numbers.containsKey(size)
        && !RowsUse.sizesOf(given.type()).get(dim).equals(numbers.get(size))) {
      throw Undistributable.at(
          stm.span(),
          labeller.words().of(given) + " is cut in another way than what is handed on with it",
          "compute both from the same rows");
    }
  }

  void choose(If branch) {
    labeller.everywhere(stm.span(), "the condition of a branch", List.of(branch.condition()));
    var then = cutter.inner();
    var otherwise = cutter.inner();
    then.placeAll(branch.then().stms());
    otherwise.placeAll(branch.otherwise().stms());
    var outputs = new ArrayList<Var>();
    var thenResults = new ArrayList<>(branch.then().results());
    var elseResults = new ArrayList<>(branch.otherwise().results());
    for (int i = 0; i < stm.pattern().size(); i++) {
      if (isSizeOf(stm.pattern().get(i), stm.pattern())) {
        boolean here = spaces.has(thenResults.get(i));
        boolean there = spaces.has(elseResults.get(i));
        if (here && !there) {
          spread(otherwise, i, stm.pattern(), elseResults);
        } else if (there && !here) {
          spread(then, i, stm.pattern(), thenResults);
        } else if (!here) {
          continue;
        }
        sizes.put(stm.pattern().get(i), stm.pattern().get(i));
        made(stm.pattern().get(i), outputs);
      }
    }
    var one = branch(then, thenResults);
    var two = branch(otherwise, elseResults);
    int from =
        Math.max(
            schedule.driverLevel(stm),
            Math.max(then.schedule().outerLevel(), otherwise.schedule().outerLevel()));
    stm.pattern().stream().filter(v -> !hasRows(v)).forEach(outputs::add);
    var rows = stm.pattern().stream().filter(this::hasRows).toList();
    schedule.nested(new Plan.Choose(branch.condition(), one, two, outputs, rows, stm.span()), from);
    outputs.forEach(v -> schedule.bound(v, from + 1));
    stm.pattern().forEach(v -> bound(v, from + 1));
  }

  /**
   * Has a scope hand on arrays that are cut, in the place of those of that number of rows which are
   * the same everywhere.
   */
  private void spread(Cutter inner, int number, List<Var> like, List<Atom> given) {
    var b = new Builder(stm.span());
    var rows = b.bind("rows", new Alias(given.get(number)));
    spaces.addLarge(rows);
    given.set(number, rows);
    for (int i = 0; i < given.size(); i++) {
      int dim = RowsUse.sizesOf(like.get(i).type()).indexOf(like.get(number));
      if (dim >= 0) {
        given.set(i, RowRewrites.spread(b, (Var) given.get(i), dim, rows));
      }
    }
    inner.placeAll(b.stms());
  }

  private Plan.Branch branch(Cutter inner, List<Atom> given) {
    var results = new ArrayList<Atom>();
    var handed = new ArrayList<>(given);
    var numbers = new HashMap<Var, Atom>();
    for (int i = 0; i < given.size(); i++) {
      var v = stm.pattern().get(i);
      if (sizes.containsKey(v)) {
        numbers.put(v, given.get(i));
        cutOf(given.get(i), results, handed);
      }
    }
    var rows = new ArrayList<Var>();
    for (int i = 0; i < given.size(); i++) {
      var v = stm.pattern().get(i);
      var result = handedOn(inner, given.get(i), hasRows(v), v.name());
      if (hasRows(v)) {
        checkCut(v, (Var) result, numbers);
        rows.add((Var) result);
      } else {
        results.add(result);
      }
    }
    return new Plan.Branch(finished(inner, handed), results, rows);
  }

  private List<Plan.Step> finished(Cutter inner, List<Atom> results) {
    var steps = inner.schedule().steps(results);
    if (!inner.gathered().isEmpty() && steps.stream().noneMatch(NestedScopes::hasStage)) {
      throw new Limitation(inner.gathered().getFirst().why());
    }
    cutter.gatheredBy(inner);
    return steps;
  }

  private static boolean hasStage(Plan.Step step) {
    return switch (step) {
      case Plan.Compute _ -> false;
      case Plan.Stage _, Plan.Exchange _ -> true;
      case Plan.Repeat r -> r.body().stream().anyMatch(NestedScopes::hasStage);
      case Plan.Choose c ->
          c.then().steps().stream().anyMatch(NestedScopes::hasStage)
              || c.otherwise().steps().stream().anyMatch(NestedScopes::hasStage);
    };
  }

  private boolean hasRows(Var v) {
    return spaces.inType(v.type());
  }

  private void label(Var v, boolean rows) {
    labeller.label(
        stm.span(),
        v,
        rows ? new Label.Sharded(Math.max(0, spaces.dimOf(v.type()))) : Label.REPLICATED);
  }

  private void bound(Var v, int at) {
    boolean rows = hasRows(v);
    label(v, rows);
    if (rows) {
      schedule.given(v, at);
    } else {
      schedule.bound(v, at);
    }
  }

  /** Returns what a scope hands on; if it has rows, the engine has it at the end of the scope. */
  private Atom handedOn(Cutter inner, Atom result, boolean rows, String name) {
    checkHandedOn(result, rows, "the next " + name);
    if (rows) {
      inner.schedule().store((Var) result);
    }
    return result;
  }

  private void checkHandedOn(Atom x, boolean rows, String what) {
    boolean fits =
        rows
            ? labeller.of(x) instanceof Label.Sharded(var dim) && dim == spaces.dimOf(x.type())
            : labeller.of(x) == Label.REPLICATED;
    if (!fits) {
      throw Undistributable.at(
          stm.span(),
          what + " is spread over the pieces in another way than its type says",
          "carry values with the dataset's rows, or values that don't depend on them");
    }
  }
}
