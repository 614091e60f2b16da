package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The steps of one scope, in the making.
 *
 * <p>A statement's <i>level</i> is the number of stages that have to be over before it can run: the
 * highest level of what it uses, and one more for what a stage combines or an exchange moves. Each
 * level has a step of the driver, a stage, exchanges, and then the loops and branches that contain
 * stages. A stage's local program is the backward slice of what it delivers. The slice ends at what
 * the engine has: columns, results of exchanges, and row-wise values that an earlier stage keeps.
 */
final class Schedule {
  private final Labeller labeller;
  private final Spaces spaces;
  private final Pieces pieces;
  private final List<Var> columns;

  /** The schedule of the scope around this one's, or null. */
  private final Schedule outer;

  /**
   * The row-wise statements so far, those of enclosing scopes first. Slices are taken from them.
   */
  private final List<Stm> local;

  /**
   * The variables that stages combine, those of enclosing scopes first. After its stage such a
   * variable is the same everywhere.
   */
  private final Set<Var> combined;

  private final Map<Var, Integer> levels = new HashMap<>();
  private final List<Level> byLevel = new ArrayList<>();

  /** The row-wise values that the engine may have, with the first level at which it has them. */
  private final Map<Var, Integer> stored = new HashMap<>();

  /** Whether row-wise values are kept between stages when computing them again would cost more. */
  private final boolean keeps;

  /** The last level of the outer scope that this one waits for. */
  private int outerLevel;

  /** Of an entry point's body. */
  Schedule(Labeller labeller, Pieces pieces, List<Var> columns, boolean keeps) {
    this.keeps = keeps;
    this.labeller = labeller;
    this.spaces = labeller.spaces();
    this.pieces = pieces;
    this.columns = columns;
    this.outer = null;
    this.local = new ArrayList<>();
    this.combined = new HashSet<>();
  }

  /** Of a scope inside another. */
  Schedule(Schedule outer) {
    this.keeps = outer.keeps;
    this.labeller = outer.labeller;
    this.spaces = outer.spaces;
    this.pieces = outer.pieces;
    this.columns = outer.columns;
    this.outer = outer;
    this.local = new ArrayList<>(outer.local);
    this.combined = new HashSet<>(outer.combined);
    outer.stored.keySet().forEach(v -> stored.put(v, 0));
    if (keeps) {
      keepAround();
    }
  }

  /** Has the scopes around this one keep what it would else compute each time that it runs. */
  private void keepAround() {
    var keeping = new Keeping(labeller, local);
    for (var stm : List.copyOf(local)) {
      var rows = new LinkedHashSet<>(stm.pattern());
      rows.removeIf(v -> !isRows(v, keeping));
      if (keeping.areBetterKept(rows, this::isGiven)) {
        for (var v : rows) {
          var owner = outer.owner(v);
          owner.storeLater(v, owner.levelOf(v));
          stored.put(v, 0);
        }
      }
    }
  }

  /** Whether stages compute the value row by row, and the engine doesn't have it. */
  private boolean isRows(Var v, Keeping keeping) {
    return !isGiven(v) && keeping.canBeKept(v);
  }

  private boolean isGiven(Var v) {
    return combined.contains(v) || stored.containsKey(v);
  }

  Spaces spaces() {
    return spaces;
  }

  Pieces pieces() {
    return pieces;
  }

  private Level level(int n) {
    while (byLevel.size() <= n) {
      byLevel.add(new Level());
    }
    return byLevel.get(n);
  }

  int levelOf(Var v) {
    return levels.getOrDefault(v, 0);
  }

  private int levelOf(Collection<Var> used) {
    return used.stream().mapToInt(this::levelOf).max().orElse(0);
  }

  /** Returns the level at which a stage can run the statement. */
  int stageLevel(Stm stm) {
    return levelOf(spaces.usedInStage(stm));
  }

  /** Returns the level at which the driver can run the statement. */
  int driverLevel(Stm stm) {
    return levelOf(spaces.usedInDriver(stm));
  }

  /** Adds a statement that the driver runs; it is not before the level. */
  int driver(Stm stm, int notBefore) {
    int at = Math.max(notBefore, driverLevel(stm));
    level(at).replicated.add(stm);
    stm.pattern().forEach(v -> levels.put(v, at));
    return at;
  }

  /** Adds a statement that stages run which need it, and binds it at the level. */
  void local(Stm stm, int at) {
    local.add(stm);
    stm.pattern().forEach(v -> levels.put(v, at));
  }

  /** Demands that the stage of the level runs the statement, even if nothing needs its results. */
  void observe(Stm stm, int at) {
    level(at).observed.add(stm);
  }

