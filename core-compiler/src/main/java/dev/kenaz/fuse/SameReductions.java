package dev.kenaz.fuse;

import dev.kenaz.analysis.Operators;
import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes a reduction that another one does too, in the same operator: {@code reduce min} beside
 * the minimum with its index, which is what the derivative of {@code reduce min} looks for. The
 * same is done with {@link SameHistograms histograms}.
 */
final class SameReductions implements CodeRewriter {
  private final UniformArrays uniform = new UniformArrays();

  private SameReductions() {}

  static CoreProgram run(CoreProgram program) {
    return new SameReductions().program(program);
  }

  /** One operand of a reduction that this operator reduces, independently of the others. */
  private record Component(BinaryOp op, Atom neutral, Atom operand) {}

  private record Place(int reduction, int result, Component component) {}

  @Override
  public List<Stm> stm(Stm stm) {
    uniform.define(stm);
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return switch (inner.exp()) {
      case Screma s when s.reduces().size() > 1 -> merged(inner, s);
      case Hist h when h.ops().size() > 1 -> SameHistograms.merged(inner, h, uniform);
      default -> List.of(inner);
    };
  }

  private static List<Stm> merged(Stm stm, Screma s) {
    var places = places(s);
    for (var dropped : places) {
      if (s.reduces().get(dropped.reduction).neutral().size() != 1) {
        continue;
      }
      for (var kept : places) {
        if (kept.reduction != dropped.reduction && kept.component.equals(dropped.component)) {
          return without(stm, s, dropped, kept);
        }
      }
    }
    return List.of(stm);
  }

  private static List<Place> places(Screma s) {
    var places = new ArrayList<Place>();
    int at = s.scanWidth();
    for (int r = 0; r < s.reduces().size(); r++) {
      var reduce = s.reduces().get(r);
      for (int k = 0; k < reduce.neutral().size(); k++, at++) {
        var operand = s.map().body().results().get(at);
        var neutral = reduce.neutral().get(k);
        int result = at;
        int reduction = r;
        Operators.scalar(reduce.op(), k)
            .ifPresent(
                op ->
                    places.add(new Place(reduction, result, new Component(op, neutral, operand))));
      }
    }
    return places;
  }

  private static List<Stm> without(Stm stm, Screma s, Place dropped, Place kept) {
    var pattern = new ArrayList<>(stm.pattern());
    var same = pattern.remove(dropped.result);
    var reduces = new ArrayList<>(s.reduces());
    reduces.remove(dropped.reduction);
    var results = new ArrayList<>(s.map().body().results());
    results.remove(dropped.result);
    var returns = new ArrayList<>(s.map().returns());
    returns.remove(dropped.result);
    var map = new Lambda(s.map().params(), new Body(s.map().body().stms(), results), returns);
    var fewer = new Screma(s.width(), s.inputs(), s.scans(), reduces, map);
    var source = stm.pattern().get(kept.result);
    return List.of(stm.with(pattern, fewer), new Stm(List.of(same), new Alias(source), stm.span()));
  }
}
