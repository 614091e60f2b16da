package dev.kenaz.flatten;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.Effects;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegStm;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Cuts the body of a nest of maps where something in it is parallel (map fission). What lies
 * between becomes a kernel of its own, which leaves what is used later as arrays over the nest;
 * what is parallel inside becomes an operator over a deeper space, with one segment for each point
 * of the nest.
 *
 * <pre>
 *   map (\row -> let s = f row           SegMap  [i]    s[i]    = f row[i]
 *                let t = reduce (+) row  SegRed  [i][j] t[i]    = row[i][j]
 *                in map (g s t) row)     SegMap  [i][j] z[i][j] = g s[i] t[i] row[i][j]
 * </pre>
 */
final class Distribution {
  /** A kernel may repeat at most this many cheap scalar statements from further out. */
  private static final int REPEATED = 12;

  private final InnerParallelism inner;
  private final List<Atom> results;
  private final List<Type> returns;
  private final List<SegStm> out = new ArrayList<>();
  private Nest nest;

  /** The statements that belong into the next kernel over this nest. */
  private final List<Stm> pending = new ArrayList<>();

  /** The arrays over the nest of variables of the body. */
  private final Map<Var, Var> over = new HashMap<>();

  /** What the body overwrites. All reads of such an array stand before it is overwritten. */
  private final Aliases memory;

  private final Ragged ragged = new Ragged(this);

  private int repeated;

  private Distribution(InnerParallelism inner, Nest nest, Body body, List<Type> returns) {
    this.inner = inner;
    this.nest = nest.sharing();
    this.results = body.results();
    this.returns = returns;
    var all = Lists.concat(nest.prelude(), body.stms());
    this.memory = Aliases.of(all);
  }

  /** Computes the body at every point of the nest; the results are arrays over it. */
  static SegBody of(InnerParallelism inner, Nest nest, Body body, List<Type> returns) {
    return of(inner, nest, body, returns, Map.of());
  }

  /**
   * Does the same where arrays over the nest exist that may be overwritten.
   *
   * @param owned these arrays, by the variables that they hold at the points
   */
  static SegBody of(
      InnerParallelism inner, Nest nest, Body body, List<Type> returns, Map<Var, Var> owned) {
    var d = new Distribution(inner, nest, body, returns);
    d.over.putAll(owned);
    for (int k = 0; k < body.stms().size(); k++) {
      d.stm(body.stms().get(k), body.stms().subList(k + 1, body.stms().size()));
    }
    var atoms = d.finish();
    return new SegBody(d.out, atoms);
  }

  Nest nest() {
    return nest;
  }

  InnerParallelism inner() {
    return inner;
  }

  private void stm(Stm stm, List<Stm> later) {
    if (inner.invariant(nest, stm)) {
      out.add(new SegStm(stm.pattern(), new SegExp.Plain(stm.exp()), List.of(), stm.span()));
      return;
    }
    if (stm.exp() instanceof Assert && inner.options().nested() && invariant(stm)) {
      once(stm);
      return;
    }
    var free = FreeVars.of(stm);
    boolean waits = Stm.bound(pending).stream().anyMatch(free::contains);
    if (!waits && repeatable(stm, later)) {
      nest = nest.with(stm);
      if (inner.options().nested() && isTakenInside(stm, later)) {
        element(stm.var());
      }
      return;
    }
    var dest = waits ? Optional.<Exp>empty() : destination(stm, later);
    if (dest.isPresent()) {
      keep(stm.var(), bind(dest.get(), stm.var().name(), nest.over(stm.var().type())));
      return;
    }
    if (stm.exp() instanceof Update u
        && over.containsKey(u.array())
        && InnerParallelism.liftable(nest, u)
        && (independent(stm, waits) || flush(stm, later))) {
      keep(stm.var(), update(u));
      return;
    }
    if (!waits
        && Rows.isChoice(stm, inner.options())
        && results.contains(stm.var())
        && nest.regular(stm.var().type())) {
      var choice = (If) stm.exp();
      keep(stm.var(), deeper(stm.var(), stm.var().type().dims(), at -> Rows.element(choice, at)));
      return;
    }
    var parts = parts(stm);
    if (!parts.isEmpty()) {
      var all = Lists.concat(parts, later);
      for (int k = 0; k < parts.size(); k++) {
        stm(all.get(k), all.subList(k + 1, all.size()));
      }
    } else if ((inner.parallel(nest, stm) || isMadeForOperator(stm, later))
        && (independent(stm, waits) || flush(stm, later))) {
      if (inner.options().products()) {
        NestedProducts.in(nest, stm).ifPresent(p -> p.factors().forEach(this::element));
      }
      operator(stm);
    } else {
      pending.add(stm);
      nest = nest.inside(Set.copyOf(stm.pattern()));
    }
  }

