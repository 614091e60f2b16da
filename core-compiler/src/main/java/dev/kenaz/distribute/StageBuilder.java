package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes one stage: the local program by backward slicing, and the combining function. */
final class StageBuilder {
  private final Labeller labeller;
  private final Pieces pieces;
  private final List<Var> columns;
  private final Set<Var> combined;
  private final Set<Var> stored;
  private final Set<Stm> observed;

  /**
   * @param combined the variables that stages combine; only its own stage uses a piece's share of
   *     such a variable
   * @param stored what the engine has of row-wise values, and the sizes of their rows
   * @param observed statements that this stage runs even if it needs no result
   */
  StageBuilder(
      Labeller labeller,
      Pieces pieces,
      List<Var> columns,
      Set<Var> combined,
      Set<Var> stored,
      Set<Stm> observed) {
    this.stored = stored;
    this.observed = observed;
    this.labeller = labeller;
    this.pieces = pieces;
    this.columns = columns;
    this.combined = combined;
  }

  /**
   * @param gathered what the driver gets of every piece, with what a piece has of it
   */
  Plan.Stage build(
      List<Stm> local,
      List<Stm> replicated,
      List<Level.Output> outputs,
      List<Var> kept,
      Map<Var, Var> gathered,
      List<Var> intermediate,
      List<Var> states) {
    var groups = groups(outputs);
    var results = new ArrayList<Var>();
    groups.values().forEach(results::addAll);
    results.addAll(kept);
    results.addAll(gathered.values());
    intermediate.stream().filter(v -> !kept.contains(v)).forEach(results::add);
    var stms = slice(local, replicated, results);
    var sizes = ownSizes(stms, results);
    var all = new ArrayList<Atom>(sizes);
    all.addAll(results);
    var rewritten = new Body(localise(stms), all);

    var free = new LinkedHashSet<>(FreeVars.of(rewritten));
    pieces.params().forEach(free::remove);
    var sharded = new ArrayList<Integer>();
    var read = new ArrayList<Var>();
    for (int i = 0; i < columns.size(); i++) {
      if (free.remove(columns.get(i))) {
        sharded.add(i);
        read.add(columns.get(i));
      }
    }
    var reads = new ArrayList<Var>();
    for (var v : List.copyOf(free)) {
      if (stored.contains(v) && v.type().isArray()) {
        free.remove(v);
        reads.add(v);
      }
    }
    read.addAll(reads);
    read.forEach(c -> free.addAll(FreeVars.of(c.type())));
    pieces.params().forEach(free::remove);
    var spaces = new ArrayList<Space>();
    var params = new ArrayList<>(pieces.params());
    for (var space : labeller.spaces().all()) {
      boolean rows = free.remove(space.rows());
      boolean before = free.remove(space.before());
      if (rows || before) {
        spaces.add(space);
        params.add(rows ? space.rows() : Names.like(space.rows()));
        params.add(space.before());
      }
    }
    states.forEach(free::remove);
    var broadcast = new ArrayList<>(StepFunctions.sizesFirst(free));
    broadcast.addAll(states);
    params.addAll(broadcast);
    params.addAll(read);
    var function = StepFunctions.of("stage", params, rewritten);

    var partial = new ArrayList<Var>();
    groups.values().forEach(partial::addAll);
    var combine = combine(groups);
    var combineWith = combine.params().subList(0, combine.params().size() - 2 * partial.size());
    boolean ordered = groups.keySet().stream().anyMatch(g -> !g.commutative());
    return new Plan.Stage(
        0,
        function,
        spaces,
        sharded,
        reads,
        sizes.size(),
        broadcast,
        combine,
        combineWith,
        ordered,
        partial,
        origins(outputs, partial),
        kept,
        List.copyOf(gathered.keySet()),
        intermediate,
        states.size());
  }

