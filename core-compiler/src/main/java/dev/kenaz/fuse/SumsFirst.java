package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Adds up, before it updates an accumulator, what a short inner operator would add to one place of
 * it one after the other:
 *
 * <pre>
 *   map i (let v = f i in acc[k] += v)   is   let s = reduce (+) (map f is) in acc[k] += s
 * </pre>
 *
 * <p>This is for many threads, for which an update of a place that others update too costs far more
 * than an addition.
 */
final class SumsFirst implements CodeRewriter {
  /** Longer operators may be worth running in parallel. */
  private static final long SHORT = 16;

  /** How the updates of the accumulators in scope are combined. */
  private final Map<Integer, Combine> combines = new HashMap<>();

  private SumsFirst() {}

  static CoreProgram run(CoreProgram program) {
    return new SumsFirst().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof WithAcc w) {
      for (int k = 0; k < w.inputs().size(); k++) {
        int token = ((Type.Acc) w.body().params().get(k).type()).token();
        w.inputs().get(k).combine().ifPresent(c -> combines.put(token, c));
      }
    }
    var now = CodeRewriter.super.stm(stm).getFirst();
    var after = new ArrayList<Stm>();
    while (now.exp() instanceof Screma s
        && s.width() instanceof Const(var n)
        && n.asLong() <= SHORT
        && update(s).orElse(null) instanceof Stm old) {
      var sum = new Sum(now, s, old, combines.get(token(old)));
      now = sum.operator();
      after.addFirst(sum.update());
    }
    return Lists.concat(List.of(now), after);
  }

  private static int token(Stm update) {
    return ((Type.Acc) update.var().type()).token();
  }

  /** Finds an update of scalars at the same place in each iteration. */
  private Optional<Stm> update(Screma s) {
    var stms = s.map().body().stms();
    Set<Var> inside = new HashSet<>(s.map().params());
    inside.addAll(Stm.bound(stms));
    return stms.stream()
        .filter(
            t ->
                t.exp() instanceof UpdateAcc u
                    && combines.containsKey(token(t))
                    && u.indices().stream().noneMatch(inside::contains)
                    && u.values().stream().allMatch(v -> v.type().isScalar()))
        .findFirst();
  }

  /**
   * An operator with a reduction in place of an update.
   *
   * @param stm binds the operator
   * @param old the update, a statement of the operator's function
   */
  private record Sum(Stm stm, Screma s, Stm old, Combine combine, List<Var> sums, Var before) {
    Sum(Stm stm, Screma s, Stm old, Combine combine) {
      this(
          stm,
          s,
          old,
          combine,
          combine.neutral().stream().map(x -> Names.fresh("sum", x.type())).toList(),
          Names.like(accumulator(stm, old)));
    }

    private static Var accumulator(Stm stm, Stm update) {
      int token = token(update);
      return stm.pattern().stream()
          .filter(v -> v.type() instanceof Type.Acc a && a.token() == token)
          .findFirst()
          .orElseThrow();
    }

    /** Returns the operator without the update. */
    Stm operator() {
      var u = (UpdateAcc) old.exp();
      int at = s.scanWidth() + s.reduceWidth();
      var body = s.map().body();
      var stms = body.stms().stream().filter(t -> t != old).toList();
      var less = new Substitution(Map.of(old.var(), u.acc())).body(new Body(stms, body.results()));
      var results = inserted(less.results(), at, u.values());
      var returns = inserted(s.map().returns(), at, u.values().stream().map(Atom::type).toList());
      var map = new Lambda(s.map().params(), new Body(less.stms(), results), returns);
      var op = new Reduce(new Renaming().lambda(combine.op()), combine.neutral(), true);
      var pattern = new ArrayList<>(stm.pattern());
      pattern.replaceAll(v -> v.equals(accumulator(stm, old)) ? before : v);
      return stm.with(
          inserted(pattern, at, sums),
          new Screma(s.width(), s.inputs(), s.scans(), Lists.with(s.reduces(), op), map));
    }

    private static <T> List<T> inserted(List<? extends T> list, int at, List<? extends T> more) {
      var all = new ArrayList<T>(list);
      all.addAll(at, more);
      return all;
    }

    /** Returns the one update that is left. */
    Stm update() {
      var u = (UpdateAcc) old.exp();
      var one = new UpdateAcc(before, u.indices(), List.copyOf(sums));
      return new Stm(List.of(accumulator(stm, old)), one, old.span());
    }
  }
}
