package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Sharing;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.simplify.Simplify;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Takes out of {@link WithAcc} what it computes besides accumulating, where the two share no work:
 * {@code with_acc a (map (\x -> (acc[i] += u x, v x)) xs)} becomes {@code with_acc a (map (\x ->
 * acc[i] += u x) xs)} and {@code map v xs}. The reverse of a matrix product is such code: it makes
 * one operand's adjoint rows by mapping and the other's by accumulating (001 §6.1), in one nest.
 * Outside, the mapped part fuses with what uses it.
 */
record AccSplit(Sharing sharing) implements CodeRewriter {
  static CoreProgram run(CoreProgram program) {
    return new AccSplit(Sharing.of(program)).program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var inner = CodeRewriter.super.stm(stm).getFirst();
    return inner.exp() instanceof WithAcc w ? split(inner, w) : List.of(inner);
  }

  private List<Stm> split(Stm stm, WithAcc w) {
    var body = w.body().body();
    int arrays = w.inputs().stream().mapToInt(in -> in.arrays().size()).sum();
    var accs = new ArrayList<Integer>();
    var others = new ArrayList<Integer>();
    for (int k = 0; k < body.results().size(); k++) {
      (body.results().get(k).type() instanceof Type.Acc ? accs : others).add(k);
    }
    if (others.isEmpty() || Effects.observable(body) || consumesOutside(body)) {
      return List.of(stm);
    }
    var pure = Simplify.withoutDeadCode(withoutAccumulators(body, others));
    var rest = Simplify.withoutDeadCode(body.pick(accs));
    if (WorkEstimate.of(pure) == 0) {
      return List.of(stm);
    }
    if (WorkEstimate.of(pure) + WorkEstimate.of(rest) > WorkEstimate.of(body)) {
      return SharedScalars.of(stm, w, pure, rest)
          .map(s -> Lists.concat(List.of(s.map()), split(s.rest(), (WithAcc) s.rest().exp())))
          .filter(stms -> stms.size() > 2)
          .orElse(List.of(stm));
    }
    var copy = new Renaming().body(pure);
    var result = new ArrayList<>(copy.stms());
    var pattern = new ArrayList<>(stm.pattern().subList(0, arrays));
    for (int k = w.inputs().size(); k < body.results().size(); k++) {
      var v = stm.pattern().get(arrays + k - w.inputs().size());
      int at = others.indexOf(k);
      if (at >= 0) {
        result.add(new Stm(List.of(v), new Alias(copy.results().get(at)), stm.span()));
      } else {
        pattern.add(v);
      }
    }
    var returns = accs.stream().map(w.body().returns()::get).toList();
    var smaller = new WithAcc(w.inputs(), new Lambda(w.body().params(), rest, returns));
    result.add(stm.with(pattern, smaller));
    return result;
  }

  /** Returns the body without any accumulators, not even those from further out. */
  private static Body withoutAccumulators(Body body, List<Integer> results) {
    var tokens = new HashSet<Integer>();
    new Rewriter() {
      @Override
      public Type type(Type type) {
        if (type instanceof Type.Acc a) {
          tokens.add(a.token());
        }
        return type;
      }
    }.body(body);
    made(body).forEach(tokens::remove);
    return Simplify.withoutAccumulators(tokens, body.pick(results));
  }

  /** Returns the tokens of accumulators that the body makes for itself. */
  private static Set<Integer> made(Body body) {
    var tokens = new HashSet<Integer>();
    for (var stm : body.stms()) {
      if (stm.exp() instanceof WithAcc w) {
        w.body().params().forEach(p -> tokens.add(((Type.Acc) p.type()).token()));
      }
      Effects.bodies(stm.exp()).forEach(b -> tokens.addAll(made(b)));
    }
    return tokens;
  }

  private boolean consumesOutside(Body body) {
    var classes = new Block(sharing, body.stms(), body.results()).consumed();
    return FreeVars.of(body).stream()
        .anyMatch(v -> v.type().isArray() && classes.contains(sharing.classOf(v)));
  }
}