  /**
   * Whether the statement computes a result that what is parallel inside reads, too: that reads it
   * from memory, where it must be anyway.
   */
  private boolean isTakenInside(Stm stm, List<Stm> later) {
    return stm.exp() instanceof Binary
        && results.contains(stm.var())
        && later.stream()
            .anyMatch(s -> FreeVars.of(s).contains(stm.var()) && inner.parallel(nest, s));
  }

  private boolean invariant(Stm stm) {
    return nest.invariant(List.copyOf(FreeVars.of(stm)));
  }

  /** Does a check that is the same at all points before them, if there are any points. */
  private void once(Stm check) {
    Atom points = Atom.i64(1);
    for (var w : nest.widths()) {
      points = bind(new Binary(BinaryOp.MUL, points, w), "points", Type.I64);
    }
    var some = bind(new Compare(CompareOp.LT, Atom.i64(0), points), "some", Type.BOOL);
    var then = SegBody.sequential(new Body(List.of(check), List.of()));
    var otherwise = new SegBody(List.of(), List.of());
    var branch = new SegExp.Branch(some, then, otherwise);
    out.add(new SegStm(List.of(), branch, List.of(), check.span()));
  }

  /** The statements that this one is taken apart into; nothing if it stays. */
  private List<Stm> parts(Stm stm) {
    var divided = inner.divided(nest, stm);
    if (divided.isPresent()) {
      return Lists.concat(List.of(divided.get().map()), divided.get().rest());
    }
    return inner.parallel(nest, stm) ? inner.unfolded(nest, stm).orElse(List.of()) : List.of();
  }

  /** Does the update at all points at once. */
  private Var update(Update u) {
    var array = owned(u.array());
    var slice = new ArrayList<DimSlice>();
    nest.widths().forEach(w -> slice.add(new DimSlice.Range(Atom.i64(0), w, Atom.i64(1))));
    slice.addAll(u.slice());
    var value = readOnly(u.value(), u.value().type());
    return bind(new Update(array, slice, value, false), array.name(), array.type());
  }

  /** Makes a factor of a matrix product that is computed at each point an array's element. */
  private void element(Var factor) {
    boolean computed =
        nest.prelude().stream()
            .filter(s -> s.pattern().contains(factor))
            .anyMatch(s -> !(s.exp() instanceof Index) && !(s.exp() instanceof Alias));
    if (computed) {
      var all = expanded(factor, factor.type());
      over.put(factor, all);
      nest = nest.replacing(factor, all);
    }
  }

  /** Whether an array of another size at each point is made for something parallel. */
  private boolean isMadeForOperator(Stm stm, List<Stm> later) {
    return inner.ragged(nest, stm)
        && (stm.exp() instanceof Concat
            ? inner.takes(nest, stm.var(), later)
            : startsOperator(stm.var(), later));
  }

  private void operator(Stm stm) {
    if (inner.ragged(nest, stm)) {
      ragged.statement(stm);
      return;
    }
    var body =
        switch (stm.exp()) {
          case If i when !nest.invariant(List.of(i.condition())) ->
              new VaryingBranch(this, stm).body();
          case If _, Loop _, WithAcc _ -> new NestInterchange(this, stm).body();
          default -> SegOps.of(inner, nest, stm, this::owned);
        };
    out.addAll(body.stms());
    for (int k = 0; k < stm.pattern().size(); k++) {
      keep(stm.pattern().get(k), variable(body.results().get(k)));
    }
  }

  private Var variable(Atom atom) {
    return atom instanceof Var v ? v : bind(new Alias(atom), "c", atom.type());
  }

