package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Divides a histogram or accumulation that adds to given values. Run in every piece, it would add
 * them once for each piece. So one part starts from neutral elements, the other adds the given
 * values to the combined result.
 */
final class NeutralStart {
  private final Labeller labeller;
  private final Spaces spaces;

  NeutralStart(Labeller labeller) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
  }

  /** Returns the parts; the statement alone, if there is nothing to split. */
  List<Stm> split(Stm stm) {
    return switch (stm.exp()) {
      case Hist h when spaces.has(h.width()) && needsSplit(h) -> hist(stm, h);
      case WithAcc w when needsSplit(w) -> withAcc(stm, w);
      default -> List.of(stm);
    };
  }

  private boolean needsSplit(Hist h) {
    return h.ops().stream().anyMatch(op -> !labeller.startsNeutral(op.dests(), op.neutral()));
  }

  private boolean needsSplit(WithAcc w) {
    return w.inputs().stream()
        .anyMatch(
            in ->
                in.combine().isPresent()
                    && !spaces.hasAny(in.space())
                    && !labeller.startsNeutral(in.arrays(), in.combine().get().neutral()));
  }

  private List<Stm> hist(Stm stm, Hist h) {
    var b = new Builder(stm.span());
    var pattern = new ArrayList<Var>();
    var ops = new ArrayList<HistOp>();
    var after = new Builder(stm.span());
    int at = 0;
    for (var op : h.ops()) {
      int n = op.dests().size();
      var results = stm.pattern().subList(at, at + n);
      at += n;
      if (labeller.startsNeutral(op.dests(), op.neutral())) {
        pattern.addAll(results);
        ops.add(op);
        continue;
      }
      ops.add(new HistOp(op.shape(), neutral(b, op.shape(), op.neutral()), op.neutral(), op.op()));
      var parts = results.stream().map(Names::like).toList();
      pattern.addAll(parts);
      combine(after, op.op(), op.shape(), op.dests(), parts, results);
    }
    b.with(stm.attrs()).bindAll(pattern, new Hist(h.width(), h.inputs(), ops, h.map()));
    return b.addAll(after.stms()).stms();
  }

  private List<Stm> withAcc(Stm stm, WithAcc w) {
    var b = new Builder(stm.span());
    var pattern = new ArrayList<Var>();
    var inputs = new ArrayList<AccInput>();
    var after = new Builder(stm.span());
    int at = 0;
    for (var in : w.inputs()) {
      int n = in.arrays().size();
      var results = stm.pattern().subList(at, at + n);
      at += n;
      if (in.combine().isEmpty()
          || labeller.startsNeutral(in.arrays(), in.combine().get().neutral())) {
        pattern.addAll(results);
        inputs.add(in);
        continue;
      }
      var combine = in.combine().get();
      inputs.add(new AccInput(in.space(), neutral(b, in.space(), combine.neutral()), in.combine()));
      var parts = results.stream().map(Names::like).toList();
      pattern.addAll(parts);
      combine(after, combine.op(), in.space(), in.arrays(), parts, results);
    }
    pattern.addAll(stm.pattern().subList(at, stm.pattern().size()));
    b.with(stm.attrs()).bindAll(pattern, new WithAcc(inputs, w.body()));
    return b.addAll(after.stms()).stms();
  }

  private static List<Var> neutral(Builder b, List<Atom> space, List<Atom> neutral) {
    return neutral.stream().map(x -> b.replicate(space, x)).toList();
  }

  /** Emits {@code results = map op given parts} over the space. */
  private static void combine(
      Builder b, Lambda op, List<Atom> space, List<Var> given, List<Var> parts, List<Var> results) {
    var inputs = new ArrayList<Var>(given);
    inputs.addAll(parts);
    var lambda = over(b, op, space.subList(1, space.size()));
    b.bindAll(results, new Screma(space.getFirst(), inputs, List.of(), List.of(), lambda));
  }

  private static Lambda over(Builder b, Lambda op, List<Atom> space) {
    List<Type> types = op.params().stream().map(p -> p.type().under(space)).toList();
    if (space.isEmpty()) {
      return b.lambda(types, (in, xs) -> in.call(op, xs));
    }
    var inner = over(b, op, space.subList(1, space.size()));
    return b.lambda(
        types, (in, xs) -> in.map(space.getFirst(), xs, (row, ys) -> row.call(inner, ys)));
  }
}
