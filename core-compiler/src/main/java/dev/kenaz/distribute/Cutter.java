package dev.kenaz.distribute;

import dev.kenaz.analysis.Effects;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Cuts a scope's statements into steps.
 *
 * <p>A statement's <i>level</i> is the number of stages that have to be over before it can run: the
 * highest level of what it uses, and one more for what a stage combines. For each level there is a
 * {@link Plan.Compute} with the replicated statements, then a {@link Plan.Stage} with what the
 * pieces contribute at that level, then the loops that contain stages. A stage's local program is
 * the backward slice of what it delivers, so row-wise values are recomputed rather than kept
 * between stages.
 */
final class Cutter {
  private final Labeller labeller;
  private final Pieces pieces;
  private final List<Var> columns;
  private final Planner.Counter numbers;

  /**
   * The row-wise statements so far, those of enclosing scopes first. Slices are taken from them.
   */
  private final List<Stm> local;

  /**
   * The variables that stages combine, those of enclosing scopes first. After its stage such a
   * variable is the same everywhere.
   */
  private final Set<Var> combined;

  /** The cutter of the scope around this one's, or null. */
  private final Cutter outer;

  /** Whether statements that no rule divides run in one place, rather than being refused. */
  private final boolean gathers;

  private final Map<Var, Integer> levels = new HashMap<>();
  private final List<Level> byLevel = new ArrayList<>();

  /** For variables that are sharded in stages, what the driver has of them: all rows. */
  private final Map<Var, Var> wholes = new HashMap<>();

  private final List<Plan.Gather> gathered = new ArrayList<>();

  /** The last level of the outer scope that this one waits for. */
  private int outerLevel;

  /** Of an entry point's body. */
  Cutter(Labeller labeller, Pieces pieces, List<Var> columns, boolean gathers) {
    this.labeller = labeller;
    this.pieces = pieces;
    this.columns = columns;
    this.gathers = gathers;
    this.numbers = new Planner.Counter();
    this.outer = null;
    this.local = new ArrayList<>();
    this.combined = new HashSet<>();
  }

  /** Of the body of a loop in the outer scope. */
  private Cutter(Cutter outer) {
    this.labeller = outer.labeller;
    this.pieces = outer.pieces;
    this.columns = outer.columns;
    this.gathers = outer.gathers;
    this.numbers = outer.numbers;
    this.outer = outer;
    this.local = new ArrayList<>(outer.local);
    this.combined = new HashSet<>(outer.combined);
  }

  /** What happens at one level. */
  private static final class Level {
    final List<Stm> replicated = new ArrayList<>();
    final List<Output> outputs = new ArrayList<>();
    final List<Var> kept = new ArrayList<>();
    final List<Var> gathered = new ArrayList<>();

    /** Statements that may fail, by identity: they run even if nothing needs them. */
    final Set<Stm> observed = Collections.newSetFromMap(new IdentityHashMap<>());

    final List<Plan.Repeat> loops = new ArrayList<>();

    /** Whether its stage delivers nothing. */
    boolean isEmpty() {
      return outputs.isEmpty() && kept.isEmpty() && gathered.isEmpty();
    }
  }

  /** A value that the pieces contribute to, and where the program computes it. */
  record Output(Var var, Label.Group group, int position, Span span) {}

  /**
   * What a scope is cut into.
   *
   * @param results the values that are used after the scope
   */
  record Cut(List<Plan.Step> steps, List<Atom> results) {}

  /** Cuts statements into steps; {@code results} are the values that are used after the scope. */
  Cut cut(List<Stm> stms, List<Atom> results) {
    stms.forEach(this::place);
    var delivered = results.stream().map(this::delivered).toList();
    for (var r : delivered) {
      if (staysInPieces(r)) {
        var kept = level(levels.getOrDefault((Var) r, 0)).kept;
        if (!kept.contains((Var) r)) {
          kept.add((Var) r);
        }
      }
    }
    return new Cut(steps(delivered), delivered);
  }

