package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
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
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * What a function reads in each of its calls: one number, or an array of numbers. If the array has
 * a shape of its own in each call, its elements are a list, and the lists of all calls are joined.
 */
final class IteratedReads {
  /**
   * How an iteration gets what was brought for it.
   *
   * @param before statements before all iterations
   * @param input an array with an element for each iteration
   * @param param the variable for the iteration's own element
   * @param body of the iteration, which has what was brought in the place of the read
   */
  record Part(List<Stm> before, Var input, Var param, Body body) {}

  private IteratedReads() {}

  /**
   * Returns how many dimensions, the first ones, have sizes that are among the variables bound
   * inside: the elements along these dimensions are a list.
   */
  static int listed(Type type, Collection<Var> inside) {
    int listed = 0;
    for (int i = 0; i < type.dims().size(); i++) {
      if (type.dims().get(i) instanceof Var v && inside.contains(v)) {
        listed = i + 1;
      }
    }
    return listed;
  }

  /** Returns the type of an element of an array. */
  static Type row(Var array) {
    var type = array.type();
    return Type.of(type.elemPrim(), type.dims().subList(1, type.dims().size()));
  }

  /**
   * Returns a function of these parameters that gives how long the lists are, and the lists.
   *
   * @param arrays gives arrays of the same first dimensions, which become lists
   */
  static Lambda list(Span span, List<Var> params, Body arrays, int listed) {
    return new Builder(span)
        .lambdaOf(
            params,
            (in, _) -> {
              var results = in.inline(arrays);
              var length = length(in, results.getFirst().type().dims(), listed);
              var lists = new ArrayList<Atom>(List.of(length));
              for (var x : results) {
                var shape = joined(length, x.type().dims(), listed);
                lists.add(listed == 1 ? x : in.bind("list", new Reshape(shape, (Var) x)));
              }
              return lists;
            });
  }

  /** Returns the shape of arrays whose first dimensions are joined to one of this size. */
  static List<Atom> joined(Atom rows, List<Atom> dims, int listed) {
    var shape = new ArrayList<>(List.of(rows));
    shape.addAll(dims.subList(listed, dims.size()));
    return shape;
  }

  private static Atom length(Builder b, List<Atom> dims, int listed) {
    Atom length = Atom.i64(1);
    for (var d : dims.subList(0, listed)) {
      length = b.mul(length, d);
    }
    return length;
  }

  /** Returns how an iteration gets its own row of what was brought, if all have the same shape. */
  static Part own(RemoteReads.Read<Body> read, Var brought) {
    var own = Names.fresh(brought.name(), Builder.rowType(brought.type()));
    return new Part(List.of(), brought, own, read.with().apply(own));
  }