  // For what differs in size

  /** Adds statements that stand before the nest. */
  void outside(List<Stm> stms) {
    out.addAll(Flatten.outside(inner, stms));
  }

  void emit(SegStm stm) {
    out.add(stm);
  }

  /** Adds a view or a read that every later kernel may repeat. */
  void repeat(Stm stm) {
    nest = nest.with(stm);
  }

  /** Binds a variable of the nest by the values at all points. */
  void keep(Var v, Var overNest) {
    over.put(v, overNest);
    nest = nest.regular(v.type()) ? nest.with(v, overNest, span()) : nest.inside(Set.of(v));
  }

  Span span() {
    return out.isEmpty() ? Span.NONE : out.getLast().span();
  }

  private Var bind(Exp exp, String name, Type type) {
    var v = Names.fresh(name, type);
    out.add(new SegStm(List.of(v), new SegExp.Plain(exp), List.of(), span()));
    return v;
  }

  // Which statements stay in a kernel

  private boolean repeatable(Stm stm, List<Stm> later) {
    boolean view =
        stm.exp() instanceof Replicate
            ? (inner.options().nested() || nest.regular(stm.var().type())) && isFill(stm, later)
            : InnerParallelism.cheap(stm.exp()) && !readsOverwritten(stm);
    boolean computes = stm.exp() instanceof Binary || stm.exp() instanceof Unary;
    if (!view || computes && repeated == REPEATED) {
      return false;
    }
    repeated += computes ? 1 : 0;
    return true;
  }

  /** Whether the statement makes an array of one scalar, which is only read. */
  private static boolean isFill(Stm stm, List<Stm> later) {
    return stm.exp() instanceof Replicate(_, var x)
        && x.type().isScalar()
        && !Aliases.of(later).consumed().contains(stm.var());
  }

  /**
   * Whether the statement reads an element that is overwritten later: a kernel after that would
   * find the new one.
   */
  private boolean readsOverwritten(Stm stm) {
    return stm.exp() instanceof Index read
        && stm.var().type().isScalar()
        && memory.isConsumed(read.array());
  }

  /**
   * Returns an array over the nest that a parallel operator there writes into, if it is made at
   * once.
   */
  private Optional<Exp> destination(Stm stm, List<Stm> later) {
    return switch (stm.exp()) {
      case Replicate(var shape, var value)
          when nest.invariant(shape)
              && nest.invariant(List.of(value))
              && (startsOperator(stm.var(), later) || inner.isFilled(nest, stm, later)) -> {
        var all = Lists.concat(nest.widths(), shape);
        yield Optional.of(new Replicate(all, value));
      }
      case Copy(var array)
          when nest.regular(stm.var().type())
              && (startsOperator(stm.var(), later)
                  || results.contains(stm.var())
                  || inner.isFilled(nest, stm, later)) ->
          Optional.of(new Copy(readOnly(array, stm.var().type())));
      default -> Optional.empty();
    };
  }

  private boolean startsOperator(Var v, List<Stm> later) {
    return later.stream()
        .anyMatch(
            s -> InnerParallelism.destinations(s.exp()).contains(v) && inner.parallel(nest, s));
  }

  /**
   * Whether the operator may as well run before the pending statements. What it adds to an
   * accumulator may come first, for one that the pending statements have used would wait for them.
   */
  private boolean independent(Stm stm, boolean waits) {
    return pending.isEmpty()
        || !waits
            && Aliases.of(stm).consumed().isEmpty()
            && !Effects.observable(stm.exp())
            && pending.stream()
                .noneMatch(s -> !Aliases.of(s).consumed().isEmpty() || Effects.observable(s.exp()));
  }

