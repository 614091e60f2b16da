package dev.kenaz.flatten;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.fuse.UpdateLoops;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegStm;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs a map of few points one point after another, and each point on all threads, if a point does
 * nothing but run long operators:
 *
 * <pre>
 *   map (\(a, n) -> reduce (+) 0 xs[a:n]) rows
 *     =>  if few and long then loop ys for i < width do ys with [i] = reduce (+) 0 xs[rows[i]...]
 *         else the map
 * </pre>
 *
 * <p>So the rows that a divide-and-conquer program begins with are shared, and those of a sparse
 * matrix with few of them. Where all rows are of the same length, threads have as much to do, and
 * the code is not worth having twice.
 */
final class FewPoints {
  /**
   * If there are no more than so many points for each thread, it pays to share each point's
   * operators only if these are long enough for that to cost next to nothing. But how long they are
   * isn't known where it is decided whether to share the points.
   */
  private static final long FEW = 64;

  /** So much longer must they be than where there are fewer points than threads. */
  private static final long LONGER = 4;

  private FewPoints() {}

  /** Returns the map's code, or a choice between that and the points one after another. */
  static SegBody orAll(InnerParallelism inner, Stm stm, SegBody map) {
    var options = inner.options();
    if (options.nested()
        || options.workers() == 1
        || !(stm.exp() instanceof Screma s)
        || s.width() instanceof Const(var n) && n.asLong() >= FEW * options.workers()
        || InnerParallelism.sequentialInside(stm)) {
      return map;
    }
    var each = UpdateLoops.in(s.map());
    var consumed = Aliases.of(each.body()).consumed();
    if (!each.body().stms().stream().allMatch(FewPoints::isOperatorOrScalar)
        || consumed.stream().anyMatch(each.params()::contains)) {
      return map;
    }
    return choice(inner, stm, new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), each), map);
  }

  private static SegBody choice(InnerParallelism inner, Stm stm, Screma s, SegBody map) {
    var lengths = lengths(s.map());
    if (lengths.isEmpty()) {
      return map;
    }
    var choice = new Builder(stm.span());
    var condition = isFewAndLong(choice, s, lengths.get(), inner.options());
    var loop = new Builder(stm.span());
    var results = loop(loop, s);
    var each = new SegBody(Flatten.outside(inner, loop.stms()), List.copyOf(results));
    var vars = stm.pattern().stream().map(Names::like).toList();
    var branch = new SegExp.Branch(condition, each, map);
    var stms = new ArrayList<SegStm>(Flatten.outside(inner, choice.stms()));
    stms.add(new SegStm(vars, branch, List.of(), stm.span()));
    return new SegBody(stms, List.copyOf(vars));
  }

  private static boolean isOperatorOrScalar(Stm stm) {
    return switch (stm.exp()) {
      case Soac _ -> true;
      case Loop _, WithAcc _, Apply _, Jvp _, Vjp _, WithVjp _ -> false;
      case If(_, var then, var otherwise) ->
          Stream.of(then, otherwise)
              .flatMap(b -> b.stms().stream())
              .allMatch(FewPoints::isOperatorOrScalar);
      default -> true;
    };
  }

  /** How long the first operator of a point is, and what computes that. */
  private record Lengths(Atom width, List<Stm> slice) {}

  /** Returns the lengths, if they differ from point to point. */
  private static Optional<Lengths> lengths(Lambda map) {
    var stms = map.body().stms();
    var inside = new HashSet<Atom>(map.params());
    for (int k = 0; k < stms.size(); k++) {
      var widths = InnerParallelism.widthOf(stms.get(k).exp());
      if (widths.stream().anyMatch(inside::contains)) {
        var width = widths.getFirst();
        return Skew.cheapSlice(stms.subList(0, k), width).map(s -> new Lengths(width, s));
      }
      inside.addAll(stms.get(k).pattern());
    }
    return Optional.empty();
  }

  private static Atom isFewAndLong(Builder b, Screma s, Lengths lengths, FlattenOptions options) {
    int workers = options.workers();
    long row = options.longRow();
    return b.ifThenElse(
            b.compare(CompareOp.LT, s.width(), i64(FEW * workers)),
            List.of(Type.BOOL),
            few -> {
              var fewer = few.compare(CompareOp.LT, s.width(), i64(workers));
              var length = few.choose(fewer, i64(row), i64(LONGER * row));
              var all = all(few, s, lengths);
              return List.of(few.compare(CompareOp.LE, few.mul(s.width(), length), all));
            },
            _ -> List.of(Atom.of(Prim.BOOL, 0)))
        .getFirst();
  }

  /** Returns how long the operators of all points are together. */
  private static Atom all(Builder b, Screma s, Lengths lengths) {
    var read = new HashSet<>(FreeVars.of(List.of(lengths.width())));
    lengths.slice().forEach(x -> read.addAll(FreeVars.of(x)));
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    for (int k = 0; k < s.inputs().size(); k++) {
      if (read.contains(s.map().params().get(k))) {
        inputs.add(s.inputs().get(k));
        params.add(s.map().params().get(k));
      }
    }
    var body = new Body(lengths.slice(), List.of(lengths.width()));
    var length = new Renaming().lambda(new Lambda(params, body, List.of(Type.I64)));
    var sum = new Reduce(b.operator(BinaryOp.ADD, Prim.I64), List.of(i64(0)), true);
    return b.screma(s.width(), inputs, List.of(), List.of(sum), length).getFirst();
  }

  /** Makes the loop, which carries the sums so far, accumulators, and arrays of results. */
  private static List<Var> loop(Builder b, Screma s) {
    var map = new Renaming().lambda(s.map());
    var inits = new ArrayList<Atom>();
    s.scans().forEach(x -> inits.addAll(x.neutral()));
    s.reduces().forEach(x -> inits.addAll(x.neutral()));
    int sums = inits.size();
    for (int k = 0; k < map.returns().size(); k++) {
      if (isKept(s, k)) {
        inits.add(result(b, s, map.returns().get(k)));
      }
    }
    var all = b.forLoop(s.width(), inits, (i, carried) -> in -> iteration(in, s, map, i, carried));
    var results = new ArrayList<Var>(all.subList(sums, sums + s.scanWidth()));
    results.addAll(all.subList(s.scanWidth(), sums));
    results.addAll(all.subList(sums + s.scanWidth(), all.size()));
    return results;
  }

  /** Whether there is an array (or an accumulator) of the function's results of this number. */
  private static boolean isKept(Screma s, int k) {
    return k < s.scanWidth() || k >= s.scanWidth() + s.reduceWidth();
  }

  private static Atom result(Builder b, Screma s, Type type) {
    if (type instanceof Type.Acc acc) {
      return accumulator(s.inputs(), acc);
    }
    var shape = Lists.concat(List.of(s.width()), type.dims());
    return b.bind("scratch", new Scratch(type.elemPrim(), shape));
  }

  private static Var accumulator(List<Var> inputs, Type.Acc type) {
    return inputs.stream()
        .filter(v -> v.type() instanceof Type.Acc a && a.token() == type.token())
        .findFirst()
        .orElseThrow();
  }

  private static List<Atom> iteration(Builder b, Screma s, Lambda map, Var i, List<Var> carried) {
    for (int k = 0; k < s.inputs().size(); k++) {
      var input = s.inputs().get(k);
      var row =
          input.type() instanceof Type.Acc acc
              ? new Alias(accumulator(carried, acc))
              : new Index(input, List.of(i), false);
      b.bindAll(List.of(map.params().get(k)), row);
    }
    b.addAll(map.body().stms());
    var made = map.body().results();
    var next = Ragged.combined(b, s, carried, made);
    for (int k = 0; k < made.size(); k++) {
      if (isKept(s, k)) {
        var row = k < s.scanWidth() ? next.get(k) : made.get(k);
        var array = carried.get(next.size());
        boolean isAcc = row.type() instanceof Type.Acc;
        next.add(isAcc ? row : b.update(array, List.of(i), row));
      }
    }
    return next;
  }
}