  /** Returns the result itself, or the whole of it if pieces along its outer dimension aren't. */
  private Atom delivered(Atom result) {
    return gathers
            && result instanceof Var v
            && labeller.of(v) instanceof Label.Sharded(var dim)
            && dim > 0
        ? whole(v, dim)
        : result;
  }

  /** Whether a result has the dataset's rows, and the driver doesn't have it. */
  boolean staysInPieces(Atom result) {
    return result instanceof Var v
        && labeller.of(v) instanceof Label.Sharded
        && !v.equals(wholes.get(v));
  }

  /** Statements that run in one place, on all rows. */
  List<Plan.Gather> gathered() {
    return gathered;
  }

  private Level level(int n) {
    while (byLevel.size() <= n) {
      byLevel.add(new Level());
    }
    return byLevel.get(n);
  }

  private int levelOf(Stm stm) {
    return FreeVars.of(stm).stream().mapToInt(v -> levels.getOrDefault(v, 0)).max().orElse(0);
  }

  private void place(Stm stm) {
    if (!gathers) {
      divide(stm);
      return;
    }
    int number = numbers.mark();
    try {
      divide(stm);
    } catch (Limitation e) {
      numbers.reset(number);
      gather(stm, e.diagnostic());
    }
  }

  private void divide(Stm stm) {
    if (checksRowNumber(stm)) {
      inDriver(stm);
      return;
    }
    int at = levelOf(stm);
    if (labeller.isReplicated(stm)) {
      labeller.stm(stm);
      level(at).replicated.add(stm);
      stm.pattern().forEach(v -> levels.put(v, at));
      return;
    }
    var alone = RowScan.reductionsApart(pieces, stm);
    if (alone.size() > 1) {
      alone.forEach(this::place);
      return;
    }
    var scan = RowScan.split(pieces, stm);
    if (scan.isPresent()) {
      scan(stm, scan.get(), at);
      return;
    }
    var split = new NeutralStart(labeller, pieces.rows()).split(stm);
    if (split.size() > 1) {
      split.forEach(this::place);
    } else if (stm.exp() instanceof Loop loop && hasStages(stm)) {
      repeat(stm, loop, at);
    } else {
      local(stm, at);
    }
  }

  private void local(Stm stm, int at) {
    try {
      labeller.stm(stm);
    } catch (Limitation e) {
      // If splitting leads only to another error, the first one is the one to report.
      var parts = new SplitMap(labeller).split(stm).orElseThrow(() -> e);
      parts.forEach(this::place);
      return;
    }
    place(stm, at);
  }

  private void place(Stm stm, int at) {
    stm.pattern().forEach(v -> checkSizes(stm, v));
    local.add(stm);
    if (Effects.observable(stm.exp())) {
      level(at).observed.add(stm);
    }
    var groups = new HashSet<Label.Partial>();
    for (var v : stm.pattern()) {
      switch (labeller.of(v)) {
        case Label.Partial p -> {
          // A share that is a result twice is combined twice.
          var group = groups.add(p) ? p.group() : again(stm, p.group());
          level(at).outputs.add(new Output(v, group, p.position(), stm.span()));
          ready(v, at + 1);
        }
        case Label.Replicated _ -> {
          level(at).outputs.add(new Output(v, first(v), 0, stm.span()));
          ready(v, at + 1);
        }
        case Label.Sharded _, Label.Collecting _ -> levels.put(v, at);
        case Label.Whole _ -> throw new CompilerBug("distribute", v + " is made in one place");
      }
    }
  }

  /** Whether the statement checks a number of a row that is the same in every piece. */
  private boolean checksRowNumber(Stm stm) {
    return stm.exp() instanceof Exp.Index(var array, var indices, _)
        && labeller.definition(array) instanceof Iota
        && labeller.of(indices.getFirst()) == Label.REPLICATED;
  }

  private void gather(Stm stm, Diagnostic why) {
    boolean follows =
        FreeVars.of(stm).stream().anyMatch(v -> labeller.of(v) instanceof Label.Whole);
    var rows = inDriver(stm);
    if (!follows || !rows.isEmpty()) {
      gathered.add(new Plan.Gather(why, rows));
    }
  }

