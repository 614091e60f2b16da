package dev.kenaz.loops;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.Combine;
import dev.kenaz.ir.Exp.Hist;
import dev.kenaz.ir.Exp.HistOp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.Scatter;
import dev.kenaz.ir.Exp.ScatterDest;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Band;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Translates parallel operators to sequential loops, and makes the pieces that their parallel forms
 * share.
 */
public final class Soacs {
  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;
  private final Accs accs;

  Soacs(Lowering lowering) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
    this.accs = new Accs(lowering);
  }

  public Accs accs() {
    return accs;
  }

  /** Folds elements by operators with their accumulators. */
  public final class Folds {
    private final List<Lambda> ops = new ArrayList<>();
    private final List<Carried> carried = new ArrayList<>();
    private final List<List<Integer>> parts = new ArrayList<>();
    private final List<Integer> widths = new ArrayList<>();

    /** Starts a fold: the accumulators hold neutral elements. */
    private void add(WantedParts.Part part, List<Atom> neutral, List<View> places) {
      var op = part.op();
      var c = new Carried(scope, arrays);
      var body = SegBody.sequential(op.body());
      for (int k = 0; k < part.carried().size(); k++) {
        int number = part.carried().get(k);
        var left = op.params().get(k);
        boolean inPlace =
            left.type().isArray()
                && left.equals(MemoryClasses.inPlaceRoot(body, op.body().results().get(k)));
        c.add(left, scope.val(neutral.get(number)), inPlace, places.get(number));
      }
      ops.add(op);
      carried.add(c);
      parts.add(part.carried());
      widths.add(neutral.size());
    }

    /** Starts an iteration. This comes before the operands are computed. */
    public void begin() {
      carried.forEach(Carried::begin);
    }

    /**
     * Combines the next operands into the accumulators; returns the values of these, and null for
     * parts that aren't carried.
     */
    public List<Val> step(List<Val> operands) {
      List<Val> all = new ArrayList<>(Collections.nCopies(operands.size(), null));
      int from = 0;
      for (int f = 0; f < ops.size(); f++) {
        int width = widths.get(f);
        var op = ops.get(f);
        int carries = parts.get(f).size();
        var left = op.params().subList(0, carries);
        carried.get(f).bind(left);
        for (int k = 0; k < width; k++) {
          scope.bind(op.params().get(carries + k), operands.get(from + k));
        }
        var results = lowering.body(SegBody.sequential(op.body()));
        carried.get(f).next(results);
        carried.get(f).bind(left);
        for (int k = 0; k < carries; k++) {
          all.set(from + parts.get(f).get(k), scope.val(left.get(k)));
        }
        from += width;
      }
      return all;
    }

    /** Returns the values of the accumulators that are carried, for variables of these types. */
    public List<Val> results(List<Var> pattern) {
      var all = new ArrayList<Val>();
      int from = 0;
      for (int f = 0; f < ops.size(); f++) {
        var vars = pattern.subList(from, from + widths.get(f));
        all.addAll(carried.get(f).results(Lists.pick(vars, parts.get(f))));
        from += widths.get(f);
      }
      return all;
    }

    /** Returns the accumulators that a single scalar operator combines in one register. */
    List<Code.Reduction> reductions() {
      var found = new ArrayList<Code.Reduction>();
      for (int f = 0; f < ops.size(); f++) {
        var reg = carried.get(f).registers().getFirst();
        var op = Operators.elementwise(ops.get(f));
        if (reg != null && op.isPresent()) {
          found.add(new Code.Reduction(reg, op.get()));
        }
      }
      return found;
    }

    /** Returns the registers of all that is carried; null for what isn't a scalar. */
    List<Reg> registers() {
      return carried.stream().flatMap(c -> c.registers().stream()).toList();
    }

    /** Whether {@link #reductions} tells all that is carried. */
    boolean simple() {
      return reductions().size() == ops.size();
    }
  }

  public Folds scans(List<Scan> scans) {
    var folds = new Folds();
    for (var s : scans) {
      folds.add(WantedParts.Part.all(s.op()), s.neutral(), nothingWanted(s.neutral().size()));
    }
    return folds;
  }

  /** Scans in order, so that only those parts are carried that these results need. */
  Folds scansInOrder(List<Scan> scans, List<Var> results) {
    var folds = new Folds();
    int from = 0;
    for (var s : scans) {
      int to = from + s.neutral().size();
      var part = lowering.wantedParts.inOrder(s.op(), results.subList(from, to));
      folds.add(part, s.neutral(), nothingWanted(s.neutral().size()));
      from = to;
    }
    return folds;
  }

  public Folds reduces(List<Reduce> reduces, List<View> places) {
    var folds = new Folds();
    int k = 0;
    for (var r : reduces) {
      int to = k + r.neutral().size();
      folds.add(WantedParts.Part.all(r.op()), r.neutral(), places.subList(k, to));
      k = to;
    }
    return folds;
  }

  private Folds reducesInOrder(List<Reduce> reduces, List<Var> results) {
    var folds = new Folds();
    int from = 0;
    for (var r : reduces) {
      var own = results.subList(from, from + r.neutral().size());
      var places = new ArrayList<View>();
      own.forEach(v -> places.add(scope.wanted(v)));
      folds.add(lowering.wantedParts.inOrder(r.op(), own), r.neutral(), places);
      from += own.size();
    }
    return folds;
  }

  public static List<View> nothingWanted(int n) {
    return new ArrayList<>(Collections.nCopies(n, null));
  }

  public void screma(List<Var> pattern, Screma s) {
    int scanned = s.scanWidth();
    int reduced = s.reduceWidth();
    var outs = wantedOutputs(pattern, scanned, reduced);
    var scans = scansInOrder(s.scans(), pattern.subList(0, scanned));
    var reducePattern = pattern.subList(scanned, scanned + reduced);
    var reduces = reducesInOrder(s.reduces(), reducePattern);
    var i = Reg.index("i");
    var code =
        scope.lambda(
            () -> {
              scans.begin();
              reduces.begin();
              var at = List.of(Expr.use(i));
              for (int k = 0; k < s.inputs().size(); k++) {
                var input = scope.val(s.inputs().get(k));
                var row =
                    input instanceof ArrayVal a ? arrays.index(a, List.<Expr>copyOf(at)) : input;
                scope.bind(s.map().params().get(k), row);
              }
              var body = SegBody.sequential(s.map().body());
              scope.iteration(
                  List.of(scope.scalar(s.width())),
                  () -> element(body, scans, scanned, reduces, reduced, outs, at));
            });
    boolean independent = scanned == 0 && reduces.simple() && inAnyOrder(s);
    var reductions = independent ? reduces.reductions() : List.<Code.Reduction>of();
    scope.add(new Code.For(i, scope.scalar(s.width()), code, independent, reductions));
    bindOutputs(pattern, outs, s.map().body().results());
    reduces.results(reducePattern);
  }

  /** Whether all updates of accumulators may be done in any order. */
  private boolean inAnyOrder(Screma s) {
    return Lists.concat(s.inputs(), List.copyOf(FreeVars.of(s.map()))).stream()
        .filter(v -> v.type() instanceof Type.Acc && scope.bound(v))
        .map(scope::acc)
        .allMatch(a -> a.combine().isPresent() && !a.atomic());
  }

  /** Allocates memory for the scanned and mapped arrays; null stands for the others. */
  public List<View> outputs(List<Var> pattern, int scanned, int reduced) {
    return outputs(pattern, scanned, reduced, _ -> true);
  }

  /** Does the same for what is used. */
  List<View> wantedOutputs(List<Var> pattern, int scanned, int reduced) {
    return outputs(pattern, scanned, reduced, lowering.wantedParts::wants);
  }

  private List<View> outputs(List<Var> pattern, int scanned, int reduced, Predicate<Var> wanted) {
    var outs = new ArrayList<View>();
    for (int k = 0; k < pattern.size(); k++) {
      var v = pattern.get(k);
      boolean isReduced = k >= scanned && k < scanned + reduced;
      boolean inMemory = !isReduced && v.type().isArray() && wanted.test(v);
      outs.add(inMemory ? arrays.destination(v) : null);
    }
    return outs;
  }

  public void bindOutputs(List<Var> pattern, List<View> outs, List<Atom> results) {
    for (int k = 0; k < pattern.size(); k++) {
      if (outs.get(k) != null) {
        scope.bind(pattern.get(k), outs.get(k));
      } else if (pattern.get(k).type() instanceof Type.Acc) {
        scope.bind(pattern.get(k), scope.val(results.get(k)));
      }
    }
  }

  /** Computes one point: the body, then scans, reductions and mapped elements. */
  public void element(
      SegBody body,
      Folds scans,
      int scanned,
      Folds reduces,
      int reduced,
      List<View> outs,
      List<? extends Expr> at) {
    List<Expr> point = List.copyOf(at);
    var places = new ArrayList<View>();
    for (int k = 0; k < body.results().size(); k++) {
      boolean mapped = k >= scanned + reduced && k < outs.size() && outs.get(k) != null;
      boolean row = mapped && outs.get(k).dims().size() > point.size();
      places.add(row ? arrays.row(outs.get(k), point) : null);
    }
    var vals = lowering.bodyInto(body, places);
    var prefixes = scans.step(vals.subList(0, scanned));
    for (int k = 0; k < scanned; k++) {
      if (outs.get(k) != null) {
        arrays.write(outs.get(k), point, prefixes.get(k));
      }
    }
    reduces.step(vals.subList(scanned, scanned + reduced));
    for (int k = scanned + reduced; k < vals.size(); k++) {
      if (k < outs.size() && outs.get(k) != null && places.get(k) == null) {
        arrays.write(outs.get(k), point, vals.get(k));
      }
    }
  }

  // Histograms, scatters, accumulators

  public Val.Acc histAcc(HistOp op) {
    return accs.of(
        scope.scalars(op.shape()), op.dests(), Optional.of(new Combine(op.op(), op.neutral())));
  }

  public Val.Acc scatterAcc(ScatterDest dest) {
    return accs.of(scope.scalars(dest.shape()), List.of(dest.dest()), Optional.empty());
  }

  public void hist(List<Var> pattern, Hist h) {
    var targets = h.ops().stream().map(this::histAcc).toList();
    writes(h.width(), h.inputs(), h.map(), targets);
    bindArrays(pattern, targets);
  }

  public void scatter(List<Var> pattern, Scatter s) {
    var targets = s.dests().stream().map(this::scatterAcc).toList();
    writes(s.width(), s.inputs(), s.map(), targets);
    bindArrays(pattern, targets);
  }

  private void writes(Atom width, List<Var> inputs, Lambda map, List<Val.Acc> targets) {
    var i = Reg.index("i");
    var code =
        scope.lambda(
            () -> {
              for (int k = 0; k < inputs.size(); k++) {
                var input = scope.array(inputs.get(k));
                scope.bind(map.params().get(k), arrays.index(input, List.of(Expr.use(i))));
              }
              var body = SegBody.sequential(map.body());
              scope.iteration(
                  List.of(scope.scalar(width)), () -> updates(targets, lowering.body(body)));
            });
    scope.add(new Code.For(i, scope.scalar(width), code, false, List.of()));
  }

  /**
   * Adds updates of the targets. The values are the indices of the targets, one after the other,
   * and then the elements.
   */
  public void updates(List<Val.Acc> targets, List<Val> vals) {
    int index = 0;
    int value = targets.stream().mapToInt(t -> t.space().size()).sum();
    for (var target : targets) {
      int rank = target.space().size();
      var indices =
          vals.subList(index, index + rank).stream().map(v -> ((Val.Scalar) v).expr()).toList();
      int n = target.arrays().size();
      accs.guarded(target, indices, vals.subList(value, value + n));
      index += rank;
      value += n;
    }
  }

  public void bindArrays(List<Var> pattern, List<Val.Acc> targets) {
    int k = 0;
    for (var target : targets) {
      for (var view : target.arrays()) {
        scope.bind(pattern.get(k++), view);
      }
    }
  }

  /**
   * Emits an accumulation.
   *
   * @param read tells which elements of a result are read, if those are a band of its matrices
   */
  public void accumulate(
      List<Var> pattern, SegExp.Accumulate a, Function<Var, Optional<Band>> read) {
    var targets = new ArrayList<Val.Acc>();
    int arraysBefore = 0;
    for (int k = 0; k < a.inputs().size(); k++) {
      var in = a.inputs().get(k);
      var acc = accs.of(scope.scalars(in.space()), in.arrays(), in.combine());
      if (in.arrays().size() == 1) {
        acc = read.apply(pattern.get(arraysBefore)).map(acc::read).orElse(acc);
      }
      arraysBefore += in.arrays().size();
      targets.add(acc);
      scope.bind(a.accs().get(k), acc);
    }
    var places = nothingWanted(a.body().results().size());
    for (int k = a.inputs().size(); k < a.body().results().size(); k++) {
      places.set(k, scope.wanted(pattern.get(arraysBefore + k - a.inputs().size())));
    }
    var vals = lowering.bodyInto(a.body(), places);
    bindArrays(pattern, targets);
    for (int k = a.inputs().size(); k < vals.size(); k++) {
      scope.bind(pattern.get(arraysBefore + k - a.inputs().size()), vals.get(k));
    }
  }
}
