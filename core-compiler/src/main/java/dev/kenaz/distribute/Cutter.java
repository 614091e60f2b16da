package dev.kenaz.distribute;

import dev.kenaz.analysis.Effects;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Cuts a scope's statements into steps: it decides for each statement who runs it, and a {@link
 * Schedule} when.
 *
 * <p>The driver runs what is replicated. Stages run what the labels can account for. For some
 * statements there are others to put in their place, which the labels can account for, with
 * exchanges between the pieces if need be. What is left the driver runs on all rows.
 */
final class Cutter {
  private final Labeller labeller;
  private final Spaces spaces;
  private final Pieces pieces;
  private final Schedule schedule;
  private final WholeRows wholeRows;
  private final NewSpaces newSpaces;
  private final Moves moves;
  private final Reversals reversals;

  /** Whether statements that no rule divides run in one place, rather than being refused. */
  private final boolean gathers;

  private final List<Plan.Gather> gathered = new ArrayList<>();

  /** Of an entry point's body. */
  Cutter(Labeller labeller, Pieces pieces, List<Var> columns, boolean gathers) {
    this(
        labeller,
        new Schedule(labeller, pieces, columns, gathers),
        null,
        new Reversals(labeller),
        gathers);
  }

  /** Of a scope inside the other's. */
  private Cutter(Cutter outer) {
    this(
        outer.labeller,
        new Schedule(outer.schedule),
        outer.wholeRows,
        new Reversals(outer.reversals),
        outer.gathers);
  }

  private Cutter(
      Labeller labeller, Schedule schedule, WholeRows outer, Reversals reversals, boolean gathers) {
    this.reversals = reversals;
    this.labeller = labeller;
    this.spaces = labeller.spaces();
    this.schedule = schedule;
    this.pieces = schedule.pieces();
    this.gathers = gathers;
    this.wholeRows = new WholeRows(labeller, schedule, outer);
    this.newSpaces = new NewSpaces(labeller, schedule);
    this.moves = new Moves(this, newSpaces);
  }

  /**
   * What a scope is cut into.
   *
   * @param results the values that are used after the scope
   */
  record Cut(List<Plan.Step> steps, List<Atom> results) {}

  /** Cuts statements into steps; {@code results} are the values that are used after the scope. */
  Cut cut(List<Stm> stms, List<Atom> results) {
    placeAll(stms);
    var delivered = results.stream().map(this::delivered).map(this::kept).toList();
    return new Cut(schedule.steps(delivered), delivered);
  }

  /** Returns the result with its rows as the first dimension, if it stays in pieces. */
  private Atom delivered(Atom result) {
    if (!staysInPieces(result) || labeller.of(result).equals(new Label.Sharded(0))) {
      return result;
    }
    var v = (Var) result;
    var b = new Builder(labeller.span(v));
    var rows = RowRewrites.rowsFirst(b, v, spaces.dimOf(v.type()));
    b.stms().forEach(this::place);
    return rows;
  }

  private Atom kept(Atom result) {
    return staysInPieces(result) ? schedule.keep((Var) result) : result;
  }

  /** Whether a result has the dataset's rows, and the driver doesn't have it. */
  boolean staysInPieces(Atom result) {
    return result instanceof Var v
        && labeller.of(v) instanceof Label.Sharded
        && !wholeRows.hasDriver(v);
  }

  /** Statements that run in one place, on all rows. */
  List<Plan.Gather> gathered() {
    return gathered;
  }

  void place(Stm stm) {
    if (!gathers) {
      divide(stm);
      return;
    }
    try {
      divide(stm);
    } catch (Limitation e) {
      boolean follows =
          FreeVars.of(stm).stream().anyMatch(v -> labeller.of(v) instanceof Label.Whole);
      // A rule may have placed parts of it before it found what it can't divide.
      var rows = wholeRows.inDriver(stm.with(new Renaming().exp(stm.exp())));
      if (!follows || !rows.isEmpty()) {
        gathered.add(new Plan.Gather(e.diagnostic(), inWords(rows)));
      }
    }
  }

