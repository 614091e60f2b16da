package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Finds what the function of a row reads of other rows, by numbers that it computes: {@code map (\i
 * -> ys[i - 1] + …) (iota n)}. The numbers of all rows are computed by a map of their own; an
 * exchange then brings the rows that they name, which become an input.
 *
 * <p>A read inside operators and loops over other dimensions has a number for each of their
 * iterations, and so is given an array of rows. A read in a branch is brought in any case: a number
 * that is none of a row brings zeros. The check of the number stays where the read was.
 */
final class RemoteReads {
  /**
   * A read, seen from a scope around it.
   *
   * @param array what is read, by its first dimension
   * @param stms of this scope that compute the number
   * @param number the number, or an array of numbers
   * @param with makes of what was brought the scope without the read
   */
  record Read<T>(Var array, List<Stm> stms, Atom number, Function<Var, T> with) {}

  /**
   * A read of the rows of an array, and what is left without it.
   *
   * @param array what is read
   * @param sizes statements for sizes of the numbers, which are the same for all rows
   * @param number the statement that computes the numbers
   * @param joined what {@link RaggedMap} makes of it, if each row has a list of numbers
   * @param brought the variable for the rows that are brought
   * @param rest the statement that uses them
   */
  record Found(
      Var array,
      List<Stm> sizes,
      Stm number,
      Optional<RaggedMap.Joined> joined,
      Var brought,
      Stm rest) {
    Found {
      sizes = List.copyOf(sizes);
    }

    /** Returns the variable for the numbers. */
    Var numbers() {
      return joined.isPresent() ? joined.get().elements().getFirst() : number.var();
    }
  }

  private final Labeller labeller;
  private final Spaces spaces;

  /** The loop over the rows, if it is one, and what is no array of rows that could be brought. */
  private final Optional<For> loop;

  private final List<Var> except;

  private GrowingSizes sizes;

  /** Statements for sizes that all rows share. */
  private final List<Stm> shared = new ArrayList<>();

  /** What the function binds, in any scope. */
  private Set<Var> inside;

  /** The sizes of arrays that are there in any case. */
  private final Set<Atom> given = new HashSet<>();

  /** Whether a list of numbers was met whose size grows with the number of rows. */
  private boolean grow;

  RemoteReads(Labeller labeller) {
    this(labeller, Optional.empty(), List.of());
  }

  /** Finds reads in a loop over the rows, which may read its own row and what it carries. */
  RemoteReads(Labeller labeller, For loop, List<Var> carried) {
    this(labeller, Optional.of(loop), carried);
  }

