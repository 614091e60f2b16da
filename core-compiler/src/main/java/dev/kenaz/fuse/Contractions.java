package dev.kenaz.fuse;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Turns accumulators that add up what a nest of maps computes, at indices of the nest itself, into
 * maps over those indices and reductions over the others (001 §6.1):
 *
 * <pre>
 *   for i, j, k: acc[i, k] += v(i, j, k)   is   map i (map k (reduce (+) (map j v(i, j, k))))
 * </pre>
 *
 * <p>The nest must be perfect except for reads and scalar statements, which move to the innermost
 * place. Where we differ: a nest whose outermost index is summed over and that is not inside
 * another operator stays an accumulation, for that index usually runs over the data, which is many
 * rows of few columns and may be distributed. On a few cores the accumulation is faster too, for it
 * reads in the order of memory; {@link #everywhere} is for many threads.
 */
final class Contractions implements CodeRewriter {
  private final Set<Var> counting = new HashSet<>();
  private int depth;

  private final boolean everywhere;

  private Contractions(boolean everywhere) {
    this.everywhere = everywhere;
  }

  static CoreProgram run(CoreProgram program) {
    return new Contractions(false).program(program);
  }

  /** Turns accumulations over the data into reductions, too. */
  static CoreProgram everywhere(CoreProgram program) {
    return new Contractions(true).program(program);
  }

  @Override
  public Exp exp(Exp exp) {
    boolean parallel = exp instanceof Exp.Soac;
    depth += parallel ? 1 : 0;
    var result = CodeRewriter.super.exp(exp);
    depth -= parallel ? 1 : 0;
    return result;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof Iota i && i.isCounter() && i.start().type().equals(Type.I64)) {
      counting.add(stm.var());
    }
    var inner = CodeRewriter.super.stm(stm).getFirst();
    if (!(inner.exp() instanceof WithAcc w)) {
      return List.of(inner);
    }
    if (everywhere && !suitable(w)) {
      return kept(inner, w).orElse(List.of(inner));
    }
    return contracted(inner, w).orElse(List.of(inner));
  }

  /**
   * Where a nest keeps what it accumulates, computes it first and then adds it up, if that becomes
   * a reduction.
   */
  private Optional<List<Stm>> kept(Stm stm, WithAcc w) {
    return ReadBack.of(stm, w)
        .flatMap(
            parts ->
                contracted(parts.adding(), (WithAcc) parts.adding().exp())
                    .map(
                        sums -> {
                          return Lists.concat(parts.pure(), sums);
                        }));
  }

  private Optional<List<Stm>> contracted(Stm stm, WithAcc w) {
    var nest = suitable(w) ? Nest.of(w, counting) : null;
    if (nest == null || !everywhere && depth == 0 && nest.sumsOutermost()) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var combine = w.inputs().getFirst().combine().orElseThrow();
    var sums = nest.build(b, combine);
    var total = elementwise(b, combine, w.inputs().getFirst().arrays().getFirst(), sums);
    b.bindAll(stm.pattern(), new Alias(total));
    return Optional.of(b.stms());
  }

  /** Whether there is one accumulator of scalars with a scalar operator, and nothing else. */
  private static boolean suitable(WithAcc w) {
    if (w.inputs().size() != 1 || w.body().returns().size() != 1) {
      return false;
    }
    var in = w.inputs().getFirst();
    return in.arrays().size() == 1
        && in.arrays().getFirst().type().dims().size() == in.space().size()
        && in.combine().flatMap(c -> Operators.elementwise(c.op())).isPresent();
  }

  private static Var elementwise(Builder b, Combine combine, Var x, Var y) {
    var width = x.type().dims().getFirst();
    return b.map(
            width,
            List.of(x, y),
            (c, p) ->
                p.getFirst().type().isScalar()
                    ? c.call(combine.op(), p)
                    : List.of(elementwise(c, combine, p.get(0), p.get(1))))
        .getFirst();
  }
}
