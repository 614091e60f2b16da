package dev.kenaz.fuse;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Operators;
import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Makes the sums of floats that accumulators and histograms have the same in any order: they are
 * added up as integers, which associate. The updates run several times:
 *
 * <pre>
 *   e[k]  = the largest exponent of what is added to place k             (an integer's maximum)
 *   h[k]  = the sum of trunc(v / q), where q = 2^(e[k] - 30)             (31 bits of each v)
 *   l[k]  = the sum of round((v - q trunc(v / q)) 2^31 / q)              (31 bits more, for f64)
 *   a'[k] = a[k] + q (h[k] + l[k] / 2^31)
 * </pre>
 *
 * <p>Of all that is added to one place, 62 bits count (31 for f32), more than a float has, and up
 * to 2^31 values fit. Infinities and NaN have exponents of their own, so that a place with such a
 * value is what the sum of floats would be. (Compare J. Demmel and H. D. Nguyen, "Parallel
 * reproducible summation", 2015.)
 *
 * <p>Other operators are left alone if they only choose one of their operands; an operator that
 * rounds is refused.
 */
final class ExactSums implements CodeRewriter {
  private static final int BIAS = 1023;
  private static final int FRACTION = 52;

  /** So many bits of a value count in a sum, and as many values may be added up. */
  private static final int BITS = 31;

  /** Exponents of values that are not finite; larger ones win. */
  private static final int INFINITE = 2048;

  private static final int MINUS_INFINITE = 2049;
  private static final int NAN = 2050;

  /** The exponent where nothing has been added. */
  private static final int NONE = -1;

  private ExactSums() {}

  private static Atom i32(int x) {
    return Atom.of(Prim.I32, x);
  }

  private static Atom f64(double x) {
    return Atom.of(Prim.F64, x);
  }

  static CoreProgram run(CoreProgram program) {
    return new ExactSums().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return switch (inner.exp()) {
      case Hist h when h.ops().stream().anyMatch(o -> rounds(o.op())) -> withAcc(inner, h);
      case WithAcc w when w.inputs().stream().anyMatch(ExactSums::rounds) -> exact(inner, w);
      default -> List.of(inner);
    };
  }

  private static boolean rounds(AccInput in) {
    return in.combine().isPresent() && rounds(in.combine().get().op());
  }

  /** Whether the result depends on the order of operands. */
  private static boolean rounds(Lambda op) {
    return op.returns().stream().anyMatch(t -> t.elemPrim().isFloat())
        && op.body().stms().stream().anyMatch(s -> rounds(s.exp()));
  }

  private static boolean rounds(Exp exp) {
    return switch (exp) {
      case Binary(var op, _, _) when op == BinaryOp.MIN || op == BinaryOp.MAX -> false;
      case Binary(_, var x, _) -> x.type().elemPrim().isFloat();
      case Unary(var op, var x) ->
          switch (op) {
            case NEG, ABS, ISNAN, ISINF -> false;
            default -> x.type().elemPrim().isFloat();
          };
      case Fma _, Apply _ -> true;
      case Convert(var to, _) -> to.isFloat();
      default -> Effects.bodies(exp).flatMap(b -> b.stms().stream()).anyMatch(s -> rounds(s.exp()));
    };
  }

  /**
   * Updates that a histogram makes of one place.
   *
   * @param indices which of its function's results are indices
   * @param values which of them are values
   */
  private record Updated(AccInput input, List<Atom> indices, List<Atom> values) {}

  /** Makes an accumulation of a histogram. */
  private static List<Stm> withAcc(Stm stm, Hist h) {
    var b = new Builder(stm.span());
    var updated = updated(b, h);
    var outer =
        updated.stream()
            .map(u -> new Type.Acc(Names.freshTag(), u.input().space(), elems(u.input())))
            .map(t -> Names.fresh("acc", t))
            .toList();
    var accs = outer.stream().map(Names::like).toList();
    var types = outer.stream().map(Var::type).toList();
    var point = b.inner().addAll(h.map().body().stms());
    var results = new ArrayList<Var>();
    for (int k = 0; k < accs.size(); k++) {
      var u = updated.get(k);
      results.add(
          point.bind("acc", types.get(k), new UpdateAcc(accs.get(k), u.indices(), u.values())));
    }
    var map = new Lambda(Lists.concat(h.map().params(), accs), point.body(results), types);
    var body = b.inner();
    var inputs = Lists.concat(h.inputs(), outer);
    var all = body.screma(h.width(), inputs, List.of(), List.of(), map);
    var exp =
        new WithAcc(
            updated.stream().map(Updated::input).toList(),
            new Lambda(outer, body.body(all), types));
    return exact(stm.with(exp), exp);
  }

  private static List<Type> elems(AccInput in) {
    return in.combine().orElseThrow().op().returns();
  }

  /** The histogram's updates; components of an operator that know nothing of others are apart. */
  private static List<Updated> updated(Builder b, Hist h) {
    var made = h.map().body().results();
    int at = 0;
    int value = h.ops().stream().mapToInt(o -> o.shape().size()).sum();
    var all = new ArrayList<Updated>();
    for (var o : h.ops()) {
      var indices = made.subList(at, at + o.shape().size());
      var values = made.subList(value, value + o.dests().size());
      var ops =
          IntStream.range(0, values.size()).mapToObj(k -> Operators.scalar(o.op(), k)).toList();
      if (ops.size() > 1 && ops.stream().allMatch(Optional::isPresent)) {
        for (int k = 0; k < values.size(); k++) {
          var op = b.operator(ops.get(k).get(), o.op().returns().get(k).elemPrim());
          var combine = new Combine(op, List.of(o.neutral().get(k)));
          var in = new AccInput(o.shape(), List.of(o.dests().get(k)), Optional.of(combine));
          all.add(new Updated(in, indices, List.of(values.get(k))));
        }
      } else {
        var combine = new Combine(o.op(), o.neutral());
        all.add(
            new Updated(new AccInput(o.shape(), o.dests(), Optional.of(combine)), indices, values));
      }
      at += indices.size();
      value += values.size();
    }
    return all;
  }

  // Accumulations

  /** What a run of the updates adds up. */
  private enum Part {
    EXPONENT,
    HIGH,
    LOW
  }

  /**
   * A sum of floats.
   *
   * @param parts the arrays of the parts so far, in their order
   */
  private record Sum(int input, Prim prim, Var array, List<Var> parts) {}

  private static List<Stm> exact(Stm stm, WithAcc w) {
    var sums = new ArrayList<Sum>();
    for (int k = 0; k < w.inputs().size(); k++) {
      var in = w.inputs().get(k);
      if (rounds(in)) {
        var array = in.arrays().getFirst();
        if (in.arrays().size() > 1
            || array.type().dims().size() != in.space().size()
            || !Operators.isSum(in.combine().orElseThrow().op())) {
          throw new Limitation(
              stm.span(),
              "updates of " + array.type().elemPrim() + " in no order, by an operator that rounds",
              "only sums of numbers can be the same in each run: leave out --deterministic");
        }
        sums.add(new Sum(k, array.type().elemPrim(), array, new ArrayList<>()));
      }
    }
    var b = new Builder(stm.span());
    boolean wide = sums.stream().anyMatch(s -> s.prim() == Prim.F64);
    run(b, stm, w, sums, Part.EXPONENT, false);
    var last = run(b, stm, w, sums, Part.HIGH, !wide);
    if (wide) {
      last = run(b, stm, w, sums, Part.LOW, true);
    }
    results(b, stm, w, sums, last);
    return b.stms();
  }

  /**
   * Runs the updates once; those of other accumulators count the last time.
   *
   * @return the accumulation's results
   */
  private static List<Var> run(
      Builder b, Stm stm, WithAcc w, List<Sum> sums, Part part, boolean isLast) {
    var inputs = new ArrayList<AccInput>();
    var changed = new HashMap<Integer, Sum>();
    for (int k = 0; k < w.inputs().size(); k++) {
      int input = k;
      var in = w.inputs().get(k);
      var sum = sums.stream().filter(s -> s.input() == input).findFirst();
      if (sum.isPresent()) {
        changed.put(((Type.Acc) w.body().params().get(k).type()).token(), sum.get());
        inputs.add(input(b, in, part));
      } else if (isLast) {
        inputs.add(in);
      } else {
        List<Var> copies = new ArrayList<>();
        in.arrays().forEach(a -> copies.add(b.bind(a.name(), new Copy(a))));
        inputs.add(new AccInput(in.space(), copies, in.combine()));
      }
    }
    var updates = isLast ? w.body() : new InnerUpdates(tokens(w)).lambda(w.body());
    var body = new Renaming().exp(new WithAcc(inputs, new Updates(changed, part).lambda(updates)));
    var types = new ArrayList<Type>();
    inputs.forEach(in -> in.arrays().forEach(a -> types.add(a.type())));
    w.body().returns().subList(w.inputs().size(), w.body().returns().size()).forEach(types::add);
    var results = types.stream().map(t -> Names.fresh("sums", t)).toList();
    b.add(stm.with(results, body));
    int at = 0;
    for (int k = 0; k < inputs.size(); k++) {
      int input = k;
      var result = results.get(at);
      sums.stream().filter(s -> s.input() == input).forEach(s -> s.parts().add(result));
      at += inputs.get(k).arrays().size();
    }
    return results;
  }

  /** The tokens of the accumulators that an accumulation, or one inside it, makes. */
  private static Set<Integer> tokens(Exp exp) {
    var tokens = new HashSet<Integer>();
    if (exp instanceof WithAcc w) {
      for (var p : w.body().params()) {
        tokens.add(((Type.Acc) p.type()).token());
      }
    }
    Effects.bodies(exp)
        .flatMap(b -> b.stms().stream())
        .forEach(s -> tokens.addAll(tokens(s.exp())));
    return tokens;
  }

  /** Leaves out the updates of accumulators from outside, which count in the last run only. */
  private record InnerUpdates(Set<Integer> tokens) implements CodeRewriter {
    @Override
    public List<Stm> stm(Stm stm) {
      return stm.exp() instanceof UpdateAcc u
              && !tokens.contains(((Type.Acc) u.acc().type()).token())
          ? List.of(stm.with(new Alias(u.acc())))
          : CodeRewriter.super.stm(stm);
    }
  }

  private static AccInput input(Builder b, AccInput in, Part part) {
    boolean exponents = part == Part.EXPONENT;
    var prim = exponents ? Prim.I32 : Prim.I64;
    var start = Atom.of(prim, exponents ? NONE : 0);
    var op = b.operator(exponents ? BinaryOp.MAX : BinaryOp.ADD, prim);
    var zeros = b.replicate(in.space(), start);
    return new AccInput(in.space(), List.of(zeros), Optional.of(new Combine(op, List.of(start))));
  }

  /** Replaces the updates of some accumulators, by their tokens. */
  private record Updates(Map<Integer, Sum> sums, Part part) implements Rewriter {
    @Override
    public Type type(Type type) {
      return type instanceof Type.Acc a && sums.containsKey(a.token())
          ? new Type.Acc(
              a.token(),
              a.space(),
              List.of(Type.scalar(part == Part.EXPONENT ? Prim.I32 : Prim.I64)))
          : Rewriter.super.type(type);
    }

    @Override
    public List<Stm> stm(Stm stm) {
      if (!(stm.exp() instanceof UpdateAcc(var acc, var indices, var values))
          || !sums.containsKey(((Type.Acc) acc.type()).token())) {
        return Rewriter.super.stm(stm);
      }
      var sum = sums.get(((Type.Acc) acc.type()).token());
      var b = new Builder(stm.span());
      var v = b.convert(Prim.F64, values.getFirst());
      var added = part == Part.EXPONENT ? exponent(b, v) : bits(b, sum, indices, v);
      b.add(
          new Stm(
              binders(stm.pattern()),
              new UpdateAcc(var(acc), indices, List.of(added)),
              stm.span()));
      return b.stms();
    }

    /** The part of a value that counts at its place. */
    private Atom bits(Builder b, Sum sum, List<Atom> indices, Atom v) {
      var exponents = sum.parts().getFirst();
      Atom inside = Atom.bool(true);
      for (int k = 0; k < indices.size(); k++) {
        inside = b.and(inside, b.inBounds(indices.get(k), exponents.type().dims().get(k)));
      }
      return b.ifThenElse(
              inside,
              List.of(Type.I64),
              in -> List.of(bits(in, in.bind("e", new Index(exponents, indices, false)), v)),
              _ -> List.of(i64(0)))
          .getFirst();
    }

    private Atom bits(Builder b, Atom e, Atom v) {
      return b.ifThenElse(
              b.compare(CompareOp.LT, e, i32(INFINITE)),
              List.of(Type.I64),
              in -> List.of(rounded(in, e, v)),
              in -> List.of(in.convert(Prim.I64, isInfinite(in, v))))
          .getFirst();
    }

    private Atom rounded(Builder b, Atom e, Atom v) {
      var scale = b.binary(BinaryOp.SUB, i32(BIAS + BITS - 1), e);
      // what is rounded up could be infinite when it is scaled back
      var high = b.unary(UnaryOp.TRUNC, scaled(b, v, scale));
      if (part == Part.HIGH) {
        return b.convert(Prim.I64, high);
      }
      var back = scaled(b, high, b.neg(scale));
      var rest = b.binary(BinaryOp.SUB, v, back);
      var more = b.add(scale, i32(BITS));
      return b.convert(Prim.I64, b.unary(UnaryOp.ROUND, scaled(b, rest, more)));
    }
  }

  private static Atom isInfinite(Builder b, Atom v) {
    return b.compare(CompareOp.EQ, v, f64(Double.POSITIVE_INFINITY));
  }

  /**
   * The biased exponent of an f64; those of infinities and NaN are larger than all others. Negative
   * zero has none, as it changes no sum.
   */
  private static Atom exponent(Builder b, Atom v) {
    var bits = b.unary(UnaryOp.TO_BITS, v);
    var shifted = b.binary(BinaryOp.USHR, bits, Atom.of(Prim.U64, FRACTION));
    var field = b.binary(BinaryOp.AND, shifted, Atom.of(Prim.U64, 2 * BIAS + 1));
    var exponent = b.convert(Prim.I32, field);
    return b.ifThenElse(
            b.compare(CompareOp.LE, exponent, i32(2 * BIAS)),
            List.of(exponent.type()),
            in -> {
              var isNone = in.compare(CompareOp.EQ, bits, Atom.of(Prim.U64, 0x1p63));
              return List.of(in.choose(isNone, i32(NONE), exponent));
            },
            in -> {
              var negative = in.compare(CompareOp.LT, v, f64(0));
              var infinity = in.choose(negative, i32(MINUS_INFINITE), i32(INFINITE));
              return List.of(in.choose(in.unary(UnaryOp.ISNAN, v), i32(NAN), infinity));
            })
        .getFirst();
  }

  /** The value times a power of two, in two steps, so that neither factor overflows. */
  private static Atom scaled(Builder b, Atom v, Atom power) {
    var half = b.binary(BinaryOp.SHR, power, i32(1));
    var rest = b.binary(BinaryOp.SUB, power, half);
    return b.mul(b.mul(v, powerOfTwo(b, half)), powerOfTwo(b, rest));
  }

  private static Atom powerOfTwo(Builder b, Atom power) {
    var biased = b.convert(Prim.U64, b.add(power, i32(BIAS)));
    return b.unary(UnaryOp.FROM_BITS, b.binary(BinaryOp.SHL, biased, Atom.of(Prim.U64, FRACTION)));
  }

  // Results

  /** Binds the accumulation's results: each sum is what was in its array and the parts. */
  private static void results(Builder b, Stm stm, WithAcc w, List<Sum> sums, List<Var> last) {
    int at = 0;
    for (int k = 0; k < w.inputs().size(); k++) {
      int input = k;
      var sum = sums.stream().filter(s -> s.input() == input).findFirst();
      for (int i = 0; i < w.inputs().get(k).arrays().size(); i++) {
        var v = stm.pattern().get(at);
        if (sum.isPresent()) {
          result(b, v, sum.get());
        } else {
          b.bindAll(List.of(v), new Alias(last.get(at)));
        }
        at++;
      }
    }
    for (; at < stm.pattern().size(); at++) {
      b.bindAll(List.of(stm.pattern().get(at)), new Alias(last.get(at)));
    }
  }

  private static void result(Builder b, Var v, Sum sum) {
    var dims = v.type().dims();
    var size = dims.stream().reduce(b::mul).orElseThrow();
    var inputs = new ArrayList<Var>();
    for (var array : Lists.concat(List.of(sum.array()), sum.parts())) {
      inputs.add(b.bind("flat", new Reshape(List.of(size), array)));
    }
    var all = b.map(size, inputs, (in, x) -> List.of(total(in, sum.prim(), x))).getFirst();
    b.bindAll(List.of(v), new Reshape(dims, all));
  }

  private static Atom total(Builder b, Prim prim, List<Var> x) {
    var old = x.getFirst();
    var e = x.get(1);
    return b.ifThenElse(
            b.compare(CompareOp.EQ, e, i32(NONE)),
            List.of(old.type()),
            _ -> List.of(old),
            in -> List.of(in.add(old, in.convert(prim, added(in, e, x.subList(2, x.size()))))))
        .getFirst();
  }

  /** The sum of the parts, as an f64. */
  private static Atom added(Builder b, Atom e, List<Var> parts) {
    return b.ifThenElse(
            b.compare(CompareOp.LT, e, i32(INFINITE)),
            List.of(Type.scalar(Prim.F64)),
            in -> {
              var power = in.binary(BinaryOp.SUB, e, i32(BIAS + BITS - 1));
              Atom sum = in.convert(Prim.F64, parts.getFirst());
              if (parts.size() > 1) {
                var low = in.convert(Prim.F64, parts.get(1));
                sum = in.add(sum, in.mul(low, f64(Math.scalb(1, -BITS))));
              }
              return List.of(scaled(in, sum, power));
            },
            in -> {
              var plus = in.compare(CompareOp.LT, i64(0), parts.getFirst());
              var minus = in.compare(CompareOp.EQ, e, i32(MINUS_INFINITE));
              var nan =
                  in.binary(
                      BinaryOp.OR, in.and(plus, minus), in.compare(CompareOp.EQ, e, i32(NAN)));
              var infinity =
                  in.choose(minus, f64(Double.NEGATIVE_INFINITY), f64(Double.POSITIVE_INFINITY));
              return List.of(in.choose(nan, f64(Double.NaN), infinity));
            })
        .getFirst();
  }
}