  private static List<Plan.Origin> origins(List<Level.Output> outputs, List<Var> partial) {
    var origins = new HashMap<Var, Plan.Origin>();
    outputs.forEach(o -> origins.put(o.var(), new Plan.Origin(o.group().source(), o.span())));
    return partial.stream().map(origins::get).toList();
  }

  /** Groups the outputs by their operator, each group in the operator's order. */
  private static Map<Label.Group, List<Var>> groups(List<Level.Output> outputs) {
    var groups = new LinkedHashMap<Label.Group, List<Var>>();
    var spans = new HashMap<Label.Group, Span>();
    for (var o : outputs) {
      spans.put(o.group(), o.span());
      var n = o.group().size();
      groups.computeIfAbsent(o.group(), _ -> new ArrayList<>(Collections.nCopies(n, null)));
      groups.get(o.group()).set(o.position(), o.var());
    }
    groups.forEach(
        (group, vars) -> {
          if (vars.contains(null)) {
            throw Undistributable.at(
                spans.get(group),
                "only some components of a " + group.source() + " of tuples are kept",
                "return all of them from the parallel operator around it");
          }
        });
    return groups;
  }

  /**
   * Returns the statements that the results need. Combined values come from outside, unless they
   * are results themselves. If a statement that is needed for another reason also makes the piece's
   * share of a combined value, the share gets another name.
   */
  private List<Stm> slice(List<Stm> local, List<Stm> replicated, List<Var> results) {
    var cheap = replicated.stream().filter(this::isCheap).toList();
    var all = new ArrayList<>(cheap);
    all.addAll(local);
    var given = new HashSet<>(combined);
    given.addAll(stored);
    results.forEach(given::remove);
    var spaces = labeller.spaces();
    Set<Var> needed = new HashSet<>(results);
    var taken = new ArrayList<Stm>();
    for (int i = all.size() - 1; i >= 0; i--) {
      var stm = all.get(i);
      if (observed.contains(stm)
          || stm.pattern().stream().anyMatch(v -> needed.contains(v) && !given.contains(v))) {
        var pattern =
            stm.pattern().stream()
                .map(v -> given.contains(v) && !spaces.has(v) ? Names.like(v) : v);
        taken.addFirst(new Stm(pattern.toList(), stm.exp(), stm.attrs(), stm.span()));
        needed.addAll(FreeVars.of(stm));
      }
    }
    taken.addAll(0, cheapOfOuter(taken, all));
    return taken;
  }

  /**
   * Returns cheap statements of the scopes around this one whose results are used. If these were
   * sent, the stage's function would not say that an array is no more than the numbers from 0, and
   * updates by such numbers would not become matrix products.
   *
   * @param own the statements of this scope
   */
  private List<Stm> cheapOfOuter(List<Stm> used, List<Stm> own) {
    var free = new LinkedHashSet<>(FreeVars.of(new Body(used, List.of())));
    own.forEach(s -> s.pattern().forEach(free::remove));
    return free.stream()
        .filter(v -> labeller.definition(v) != null)
        .map(v -> new Stm(List.of(v), labeller.definition(v), List.of(), labeller.span(v)))
        .filter(this::isCheap)
        .toList();
  }

  /** Whether a statement's result is cheaper to make again than to send. */
  private boolean isCheap(Stm stm) {
    if (stm.pattern().stream().anyMatch(v -> labeller.of(v) != Label.REPLICATED)) {
      return false;
    }
    return switch (stm.exp()) {
      case Replicate(_, var x) -> x.type().isScalar();
      case Iota _, Scratch _ -> true;
      default -> false;
    };
  }

  /** Returns the sizes of results that these statements decide. */
  private static List<Var> ownSizes(List<Stm> stms, List<Var> results) {
    var bound = new HashSet<Var>();
    stms.forEach(s -> bound.addAll(s.pattern()));
    var sizes = new LinkedHashSet<Var>();
    results.forEach(
        r -> FreeVars.of(r.type()).stream().filter(bound::contains).forEach(sizes::add));
    results.forEach(sizes::remove);
    return List.copyOf(sizes);
  }