  private RemoteReads(Labeller labeller, Optional<For> loop, List<Var> except) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
    this.loop = loop;
    this.except = except;
  }

  /** Returns a read of the statement's function that exchanges can bring. */
  Optional<Found> in(Stm stm) {
    if (!(stm.exp() instanceof Screma s) || !spaces.has(s.width())) {
      return Optional.empty();
    }
    sizes = new GrowingSizes(labeller, s);
    inside = sizes.inside();
    given.clear();
    FreeVars.of(stm).forEach(v -> given.addAll(v.type().dims()));
    grow = false;
    shared.clear();
    return body(s.map().body()).filter(_ -> !grow).flatMap(read -> found(stm, s, read));
  }

  private Optional<Found> found(Stm stm, Screma s, Read<Body> read) {
    var type = read.number().type();
    // A row that needs about all rows is better sent all of them, once.
    boolean large = type.dims().stream().anyMatch(d -> d instanceof Var v && spaces.isLarge(v));
    if (large || spaces.inType(type)) {
      return Optional.empty();
    }
    var body = new Body(read.stms(), List.of(read.number()));
    var params = new ArrayList<Var>();
    var inputs = new ArrayList<Var>();
    var used = FreeVars.of(body);
    for (int i = 0; i < s.inputs().size(); i++) {
      if (s.inputs().get(i).type() instanceof Type.Acc) {
        if (used.contains(s.map().params().get(i))) {
          return Optional.empty();
        }
      } else if (used.contains(s.map().params().get(i)) || i == 0) {
        // What it doesn't use isn't waited for, such as rows that another exchange brings.
        params.add(s.map().params().get(i));
        inputs.add(s.inputs().get(i));
      }
    }
    if (inputs.isEmpty()) {
      return Optional.empty();
    }
    int listed = IteratedReads.listed(type, boundIn(s.map(), read));
    return Optional.of(
        listed == 0
            ? numbered(stm, s, read, inputs, new Lambda(params, body, List.of(type)))
            : listed(stm, s, read, inputs, params, listed));
  }

  /** Has numbers of the same shape for all rows. */
  private Found numbered(Stm stm, Screma s, Read<Body> read, List<Var> inputs, Lambda numbers) {
    var type = read.number().type();
    var map = new Renaming().lambda(numbers);
    var b = new Builder(stm.span());
    b.bind(
        "number", type.under(s.width()), new Screma(s.width(), inputs, List.of(), List.of(), map));
    var row = IteratedReads.row(read.array()).under(type.dims());
    var brought = Names.fresh(read.array().name(), row.under(s.width()));
    var rest = rest(stm, s, IteratedReads.own(read, brought));
    return new Found(read.array(), shared, b.stms().getFirst(), Optional.empty(), brought, rest);
  }

  /** Has a list of numbers for each row. */
  private Found listed(
      Stm stm, Screma s, Read<Body> read, List<Var> inputs, List<Var> params, int listed) {
    var body = new Body(read.stms(), List.of(read.number()));
    var list = IteratedReads.list(stm.span(), params, body, listed);
    var map = new Screma(s.width(), inputs, List.of(), List.of(), list);
    var rows = Names.fresh("elements", Type.I64);
    var shape = IteratedReads.joined(rows, read.number().type().dims(), listed);
    var numbers = Names.fresh("number", Type.of(Prim.I64, shape));
    var first = Names.fresh("first", Type.I64.under(s.width()));
    var to = new RaggedMap.Joined(rows, first, List.of(numbers));
    var brought = Names.fresh(read.array().name(), IteratedReads.row(read.array()).under(shape));
    var part = IteratedReads.ownList(stm.span(), read, listed, brought, List.of(), first);
    var pattern = list.returns().stream().map(t -> Names.fresh("list", t.under(s.width())));
    var number = new Stm(pattern.toList(), map, stm.span());
    return new Found(read.array(), shared, number, Optional.of(to), brought, rest(stm, s, part));
  }

  private static Stm rest(Stm stm, Screma s, IteratedReads.Part part) {
    return stm.with(with(s, part));
  }

  private static Screma with(Screma s, IteratedReads.Part part) {
    var inputs = new ArrayList<>(s.inputs());
    inputs.add(part.input());
    var params = new ArrayList<>(s.map().params());
    params.add(part.param());
    var lambda = new Lambda(params, part.body(), s.map().returns());
    return new Screma(s.width(), inputs, s.scans(), s.reduces(), lambda);
  }

  /** Returns what is bound in a function, or for the numbers of a read in it. */
  private static Set<Var> boundIn(Lambda map, Read<?> read) {
    var bound = new HashSet<>(map.params());
    bound.addAll(Stm.bound(map.body().stms()));
    bound.addAll(Stm.bound(read.stms()));
    return bound;
  }

  /** Returns a size that isn't negative: the size itself, or 0. */
  private Atom size(Builder b, Atom size) {
    if (!(size instanceof Var v)) {
      return size.isConst(0) || ((Const) size).value().asLong() > 0 ? size : Atom.i64(0);
    }
    if (!inside.contains(v)) {
      if (spaces.has(v) || spaces.isLarge(v)) {
        return v;
      }
      var some = new Builder(b.span());
      var notNegative = some.binary(BinaryOp.MAX, Atom.i64(0), v);
      shared.addAll(some.stms());
      return notNegative;
    }
    grow |= sizes.grows(v);
    var some = (Var) b.binary(BinaryOp.MAX, Atom.i64(0), v);
    inside.add(some);
    return some;
  }

  private Optional<Read<Body>> body(Body body) {
    for (int k = 0; k < body.stms().size(); k++) {
      int at = k;
      var read = stm(body.stms().get(k)).flatMap(r -> outOf(body, at, r));
      if (read.isPresent()) {
        return read;
      }
    }
    return Optional.empty();
  }

  /** Goes from one statement of a scope to the scope. */
  private Optional<Read<Body>> outOf(Body body, int at, Read<List<Stm>> read) {
    var before = body.stms().subList(0, at);
    var needed = new ArrayList<Atom>(FreeVars.of(new Body(read.stms(), List.of(read.number()))));
    var slice = BackwardSlice.of(before, needed).stms();
    if (IteratedReads.listed(read.number().type(), inside) > 0
        || !slice.stream().allMatch(this::isSafe)
        || !read.stms().stream().allMatch(this::isSafe)) {
      // What isn't safe may rely on the assertions before it.
      slice = BackwardSlice.withEffects(before, needed).stms();
    }
    if (slice.stream().anyMatch(s -> s.exp() instanceof UpdateAcc)) {
      return Optional.empty();
    }
    var stms = new ArrayList<>(slice);
    stms.addAll(read.stms());
    return Optional.of(
        new Read<>(
            read.array(),
            stms,
            read.number(),
            brought -> {
              var all = new ArrayList<>(before);
              all.addAll(read.with().apply(brought));
              all.addAll(body.stms().subList(at + 1, body.stms().size()));
              return new Body(all, body.results());
            }));
  }

  /** Whether it does no harm where the program would not compute it. */
  private boolean isSafe(Stm stm) {
    return Effects.safeScalar(stm.exp())
        || stm.exp() instanceof Iota
        || stm.exp() instanceof Index(var array, var is, _) && is.size() == 1 && isRemote(array)
        || stm.exp() instanceof Screma s && s.map().body().stms().stream().allMatch(this::isSafe);
  }

  /** A read of other rows, for which nothing is checked; it is brought, too. */
  private Stm unchecked(Stm stm) {
    return stm.exp() instanceof Index(var array, var is, _) && isRemote(array)
        ? new Stm(stm.pattern(), new Index(array, is, false), stm.attrs(), stm.span())
        : stm;
  }

  private boolean isOwn(Var array, List<Atom> is) {
    var rows = array.type().dims().getFirst();
    return loop.filter(f -> is.getFirst().equals(f.i()) && rows.equals(f.bound())).isPresent();
  }

  private boolean isRemote(Var array) {
    return !except.contains(array)
        && !spaces.isOfStretches(array)
        && labeller.of(array).equals(new Label.Sharded(0))
        && !(labeller.definition(array) instanceof Iota);
  }

  private Optional<Read<List<Stm>>> stm(Stm stm) {
    return switch (stm.exp()) {
      case Index(var array, var is, var checked) when isRemote(array) && !isOwn(array, is) ->
          Optional.of(
              new Read<>(
                  array, List.of(), is.getFirst(), row -> own(stm, array, is, checked, row)));
      case Slice(var array, var dims, var checked) when isRemote(array) ->
          Optional.of(slice(stm, array, dims, checked));
      case If branch ->
          body(branch.then())
              .map(r -> branch(stm, branch, true, r))
              .or(() -> body(branch.otherwise()).map(r -> branch(stm, branch, false, r)));
      case Loop(var params, For form, var body) ->
          body(body).flatMap(r -> loop(stm, params, form, body, r));
      case Screma s -> body(s.map().body()).flatMap(r -> nested(stm, s, r));
      case WithAcc w -> body(w.body().body()).flatMap(r -> within(stm, w, r));
      default -> Optional.empty();
    };
  }

  /** Returns the statements that take the place of a read by its number. */
  private List<Stm> own(Stm stm, Var array, List<Atom> is, boolean checked, Var row) {
    var b = new Builder(stm.span());
    if (checked) {
      OwnRow.check(b, is, array.type().dims());
    }
    b.bindAll(
        stm.pattern(),
        is.size() == 1 ? new Alias(row) : new Index(row, is.subList(1, is.size()), false));
    return b.stms();
  }

  private Space space(Var array) {
    return spaces.of(array.type().dims().getFirst());
  }

  /** A slice of rows is brought row by row. */
  private Read<List<Stm>> slice(Stm stm, Var array, List<DimSlice> dims, boolean checked) {
    var others = dims.subList(1, dims.size());
    return switch (dims.getFirst()) {
      case DimSlice.Fix(var i) ->
          new Read<>(
              array,
              List.of(),
              i,
              row -> {
                var b = new Builder(stm.span());
                if (checked) {
                  OwnRow.check(b, i, array.type().dims().getFirst());
                }
                b.bindAll(stm.pattern(), new Slice(row, others, checked));
                return b.stms();
              });
      case DimSlice.Range range -> range(stm, array, range, others, checked);
    };
  }

  private Read<List<Stm>> range(
      Stm stm, Var array, DimSlice.Range range, List<DimSlice> others, boolean checked) {
    var b = new Builder(stm.span());
    var count = size(b, range.count());
    var sized = b.stms();
    var numbers =
        b.map(
            count,
            List.of(b.iota(count)),
            (in, j) -> List.of(in.add(range.start(), in.mul(j.getFirst(), range.stride()))));
    return new Read<>(
        array,
        b.stms(),
        numbers.getFirst(),
        rows -> {
          var own = new Builder(stm.span());
          own.addAll(sized);
          if (checked) {
            checkRange(own, range, space(array));
          }
          var rest = new ArrayList<DimSlice>();
          rest.add(new DimSlice.Range(Atom.i64(0), range.count(), Atom.i64(1)));
          rest.addAll(others);
          own.bindAll(stm.pattern(), new Slice(rows, rest, checked));
          return own.stms();
        });
  }

  private static void checkRange(Builder b, DimSlice.Range range, Space space) {
    var last = b.add(range.start(), b.mul(b.sub(range.count(), Atom.i64(1)), range.stride()));
    b.ifThenElse(
        b.compare(CompareOp.LT, Atom.i64(0), range.count()),
        List.of(),
        in -> {
          OwnRow.check(in, range.start(), space.total());
          OwnRow.check(in, last, space.total());
          return List.of();
        },
        _ -> List.of());
  }

  /** A read in a branch has a number in any case, if that does no harm. */
  private Read<List<Stm>> branch(Stm stm, If branch, boolean taken, Read<Body> read) {
    // A size of the row's own may not be one where the branch isn't taken.
    var uncertain = new HashSet<>(inside);
    RowsUse.sizesOf(read.number().type()).stream()
        .filter(this::mayBeNegative)
        .forEach(d -> uncertain.add((Var) d));
    int listed = IteratedReads.listed(read.number().type(), uncertain);
    if (listed > 0 || !read.stms().stream().allMatch(this::isSafe)) {
      var only = IteratedReads.onlyIf(stm, branch, taken, read, listed);
      inside.addAll(Stm.bound(only.stms()));
      return only;
    }
    return new Read<>(
        read.array(),
        read.stms().stream().map(this::unchecked).toList(),
        read.number(),
        row -> {
          var body = read.with().apply(row);
          return List.of(stm.with(IteratedReads.branch(branch, taken, body)));
        });
  }

  /** Whether the size may be none where a branch isn't taken. */
  private boolean mayBeNegative(Atom size) {
    return size instanceof Var v
        && !given.contains(v)
        && !spaces.has(v)
        && !spaces.isLarge(v)
        && shared.stream().noneMatch(s -> s.pattern().contains(v));
  }

  /** The number is known before the accumulation, unless it needs an accumulator. */
  private static Optional<Read<List<Stm>>> within(Stm stm, WithAcc w, Read<Body> read) {
    var lambda = w.body();
    var needed = FreeVars.of(new Body(read.stms(), List.of(read.number())));
    if (lambda.params().stream().anyMatch(needed::contains)) {
      return Optional.empty();
    }
    return Optional.of(
        new Read<>(
            read.array(),
            read.stms(),
            read.number(),
            row -> {
              var body = read.with().apply(row);
              var with = new Lambda(lambda.params(), body, lambda.returns());
              return List.of(stm.with(new WithAcc(w.inputs(), with)));
            }));
  }

  private Optional<Read<List<Stm>>> nested(Stm stm, Screma s, Read<Body> read) {
    var b = new Builder(stm.span());
    var body = new Body(read.stms(), List.of(read.number()));
    var used = FreeVars.of(body);
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    for (int i = 0; i < s.inputs().size(); i++) {
      if (used.contains(s.map().params().get(i))) {
        inputs.add(s.inputs().get(i));
        params.add(s.map().params().get(i));
      }
    }
    if (inputs.stream().anyMatch(v -> v.type() instanceof Type.Acc)) {
      return Optional.empty();
    }
    if (inputs.isEmpty()) {
      inputs.add(b.iota(s.width()));
      params.add(Names.fresh("i", Type.I64));
    }
    var numbers = new Lambda(params, body, List.of(read.number().type()));
    int listed = IteratedReads.listed(read.number().type(), boundIn(s.map(), read));
    var all = IteratedReads.iterations(b, s.width(), inputs, numbers, read, listed);
    inside.addAll(Stm.bound(all.stms()));
    return Optional.of(
        new Read<>(
            read.array(),
            all.stms(),
            all.number(),
            rows -> {
              var part = all.part().apply(rows);
              var stms = new ArrayList<>(part.before());
              stms.add(stm.with(with(s, part)));
              return stms;
            }));
  }

  private Optional<Read<List<Stm>>> loop(
      Stm stm, List<LoopParam> params, For form, Body body, Read<Body> read) {
    var one = new Body(read.stms(), List.of(read.number()));
    if (params.stream().map(LoopParam::var).anyMatch(FreeVars.of(one)::contains)) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var width = b.convert(Prim.I64, form.bound());
    if (inside.contains(form.bound()) && width instanceof Var v) {
      inside.add(v);
    }
    width = size(b, width);
    var sized = b.stms();
    var numbers =
        b.lambda(
            List.of(Type.I64),
            (in, p) -> {
              var i = in.convert(form.i().type().elemPrim(), p.getFirst());
              return in.inline(new Renaming(Map.of(form.i(), i)).body(one));
            });
    var bound = new HashSet<>(Stm.bound(numbers.body().stms()));
    int listed = IteratedReads.listed(numbers.returns().getFirst(), bound);
    var all = IteratedReads.iterations(b, width, List.of(b.iota(width)), numbers, read, listed);
    inside.addAll(Stm.bound(all.stms()));
    return Optional.of(
        new Read<>(
            read.array(),
            all.stms(),
            all.number(),
            rows -> {
              var part = all.part().apply(rows);
              var in = new Builder(stm.span());
              var at = in.convert(Prim.I64, form.i());
              in.bindAll(List.of(part.param()), new Index(part.input(), List.of(at), false));
              var stms = new ArrayList<>(in.stms());
              stms.addAll(part.body().stms());
              var exp = new Loop(params, form, new Body(stms, part.body().results()));
              var outside = new ArrayList<>(part.before().isEmpty() ? sized : part.before());
              outside.add(stm.with(exp));
              return outside;
            }));
  }
}
