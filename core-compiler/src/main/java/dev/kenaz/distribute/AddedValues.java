package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Takes an accumulator out of code, as values: what the code adds to it, as if it began with
 * neutral elements.
 *
 * <p>Let an accumulator have the dimensions {@code s}, of which the code fixes the first few to
 * indices of its own. Then what it adds is an array over the rest of {@code s}:
 *
 * <ul>
 *   <li>an update at exactly these indices adds its values;
 *   <li>an update of an element with a constant place adds an array that is neutral elsewhere;
 *   <li>a map whose width is the next dimension, and whose function fixes it to its own number,
 *       adds the array of what each application adds;
 *   <li>any other operator adds the reduction of what each application adds, and a loop that of its
 *       iterations;
 *   <li>a branch adds what is added where it is taken, and otherwise neutral elements;
 *   <li>statements one after the other add their values, combined.
 * </ul>
 *
 * The operator of an accumulator is associative and commutative, so the order doesn't matter.
 */
final class AddedValues {
  /**
   * Code without the accumulator.
   *
   * @param values what it adds; nothing if it adds nothing
   */
  record Added(List<Stm> stms, List<Atom> values) {}

  /** Code that adds to an accumulator in another way. */
  static final class Unknown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unknown() {
      super(null, null, false, false);
    }
  }

  private final int token;
  private final Combine combine;
  private final Function<Var, Exp> definitions;

  /**
   * @param acc the accumulator, as any code has it
   * @param definitions what variables of the code around are bound to, or null
   */
  AddedValues(Var acc, Combine combine, Function<Var, Exp> definitions) {
    this.token = ((Type.Acc) acc.type()).token();
    this.combine = combine;
    this.definitions = definitions;
  }

  /** Whether it is the accumulator, at any stage of the code. */
  boolean isAcc(Atom x) {
    return x.type() instanceof Type.Acc a && a.token() == token;
  }

  boolean uses(Stm stm) {
    return FreeVars.of(stm).stream().anyMatch(this::isAcc);
  }

  /** Returns the place of the accumulator. */
  int placeIn(List<? extends Atom> atoms) {
    return IntStream.range(0, atoms.size())
        .filter(i -> isAcc(atoms.get(i)))
        .findFirst()
        .orElseThrow(Unknown::new);
  }

  /**
   * Takes the accumulator out of statements.
   *
   * @param indices to which its first dimensions are fixed
   * @param space its other dimensions
   * @throws Unknown if they add to it in another way
   */
  Added from(List<Stm> stms, List<Atom> indices, List<Atom> space) {
    var b = new Builder(stms.isEmpty() ? Span.NONE : stms.getFirst().span());
    List<Atom> values = List.of();
    for (var stm : stms) {
      if (!uses(stm)) {
        b.add(stm);
        continue;
      }
      var added = from(stm, indices, space);
      added.stms().forEach(b::add);
      values = both(b, values, added.values(), space);
    }
    return new Added(b.stms(), values);
  }

  /** Combines what is added first and what is added then. */
  List<Atom> both(Builder b, List<Atom> first, List<Atom> then, List<Atom> space) {
    if (first.isEmpty() || then.isEmpty()) {
      return first.isEmpty() ? then : first;
    }
    return group(space).apply(b, first, then);
  }

  /** Returns the accumulator's operator on arrays of this shape. */
  private Label.Group group(List<Atom> space) {
    var op = new Renaming().lambda(combine.op());
    return new Label.Group(op, true, "accumulate").over(space);
  }

  /** Returns the reduction of such arrays. */
  Reduce reduce(Builder b, List<Atom> space) {
    return new Reduce(group(space).op(), neutral(b, space), true);
  }

  private List<Atom> neutral(Builder b, List<Atom> space) {
    return combine.neutral().stream()
        .map(x -> space.isEmpty() ? x : (Atom) b.replicate(space, x))
        .toList();
  }

  private Added from(Stm stm, List<Atom> indices, List<Atom> space) {
    return switch (stm.exp()) {
      case Alias _ -> new Added(List.of(), List.of());
      case UpdateAcc(_, var is, var xs) -> {
        if (is.equals(indices) && space.isEmpty()) {
          yield new Added(List.of(), xs);
        }
        yield placed(stm, is, xs, indices, space);
      }
      case Screma s -> screma(stm, s, indices, space);
      case If branch -> branch(stm, branch, indices, space);
      case Loop loop -> loop(stm, loop, indices, space);
      case WithAcc w -> withAcc(stm, w, indices, space);
      default -> throw new Unknown();
    };
  }

  /** An update of one element adds an array that is neutral elsewhere. */
  private Added placed(
      Stm stm, List<Atom> is, List<Atom> xs, List<Atom> indices, List<Atom> space) {
    int fixed = indices.size();
    if (is.size() != fixed + space.size()
        || !is.subList(0, fixed).equals(indices)
        || !is.subList(fixed, is.size()).stream().allMatch(i -> i instanceof Const)) {
      throw new Unknown();
    }
    var b = new Builder(stm.span());
    var values = placed(b, space, is.subList(fixed, is.size()), Atom.bool(true), xs);
    return new Added(b.stms(), values);
  }

  private List<Atom> placed(
      Builder b, List<Atom> space, List<Atom> place, Atom sofar, List<Atom> xs) {
    if (space.isEmpty()) {
      var types = xs.stream().map(Atom::type).toList();
      return List.copyOf(b.ifThenElse(sofar, types, _ -> xs, _ -> combine.neutral()));
    }
    var inside = space.subList(1, space.size());
    var rest = place.subList(1, place.size());
    var rows =
        b.map(
            space.getFirst(),
            List.of(b.iota(space.getFirst())),
            (in, i) -> {
              var here = in.compare(CompareOp.EQ, i.getFirst(), place.getFirst());
              return placed(in, inside, rest, in.and(sofar, here), xs);
            });
    return List.copyOf(rows);
  }

  private Added screma(Stm stm, Screma s, List<Atom> indices, List<Atom> space) {
    int in = placeIn(s.inputs());
    int out = placeIn(stm.pattern());
    var numbered = numbered(s);
    if (numbered.isPresent() && !space.isEmpty() && s.width().equals(space.getFirst())) {
      try {
        return mapped(stm, s, in, out, numbered.get(), indices, space);
      } catch (Unknown _) {
        // all of its applications may add to the same elements
      }
    }
    return reduced(stm, s, in, out, indices, space);
  }

  /**
   * The function of a row.
   *
   * @param number the parameter that is the row's number
   * @param body in which no other parameter is that
   */
  record Numbered(Var number, Body body) {}

  /** Returns the function of a row, if it has the row's number. */
  Optional<Numbered> numbered(Screma s) {
    var numbers = new ArrayList<Var>();
    for (int i = 0; i < s.inputs().size(); i++) {
      if (definitions.apply(s.inputs().get(i)) instanceof Iota iota && iota.isCounter()) {
        numbers.add(s.map().params().get(i));
      }
    }
    if (numbers.isEmpty()) {
      return Optional.empty();
    }
    var one = numbers.removeFirst();
    var same = new HashMap<Var, Atom>();
    numbers.forEach(v -> same.put(v, one));
    return Optional.of(new Numbered(one, new Substitution(same).body(s.map().body())));
  }

  private Added mapped(
      Stm stm, Screma s, int in, int out, Numbered row, List<Atom> indices, List<Atom> space) {
    var rest = space.subList(1, space.size());
    var body = from(row.body().stms(), Lists.with(indices, row.number()), rest);
    if (body.values().isEmpty()) {
      throw new Unknown();
    }
    var results = new ArrayList<>(Lists.without(row.body().results(), out));
    results.addAll(body.values());
    var pattern = new ArrayList<>(Lists.without(stm.pattern(), out));
    var values = body.values().stream().map(x -> fresh(x.type().under(s.width()))).toList();
    pattern.addAll(values);
    var map = lambda(Lists.without(s.map().params(), in), body.stms(), results);
    var exp = new Screma(s.width(), Lists.without(s.inputs(), in), s.scans(), s.reduces(), map);
    return new Added(List.of(stm.with(pattern, exp)), List.copyOf(values));
  }

  private Added reduced(Stm stm, Screma s, int in, int out, List<Atom> indices, List<Atom> space) {
    var body = from(s.map().body().stms(), indices, space);
    var b = new Builder(stm.span());
    var results = new ArrayList<>(Lists.without(s.map().body().results(), out));
    var pattern = new ArrayList<>(Lists.without(stm.pattern(), out));
    var reduces = new ArrayList<>(s.reduces());
    var values = body.values().stream().map(x -> fresh(x.type())).toList();
    if (!values.isEmpty()) {
      int at = s.scanWidth() + s.reduceWidth();
      results.addAll(at, body.values());
      pattern.addAll(at, values);
      reduces.add(reduce(b, space));
    }
    var inputs = new ArrayList<>(Lists.without(s.inputs(), in));
    var params = new ArrayList<>(Lists.without(s.map().params(), in));
    if (inputs.isEmpty()) {
      inputs.add(b.iota(s.width()));
      params.add(Names.fresh("i", Type.I64));
    }
    var map = lambda(params, body.stms(), results);
    b.with(stm.attrs()).bindAll(pattern, new Screma(s.width(), inputs, s.scans(), reduces, map));
    return new Added(b.stms(), List.copyOf(values));
  }

  private Added branch(Stm stm, If branch, List<Atom> indices, List<Atom> space) {
    int out = placeIn(stm.pattern());
    var then = from(branch.then().stms(), indices, space);
    var otherwise = from(branch.otherwise().stms(), indices, space);
    var pattern = new ArrayList<>(Lists.without(stm.pattern(), out));
    List<Atom> some = then.values().isEmpty() ? otherwise.values() : then.values();
    var values = some.stream().map(x -> fresh(x.type())).toList();
    pattern.addAll(values);
    var exp =
        new If(
            branch.condition(),
            body(branch.then(), out, then, !values.isEmpty(), space),
            body(branch.otherwise(), out, otherwise, !values.isEmpty(), space));
    return new Added(List.of(stm.with(pattern, exp)), List.copyOf(values));
  }

  private Body body(Body body, int out, Added added, boolean adds, List<Atom> space) {
    var b = new Builder(Span.NONE).addAll(added.stms());
    var results = new ArrayList<>(Lists.without(body.results(), out));
    if (adds) {
      results.addAll(added.values().isEmpty() ? neutral(b, space) : added.values());
    }
    return b.body(results);
  }

  private Added loop(Stm stm, Loop loop, List<Atom> indices, List<Atom> space) {
    int at = placeIn(loop.params().stream().map(LoopParam::var).toList());
    var added = from(loop.body().stms(), indices, space);
    var b = new Builder(stm.span());
    var params = new ArrayList<>(Lists.without(loop.params(), at));
    var pattern = new ArrayList<>(Lists.without(stm.pattern(), at));
    var in = new Builder(stm.span()).addAll(added.stms());
    var results = new ArrayList<>(Lists.without(loop.body().results(), at));
    List<Var> values = List.of();
    if (!added.values().isEmpty()) {
      var starts = neutral(b, space);
      var sums = starts.stream().map(x -> fresh(x.type())).toList();
      IntStream.range(0, sums.size())
          .forEach(i -> params.add(new LoopParam(sums.get(i), starts.get(i))));
      results.addAll(both(in, List.copyOf(sums), added.values(), space));
      values = starts.stream().map(x -> fresh(x.type())).toList();
      pattern.addAll(values);
    }
    b.with(stm.attrs()).bindAll(pattern, new Loop(params, loop.form(), in.body(results)));
    return new Added(b.stms(), List.copyOf(values));
  }

  /** Another accumulation, which this accumulator goes through. */
  private Added withAcc(Stm stm, WithAcc w, List<Atom> indices, List<Atom> space) {
    var added = from(w.body().body().stms(), indices, space);
    int out = placeIn(stm.pattern());
    int arrays = w.inputs().stream().mapToInt(i -> i.arrays().size()).sum();
    var results = new ArrayList<>(w.body().body().results());
    results.remove(w.inputs().size() + out - arrays);
    results.addAll(added.values());
    var pattern = new ArrayList<>(Lists.without(stm.pattern(), out));
    var values = added.values().stream().map(x -> fresh(x.type())).toList();
    pattern.addAll(values);
    var map = lambda(w.body().params(), added.stms(), results);
    return new Added(List.of(stm.with(pattern, new WithAcc(w.inputs(), map))), List.copyOf(values));
  }

  /**
   * Takes an accumulation apart: what it adds is computed first, as values.
   *
   * @param k which of the accumulators
   * @param neutral whether its arrays hold neutral elements
   * @return statements in the place of this one
   * @throws Unknown if the statement adds to the accumulator in another way
   */
  static List<Stm> apart(
      Stm stm, WithAcc w, int k, boolean neutral, Function<Var, Exp> definitions) {
    var in = w.inputs().get(k);
    var body = w.body().body();
    var combine = in.combine().orElseThrow(Unknown::new);
    var values = new AddedValues(w.body().params().get(k), combine, definitions);
    var added = values.from(body.stms(), List.of(), in.space());
    var results = Lists.without(body.results(), k);
    int at = w.inputs().subList(0, k).stream().mapToInt(i -> i.arrays().size()).sum();
    var own = stm.pattern().subList(at, at + in.arrays().size());
    var pattern = new ArrayList<>(stm.pattern());
    pattern.removeAll(own);
    results.addAll(added.values());
    var sums = added.values().stream().map(x -> fresh(x.type())).toList();
    pattern.addAll(sums);
    var b = new Builder(stm.span());
    if (w.inputs().size() > 1) {
      var rest = lambda(Lists.without(w.body().params(), k), added.stms(), results);
      b.with(stm.attrs()).bindAll(pattern, new WithAcc(Lists.without(w.inputs(), k), rest));
    } else {
      b.addAll(added.stms());
      for (int i = 0; i < pattern.size(); i++) {
        b.bindAll(List.of(pattern.get(i)), new Alias(results.get(i)));
      }
    }
    List<Atom> first = neutral && !sums.isEmpty() ? List.of() : List.copyOf(in.arrays());
    var all = values.both(b, first, List.copyOf(sums), in.space());
    for (int i = 0; i < own.size(); i++) {
      b.bindAll(List.of(own.get(i)), new Alias(all.get(i)));
    }
    return b.stms();
  }

  private static Lambda lambda(List<Var> params, List<Stm> stms, List<Atom> results) {
    return new Lambda(params, new Body(stms, results), results.stream().map(Atom::type).toList());
  }

  private static Var fresh(Type type) {
    return Names.fresh("added", type);
  }
}
