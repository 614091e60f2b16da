package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
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
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
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
  private record Read<T>(Var array, List<Stm> stms, Atom number, Function<Var, T> with) {}

  /**
   * A read of the rows of an array, and what is left without it.
   *
   * @param array what is read
   * @param number the statement that computes the numbers
   * @param brought the variable for the rows that are brought
   * @param rest the statement that uses them
   */
  record Found(Var array, Stm number, Var brought, Stm rest) {}

  private final Labeller labeller;
  private final Spaces spaces;

  /** The loop over the rows, if it is one, and what is no array of rows that could be brought. */
  private final Optional<For> loop;

  private final List<Var> except;

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
    return body(s.map().body()).flatMap(read -> found(stm, s, read));
  }

  private Optional<Found> found(Stm stm, Screma s, Read<Body> read) {
    var inside = new HashSet<>(s.map().params());
    inside.addAll(Stm.bound(s.map().body().stms()));
    inside.addAll(Stm.bound(read.stms()));
    var type = read.number().type();
    // A row that needs about all rows is better sent all of them, once.
    boolean large = type.dims().stream().anyMatch(d -> d instanceof Var v && spaces.isLarge(v));
    if (large || !Collections.disjoint(FreeVars.of(type), inside) || spaces.inType(type)) {
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
    var map = new Renaming().lambda(new Lambda(params, body, List.of(type)));
    var b = new Builder(stm.span());
    b.bind(
        "number", type.under(s.width()), new Screma(s.width(), inputs, List.of(), List.of(), map));
    var array = read.array().type();
    var row = Type.of(array.elemPrim(), array.dims().subList(1, array.dims().size()));
    var own = Names.fresh(read.array().name(), row.under(type.dims()));
    var brought = Names.fresh(read.array().name(), own.type().under(s.width()));
    var allInputs = new ArrayList<>(s.inputs());
    allInputs.add(brought);
    var allParams = new ArrayList<>(s.map().params());
    allParams.add(own);
    var lambda = new Lambda(allParams, read.with().apply(own), s.map().returns());
    var rest = new Screma(s.width(), allInputs, s.scans(), s.reduces(), lambda);
    return Optional.of(
        new Found(
            read.array(),
            b.stms().getFirst(),
            brought,
            new Stm(stm.pattern(), rest, stm.attrs(), stm.span())));
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
    var needed = new ArrayList<Atom>(FreeVars.of(new Body(read.stms(), List.of(read.number()))));
    var slice = BackwardSlice.of(body.stms().subList(0, at), needed).stms();
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
              var all = new ArrayList<>(body.stms().subList(0, at));
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
          slice(stm, array, dims, checked);
      case If branch -> branch(stm, branch);
      case Loop(var params, For(var i, var trips), var body) ->
          body(body).flatMap(r -> loop(stm, params, i, trips, body, r));
      case Screma s -> body(s.map().body()).flatMap(r -> nested(stm, s, r));
      default -> Optional.empty();
    };
  }

  /** Returns the statements that take the place of a read by its number. */
  private List<Stm> own(Stm stm, Var array, List<Atom> is, boolean checked, Var row) {
    var b = new Builder(stm.span());
    if (checked) {
      OwnRow.check(b, is.getFirst(), space(array));
    }
    b.bindAll(
        stm.pattern(),
        is.size() == 1 ? new Alias(row) : new Index(row, is.subList(1, is.size()), checked));
    return b.stms();
  }

  private Space space(Var array) {
    return spaces.of(array.type().dims().getFirst());
  }

  /** A slice of rows is brought row by row; their number must not depend on the row. */
  private Optional<Read<List<Stm>>> slice(
      Stm stm, Var array, List<DimSlice> dims, boolean checked) {
    if (!(dims.getFirst() instanceof DimSlice.Range(var start, var count, var stride))) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var numbers =
        b.map(
            count,
            List.of(b.iota(count)),
            (in, j) -> List.of(in.add(start, in.mul(j.getFirst(), stride))));
    return Optional.of(
        new Read<>(
            array,
            b.stms(),
            numbers.getFirst(),
            rows -> {
              var own = new Builder(stm.span());
              if (checked) {
                var last = own.add(start, own.mul(own.sub(count, Atom.i64(1)), stride));
                var some = own.compare(CompareOp.LT, Atom.i64(0), count);
                own.ifThenElse(
                    some,
                    List.of(),
                    in -> {
                      OwnRow.check(in, start, space(array));
                      OwnRow.check(in, last, space(array));
                      return List.of();
                    },
                    _ -> List.of());
              }
              var rest = new ArrayList<DimSlice>();
              rest.add(new DimSlice.Range(Atom.i64(0), count, Atom.i64(1)));
              rest.addAll(dims.subList(1, dims.size()));
              own.bindAll(stm.pattern(), new Slice(rows, rest, checked));
              return own.stms();
            }));
  }

  private Optional<Read<List<Stm>>> branch(Stm stm, If branch) {
    var condition = branch.condition();
    return body(branch.then())
        .filter(r -> r.stms().stream().allMatch(this::isSafe))
        .map(r -> conditional(stm, r, body -> new If(condition, body, branch.otherwise())))
        .or(
            () ->
                body(branch.otherwise())
                    .filter(r -> r.stms().stream().allMatch(this::isSafe))
                    .map(r -> conditional(stm, r, body -> new If(condition, branch.then(), body))));
  }

  private Read<List<Stm>> conditional(Stm stm, Read<Body> read, Function<Body, Exp> exp) {
    return new Read<>(
        read.array(),
        read.stms().stream().map(this::unchecked).toList(),
        read.number(),
        row ->
            List.of(
                new Stm(
                    stm.pattern(), exp.apply(read.with().apply(row)), stm.attrs(), stm.span())));
  }

  private Optional<Read<List<Stm>>> nested(Stm stm, Screma s, Read<Body> read) {
    var b = new Builder(stm.span());
    var type = read.number().type();
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
    if (inputs.stream().anyMatch(v -> v.type() instanceof Type.Acc) || isInside(s, read)) {
      return Optional.empty();
    }
    if (inputs.isEmpty()) {
      inputs.add(b.iota(s.width()));
      params.add(Names.fresh("i", Type.I64));
    }
    var map = new Lambda(params, body, List.of(type));
    var numbers =
        b.bind(
            "number",
            type.under(s.width()),
            new Screma(s.width(), inputs, List.of(), List.of(), map));
    return Optional.of(
        new Read<>(
            read.array(),
            b.stms(),
            numbers,
            rows -> {
              var own = Names.fresh(rows.name(), Builder.rowType(rows.type()));
              var allInputs = new ArrayList<>(s.inputs());
              allInputs.add(rows);
              var allParams = new ArrayList<>(s.map().params());
              allParams.add(own);
              var lambda = new Lambda(allParams, read.with().apply(own), s.map().returns());
              var exp = new Screma(s.width(), allInputs, s.scans(), s.reduces(), lambda);
              return List.of(new Stm(stm.pattern(), exp, stm.attrs(), stm.span()));
            }));
  }

  /** Whether a size of the numbers is computed for each of them. */
  private static boolean isInside(Screma s, Read<?> read) {
    var inside = new HashSet<>(s.map().params());
    inside.addAll(Stm.bound(s.map().body().stms()));
    inside.addAll(Stm.bound(read.stms()));
    return !Collections.disjoint(FreeVars.of(read.number().type()), inside);
  }

  private Optional<Read<List<Stm>>> loop(
      Stm stm, List<LoopParam> params, Var i, Atom trips, Body body, Read<Body> read) {
    var used = FreeVars.of(new Body(read.stms(), List.of(read.number())));
    var inside = new HashSet<>(Stm.bound(body.stms()));
    inside.addAll(Stm.bound(read.stms()));
    inside.add(i);
    params.forEach(p -> inside.add(p.var()));
    boolean carried = params.stream().map(LoopParam::var).anyMatch(used::contains);
    var type = read.number().type();
    if (carried || !Collections.disjoint(FreeVars.of(type), inside)) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var width = b.convert(Prim.I64, trips);
    var own = Names.like(i);
    var numbers =
        b.map(
            width,
            List.of(b.iota(width)),
            (in, j) -> {
              in.bindAll(List.of(own), new Alias(in.convert(i.type().elemPrim(), j.getFirst())));
              var renamed =
                  new Renaming(java.util.Map.of(i, own))
                      .body(new Body(read.stms(), List.of(read.number())));
              return in.inline(renamed);
            });
    return Optional.of(
        new Read<>(
            read.array(),
            b.stms(),
            numbers.getFirst(),
            rows -> {
              var in = new Builder(stm.span());
              var at = in.convert(Prim.I64, i);
              var row =
                  in.bind(
                      rows.name(),
                      Builder.rowType(rows.type()),
                      new Index(rows, List.of(at), false));
              var stms = new ArrayList<>(in.stms());
              var inner = read.with().apply(row);
              stms.addAll(inner.stms());
              var exp = new Loop(params, new For(i, trips), new Body(stms, inner.results()));
              return List.of(new Stm(stm.pattern(), exp, stm.attrs(), stm.span()));
            }));
  }
}
