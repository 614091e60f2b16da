package dev.kenaz.fuse;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.Hist;
import dev.kenaz.ir.Exp.HistOp;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.Components;
import dev.kenaz.simplify.IndexedExtremum;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;

/**
 * Divides histograms of extrema with their indices, which derivatives of histograms of extrema
 * make, into one of the extrema and one of the indices of those elements that equal the extremum of
 * their bin:
 *
 * <pre>
 *   (ys, js) = hist (min of values with indices) (d, e) is (zip vs ks)
 *     is  ys = hist min d is vs
 *         js = hist min (map3 (\y d e -> if d == y then e else none) ys d e)
 *                   (map2 (\i v -> if v == ys[i] then i else -1) is vs) ks
 * </pre>
 *
 * <p>A pair is no operand of an indivisible update: threads would lock a bin for each element, also
 * for those that change nothing, as most do. A single thread computes both at once in less time.
 *
 * <p>A bin that is NaN had it before, and no element that is a number: it keeps its index.
 */
final class ExtremaFirst implements CodeRewriter {
  /** What the histogram does with its inputs is done twice, so it must be this brief. */
  private static final int BRIEF = 8;

  private ExtremaFirst() {}

  static CoreProgram run(CoreProgram program) {
    return new ExtremaFirst().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return inner.exp() instanceof Hist h && isBrief(h.map()) ? divided(inner, h) : List.of(inner);
  }

  private static boolean isBrief(Lambda map) {
    return map.body().stms().size() <= BRIEF
        && map.body().stms().stream()
            .allMatch(s -> Effects.safeScalar(s.exp()) && s.pattern().size() == 1);
  }

  private static List<Stm> divided(Stm stm, Hist h) {
    int bin = 0;
    int value = h.ops().stream().mapToInt(o -> o.shape().size()).sum();
    int result = 0;
    for (int k = 0; k < h.ops().size(); k++) {
      var op = h.ops().get(k);
      if (op.shape().size() == 1 && IndexedExtremum.in(op.op()).isPresent()) {
        return new Division(stm, h, k, bin, value, result).stms();
      }
      bin += op.shape().size();
      value += op.dests().size();
      result += op.dests().size();
    }
    return List.of(stm);
  }

  /**
   * The division of one of a statement's histograms.
   *
   * @param k which histogram it is
   * @param bin which of the function's results is the bin
   * @param value which one is the value; the next one is the index
   * @param result which of the statement's results are the extrema; the next one has the indices
   */
  private record Division(Stm stm, Hist h, int k, int bin, int value, int result) {
    List<Stm> stms() {
      var op = h.ops().get(k);
      var width = op.shape().getFirst();
      var b = new Builder(stm.span());
      var before = b.bind("before", new Copy(op.dests().get(0)));
      var extrema = new ArrayList<>(stm.pattern());
      var indices = extrema.remove(result + 1);
      var values = values();
      b.addAll(divided(stm.with(extrema, values), values));
      var ys = extrema.get(result);
      var none = i64(Long.MAX_VALUE);
      var starts =
          b.map(width, List.of(ys, before, op.dests().get(1)), (in, p) -> start(in, p, none));
      var min = new HistOp(op.shape(), starts, List.of(none), b.operator(BinaryOp.MIN, Prim.I64));
      var all = new Hist(h.width(), h.inputs(), List.of(min), winners(b, ys, width));
      b.with(stm.attrs()).bindAll(List.of(indices), all);
      return b.stms();
    }

    /** The histogram without the indices. */
    private Hist values() {
      var op = h.ops().get(k);
      var ops = new ArrayList<>(h.ops());
      ops.set(
          k,
          new HistOp(
              op.shape(),
              op.dests().subList(0, 1),
              op.neutral().subList(0, 1),
              Components.only(op.op(), List.of(0))));
      var results = new ArrayList<>(h.map().body().results());
      results.remove(value + 1);
      var returns = new ArrayList<>(h.map().returns());
      returns.remove(value + 1);
      var body = new Body(h.map().body().stms(), results);
      return new Hist(h.width(), h.inputs(), ops, new Lambda(h.map().params(), body, returns));
    }

    /** The index that a bin had, if it had its extremum. */
    private static List<Atom> start(Builder in, List<Var> p, Atom none) {
      var same = in.compare(CompareOp.EQ, p.get(1), p.get(0));
      var nan = in.not(in.compare(CompareOp.EQ, p.get(0), p.get(0)));
      var either = in.binary(BinaryOp.OR, same, nan);
      return List.of(in.choose(either, p.get(2), none));
    }

    /** Finds the bins of the elements that are their extrema, and the indices. */
    private Lambda winners(Builder b, Var ys, Atom width) {
      var types = h.map().params().stream().map(Var::type).toList();
      return b.lambda(
          types,
          (in, p) -> {
            var all = in.call(h.map(), p);
            var at = all.get(bin);
            var own =
                in.ifThenElse(
                    in.inBounds(at, width),
                    List.of(Type.I64),
                    c -> {
                      var same = c.compare(CompareOp.EQ, all.get(value), c.index(ys, at));
                      return List.of(c.choose(same, at, i64(-1)));
                    },
                    _ -> List.of(i64(-1)));
            return List.of(own.getFirst(), all.get(value + 1));
          });
    }
  }
}