  private List<Stm> localise(List<Stm> stms) {
    var counted = labeller.spaces().counted().body(new Body(stms, List.of()));
    return new Renumber().body(counted).stms();
  }

  private FunDef combine(Map<Label.Group, List<Var>> groups) {
    var left = new ArrayList<Var>();
    var right = new ArrayList<Var>();
    var b = new Builder(Span.NONE);
    var results = new ArrayList<Atom>();
    groups.forEach(
        (group, vars) -> {
          var ls = vars.stream().map(Names::like).toList();
          var rs = vars.stream().map(Names::like).toList();
          left.addAll(ls);
          right.addAll(rs);
          results.addAll(group.apply(b, ls, rs));
        });
    var body = b.body(results);
    var operands = new ArrayList<>(left);
    operands.addAll(right);
    var free = new LinkedHashSet<>(FreeVars.of(body));
    operands.forEach(p -> free.addAll(FreeVars.of(p.type())));
    operands.forEach(free::remove);
    var params = new ArrayList<>(StepFunctions.sizesFirst(free));
    params.addAll(operands);
    return StepFunctions.of("combine", params, body);
  }

  /**
   * Goes from the whole dataset to one piece: row numbers start where the piece does, and
   * accumulator updates that every piece would repeat are left to the first.
   */
  private final class Renumber implements Rewriter {
    @Override
    public List<Stm> stm(Stm stm) {
      if (stm.exp() instanceof Iota iota && labeller.spaces().has(iota.n())) {
        return iota(stm, iota, labeller.spaces().of(iota.n()));
      }
      if (stm.exp() instanceof Index(var array, var is, var checked)
          && labeller.of(array) instanceof Label.Sharded(var dim)
          && is.size() > dim) {
        return OwnRow.read(stm, array, is, dim, checked, spaceOf(array, dim));
      }
      if (stm.exp() instanceof Slice(var array, var dims, var checked)
          && labeller.spaces().isOfStretches(array)) {
        return stretch(stm, array, dims, checked);
      }
      if (!stm.pattern().isEmpty()
          && labeller.onlyOnce().contains(stm.pattern().getFirst())
          && stm.exp() instanceof UpdateAcc update) {
        return onFirst(stm, update);
      }
      return Rewriter.super.stm(stm);
    }

    private Space spaceOf(Var array, int dim) {
      return labeller.spaces().of(array.type().dims().get(dim));
    }

    private List<Stm> iota(Stm stm, Iota iota, Space space) {
      var b = new Builder(stm.span());
      var skipped = b.mul(b.convert(iota.start().type().elemPrim(), space.before()), iota.step());
      var start = b.binary(BinaryOp.ADD, iota.start(), skipped);
      b.bindAll(stm.pattern(), new Iota(space.rows(), start, iota.step()));
      return b.stms();
    }

    /** The stretch of a row is in its piece, which has the stretches of all its rows. */
    private List<Stm> stretch(Stm stm, Var array, List<DimSlice> dims, boolean checked) {
      var b = new Builder(stm.span());
      var range = (DimSlice.Range) dims.getFirst();
      var own = new ArrayList<>(dims);
      var start = b.sub(range.start(), spaceOf(array, 0).before());
      own.set(0, new DimSlice.Range(start, range.count(), range.stride()));
      b.bindAll(stm.pattern(), new Slice(array, own, checked));
      return b.stms();
    }

    private List<Stm> onFirst(Stm stm, UpdateAcc update) {
      var b = new Builder(stm.span());
      var isFirst = b.compare(CompareOp.EQ, pieces.piece(), Atom.i64(0));
      var once = new Renaming().body(new Body(List.of(stm), List.<Atom>copyOf(stm.pattern())));
      var skip = new Body(List.of(), List.of(update.acc()));
      b.bindAll(stm.pattern(), new If(isFirst, once, skip));
      return b.stms();
    }
  }
}