  /** Adds a value that the stage of the level combines. */
  void combine(Var v, Label.Group group, int position, Span span, int at) {
    level(at).outputs.add(new Level.Output(v, group, position, span));
    if (group.isPlus() && v.type().equals(Type.I64)) {
      spaces.addLarge(v);
    }
    labeller.label(labeller.span(v), v, Label.REPLICATED);
    levels.put(v, at + 1);
    combined.add(v);
  }

  /**
   * Has the pieces of the level's stage run one after the other, and hand on a value.
   *
   * @param state what the driver gives to the first piece, and each piece to the next
   * @param next what a piece hands on; after the stage, what the last one would
   */
  void carry(Var state, Var next, Span span, int at) {
    level(at).states.add(state);
    level(at).last.add(new Level.Output(next, last(next), 0, span));
    labeller.label(span, next, Label.REPLICATED);
    levels.put(next, at + 1);
    combined.add(next);
  }

  private static Label.Group last(Var v) {
    var b = new Builder(Span.NONE);
    var right = b.lambda(List.of(v.type(), v.type()), (_, operands) -> List.of(operands.getLast()));
    return new Label.Group(right, false, "fold");
  }

  /** Whether the value is bound in this scope, rather than in one around it. */
  boolean owns(Var v) {
    return outer == null || levels.containsKey(v);
  }

  Schedule outer() {
    return outer;
  }

  /** Makes this scope wait for a level of the outer one. */
  void waitFor(int outerLevel) {
    this.outerLevel = Math.max(this.outerLevel, outerLevel);
  }

  int outerLevel() {
    return outerLevel;
  }

  /** Has the stage of the level bring all rows of the value to the driver. */
  void gather(Var v, int at) {
    level(at).gathered.put(v, v);
    levels.put(v, at + 1);
  }

  /**
   * Has each piece give a value to the driver.
   *
   * @param own what a piece has
   * @return an array with the values of all pieces, in their order
   */
  Var ofEachPiece(Var own, Span span, int at) {
    var b = new Builder(span);
    var alone = b.bind(own.name(), new Exp.ArrayLit(List.of(own), own.type()));
    b.stms().forEach(s -> local(s, at));
    var all = Names.fresh(own.name(), own.type().under(pieces.pieces()));
    level(at).gathered.put(all, alone);
    levels.put(all, at + 1);
    return all;
  }

  /**
   * Makes the engine have a row-wise value after the stage of its level.
   *
   * @return the level after whose stage an exchange finds it
   */
  int store(Var v) {
    if (!owns(v)) {
      int at = outer.store(v);
      waitFor(at);
      stored.put(v, 0);
      return 0;
    }
    int at = levelOf(v);
    if (!stored.containsKey(v)) {
      level(at).stored.add(v);
      stored.put(v, at + 1);
    }
    return at;
  }

  /** Makes a row-wise value a result that stays in pieces; returns the variable for it. */
  Var keep(Var v) {
    int at = levelOf(v);
    var result = v;
    if (stored.containsKey(v) && stored.get(v) <= at) {
      result = Names.like(v);
      local(new Stm(List.of(result), new Alias(v), labeller.span(v)), at);
      labeller.label(labeller.span(v), result, labeller.of(v));
    }
    level(at).kept.add(result);
    return result;
  }

  /** Makes the engine have a value after its stage, if a later stage wants it. */
  void storeLater(Var v, int at) {
    level(at).stored.add(v);
    stored.put(v, at + 1);
    levels.put(v, at);
  }

  /** Says that stages from this level on can have arrays of the size. */
  void asSizeFrom(Var size, int at) {
    levels.put(size, at);
  }

  /** Returns the scope that binds the value. */
  Schedule owner(Var v) {
    return outer == null || levels.containsKey(v) ? this : outer.owner(v);
  }

  /** Whether the scope that binds a value knows another one, too. */
  boolean isKnown(Var where, Atom other) {
    if (!(other instanceof Var v)) {
      return true;
    }
    var binds = owner(v);
    for (var scope = owner(where); scope != null; scope = scope.outer) {
      if (scope == binds) {
        return true;
      }
    }
    return false;
  }

  /** Makes this scope wait for a value of a scope around it. */
  void waitForOwner(Var v) {
    if (!owns(v)) {
      outer.waitForOwner(v);
      waitFor(outer.levelOf(v));
    }
  }

  /** Says that the engine has the value from this level on, without a stage that keeps it. */
  void given(Var v, int at) {
    stored.put(v, at);
    levels.put(v, at);
  }

  /** Adds an exchange after the stage of the level; what it makes is there at the next one. */
  void exchange(Plan.Exchange exchange, int at) {
    level(at).exchanges.add(exchange);
    exchange.to().forEach(v -> given(v, at + 1));
  }

  /** Says that the driver has the value from this level on, without a step of its own. */
  void bound(Var v, int at) {
    levels.put(v, at);
    combined.add(v);
  }

  /** Adds a loop or a branch after the stage of the level. */
  void nested(Plan.Step step, int at) {
    level(at).nested.add(step);
  }