  /** Runs a statement in the driver, on all rows of what it uses; returns what is brought there. */
  private List<Var> inDriver(Stm stm) {
    var all = new HashMap<Var, Atom>();
    var brought = new ArrayList<Var>();
    for (var v : FreeVars.of(stm)) {
      if (labeller.of(v) instanceof Label.Sharded(var dim)) {
        var whole = whole(v, dim);
        all.put(v, whole);
        if (!whole.equals(v) && !(labeller.definition(v) instanceof Iota)) {
          brought.add(whole);
        }
      }
    }
    var whole = new Substitution(all).stm(stm);
    int at = whole.stream().mapToInt(this::levelOf).max().orElseThrow();
    level(at).replicated.addAll(whole);
    stm.pattern().forEach(v -> boundByDriver(stm.span(), v, at));
    return brought;
  }

  /**
   * Labels what the driver computes with all rows. If it has the dataset's rows itself, a stage
   * that uses it takes the piece's rows of the whole, which it is sent.
   */
  private void boundByDriver(Span span, Var v, int at) {
    levels.put(v, at);
    var sizes = RowsUse.sizesOf(v.type());
    int dim = sizes.indexOf(pieces.rows());
    if (dim < 0) {
      labeller.label(span, v, Label.REPLICATED);
    } else if (dim != sizes.lastIndexOf(pieces.rows())) {
      labeller.label(span, v, new Label.Whole());
    } else {
      labeller.label(span, v, new Label.Sharded(dim));
      wholes.put(v, v);
      var shape = new ArrayList<>(v.type().dims());
      shape.set(dim, pieces.total());
      var sent = Names.fresh(v.name(), Type.of(v.type().elemPrim(), shape));
      level(at).replicated.add(new Stm(List.of(sent), new Exp.Reshape(shape, v), span));
      levels.put(sent, at);
      var slice = new ArrayList<DimSlice>();
      for (int i = 0; i < shape.size(); i++) {
        var from = i == dim ? pieces.before() : Atom.i64(0);
        slice.add(new DimSlice.Range(from, v.type().dims().get(i), Atom.i64(1)));
      }
      local.add(new Stm(List.of(v), new Exp.Slice(sent, slice, false), span));
    }
  }

  /** Returns what the driver has of a sharded variable: all rows. A stage gathers them. */
  private Var whole(Var v, int dim) {
    if (wholes.containsKey(v)) {
      return wholes.get(v);
    }
    if (outer != null && !levels.containsKey(v)) {
      var whole = outer.whole(v, dim);
      outerLevel = Math.max(outerLevel, outer.levels.getOrDefault(whole, 0));
      return whole;
    }
    int at = levels.getOrDefault(v, 0);
    if (labeller.definition(v) instanceof Iota iota) {
      var again = bound(level(at).replicated, v, iota);
      levels.put(again, at);
      wholes.put(v, again);
      return again;
    }
    var rowsFirst = new ArrayList<Integer>();
    rowsFirst.add(dim);
    IntStream.range(0, v.type().dims().size()).filter(i -> i != dim).forEach(rowsFirst::add);
    var rows = bound(local, v, dim == 0 ? new Alias(v) : new Exp.Rearrange(rowsFirst, v));
    level(at).gathered.add(rows);
    levels.put(rows, at + 1);
    var whole = rows;
    if (dim > 0) {
      var back = IntStream.range(0, rowsFirst.size()).mapToObj(rowsFirst::indexOf).toList();
      whole = bound(level(at + 1).replicated, v, new Exp.Rearrange(back, rows));
      levels.put(whole, at + 1);
    }
    wholes.put(v, whole);
    return whole;
  }

  /** Binds what is to be found whole in the driver. */
  private Var bound(List<Stm> stms, Var v, Exp exp) {
    var b = new Builder(labeller.span(v));
    var bound = b.bind(v.name(), exp);
    stms.addAll(b.stms());
    labeller.label(labeller.span(v), bound, new Label.Whole());
    return bound;
  }

