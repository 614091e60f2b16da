package dev.kenaz.fuse;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The body of a loop whose iterations' sums are to be computed after it: what they read of an
 * iteration. Rows of arrays from outside are there after the loop, too; other arrays are kept.
 */
final class LoopBody {
  private final Loop loop;
  private final For form;
  private final Body body;
  private final Map<Var, Stm> statements = new HashMap<>();
  private final Uses uses;
  private final Set<Var> changing = new HashSet<>();

  /** The iteration's number, or its number counted from the end, by which arrays are read. */
  private final Var place;

  /** The types of the rows that the loop reads at its place in arrays from outside. */
  private final List<Type> rows = new ArrayList<>();

  private final Set<Var> kept = new LinkedHashSet<>();

  LoopBody(Loop loop, For form, Body body, LateSums sums) {
    this.loop = loop;
    this.form = form;
    this.body = body;
    loop.params().forEach(p -> changing.add(p.var()));
    for (var stm : body.stms()) {
      stm.pattern().forEach(v -> statements.put(v, stm));
    }
    uses = Uses.in(body);
    place = place(sums);
    body.stms().stream()
        .filter(s -> s.exp() instanceof Index x && isRow(x))
        .forEach(s -> rows.add(s.var().type()));
  }

  private Var place(LateSums sums) {
    return body.stms().stream()
        .filter(
            s ->
                s.exp() instanceof Binary(var op, var last, var i)
                    && op == BinaryOp.SUB
                    && i.equals(form.i())
                    && sums.isLast(last, form.bound()))
        .map(Stm::var)
        .findFirst()
        .orElse(form.i());
  }

  /** Whether the loop reads a row of an array that has one for each iteration. */
  private boolean isRow(Index x) {
    return x.indices().equals(List.of(place))
        && !x.checked()
        && isOutside(x.array())
        && x.array().type().dims().getFirst().equals(form.bound());
  }

  private boolean isOutside(Atom x) {
    return !(x instanceof Var v)
        || !changing.contains(v) && !statements.containsKey(v) && !v.equals(form.i());
  }

  Loop loop() {
    return loop;
  }

  Atom bound() {
    return form.bound();
  }

  Set<Var> kept() {
    return kept;
  }

  int uses(Atom x) {
    return uses.of(x);
  }

  /** Returns the statement of the body that binds the variable, if one does. */
  Optional<Stm> statement(Atom x) {
    return x instanceof Var v ? Optional.ofNullable(statements.get(v)) : Optional.empty();
  }

  Optional<Exp> made(Atom x) {
    return statement(x).map(Stm::exp);
  }

  /** Whether all arrays that are kept have their likes among those that the loop reads. */
  boolean fits() {
    return !rows.isEmpty() && kept.size() <= rows.size();
  }

  // What an accumulation needs

  /** Whether the accumulation goes through rows of arrays, of which each iteration has some. */
  boolean movable(Stm adding) {
    var over = over(adding);
    return over.isPresent()
        && FreeVars.of(over.get().map()).stream().allMatch(v -> isOutside(original(v)))
        && isOutside(over.get().width())
        && arrays(over.get().inputs()).allMatch(v -> row(v).isPresent() || canBeKept(original(v)));
  }

  /** Whether an iteration makes the array, which is no larger than a row that the loop reads. */
  private boolean canBeKept(Var array) {
    return !isOutside(array) && rows.contains(array.type());
  }

  /** Decides that the accumulation is to stand after the loop. */
  void move(Stm adding) {
    arrays(over(adding).orElseThrow().inputs())
        .filter(v -> row(v).isEmpty())
        .forEach(v -> kept.add(original(v)));
  }

  /** Returns the map that is all of an accumulation. */
  private static Optional<Screma> over(Stm adding) {
    var w = (WithAcc) adding.exp();
    return w.body()
        .body()
        .onlyStm()
        .filter(s -> s.exp() instanceof Screma m && m.isMap() && m.inputs().size() > 1)
        .map(s -> (Screma) s.exp());
  }

  private static Stream<Var> arrays(List<Var> inputs) {
    return inputs.stream().filter(v -> v.type().isArray());
  }

  /** Returns the array from outside of which the variable is the row at the iteration's place. */
  private Optional<Var> row(Var v) {
    return made(original(v)).orElse(null) instanceof Index x && isRow(x)
        ? Optional.of(x.array())
        : Optional.empty();
  }