  /**
   * Runs the pending statements, if all that is needed of them can be kept; tells whether it did.
   * Views of other sizes at each point are not kept but made again.
   */
  private boolean flush(Stm next, List<Stm> later) {
    var wanted = new HashSet<>(FreeVars.of(next));
    later.forEach(s -> wanted.addAll(FreeVars.of(s)));
    var views = new ArrayDeque<Stm>();
    for (var stm : pending.reversed()) {
      if (stm.pattern().stream().anyMatch(v -> wanted.contains(v) && !nest.regular(v.type()))) {
        if (!InnerParallelism.view(stm) && !isFill(stm, later)) {
          return false;
        }
        views.addFirst(stm);
        wanted.addAll(FreeVars.of(stm));
      }
    }
    var kept = new ArrayList<Var>();
    var types = new ArrayList<Type>();
    for (var v : pending.stream().flatMap(s -> s.pattern().stream()).toList()) {
      int result = results.indexOf(v);
      boolean isView = views.stream().anyMatch(s -> s.pattern().contains(v));
      if (!isView && (wanted.contains(v) || result >= 0)) {
        kept.add(v);
        types.add(nest.regular(v.type()) ? v.type() : returns.get(result));
      }
    }
    run(kept, types);
    views.forEach(this::repeat);
    return true;
  }

  private void run(List<Var> kept, List<Type> types) {
    var vars = kernel(kept, types);
    pending.clear();
    for (int k = 0; k < kept.size(); k++) {
      keep(kept.get(k), vars.get(k));
    }
  }

  private List<Var> kernel(List<? extends Atom> values, List<Type> types) {
    var kernel = nest.kernel(pending, values);
    var vars = new ArrayList<Var>();
    for (int k = 0; k < values.size(); k++) {
      var name = values.get(k) instanceof Var v ? v.name() : "seg";
      vars.add(Names.fresh(name, nest.over(types.get(k))));
    }
    var span = pending.isEmpty() ? span() : pending.getFirst().span();
    var op = new SegExp.Par(new SegMap(kernel.space(), kernel.body(), types));
    out.add(new SegStm(vars, op, List.of(), span));
    return vars;
  }

  // Values over the nest

  /** The operand at every point of the nest; no pending statement binds it. */
  Var expanded(Atom atom, Type type) {
    if (atom instanceof Var v && over.containsKey(v)) {
      return over.get(v);
    }
    if (type instanceof Type.Acc) {
      return accumulator((Var) atom);
    }
    if (nest.invariant(List.of(atom))) {
      return bind(new Replicate(nest.widths(), atom), "rep", nest.over(type));
    }
    var view = type.isArray() ? view(atom, type) : Optional.<Var>empty();
    if (view.isPresent()) {
      return bind(new Copy(view.get()), "rows", nest.over(type));
    }
    return spread(atom, type).orElseGet(() -> alone(atom, type));
  }

  private Var alone(Atom atom, Type type) {
    var rest = List.copyOf(pending);
    pending.clear();
    var v = kernel(List.of(atom), List.of(type)).getFirst();
    pending.addAll(rest);
    return v;
  }

  /**
   * Makes arrays that have one scalar in all places, another at each point, by all their places.
   */
  private Optional<Var> spread(Atom atom, Type type) {
    for (var stm : nest.prelude()) {
      if (stm.pattern().contains(atom)
          && stm.exp() instanceof Replicate(var shape, var x)
          && x.type().isScalar()
          && inner.options().nested()
          && nest.invariant(shape)) {
        return Optional.of(deeper(stm.var(), shape, _ -> new Alias(x)));
      }
    }
    return Optional.empty();
  }

  /**
   * Copies an array that is another part of one at each point, as the rows at computed indices are,
   * by all its elements: neighbouring ones are copied at the same time.
   */
  private Optional<Var> elements(Var v) {
    return inner.options().nested()
        ? Optional.of(deeper(v, v.type().dims(), at -> new Index(v, at, false)))
        : Optional.empty();
  }

  /** Makes an array's element at each of its places, at every point of the nest. */
  private Var deeper(Var v, List<Atom> shape, Function<List<Atom>, Exp> element) {
    var places = nest;
    for (var d : shape) {
      places = places.under(d, List.of(), List.of(), span());
    }
    var at = places.indices().subList(nest.dims().size(), places.dims().size());
    var x = Names.fresh("x", Type.scalar(v.type().elemPrim()));
    var read = new Stm(List.of(x), element.apply(List.copyOf(at)), span());
    var kernel = places.kernel(List.of(read), List.of(x));
    var op = new SegMap(kernel.space(), kernel.body(), List.of(x.type()));
    var all = Names.fresh(v.name(), nest.over(v.type()));
    out.add(new SegStm(List.of(all), new SegExp.Par(op), List.of(), span()));
    return all;
  }