  private List<String> inWords(List<Var> brought) {
    return brought.stream().map(labeller.words()::of).distinct().toList();
  }

  private void divide(Stm stm) {
    if (stm.pattern().isEmpty() && !Effects.observable(stm.exp())) {
      return; // a rule has taken all of its results away
    }
    newSpaces.of(stm);
    if (labeller.isReplicated(stm)) {
      labeller.stm(stm);
      schedule.driver(stm, 0);
      return;
    }
    var back = reversals.back(stm);
    if (back.isPresent()) {
      place(back.get());
      return;
    }
    overRows(stm);
    reversals.turned(stm).ifPresent(this::turned);
  }

  /** Places what computes from rows in their order what another statement does in reverse. */
  private void turned(List<Stm> stms) {
    var stm = stms.getLast();
    try {
      stms.subList(0, stms.size() - 1).forEach(this::divide);
      RowScan.of(spaces, pieces, stm, gathers, true)
          .ifPresentOrElse(scan -> scan(stm, scan), () -> divide(stm));
    } catch (Limitation _) {
      reversals.forget(stm); // what is there in reverse suffices
    }
  }

  private void overRows(Stm stm) {
    var others = inItsPlace(stm);
    if (others.isPresent()) {
      others.get().forEach(this::place);
      return;
    }
    if (new RemoteUpdates(this, moves, newSpaces).place(stm) || moves.place(stm)) {
      return;
    }
    var scan = RowScan.of(spaces, pieces, stm, gathers, false);
    if (scan.isPresent()) {
      scan(stm, scan.get());
    } else if (stm.exp() instanceof Loop loop && new Folds(this, moves).goesOverRows(loop)) {
      new Folds(this, moves).place(stm, loop);
    } else if (stm.exp() instanceof Loop loop && hasStages(stm)) {
      new NestedScopes(this, stm).repeat(loop);
    } else if (stm.exp() instanceof If branch && hasStages(stm)) {
      new NestedScopes(this, stm).choose(branch);
      newSpaces.of(stm); // now it is known what is as large as the rows
    } else {
      local(stm);
    }
  }

  /** Returns statements that do the same and are easier to divide. */
  private Optional<List<Stm>> inItsPlace(Stm stm) {
    var alone = RowScan.reductionsApart(spaces, stm);
    if (alone.size() > 1) {
      return Optional.of(alone);
    }
    var split = new NeutralStart(labeller).split(stm);
    return split.size() > 1
        ? Optional.of(split)
        : new RowRewrites(labeller, newSpaces)
            .of(stm)
            .or(() -> updates(stm))
            .or(() -> new OwnRowUpdates(labeller).ofColumns(stm))
            .or(() -> TurnedUpdates.of(spaces, stm))
            .or(() -> filterApart(stm))
            .or(() -> new PairedUpdates(labeller).of(stm))
            .or(() -> new OwnRowUpdates(labeller).of(stm))
            .or(() -> new OwnRowUpdates(labeller).inside(stm))
            .or(() -> new Pairs(labeller, pieces).of(stm))
            .or(() -> ReadsOfColumns.of(labeller, stm))
            .or(() -> MergedColumns.of(labeller, newSpaces, stm))
            .or(() -> StridedLoop.of(labeller, newSpaces, stm))
            .or(() -> new Folds(this, moves).overOwnRows(stm, newSpaces));
  }

  /** Returns a filter whose function uses other rows as a map and a filter. */
  private Optional<List<Stm>> filterApart(Stm stm) {
    if (!(stm.exp() instanceof Filter f)
        || !spaces.has(f.width())
        || FreeVars.of(f.map()).stream().allMatch(v -> labeller.of(v) == Label.REPLICATED)) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var rows = b.screma(f.width(), f.inputs(), List.of(), List.of(), f.map());
    b.with(stm.attrs()).bindAll(stm.pattern(), new Filter(f.width(), rows, b.identity(rows)));
    return Optional.of(b.stms());
  }

