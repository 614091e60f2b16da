package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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

  /** The values of this scope that would cost more to compute again, in the program's order. */
  private final Set<Var> costly = new LinkedHashSet<>();

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
    for (var scope = outer; scope != null; scope = scope.outer) {
      for (var v : scope.costly) {
        scope.storeLater(v, scope.levelOf(v));
        stored.put(v, 0);
      }
    }
  }

  /** What happens at one level. */
  private static final class Level {
    final List<Stm> replicated = new ArrayList<>();
    final List<Output> outputs = new ArrayList<>();

    /** Results that stay in pieces. */
    final Set<Var> kept = new LinkedHashSet<>();

    /** What the stage stores for later steps, if any of them reads it. */
    final Set<Var> stored = new LinkedHashSet<>();

    final Set<Var> gathered = new LinkedHashSet<>();

    /** What one piece hands to the next, and the last results of which the driver gets. */
    final List<Var> states = new ArrayList<>();

    final List<Output> last = new ArrayList<>();

    /** Statements that may fail, by identity: they run even if nothing needs them. */
    final Set<Stm> observed = Collections.newSetFromMap(new IdentityHashMap<>());

    final List<Plan.Exchange> exchanges = new ArrayList<>();

    /** Loops and branches, with stages in them. */
    final List<Plan.Step> nested = new ArrayList<>();
  }

  /** A value that the pieces contribute to, and where the program computes it. */
  record Output(Var var, Label.Group group, int position, Span span) {}

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

  /** Says that a row-wise value is better kept than computed again. */
  void costly(Var v) {
    if (keeps) {
      costly.add(v);
    }
  }

  /** Demands that the stage of the level runs the statement, even if nothing needs its results. */
  void observe(Stm stm, int at) {
    level(at).observed.add(stm);
  }

  /** Adds a value that the stage of the level combines. */
  void combine(Var v, Label.Group group, int position, Span span, int at) {
    level(at).outputs.add(new Output(v, group, position, span));
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
    level(at).last.add(new Output(next, last(next), 0, span));
    labeller.label(span, next, Label.REPLICATED);
    levels.put(next, at + 1);
    combined.add(next);
  }

  private static Label.Group last(Var v) {
    var b = new dev.kenaz.ir.Builder(Span.NONE);
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
    level(at).gathered.add(v);
    levels.put(v, at + 1);
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
    var b = new dev.kenaz.ir.Builder(Span.NONE);
    var left = b.lambda(List.of(v.type(), v.type()), (_, operands) -> List.of(operands.getFirst()));
    return new Label.Group(left, true, "first");
  }

  /** Returns the steps, which deliver these values to the scope around. */
  List<Plan.Step> steps(List<Atom> results) {
    int n = byLevel.size();
    keepCostly();
    var stages = new Plan.Stage[n];
    var driver = usedByDriver(results);
    var read = new HashSet<Var>(FreeVars.of(results));
    for (int i = n - 1; i >= 0; i--) {
      var level = byLevel.get(i);
      level.exchanges.removeIf(e -> java.util.Collections.disjoint(read, e.to()));
      level.nested.forEach(s -> read.addAll(Uses.of(s)));
      level.exchanges.forEach(e -> read.addAll(e.reads()));
      stages[i] = stage(i, level, driver, read);
      if (stages[i] != null) {
        read.addAll(stages[i].reads());
      }
    }
    var used = new HashSet<Var>(FreeVars.of(results));
    for (int i = 0; i < n; i++) {
      if (stages[i] != null) {
        used.addAll(Uses.of(stages[i]));
      }
      byLevel.get(i).exchanges.forEach(e -> used.addAll(Uses.of(e)));
      byLevel.get(i).nested.forEach(r -> used.addAll(Uses.of(r)));
    }
    var computes = new ArrayList<Plan.Compute>();
    for (var level : byLevel.reversed()) {
      var compute = compute(level.replicated, used);
      used.addAll(compute.function().params());
      computes.addFirst(compute);
    }
    var steps = new ArrayList<Plan.Step>();
    for (int i = 0; i < n; i++) {
      if (!computes.get(i).function().body().stms().isEmpty()) {
        steps.add(computes.get(i));
      }
      if (stages[i] != null) {
        steps.add(stages[i]);
      }
      steps.addAll(byLevel.get(i).exchanges);
      steps.addAll(byLevel.get(i).nested);
    }
    return steps;
  }

  /** Stores what several stages would compute, by the first of them. */
  private void keepCostly() {
    var definitions = new HashMap<Var, Stm>();
    local.forEach(s -> s.pattern().forEach(v -> definitions.put(v, s)));
    var free = new IdentityHashMap<Stm, Set<Var>>();
    for (var v : List.copyOf(costly).reversed()) {
      if (stored.containsKey(v)) {
        continue;
      }
      int first = -1;
      for (int i = 0; i < byLevel.size(); i++) {
        if (needed(i, definitions, free).contains(v)) {
          if (first >= 0) {
            level(first).stored.add(v);
            stored.put(v, first + 1);
            break;
          }
          first = i;
        }
      }
    }
  }

  /** Returns what the stage of the level computes. */
  private Set<Var> needed(int at, Map<Var, Stm> definitions, Map<Stm, Set<Var>> free) {
    var level = byLevel.get(at);
    var work = new ArrayDeque<Var>();
    level.outputs.forEach(o -> work.add(o.var()));
    level.last.forEach(o -> work.add(o.var()));
    work.addAll(level.kept);
    work.addAll(level.gathered);
    level.exchanges.forEach(e -> work.addAll(e.reads()));
    var results = Set.copyOf(work);
    var needed = new HashSet<Var>();
    while (!work.isEmpty()) {
      var v = work.remove();
      boolean given = combined.contains(v) || stored.getOrDefault(v, Integer.MAX_VALUE) <= at;
      if (given && !results.contains(v) || !definitions.containsKey(v) || !needed.add(v)) {
        continue;
      }
      work.addAll(free.computeIfAbsent(definitions.get(v), FreeVars::of));
    }
    return needed;
  }

  /** Returns what the driver's own steps and the scopes after this one use. */
  private Set<Var> usedByDriver(List<Atom> results) {
    var used = new HashSet<Var>(FreeVars.of(results));
    for (var level : byLevel) {
      level.replicated.forEach(s -> used.addAll(FreeVars.of(s)));
      level.nested.forEach(r -> used.addAll(Uses.of(r)));
      level.exchanges.forEach(r -> used.addAll(Uses.of(r)));
    }
    return used;
  }

  private Plan.Stage stage(int at, Level level, Set<Var> driver, Set<Var> read) {
    var kept = List.copyOf(level.kept);
    var later = level.stored.stream().filter(read::contains).toList();
    var gathered = level.gathered.stream().filter(driver::contains).toList();
    level.outputs.addAll(0, level.last);
    boolean nothing = level.outputs.isEmpty() && kept.isEmpty() && gathered.isEmpty();
    if (nothing && later.isEmpty()) {
      if (level.observed.isEmpty()) {
        return null;
      }
      level.outputs.add(done());
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
    return new StageBuilder(labeller, pieces, columns, combined, given, level.observed)
        .build(local, replicated, level.outputs, kept, gathered, later, level.states);
  }

  /** Returns the output of a stage that only checks something. */
  private Output done() {
    var done = Names.fresh("done", Type.BOOL);
    local.add(new Stm(List.of(done), new Alias(Atom.bool(true)), Span.NONE));
    return new Output(done, first(done), 0, Span.NONE);
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

  /** Collects the variables that must be bound before a step, and what it takes of the engine. */
  static final class Uses {
    private Uses() {}

    static Set<Var> of(Plan.Step step) {
      var used = new LinkedHashSet<Var>();
      switch (step) {
        case Plan.Compute c -> used.addAll(c.function().params());
        case Plan.Stage s -> {
          used.addAll(s.broadcast());
          used.addAll(s.combineWith());
          used.addAll(s.reads());
          s.spaces().forEach(x -> used.add(x.cut()));
        }
        case Plan.Exchange e -> {
          used.addAll(e.reads());
          used.addAll(e.needs());
        }
        case Plan.Repeat r -> {
          r.params().forEach(p -> used.addAll(FreeVars.of(List.of(p.init()))));
          r.rows().forEach(p -> used.add(p.init()));
          r.rows().forEach(p -> used.add(p.result()));
          if (r.form() instanceof Exp.For(_, var bound)) {
            used.addAll(FreeVars.of(List.of(bound)));
          }
          r.body().forEach(s -> used.addAll(of(s)));
          used.addAll(FreeVars.of(r.results()));
        }
        case Plan.Choose c -> {
          used.addAll(FreeVars.of(List.of(c.condition())));
          for (var branch : List.of(c.then(), c.otherwise())) {
            branch.steps().forEach(s -> used.addAll(of(s)));
            used.addAll(FreeVars.of(branch.results()));
            used.addAll(branch.rows());
          }
        }
      }
      return used;
    }
  }
}