  /** Checks that the sizes of a combined array are known before the stage. */
  private static void checkSizes(Stm stm, Var v) {
    for (var size : RowsUse.sizesOf(v.type())) {
      if (size instanceof Var s && stm.pattern().contains(s)) {
        throw Undistributable.at(
            stm.span(),
            "the size of " + v.name() + " is decided by what is computed in pieces",
            "make its size depend on what is known before");
      }
    }
  }

  private static Label.Group again(Stm stm, Label.Group group) {
    if (group.size() > 1) {
      throw Undistributable.at(
          stm.span(),
          "a component of a " + group.source() + " of tuples is returned twice",
          "return it once, and use it twice");
    }
    return new Label.Group(new Renaming().lambda(group.op()), group.commutative(), group.source());
  }

  private void scan(Stm stm, RowScan.Split split, int at) {
    var screma = (Screma) stm.exp();
    var checks = new OperatorLabels(labeller, stm, new LinearLabels(labeller, stm));
    checks.checkRowWise(screma.inputs(), screma.map());
    screma.scans().forEach(s -> checks.checkOperator(s.op(), s.neutral()));
    stm.pattern().forEach(v -> checkSizes(stm, v));
    local.addAll(split.totals());
    for (int k = 0; k < split.gathered().size(); k++) {
      var op = ((Screma) stm.exp()).scans().get(k).op();
      var group = new Label.Group(op, true, "scan").over(pieces.pieces());
      var parts = split.gathered().get(k);
      for (int i = 0; i < parts.size(); i++) {
        level(at).outputs.add(new Output(parts.get(i), group, i, stm.span()));
        ready(parts.get(i), at + 1);
      }
    }
    split.prefixes().forEach(this::place);
    var results = split.scanned();
    // The scan itself is local now. To the pieces it is a map, and its results are labelled so.
    for (var s : results) {
      local.add(s);
      s.pattern().forEach(v -> levels.put(v, at + 1));
    }
    stm.pattern().forEach(v -> labeller.label(stm.span(), v, new Label.Sharded(0)));
  }

  /** Returns an operator for a value that is the same in every piece: it takes the left operand. */
  private static Label.Group first(Var v) {
    var b = new dev.kenaz.ir.Builder(dev.kenaz.error.Span.NONE);
    var left = b.lambda(List.of(v.type(), v.type()), (_, operands) -> List.of(operands.getFirst()));
    return new Label.Group(left, true, "first");
  }

  private void ready(Var v, int at) {
    labeller.label(labeller.span(v), v, Label.REPLICATED);
    levels.put(v, at);
    combined.add(v);
  }

  /** Whether the loop can't run inside one piece. */
  private boolean hasStages(Stm stm) {
    var loop = (Loop) stm.exp();
    try {
      labeller.stm(stm);
    } catch (Limitation _) {
      return true;
    }
    return stm.pattern().stream().anyMatch(v -> labeller.of(v) instanceof Label.Partial)
        || loop.params().stream().allMatch(p -> labeller.of(p.init()) == Label.REPLICATED);
  }

  private void repeat(Stm stm, Loop loop, int at) {
    for (var p : loop.params()) {
      if (labeller.of(p.init()) != Label.REPLICATED) {
        throw Undistributable.at(
            stm.span(),
            "a loop carries " + p.var().name() + ", which is spread over the pieces",
            "carry only values that don't have the dataset's rows");
      }
      labeller.label(stm.span(), p.var(), Label.REPLICATED);
    }
    var inner = new Cutter(this);
    var steps = inner.cut(loop.body().stms(), loop.body().results()).steps();
    if (!inner.gathered.isEmpty() && steps.stream().noneMatch(Cutter::hasStage)) {
      throw new Limitation(inner.gathered.getFirst().why());
    }
    for (int i = 0; i < loop.body().results().size(); i++) {
      if (labeller.of(loop.body().results().get(i)) != Label.REPLICATED) {
        throw Undistributable.at(
            stm.span(),
            "a loop's result " + loop.params().get(i).var().name() + " is spread over the pieces",
            "carry only values that don't have the dataset's rows");
      }
    }
    gathered.addAll(inner.gathered);
    int from = Math.max(at, inner.outerLevel);
    level(from)
        .loops
        .add(
            new Plan.Repeat(
                loop.params(), loop.form(), steps, loop.body().results(), stm.pattern()));
    stm.pattern().forEach(v -> ready(v, from + 1));
  }

