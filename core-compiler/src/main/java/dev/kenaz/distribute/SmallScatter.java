package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Expresses a scatter of rows into a replicated array by a histogram: of the values with a mark
 * that there is one, the last one counts. Where nothing was written, the array stays.
 */
final class SmallScatter {
  private SmallScatter() {}

  static Optional<List<Stm>> of(Labeller labeller, Stm stm) {
    if (!(stm.exp() instanceof Scatter s)
        || !labeller.spaces().has(s.width())
        || s.dests().stream().anyMatch(d -> labeller.of(d.dest()) != Label.REPLICATED)) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    int indices = s.dests().stream().mapToInt(d -> d.shape().size()).sum();
    var marked =
        b.lambdaOf(
            s.map().params(),
            (in, _) -> {
              var results = in.inline(s.map().body());
              var all = new ArrayList<>(results.subList(0, indices));
              for (var value : results.subList(indices, results.size())) {
                all.add(Atom.bool(true));
                all.add(value);
              }
              return all;
            });
    var ops = new ArrayList<HistOp>();
    var types = new ArrayList<Type>();
    for (var dest : s.dests()) {
      var elem = elem(dest);
      var marks = b.replicate(dest.shape(), Atom.bool(false));
      var zero = b.zero(elem);
      var zeros = b.replicate(dest.shape(), zero);
      ops.add(
          new HistOp(
              dest.shape(), List.of(marks, zeros), List.of(Atom.bool(false), zero), last(b, elem)));
      types.add(marks.type());
      types.add(zeros.type());
    }
    var written = b.bindAll("written", types, new Hist(s.width(), s.inputs(), ops, marked));
    for (int k = 0; k < s.dests().size(); k++) {
      var arrays = List.of(s.dests().get(k).dest(), written.get(2 * k), written.get(2 * k + 1));
      var result = merged(b, s.dests().get(k).shape(), arrays);
      b.bindAll(List.of(stm.pattern().get(k)), new Alias(result));
    }
    return Optional.of(b.stms());
  }

  private static Type elem(ScatterDest dest) {
    var type = dest.dest().type();
    return Type.of(type.elemPrim(), type.dims().subList(dest.shape().size(), type.dims().size()));
  }

  private static Lambda last(Builder b, Type elem) {
    return b.lambda(
        List.of(Type.BOOL, elem, Type.BOOL, elem),
        (in, p) ->
            in.ifThenElse(
                p.get(2),
                List.of(Type.BOOL, elem),
                _ -> List.of(p.get(2), p.get(3)),
                _ -> List.of(p.get(0), p.get(1))));
  }

  private static Var merged(Builder b, List<Atom> shape, List<Var> arrays) {
    if (shape.isEmpty()) {
      return b.ifThenElse(
              arrays.get(1),
              List.of(arrays.get(0).type()),
              _ -> List.of(arrays.get(2)),
              _ -> List.of(arrays.get(0)))
          .getFirst();
    }
    return b.map(
            shape.getFirst(),
            arrays,
            (in, rows) -> List.of(merged(in, shape.subList(1, shape.size()), rows)))
        .getFirst();
  }
}