  /** Returns an operator for a value that is the same in every piece: it takes the left operand. */
  static Label.Group first(Var v) {
    var b = new Builder(Span.NONE);
    var left = b.lambda(List.of(v.type(), v.type()), (_, operands) -> List.of(operands.getFirst()));
    return new Label.Group(left, true, "first");
  }

  /** Returns the steps, which deliver these values to the scope around. */
  List<Plan.Step> steps(List<Atom> results) {
    if (keeps) {
      var keeping = new Keeping(labeller, local);
      new KeptBetweenStages(keeping, byLevel, this::isGiven, v -> owns(v) && isRows(v, keeping))
          .choose(
              local,
              (v, at) -> {
                level(at).stored.add(v);
                stored.put(v, at + 1);
              });
    }
    var used = new HashSet<Var>(FreeVars.of(results));
    var steps = new ArrayList<Plan.Step>();
    for (int i = byLevel.size() - 1; i >= 0; i--) {
      var level = byLevel.get(i);
      var after = new ArrayList<Plan.Step>(level.exchanges);
      after.removeIf(
          e ->
              e instanceof Plan.Exchange x
                  && Collections.disjoint(used, x.to())
                  && Collections.disjoint(used, x.binds()));
      after.addAll(level.nested);
      after.forEach(s -> used.addAll(StepUses.of(s)));
      var stage = stage(i, level, used);
      stage.ifPresent(s -> used.addAll(StepUses.of(s)));
      stage.ifPresent(after::addFirst);
      var compute = compute(level.replicated, used);
      used.addAll(compute.function().params());
      if (!compute.function().body().stms().isEmpty()) {
        after.addFirst(compute);
      }
      steps.addAll(0, after);
    }
    return steps;
  }

  private boolean isGiven(Var v, int at) {
    return combined.contains(v) || stored.getOrDefault(v, Integer.MAX_VALUE) <= at;
  }

  /** Returns the stage of a level, if it does anything that is used after it. */
  private Optional<Plan.Stage> stage(int at, Level level, Set<Var> used) {
    var kept = List.copyOf(level.kept);
    var later = level.stored.stream().filter(used::contains).toList();
    var gathered = new LinkedHashMap<>(level.gathered);
    gathered.keySet().retainAll(used);
    var outputs = new ArrayList<>(level.last);
    outputs.addAll(used(level.outputs, used));
    boolean nothing = outputs.isEmpty() && kept.isEmpty() && gathered.isEmpty();
    if (nothing && later.isEmpty()) {
      if (level.observed.isEmpty()) {
        return Optional.empty();
      }
      outputs.add(done());
    }
    var given = new HashSet<Var>();
    stored.forEach(
        (v, from) -> {
          if (from <= at) {
            given.add(v);
          }
        });
    for (var s : spaces.all()) {
      if (levelOf(s.total()) <= at) {
        given.add(s.rows());
      }
    }
    var replicated = byLevel.stream().flatMap(l -> l.replicated.stream()).toList();
    return Optional.of(
        new StageBuilder(labeller, pieces, columns, combined, given, level.observed)
            .build(local, replicated, outputs, kept, gathered, later, level.states));
  }

  /** Returns the outputs of those operators some of whose results are used. */
  private static List<Level.Output> used(List<Level.Output> outputs, Set<Var> used) {
    var groups = new HashSet<Label.Group>();
    outputs.stream().filter(o -> used.contains(o.var())).forEach(o -> groups.add(o.group()));
    return outputs.stream().filter(o -> groups.contains(o.group())).toList();
  }

  /** Returns the output of a stage that only checks something. */
  private Level.Output done() {
    var done = Names.fresh("done", Type.BOOL);
    local.add(new Stm(List.of(done), new Alias(Atom.bool(true)), Span.NONE));
    return new Level.Output(done, first(done), 0, Span.NONE);
  }

  private static Plan.Compute compute(List<Stm> stms, Set<Var> used) {
    var bound = new LinkedHashSet<Var>();
    stms.forEach(s -> bound.addAll(s.pattern()));
    var outputs = StepFunctions.sizesFirst(withSizes(bound, used));
    var needed = BackwardSlice.withEffects(stms, outputs).stms();
    var body = new KeptInputs(outputs).body(new Body(needed, List.<Atom>copyOf(outputs)));
    return new Plan.Compute(StepFunctions.of("compute", body), outputs);
  }

  /** Returns those of the bound variables that are used, and the sizes in their types. */
  private static Set<Var> withSizes(Set<Var> bound, Set<Var> used) {
    var outputs = new LinkedHashSet<Var>();
    for (var v : bound) {
      if (used.contains(v)) {
        FreeVars.of(v.type()).stream().filter(bound::contains).forEach(outputs::add);
        outputs.add(v);
      }
    }
    return outputs;
  }
}
