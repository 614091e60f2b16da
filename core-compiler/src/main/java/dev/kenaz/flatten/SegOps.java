package dev.kenaz.flatten;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.flatten.Nest.Kernel;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegFilter;
import dev.kenaz.segir.SegOp.SegHist;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.segir.SegOp.SegScatter;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Turns a parallel operator inside a nest of maps (or in none) into seg-ops over the nest and its
 * own dimension. Where its function is parallel inside there are two versions: one runs the
 * function sequentially, one distributes it; see {@link Distribution}.
 */
record SegOps(InnerParallelism inner, Nest nest, Stm stm, UnaryOperator<Var> owned) {

  /**
   * Makes the seg-ops.
   *
   * @param owned for a destination, the array over the nest that the operator may overwrite
   * @return the body, whose results are arrays over the nest
   */
  static SegBody of(InnerParallelism inner, Nest nest, Stm stm, UnaryOperator<Var> owned) {
    return new SegOps(inner, nest, stm, owned).body();
  }

  /** From this product of columns and depth on, a matrix product is worth a nest of its own. */
  private static final long LARGE = 256;

  private SegBody body() {
    return switch (stm.exp()) {
      case Screma s when s.isMap() -> map(nest, s);
      case Screma s when inner.options().products() && !nest.dims().isEmpty() -> sums(s);
      case Screma s ->
          operator(
              under(nest, s.width(), s.inputs(), s.map()),
              s.map(),
              s.scanWidth() + s.reduceWidth(),
              (kernel, returns) -> screma(s, kernel, returns));
      case Hist h ->
          operator(
              under(nest, h.width(), h.inputs(), h.map()),
              h.map(),
              h.map().returns().size(),
              (kernel, returns) -> hist(h, kernel));
      case Scatter s ->
          operator(
              under(nest, s.width(), s.inputs(), s.map()),
              s.map(),
              s.map().returns().size(),
              (kernel, returns) -> scatter(s, kernel));
      case Filter f when nest.dims().isEmpty() -> {
        var deeper = under(nest, f.width(), f.inputs(), f.map());
        var kernel = deeper.kernel(f.map().body().stms(), f.map().body().results());
        yield one(stm.pattern(), new SegFilter(kernel.space(), kernel.body(), f.map().returns()));
      }
      default -> throw new CompilerBug("flatten", "no parallel operator");
    };
  }

  private Nest under(Nest around, Atom width, List<Var> inputs, Lambda map) {
    return around.under(width, inputs, map.params(), stm.span());
  }

  // Maps

  private SegBody map(Nest around, Screma s) {
    var deeper = under(around, s.width(), s.inputs(), s.map());
    var perfect = inner.perfect(deeper, s);
    if (perfect.isPresent()) {
      var inside = deeper;
      for (var view : perfect.get().views()) {
        inside = inside.with(view);
      }
      return map(inside, perfect.get().map());
    }
    if (!InnerParallelism.sequentialInside(stm) && Rows.only(deeper, inner.options(), s.map())) {
      return cut(around, s);
    }
    var narrow = distributed(deeper, s.map()) ? cut(around, s) : null;
    // inside another map it has been decided already that matrix products are worth it
    boolean decided = inner.options().products() && !nest.dims().isEmpty();
    if (narrow != null && (decided || inner.alwaysDistribute(stm, deeper))) {
      return narrow;
    }
    var results = results(s.map().returns().stream().map(deeper::over).toList());
    var kernel = deeper.kernel(s.map().body().stms(), s.map().body().results());
    var wide = one(results, new SegMap(kernel.space(), kernel.body(), s.map().returns()));
    return narrow == null || isOneMap(narrow) && inner.options().nested()
        ? wide
        : versions(deeper, s.map().body(), wide, narrow);
  }

  /** Whether nothing could be distributed after all. */
  private static boolean isOneMap(SegBody body) {
    return body.stms().size() == 1
        && body.stms().getFirst().exp() instanceof SegExp.Par(SegMap map)
        && map.space().dims().size() == 1;
  }

  /** Makes several kernels of the map. */
  private SegBody cut(Nest around, Screma s) {
    if (BatchLoop.pays(inner.options(), around, s)) {
      return new BatchLoop(inner, around, s, stm.span(), owned).body();
    }
    return byBlocks(
        around,
        s,
        (ops, part) ->
            Distribution.of(
                ops.inner,
                under(around, part.width(), part.inputs(), part.map()),
                part.map().body(),
                part.map().returns()));
  }