  /**
   * Returns how an iteration gets its own list of what was brought.
   *
   * @param first for each iteration, the number of its first element
   */
  static Part ownList(
      Span span,
      RemoteReads.Read<Body> read,
      int listed,
      Var brought,
      List<Stm> before,
      Var first) {
    var dims = read.number().type().dims();
    var own = Names.fresh(read.array().name(), row(read.array()).under(dims));
    var at = Names.fresh("first", Type.I64);
    var b = new Builder(span);
    var slice = new ArrayList<DimSlice>();
    slice.add(new DimSlice.Range(at, length(b, dims, listed), Atom.i64(1)));
    for (var d : brought.type().dims().subList(1, brought.type().dims().size())) {
      slice.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1)));
    }
    if (listed == 1) {
      b.bindAll(List.of(own), new Slice(brought, slice, false));
    } else {
      var part = b.bind(own.name(), new Slice(brought, slice, false));
      b.bindAll(List.of(own), new Reshape(own.type().dims(), part));
    }
    return new Part(before, first, at, bound(own, b.stms(), read.with().apply(own)));
  }

  /** Returns the body with statements that bind a variable before its first use. */
  static Body bound(Var v, List<Stm> binding, Body body) {
    var stms = new ArrayList<Stm>(body.stms());
    int at = 0;
    while (at < stms.size() && !FreeVars.of(stms.get(at)).contains(v)) {
      at++;
    }
    stms.addAll(at, binding);
    return new Body(stms, body.results());
  }

  /** What an operator or a loop reads in all iterations. */
  record All(List<Stm> stms, Var number, Function<Var, Part> part) {}

  /**
   * Goes from one iteration to all.
   *
   * @param numbers the function of the inputs' rows that gives the iteration's numbers
   */
  static All iterations(
      Builder b,
      Atom width,
      List<Var> inputs,
      Lambda numbers,
      RemoteReads.Read<Body> read,
      int listed) {
    var type = numbers.body().results().getFirst().type();
    if (listed == 0) {
      var all = new Screma(width, inputs, List.of(), List.of(), numbers);
      var number = b.bind("number", type.under(width), all);
      return new All(b.stms(), number, rows -> own(read, rows));
    }
    var list = list(b.span(), numbers.params(), numbers.body(), listed);
    var where = RaggedMap.lengths(b, width, inputs, list);
    var before = b.stms();
    var shape = joined(where.rows(), type.dims(), listed);
    var number = Names.fresh("number", Type.of(Prim.I64, shape));
    var screma = new Screma(width, inputs, List.of(), List.of(), list);
    RaggedMap.join(b, screma, new RaggedMap.Joined(where.rows(), where.first(), List.of(number)));
    return new All(
        b.stms(), number, rows -> ownList(b.span(), read, listed, rows, before, where.first()));
  }

  /** Returns the branch with another body in the place of the one with the read. */
  static If branch(If branch, boolean taken, Body body) {
    return taken
        ? new If(branch.condition(), body, branch.otherwise())
        : new If(branch.condition(), branch.then(), body);
  }

  /** Has numbers only if the branch is taken; elsewhere they are -1, or their list is empty. */
  static RemoteReads.Read<List<Stm>> onlyIf(
      Stm stm, If branch, boolean taken, RemoteReads.Read<Body> read, int listed) {
    var numbers = new Body(read.stms(), List.of(read.number()));
    var type = read.number().type();
    var b = new Builder(stm.span());
    if (listed == 0) {
      var none = new Builder(stm.span());
      var nothing = type.isScalar() ? Atom.i64(-1) : none.replicate(type.dims(), Atom.i64(-1));
      var either = either(branch, taken, numbers, none.body(List.of(nothing)));
      var number = b.bind("number", type, either);
      return new RemoteReads.Read<>(
          read.array(),
          b.stms(),
          number,
          row -> List.of(stm.with(branch(branch, taken, read.with().apply(row)))));
    }
    var list = list(stm.span(), List.of(), numbers, listed).body();
    var slice = BackwardSlice.withEffects(list.stms(), list.results().subList(0, 1)).stms();
    var some = new Renaming().body(new Body(slice, list.results().subList(0, 1)));
    var zero = new Body(List.of(), List.of(Atom.i64(0)));
    var count = b.bind("count", Type.I64, either(branch, taken, some, zero));
    var counted = b.stms();
    var none = new Builder(stm.span());
    var shape = joined(Atom.i64(0), type.dims(), listed);
    var nothing =
        none.body(List.of(Atom.i64(0), none.bind("number", new Scratch(Prim.I64, shape))));
    var size = Names.fresh("size", Type.I64);
    var some2 = Names.fresh("number", Type.of(Prim.I64, joined(size, type.dims(), listed)));
    b.bindAll(List.of(size, some2), either(branch, taken, list, nothing));
    var number = b.bind("number", new Reshape(joined(count, type.dims(), listed), some2));
    return new RemoteReads.Read<>(
        read.array(),
        b.stms(),
        number,
        rows -> {
          var own = Names.fresh(rows.name(), row(read.array()).under(type.dims()));
          var in = new Builder(stm.span());
          in.bindAll(List.of(own), new Reshape(own.type().dims(), rows));
          var body = bound(own, in.stms(), read.with().apply(own));
          var all = new ArrayList<>(counted);
          all.add(stm.with(branch(branch, taken, body)));
          return all;
        });
  }

  /** Returns a branch that gives one or the other. */
  static If either(If branch, boolean taken, Body there, Body not) {
    return taken ? new If(branch.condition(), there, not) : new If(branch.condition(), not, there);
  }
}