  /** Follows other names. */
  private Var original(Var v) {
    return made(v).orElse(null) instanceof Alias(Var x) ? original(x) : v;
  }

  /**
   * Adds the accumulation for all iterations at once, over all rows of all of them; its result.
   *
   * @param rooms what is kept of each variable
   * @param flats arrays whose outer two dimensions are one already
   */
  Var overall(Builder b, Stm adding, Map<Var, Var> rooms, Map<Var, Var> flats) {
    var w = (WithAcc) adding.exp();
    var map = over(adding).orElseThrow();
    var in = w.inputs().getFirst();
    var inputs = new ArrayList<Var>();
    for (var v : map.inputs()) { // the accumulator is one of them
      inputs.add(
          v.type().isArray()
              ? flats.computeIfAbsent(
                  row(v).orElseGet(() -> rooms.get(original(v))), array -> flat(b, array, flats))
              : v);
    }
    var size = arrays(inputs).findFirst().orElseThrow().type().dims().getFirst();
    var whole = new Screma(size, inputs, List.of(), List.of(), map.map());
    var stm = w.body().body().onlyStm().orElseThrow();
    var nest = new Body(List.of(stm.with(whole)), w.body().body().results());
    var zeros = (Var) b.zero(adding.var().type());
    var all =
        new WithAcc(
            List.of(new AccInput(in.space(), List.of(zeros), in.combine())),
            new Lambda(w.body().params(), nest, w.body().returns()));
    Map<Var, Atom> names = new HashMap<>();
    FreeVars.of(all).stream()
        .filter(v -> !original(v).equals(v))
        .forEach(v -> names.put(v, original(v)));
    return b.bind(adding.var().name(), adding.var().type(), new Renaming(names).exp(all));
  }

  /** Makes one dimension of the outer two; arrays of the same sizes share the product. */
  private static Var flat(Builder b, Var array, Map<Var, Var> flats) {
    var all = array.type().dims();
    var size =
        flats.entrySet().stream()
            .filter(e -> e.getKey().type().dims().subList(0, 2).equals(all.subList(0, 2)))
            .map(e -> e.getValue().type().dims().getFirst())
            .findFirst()
            .orElseGet(() -> b.sizes(all.get(0), all.get(1)));
    var dims = new ArrayList<Atom>(List.of(size));
    dims.addAll(all.subList(2, all.size()));
    return b.bind("flat", new Reshape(dims, array));
  }

  /**
   * Returns the body without some parameters, which keeps arrays of its iterations instead.
   *
   * @param adding the accumulations that it doesn't do any more
   * @param params the numbers of the parameters that it has no more
   * @param rooms the parameters in which it keeps each array
   */
  Body without(List<Stm> adding, Set<Integer> params, Map<Var, Var> rooms) {
    var gone = new HashSet<Var>();
    params.forEach(k -> gone.add(loop.params().get(k).var()));
    adding.forEach(stm -> gone.addAll(stm.pattern()));
    var known = new HashSet<Var>(changing);
    known.add(form.i());
    var waiting = new LinkedHashSet<>(kept);
    var now = new HashMap<>(rooms);
    var stms = new ArrayList<Stm>();
    keep(waiting, known, now, stms);
    for (var stm : body.stms()) {
      if (gone.containsAll(stm.pattern()) && !stm.pattern().isEmpty()) {
        continue;
      }
      if (FreeVars.of(stm).stream().anyMatch(gone::contains)) {
        gone.addAll(stm.pattern());
      } else {
        stms.add(stm);
        known.addAll(stm.pattern());
        keep(waiting, known, now, stms);
      }
    }
    var results = new ArrayList<Atom>();
    for (int k = 0; k < loop.params().size(); k++) {
      if (!params.contains(k)) {
        results.add(body.results().get(k));
      }
    }
    kept.forEach(v -> results.add(now.get(v)));
    return new Body(stms, results);
  }

  /** Keeps what is known by now, while nothing can have overwritten it. */
  private void keep(Set<Var> waiting, Set<Var> known, Map<Var, Var> now, List<Stm> stms) {
    if (!known.contains(place)) {
      return;
    }
    for (var v : List.copyOf(waiting)) {
      if (known.contains(v)) {
        var b = new Builder(Span.NONE);
        now.put(v, b.update(now.get(v), List.of(place), v));
        stms.addAll(b.stms());
        waiting.remove(v);
      }
    }
  }
}