  private Optional<List<Stm>> updates(Stm stm) {
    var updates = new Updates(this);
    return updates.intoRows(stm) ? updates.apart(stm) : SmallScatter.of(labeller, stm);
  }

  private void local(Stm stm) {
    try {
      labeller.stm(stm);
    } catch (Limitation e) {
      var turned = new LoopOfMaps(labeller).of(stm);
      if (turned.isPresent()) {
        turned.get().forEach(this::place);
        return;
      }
      var all = allRows(stm, e);
      if (all.isPresent()) {
        place(all.get());
        return;
      }
      // If splitting leads only to another error, the first one is the one to report.
      var parts =
          new SplitMap(labeller)
              .split(stm)
              .or(() -> MapAsLoop.of(labeller, stm))
              .orElseThrow(() -> e);
      try {
        parts.forEach(this::place);
      } catch (Limitation _) {
        throw e;
      }
      return;
    }
    inStage(stm);
  }

  /**
   * Returns a map over rows as one whose function has all rows of what it uses, which are sent to
   * every piece.
   */
  private Optional<Stm> allRows(Stm stm, Limitation why) {
    if (!(stm.exp() instanceof Screma s)
        || !spaces.has(s.width())
        || s.map().params().stream().anyMatch(p -> spaces.inType(p.type()))
        || s.map().returns().stream().anyMatch(spaces::inType)) {
      return Optional.empty();
    }
    var whole = new HashMap<Var, Atom>();
    var sent = new ArrayList<Var>();
    var first = new Builder(stm.span());
    for (var v : FreeVars.of(s.map())) {
      if (labeller.of(v) instanceof Label.Sharded(var dim)) {
        var space = spaces.of(v.type().dims().get(dim));
        whole.put(space.rows(), space.total());
        if (labeller.definition(v) instanceof Iota(_, var start, var step)) {
          whole.put(v, first.bind("iota", new Iota(space.total(), start, step)));
        } else if (!gathers) {
          return Optional.empty();
        } else {
          var all = wholeRows.everywhere(stm.span(), v, dim);
          whole.put(v, all);
          sent.add(v);
        }
      }
    }
    if (whole.isEmpty()) {
      return Optional.empty();
    }
    if (!sent.isEmpty()) {
      gathered.add(new Plan.Gather(why.diagnostic(), inWords(sent)));
    }
    var body = new Substitution(whole).body(s.map().body());
    var stms = new ArrayList<>(first.stms());
    stms.addAll(body.stms());
    var map = new Lambda(s.map().params(), new Body(stms, body.results()), s.map().returns());
    var exp = new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map);
    return Optional.of(new Stm(stm.pattern(), exp, stm.attrs(), stm.span()));
  }

  /** Has stages run a statement that is labelled. */
  private void inStage(Stm stm) {
    int at = schedule.stageLevel(stm);
    stm.pattern().forEach(v -> checkSizes(stm, v));
    schedule.local(stm, at);
    if (Effects.observable(stm.exp())) {
      schedule.observe(stm, at);
    }
    var groups = new HashSet<Label.Partial>();
    for (var v : stm.pattern()) {
      switch (labeller.of(v)) {
        case Label.Partial p -> {
          // A share that is a result twice is combined twice.
          var group = groups.add(p) ? p.group() : again(stm, p.group());
          schedule.combine(v, group, p.position(), stm.span(), at);
        }
        case Label.Replicated _ -> schedule.combine(v, Schedule.first(v), 0, stm.span(), at);
        case Label.Sharded _, Label.Collecting _ -> {}
        case Label.Whole _ -> throw new CompilerBug("distribute", v + " is made in one place");
      }
    }
  }

  /** Has stages run a statement whose result has its rows as its first dimension. */
  void local(Stm stm, int notBefore) {
    int at = Math.max(notBefore, schedule.stageLevel(stm));
    schedule.local(stm, at);
    if (Effects.observable(stm.exp())) {
      schedule.observe(stm, at);
    }
    stm.pattern().forEach(v -> labeller.label(stm.span(), v, new Label.Sharded(0)));
  }

  /** Checks that the sizes of a combined array are known before the stage. */
  private void checkSizes(Stm stm, Var v) {
    for (var size : RowsUse.sizesOf(v.type())) {
      if (size instanceof Var s && stm.pattern().contains(s)) {
        throw Undistributable.at(
            stm.span(),
            "the size of " + labeller.words().of(v) + " is decided by what is computed in pieces",
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

  private void scan(Stm stm, RowScan scan) {
    int at = schedule.stageLevel(stm);
    var screma = (Screma) stm.exp();
    var checks = new OperatorLabels(labeller, stm, new LinearLabels(labeller, stm));
    checks.checkRowWise(screma.width(), screma.inputs(), screma.map());
    screma.scans().forEach(s -> checks.checkOperator(s.op(), s.neutral()));
    stm.pattern().forEach(v -> checkSizes(stm, v));
    scan.totals().forEach(s -> schedule.local(s, at));
    scan.own().forEach(v -> labeller.label(stm.span(), v, new Label.Sharded(0)));
    var all = scan.sums().stream().map(v -> schedule.ofEachPiece(v, stm.span(), at)).toList();
    var rest = scan.rest(all);
    rest.prefixes().forEach(this::place);
    // The scan itself is local now. To the pieces it is a map, and its results are labelled so.
    rest.scanned().forEach(s -> schedule.local(s, at + 1));
    for (var v : stm.pattern()) {
      labeller.label(stm.span(), v, new Label.Sharded(0));
    }
  }

  /** Whether the loop or branch can't run inside one piece. */
  private boolean hasStages(Stm stm) {
    try {
      labeller.stm(stm);
    } catch (Limitation _) {
      return true;
    }
    return stm.pattern().stream().anyMatch(v -> labeller.of(v) instanceof Label.Partial)
        || stm.exp() instanceof Loop loop
            && loop.params().stream().allMatch(p -> labeller.of(p.init()) == Label.REPLICATED);
  }

  /** Returns the cutter of a scope inside this one. */
  Cutter inner() {
    return new Cutter(this);
  }

  Schedule schedule() {
    return schedule;
  }

  Labeller labeller() {
    return labeller;
  }

  /** Places the statements of a scope. */
  void placeAll(List<Stm> stms) {
    reversals.scope(stms);
    var rest = new ArrayList<>(stms);
    while (!rest.isEmpty()) {
      place(joined(rest.removeFirst(), rest));
    }
  }

  /**
   * Returns a loop together with those of the rest that can be joined with it; places what has to
   * come before them.
   */
  private Stm joined(Stm stm, List<Stm> rest) {
    var pair = isRepeated(stm) ? JoinedLoops.of(stm, rest) : Optional.<JoinedLoops>empty();
    if (pair.isEmpty()) {
      return stm;
    }
    pair.get().before().forEach(this::place);
    rest.removeAll(pair.get().before());
    if (!isRepeated(pair.get().second())) {
      return stm;
    }
    rest.remove(pair.get().second());
    var both = pair.get().with(stm);
    rest.addAll(0, both.subList(1, both.size()));
    return joined(both.getFirst(), rest);
  }

  /** Whether the statement is a loop whose iterations have stages. */
  private boolean isRepeated(Stm stm) {
    return stm.exp() instanceof Loop loop
        && loop.form() instanceof For(_, var trips)
        && !newSpaces.isLarge(trips)
        && !labeller.isReplicated(stm)
        && hasStages(stm);
  }

  /** Takes over what a scope inside this one had to gather. */
  void gatheredBy(Cutter inner) {
    gathered.addAll(inner.gathered);
  }
}
