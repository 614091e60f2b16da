package dev.kenaz.distribute;

import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * Chooses what the stages of a scope store for later ones, as long as that saves time: the last
 * stages first, and of each stage what saves most first.
 */
final class KeptBetweenStages {
  private final Keeping keeping;
  private final List<Level> levels;
  private final BiPredicate<Var, Integer> given;
  private final Predicate<Var> storable;

  /**
   * @param given whether stages of a level have a value without computing it
   * @param storable whether stages of this scope may store the value
   */
  KeptBetweenStages(
      Keeping keeping,
      List<Level> levels,
      BiPredicate<Var, Integer> given,
      Predicate<Var> storable) {
    this.keeping = keeping;
    this.levels = levels;
    this.given = given;
    this.storable = storable;
  }

  /**
   * Chooses.
   *
   * @param local the row-wise statements in their order
   * @param store is told each value, and the level whose stage stores it
   */
  void choose(List<Stm> local, BiConsumer<Var, Integer> store) {
    var first = new IdentityHashMap<Stm, Integer>();
    for (int i = 0; i < levels.size(); i++) {
      for (var stm : computed(i)) {
        first.putIfAbsent(stm, i);
      }
    }
    for (int i = levels.size() - 1; i >= 0; i--) {
      int at = i;
      var stms = local.stream().filter(s -> first.getOrDefault(s, -1) == at).toList();
      for (var best = best(stms, i); best.isPresent(); best = best(stms, i)) {
        best.get().vars().forEach(v -> store.accept(v, at));
      }
    }
  }

  private Set<Stm> computed(int at) {
    return keeping.computed(levels.get(at).wanted(), v -> given.test(v, at));
  }

  /** The results of a statement that a stage may store, and the seconds that this saves later. */
  private record Kept(Set<Var> vars, double gain) {}

  private Optional<Kept> best(List<Stm> stms, int first) {
    var saved = new IdentityHashMap<Stm, Double>();
    for (int i = first + 1; i < levels.size(); i++) {
      int at = i;
      var again = new ArrayList<>(stms);
      again.retainAll(computed(i));
      var wanted = levels.get(i).wanted();
      double all = again.isEmpty() ? 0 : keeping.seconds(wanted, v -> given.test(v, at));
      for (var stm : again) {
        var kept = kept(stm);
        double rest = keeping.seconds(wanted, v -> kept.contains(v) || given.test(v, at));
        saved.merge(stm, all - rest, Double::sum);
      }
    }
    return stms.stream()
        .filter(saved::containsKey)
        .map(stm -> new Kept(kept(stm), keeping.gain(kept(stm), saved.get(stm))))
        .filter(k -> k.gain() > 0)
        .max(Comparator.comparingDouble(Kept::gain));
  }

  private Set<Var> kept(Stm stm) {
    var kept = new LinkedHashSet<>(stm.pattern());
    kept.removeIf(storable.negate());
    return kept;
  }
}