  private static boolean hasStage(Plan.Step step) {
    return switch (step) {
      case Plan.Compute _ -> false;
      case Plan.Stage _ -> true;
      case Plan.Repeat r -> r.body().stream().anyMatch(Cutter::hasStage);
    };
  }

  private List<Plan.Step> steps(List<Atom> results) {
    var stages = new ArrayList<Plan.Stage>();
    var driver = usedByDriver(results);
    for (var level : byLevel) {
      level.gathered.retainAll(driver);
      if (level.isEmpty() && !level.observed.isEmpty()) {
        level.outputs.add(done());
      }
      stages.add(level.isEmpty() ? null : stage(level));
    }
    var used = new HashSet<Var>(FreeVars.of(results));
    for (int i = 0; i < byLevel.size(); i++) {
      if (stages.get(i) != null) {
        used.addAll(Uses.of(stages.get(i)));
      }
      byLevel.get(i).loops.forEach(r -> used.addAll(Uses.of(r)));
    }
    var computes = new ArrayList<Plan.Compute>();
    for (int i = byLevel.size() - 1; i >= 0; i--) {
      var compute = compute(i, byLevel.get(i).replicated, used);
      used.addAll(compute.function().params());
      computes.addFirst(compute);
    }
    var steps = new ArrayList<Plan.Step>();
    for (int i = 0; i < byLevel.size(); i++) {
      if (!computes.get(i).function().body().stms().isEmpty()) {
        steps.add(computes.get(i));
      }
      if (stages.get(i) != null) {
        steps.add(stages.get(i));
      }
      steps.addAll(byLevel.get(i).loops);
    }
    return steps;
  }

  /** Returns what the driver's own steps and the scopes after this one use. */
  private Set<Var> usedByDriver(List<Atom> results) {
    var used = new HashSet<Var>(FreeVars.of(results));
    for (var level : byLevel) {
      level.replicated.forEach(s -> used.addAll(FreeVars.of(s)));
      level.loops.forEach(r -> used.addAll(Uses.of(r)));
    }
    return used;
  }

  private Plan.Stage stage(Level level) {
    return new StageBuilder(labeller, pieces, columns, combined, level.observed)
        .build(numbers.next(), local, replicated(), level.outputs, level.kept, level.gathered);
  }

  /** Returns the output of a stage that only checks something. */
  private Output done() {
    var done = Names.fresh("done", Type.BOOL);
    local.add(new Stm(List.of(done), new Alias(Atom.bool(true)), Span.NONE));
    return new Output(done, first(done), 0, Span.NONE);
  }

  private List<Stm> replicated() {
    return byLevel.stream().flatMap(l -> l.replicated.stream()).toList();
  }

  private static Plan.Compute compute(int number, List<Stm> stms, Set<Var> used) {
    var bound = new LinkedHashSet<Var>();
    stms.forEach(s -> bound.addAll(s.pattern()));
    var outputs = StepFunctions.sizesFirst(withSizes(bound, used));
    var body = new KeptInputs(outputs).body(new Body(stms, List.<Atom>copyOf(outputs)));
    return new Plan.Compute(StepFunctions.of("compute" + number, body), outputs);
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

  /** Collects the variables that must be bound before a step. */
  private static final class Uses {
    static Set<Var> of(Plan.Step step) {
      var used = new LinkedHashSet<Var>();
      switch (step) {
        case Plan.Compute c -> used.addAll(c.function().params());
        case Plan.Stage s -> {
          used.addAll(s.broadcast());
          used.addAll(s.combineWith());
        }
        case Plan.Repeat r -> {
          used.addAll(FreeVars.of(r.params().stream().map(LoopParam::init).toList()));
          if (r.form() instanceof Exp.For(_, var bound)) {
            used.addAll(FreeVars.of(List.of(bound)));
          }
          r.body().forEach(s -> used.addAll(of(s)));
          used.addAll(FreeVars.of(r.results()));
        }
      }
      return used;
    }
  }
}
