package dev.kenaz.flatten;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegStm;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Distributes a branch whose condition differs from point to point over a nest: each side over the
 * points that take it. The numbers of the points are put in order, first those where the condition
 * holds; a side's nest has one dimension, along its part of that order.
 *
 * <pre>
 *   map (\x -> let r = if c x then f x else g x in r) xs
 *     =>  order = the numbers of all points, those with c first; n is how many these are
 *         a = map (\i -> f xs[i]) order[:n]
 *         b = map (\i -> g xs[i]) order[n:]
 *         r = if all points are in one part then a or b, else their rows in the old order
 * </pre>
 *
 * <p>Where all points take the same side, as they mostly do when the condition asks for a rare
 * case, nothing is copied.
 */
record VaryingBranch(Distribution distribution, Stm stm) {

  /** Whether the sides can be distributed: each of them only makes values. */
  static boolean possible(Nest nest, Stm stm) {
    var free = FreeVars.of(stm);
    return !nest.dims().isEmpty()
        && !stm.pattern().isEmpty()
        && stm.pattern().stream().noneMatch(v -> v.type() instanceof Type.Acc)
        && free.stream().noneMatch(v -> v.type() instanceof Type.Acc)
        && Aliases.of(stm).consumed().stream().noneMatch(free::contains);
  }

  SegBody body() {
    var branch = (If) stm.exp();
    var code = new Builder(stm.span());
    var points = nest().points(code);
    var flags = distribution.expanded(branch.condition(), Type.BOOL);
    var order = new Order(code, points, code.bind("flat", new Reshape(List.of(points), flags)));
    var stms = new ArrayList<SegStm>(outside(code));
    var then = side(order, i64(0), order.count(), branch.then());
    var otherwise = side(order, order.count(), order.others(), branch.otherwise());
    stms.addAll(then.stms());
    stms.addAll(otherwise.stms());
    var rows = new Builder(stm.span());
    var results = order.merged(rows, variables(rows, then), variables(rows, otherwise));
    var shaped =
        IntStream.range(0, results.size())
            .mapToObj(k -> shaped(rows, results.get(k), stm.pattern().get(k).type()))
            .toList();
    stms.addAll(outside(rows));
    return new SegBody(stms, shaped);
  }

  private Nest nest() {
    return distribution.nest();
  }

  private List<SegStm> outside(Builder code) {
    return Flatten.outside(distribution.inner(), code.stms());
  }

  private static List<Var> variables(Builder b, SegBody body) {
    return body.results().stream()
        .map(r -> r instanceof Var v ? v : b.bind("c", new Alias(r)))
        .toList();
  }

  private Atom shaped(Builder b, Var flat, Type row) {
    return nest().dims().size() == 1
        ? flat
        : b.bind("cast", new Reshape(Lists.concat(nest().widths(), row.dims()), flat));
  }

  /** Computes a side at those points that stand in the order from a place on. */
  private SegBody side(Order order, Atom from, Atom count, Body side) {
    var place = Names.fresh("gi", Type.I64);
    var b = new Builder(stm.span());
    nest().find(b, b.index(order.numbers(), b.add(from, place)));
    var inside = new HashSet<>(nest().inside());
    inside.add(place);
    inside.addAll(Stm.bound(b.stms()));
    var prelude = Lists.concat(b.stms(), nest().prelude());
    var part = new Nest(List.of(new Dim(place, count)), prelude, inside, true);
    var types = stm.pattern().stream().map(Var::type).toList();
    return Distribution.of(distribution.inner(), part, side, types);
  }

  /**
   * The order of the points.
   *
   * @param counts at each point, at how many up to it the condition holds
   * @param numbers the numbers of the points, in order
   * @param count at how many points the condition holds
   * @param others at how many it doesn't
   */
  private record Order(Atom points, Var flags, Var counts, Var numbers, Atom count, Atom others) {

    private Order(Builder b, Atom points, Var flags) {
      this(b, points, flags, counts(b, points, flags));
    }

    private Order(Builder b, Atom points, Var flags, Var counts) {
      this(b, points, flags, counts, Segments.last(b, points, counts));
    }