  /**
   * Does the same as {@link #expanded} for an array that is only read: an input of the maps is not
   * copied.
   */
  Var readOnly(Atom atom, Type type) {
    return view(atom, type).orElseGet(() -> expanded(atom, type));
  }

  /** Returns an array over the nest that exists already, or the same part at all points of one. */
  private Optional<Var> view(Atom atom, Type type) {
    Atom base = atom;
    var indices = new ArrayList<Atom>();
    for (var stm : nest.prelude().reversed()) {
      if (stm.pattern().contains(base)
          && stm.exp() instanceof Index(var array, var is, _)
          && array.type().dims().size() >= is.size()) {
        base = array;
        indices.addAll(0, is);
      } else if (stm.pattern().contains(base) && stm.exp() instanceof Alias(var from)) {
        base = from;
      }
    }
    int depth = nest.dims().size();
    if (!(base instanceof Var v)
        || indices.size() < depth
        || !indices.subList(0, depth).equals(List.<Atom>copyOf(nest.indices()))
        || nest.inside().contains(v)
        || !v.type().dims().subList(0, depth).equals(nest.widths())) {
      return Optional.empty();
    }
    var rest = indices.subList(depth, indices.size());
    if (rest.isEmpty()) {
      return Optional.of(v);
    }
    if (!nest.invariant(rest) || !type.isArray()) {
      return Optional.empty();
    }
    var slice = new ArrayList<DimSlice>();
    nest.widths().forEach(w -> slice.add(new DimSlice.Range(Atom.i64(0), w, Atom.i64(1))));
    rest.forEach(i -> slice.add(new DimSlice.Fix(i)));
    type.dims().forEach(d -> slice.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1))));
    return Optional.of(bind(new Slice(v, slice, false), "part", nest.over(type)));
  }

  private Var accumulator(Var acc) {
    for (var stm : nest.prelude()) {
      if (stm.pattern().contains(acc) && stm.exp() instanceof Alias(Var from)) {
        return over.containsKey(from) ? over.get(from) : accumulator(from);
      }
    }
    return acc;
  }

  /** An array over the nest that may be overwritten; the variable is not used afterwards. */
  Var owned(Var v) {
    var all = expanded(v, v.type());
    over.put(v, all);
    return all;
  }

  /** Returns the results over the nest. */
  private List<Atom> finish() {
    for (int k = 0; k < results.size(); k++) {
      if (isLast(k)
          && results.get(k) instanceof Var v
          && v.type().isArray()
          && nest.regular(v.type())
          && !Stm.bound(pending).contains(v)) {
        view(v, v.type())
            .map(all -> bind(new Copy(all), v.name(), all.type()))
            .or(() -> spread(v, v.type()))
            .or(() -> elements(v))
            .ifPresent(all -> over.put(v, all));
      }
    }
    var last = new ArrayList<Atom>();
    var types = new ArrayList<Type>();
    for (int k = 0; k < results.size(); k++) {
      if (isLast(k) && !last.contains(results.get(k))) {
        last.add(results.get(k));
        types.add(returns.get(k));
      }
    }
    if (!last.isEmpty() || pending.stream().anyMatch(s -> Effects.observable(s.exp()))) {
      var vars = kernel(last, types);
      for (int k = 0; k < last.size(); k++) {
        over.put((Var) last.get(k), vars.get(k));
      }
    }
    pending.clear();
    var atoms = new ArrayList<Atom>();
    for (int k = 0; k < results.size(); k++) {
      var v = expanded(results.get(k), returns.get(k));
      // the results of a map share no memory
      boolean again = atoms.contains(v) && v.type().isArray();
      atoms.add(again ? bind(new Copy(v), v.name(), v.type()) : v);
    }
    return atoms;
  }

  /** Whether the result is made by the last kernel. */
  private boolean isLast(int k) {
    return results.get(k) instanceof Var v
        && !over.containsKey(v)
        && nest.inside().contains(v)
        && !(v.type() instanceof Type.Acc && !Stm.bound(pending).contains(v));
  }
}