  /**
   * @param cut makes kernels of an operator, by these decisions or others
   */
  private SegBody byBlocks(Nest around, Screma s, BiFunction<SegOps, Screma, SegBody> cut) {
    boolean blocks =
        inner.options().products()
            && around.dims().isEmpty()
            && s.map().returns().size() == stm.pattern().size()
            && Blocks.possible(s);
    var alone = new SegOps(inner.alone(), nest, stm, owned);
    return blocks
        ? Blocks.of(stm, s, p -> cut.apply(this, p), p -> cut.apply(alone, p), inner.options())
        : cut.apply(this, s);
  }

  private boolean distributed(Nest deeper, Lambda map) {
    return !InnerParallelism.sequentialInside(stm) && inner.parallel(deeper, map.body());
  }

  private SegBody versions(Nest deeper, Body body, SegBody wide, SegBody narrow) {
    var results = results(wide.results().stream().map(Atom::type).toList());
    var stms = new ArrayList<SegStm>();
    SegExp choice = new SegExp.Versions(deeper.widths(), wide, narrow);
    var skew = inner.options().nested() ? Skew.of(inner, deeper, body) : Optional.<SegBody>empty();
    if (skew.isPresent()) {
      stms.addAll(skew.get().stms());
      choice = new SegExp.Branch(skew.get().results().getFirst(), narrow, wide);
    } else if (inner.options().products()) {
      choice = new SegExp.Branch(large(deeper, body, stms), narrow, wide);
    }
    stms.add(new SegStm(results, choice, stm.attrs(), stm.span()));
    return new SegBody(stms, List.copyOf(results));
  }

  /** Whether the first matrix product is so large that cutting it out pays. */
  private Var large(Nest deeper, Body body, List<SegStm> stms) {
    var sides = NestedProducts.in(deeper, body).map(NestedProducts.Found::sides).orElse(List.of());
    Atom size = Atom.i64(1);
    for (var side : sides) {
      size = bind(new Binary(BinaryOp.MUL, size, side), "size", Type.I64, stms);
    }
    return bind(new Compare(CompareOp.LE, Atom.i64(LARGE), size), "large", Type.BOOL, stms);
  }

  private Var bind(Exp exp, String name, Type type, List<SegStm> stms) {
    var v = Names.fresh(name, type);
    stms.add(new SegStm(List.of(v), new SegExp.Plain(exp), List.of(), stm.span()));
    return v;
  }

  /** Makes sums of products, each by itself over the nest. */
  private SegBody sums(Screma s) {
    var stms = new ArrayList<SegStm>();
    var results = new ArrayList<Atom>();
    for (int k = 0; k < s.reduces().size(); k++) {
      var type = s.map().returns().get(k);
      var sum = Names.fresh("sum", type);
      var alone = new Stm(List.of(sum), alone(s, k), stm.span());
      var kernel = nest.kernel(List.of(alone), List.of(sum));
      var over = Names.fresh("sum", nest.over(type));
      var op = new SegMap(kernel.space(), kernel.body(), List.of(type));
      stms.add(new SegStm(List.of(over), new SegExp.Par(op), stm.attrs(), stm.span()));
      results.add(over);
    }
    return new SegBody(stms, results);
  }

  /** Returns the operator with only one of its reductions. */
  private static Screma alone(Screma s, int k) {
    var map = s.map();
    var result = map.body().results().get(k);
    var slice = BackwardSlice.of(map.body().stms(), List.of(result));
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    for (int i = 0; i < s.inputs().size(); i++) {
      if (slice.used().contains(map.params().get(i))) {
        inputs.add(s.inputs().get(i));
        params.add(map.params().get(i));
      }
    }
    var body = new Body(slice.stms(), List.of(result));
    var lambda = new Lambda(params, body, List.of(map.returns().get(k)));
    return new Screma(s.width(), inputs, List.of(), List.of(s.reduces().get(k)), lambda);
  }

  private List<Var> results(List<Type> types) {
    return types.stream().map(t -> Names.fresh("seg", t)).toList();
  }

  private SegBody one(List<Var> results, SegOp op) {
    var par = new SegStm(results, new SegExp.Par(op), stm.attrs(), stm.span());
    return new SegBody(List.of(par), List.copyOf(results));
  }

  // Other operators

  /**
   * Makes a seg-op.
   *
   * @param operands how many of the function's results the operator takes; the others are mapped
   * @param make makes the operator of a kernel whose results have these types
   */
  private SegBody operator(
      Nest deeper, Lambda map, int operands, BiFunction<Kernel, List<Type>, SegOp> make) {
    var types = stm.pattern().stream().map(v -> nest.over(v.type())).toList();
    var kernel = deeper.kernel(map.body().stms(), indexed(map.body().results()));
    var wide = one(results(types), make.apply(kernel, map.returns()));
    if (!distributed(deeper, map)) {
      return wide;
    }
    var narrow =
        stm.exp() instanceof Screma s
            ? byBlocks(
                nest,
                s,
                (ops, part) -> {
                  var inside = under(nest, part.width(), part.inputs(), part.map());
                  return ops.cut(inside, part.map(), operands, make);
                })
            : cut(deeper, map, operands, make);
    return versions(deeper, map.body(), wide, narrow);
  }