    private Order(Builder b, Atom points, Var flags, Var counts, Atom count) {
      this(
          points,
          flags,
          counts,
          numbers(b, points, flags, counts, count),
          count,
          b.sub(points, count));
    }

    private static Var counts(Builder b, Atom points, Var flags) {
      var add = new Scan(b.operator(BinaryOp.ADD, Prim.I64), List.of(i64(0)));
      var one =
          b.lambda(List.of(Type.BOOL), (in, p) -> List.of(in.convert(Prim.I64, p.getFirst())));
      return b.screma(points, List.of(flags), List.of(add), List.of(), one).getFirst();
    }

    private static Var numbers(Builder b, Atom points, Var flags, Var counts, Atom count) {
      var memory = b.bind("scratch", new Scratch(Prim.I64, List.of(points)));
      var dest = new ScatterDest(List.of(points), memory);
      var map =
          b.lambda(
              List.of(Type.BOOL, Type.I64, Type.I64),
              (in, p) -> {
                var at =
                    in.ifThenElse(
                        p.get(0),
                        List.of(Type.I64),
                        c -> List.of(c.add(p.get(1), i64(-1))),
                        c -> List.of(c.add(count, c.sub(p.get(2), p.get(1)))));
                return List.of(at.getFirst(), p.get(2));
              });
      var inputs = List.of(flags, counts, b.iota(points));
      return b.bind("order", new Scatter(points, inputs, List.of(dest), map));
    }

    /** Returns the rows of both sides, a result each, in the order of the points' numbers. */
    List<Var> merged(Builder b, List<Var> then, List<Var> otherwise) {
      var types = then.stream().map(v -> Builder.rowType(v.type()).under(List.of(points))).toList();
      return b.ifThenElse(
          b.compare(CompareOp.EQ, count, points),
          types,
          all -> cast(all, then, types),
          some ->
              some.ifThenElse(
                  some.compare(CompareOp.EQ, count, i64(0)),
                  types,
                  none -> cast(none, otherwise, types),
                  mixed -> interleaved(mixed, then, otherwise)));
    }

    private static List<Var> cast(Builder b, List<Var> arrays, List<Type> types) {
      return IntStream.range(0, arrays.size())
          .mapToObj(k -> b.bind("cast", new Reshape(types.get(k).dims(), arrays.get(k))))
          .toList();
    }

    private List<Var> interleaved(Builder b, List<Var> then, List<Var> otherwise) {
      var places =
          b.map(
                  points,
                  List.of(flags, counts, b.iota(points)),
                  (in, p) ->
                      in.ifThenElse(
                          p.get(0),
                          List.of(Type.I64),
                          c -> List.of(c.add(p.get(1), i64(-1))),
                          c -> List.of(c.sub(p.get(2), p.get(1)))))
              .getFirst();
      var rows = new ArrayList<Var>();
      for (int k = 0; k < then.size(); k++) {
        var yes = then.get(k);
        var no = otherwise.get(k);
        var dims = Builder.rowType(yes.type()).dims();
        rows.addAll(
            b.map(
                points,
                List.of(flags, places),
                (in, p) -> List.of(element(in, p.getFirst(), yes, no, List.of(p.get(1)), dims))));
      }
      return rows;
    }

    private static Atom element(
        Builder b, Var flag, Var yes, Var no, List<Atom> indices, List<Atom> dims) {
      if (!dims.isEmpty()) {
        var rest = dims.subList(1, dims.size());
        return b.map(
                dims.getFirst(),
                List.of(b.iota(dims.getFirst())),
                (in, p) ->
                    List.of(element(in, flag, yes, no, Lists.with(indices, p.getFirst()), rest)))
            .getFirst();
      }
      var type = Type.scalar(yes.type().elemPrim());
      return b.ifThenElse(
              flag,
              List.of(type),
              c -> List.of(c.bind("x", new Index(yes, indices, false))),
              c -> List.of(c.bind("x", new Index(no, indices, false))))
          .getFirst();
    }
  }
}
