package dev.kenaz.distribute;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Weighs what it costs to compute row-wise values again against what it costs to keep them: they
 * are written once, and read by each stage that needs them.
 *
 * <p>Sizes aren't known. The number of rows doesn't matter to the comparison; other sizes are taken
 * to be {@link WorkOf#ASSUMED}.
 */
final class Keeping {
  private static final double ROWS = 1e6;

  /** By how much keeping must be cheaper: it takes memory, too. */
  private static final double MARGIN = 1.5;

  private final Labeller labeller;
  private final Map<Var, Stm> definitions = new HashMap<>();
  private final Map<Stm, Set<Var>> free = new IdentityHashMap<>();
  private final Map<Stm, Double> seconds = new IdentityHashMap<>();
  private final WorkOf work;
  private final Aliases aliases;

  /** What other statements use. Of a statement's results, others need not be kept. */
  private final Set<Var> used = new HashSet<>();

  /**
   * @param local the row-wise statements in their order
   */
  Keeping(Labeller labeller, List<Stm> local) {
    this.labeller = labeller;
    var rows = new HashMap<Var, Double>();
    for (var space : labeller.spaces().all()) {
      rows.put(space.rows(), ROWS);
      rows.put(space.total(), ROWS);
    }
    this.work = new WorkOf(rows, WorkOf.ASSUMED);
    this.aliases = Aliases.of(local);
    for (var stm : local) {
      stm.pattern().forEach(v -> definitions.put(v, stm));
      seconds.put(stm, work.stm(stm).seconds());
      free.put(stm, FreeVars.of(stm));
      used.addAll(free.get(stm));
      stm.pattern().stream().filter(rows::containsKey).forEach(v -> work.isNow(v, ROWS));
    }
  }

  /**
   * What a stage computes and reads for some values.
   *
   * @param stms that it runs
   * @param order the same; seconds are added in this order, as their sums must not differ
   * @param reads row-wise values that the engine has
   */
  private record Slice(Set<Stm> stms, List<Stm> order, Set<Var> reads) {}

  /** Returns what a stage runs for what it is to give, from what is given. */
  Set<Stm> computed(Collection<Var> wanted, Predicate<Var> given) {
    return slice(wanted, given).stms();
  }

  private Slice slice(Collection<Var> wanted, Predicate<Var> given) {
    Set<Stm> stms = Collections.newSetFromMap(new IdentityHashMap<>());
    var order = new ArrayList<Stm>();
    var reads = new LinkedHashSet<Var>();
    var todo = new ArrayDeque<>(wanted);
    var seen = new HashSet<Var>();
    while (!todo.isEmpty()) {
      var v = todo.remove();
      if (!seen.add(v)) {
        continue;
      }
      var stm = definitions.get(v);
      if (stm == null || given.test(v) && !wanted.contains(v)) {
        if (v.type().isArray() && labeller.of(v) instanceof Label.Sharded) {
          reads.add(v);
        }
      } else if (stms.add(stm)) {
        order.add(stm);
        todo.addAll(free.get(stm));
      }
    }
    return new Slice(stms, order, reads);
  }

  /** How long a stage takes one core for what it is to give, without writing it. */
  double seconds(Collection<Var> wanted, Predicate<Var> given) {
    var slice = slice(wanted, given);
    double all = slice.order().stream().mapToDouble(seconds::get).sum();
    return all + moving(slice.reads());
  }

  /** How long it takes to write values, or to read them. */
  private double moving(Collection<Var> values) {
    return values.stream()
        .filter(used::contains)
        .mapToDouble(v -> Work.bytes(work.bytes(v.type())).seconds())
        .sum();
  }

  /** Whether a stage can store the value: others know its sizes, and nothing overwrites it. */
  boolean canBeKept(Var v) {
    return v.type().isArray()
        && !aliases.isConsumed(v)
        && labeller.of(v) instanceof Label.Sharded
        && v.type().dims().stream()
            .allMatch(
                d ->
                    d instanceof Const
                        || labeller.spaces().has(d)
                        || labeller.of(d) == Label.REPLICATED && !definitions.containsKey(d));
  }

  /** What is won by keeping values that save so many seconds; nothing if it isn't positive. */
  double gain(Collection<Var> values, double saved) {
    var written = values.stream().filter(v -> !isScanned(v)).toList();
    return saved - moving(written) - (MARGIN - 1) * moving(values);
  }

  /** Whether the stage that computes a value has it in memory in any case. */
  private boolean isScanned(Var v) {
    return definitions.get(v).exp() instanceof Exp.Screma s && !s.scans().isEmpty();
  }

  /** Whether values are better kept than computed again in each of a loop's iterations. */
  boolean areBetterKept(Collection<Var> values, Predicate<Var> given) {
    double again = seconds(values, given) - MARGIN * moving(values);
    return gain(values, WorkOf.ASSUMED * again) > 0;
  }
}