  private SegBody cut(
      Nest deeper, Lambda map, int operands, BiFunction<Kernel, List<Type>, SegOp> make) {
    var types = stm.pattern().stream().map(v -> nest.over(v.type())).toList();
    var mapped = Distribution.of(inner, deeper, map.body(), map.returns());
    var last = ofLast(mapped, operands);
    var kernel = last.orElseGet(() -> reading(deeper, map, mapped.results().subList(0, operands)));
    var results = results(types.subList(0, stm.exp() instanceof Screma ? operands : types.size()));
    var op = make.apply(kernel, map.returns().subList(0, operands));
    int kept = mapped.stms().size() - (last.isPresent() ? 1 : 0);
    return new SegBody(
        Lists.concat(mapped.stms().subList(0, kept), one(results, op).stms()),
        Lists.concat(results, mapped.results().subList(operands, mapped.results().size())));
  }

  /** Returns a kernel that reads arrays over the nest. */
  private Kernel reading(Nest deeper, Lambda map, List<Atom> arrays) {
    var after = deeper;
    var xs = new ArrayList<Var>();
    for (int k = 0; k < arrays.size(); k++) {
      xs.add(Names.fresh("x", map.returns().get(k)));
      after = after.with(xs.get(k), (Var) arrays.get(k), stm.span());
    }
    return after.kernel(List.of(), indexed(xs));
  }

  /** Returns the last kernel, if it only makes what the operator takes, which may do so itself. */
  private Optional<Kernel> ofLast(SegBody mapped, int operands) {
    var taken = mapped.results().subList(0, operands);
    return inner.options().nested()
            && stm.exp() instanceof Screma
            && !mapped.stms().isEmpty()
            && mapped.stms().getLast() instanceof SegStm last
            && last.exp() instanceof SegExp.Par(SegMap m)
            && Set.copyOf(last.pattern()).equals(Set.copyOf(taken))
            && mapped.results().subList(operands, mapped.results().size()).stream()
                .noneMatch(taken::contains)
        ? Optional.of(
            new Kernel(
                m.space(),
                new SegBody(
                    m.body().stms(),
                    taken.stream()
                        .map(x -> m.body().results().get(last.pattern().indexOf(x)))
                        .toList())))
        : Optional.empty();
  }

  private static SegOp screma(Screma s, Kernel kernel, List<Type> returns) {
    var copy = new Renaming();
    var scans = s.scans().stream().map(x -> new Scan(copy.lambda(x.op()), x.neutral())).toList();
    var reduces =
        s.reduces().stream()
            .map(x -> new Reduce(copy.lambda(x.op()), x.neutral(), x.commutative()))
            .toList();
    return scans.isEmpty()
        ? new SegRed(kernel.space(), reduces, kernel.body(), returns)
        : new SegScan(kernel.space(), scans, reduces, kernel.body(), returns);
  }

  // Histograms and scatters: one over the nest, whose indices come first

  private List<Atom> indexed(List<? extends Atom> results) {
    var all = new ArrayList<Atom>();
    int at = 0;
    for (int rank : ranks()) {
      all.addAll(nest.indices());
      all.addAll(results.subList(at, at + rank));
      at += rank;
    }
    all.addAll(results.subList(at, results.size()));
    return all;
  }

  private List<Integer> ranks() {
    return switch (stm.exp()) {
      case Hist h -> h.ops().stream().map(o -> o.shape().size()).toList();
      case Scatter s -> s.dests().stream().map(d -> d.shape().size()).toList();
      default -> List.of();
    };
  }

  private List<Atom> over(List<Atom> shape) {
    return Lists.concat(nest.widths(), shape);
  }

  private List<Type> types(Kernel kernel) {
    return kernel.body().results().stream().map(Atom::type).toList();
  }

  private SegOp hist(Hist h, Kernel kernel) {
    var ops =
        h.ops().stream()
            .map(
                o ->
                    new HistOp(
                        over(o.shape()),
                        o.dests().stream().map(owned).toList(),
                        o.neutral(),
                        new Renaming().lambda(o.op())))
            .toList();
    return new SegHist(kernel.space(), ops, kernel.body(), types(kernel));
  }

  private SegOp scatter(Scatter s, Kernel kernel) {
    var dests =
        s.dests().stream()
            .map(d -> new ScatterDest(over(d.shape()), owned.apply(d.dest())))
            .toList();
    return new SegScatter(kernel.space(), dests, kernel.body(), types(kernel));
  }
}
