package dev.kenaz.spark.sql;

import dev.kenaz.distribute.FoldPlan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The folds of a function in one task, by the sizes of its arguments' arrays. */
final class GroupFolds {
  private final GroupFunction function;
  private final Map<List<Integer>, FoldPlan.Fold> folds = new HashMap<>();

  GroupFolds(GroupFunction function) {
    this.function = function;
  }

  GroupFunction function() {
    return function;
  }

  /**
   * @param widths how many elements the arrays of each argument have
   */
  FoldPlan.Fold of(List<Integer> widths) {
    return folds.computeIfAbsent(widths, w -> function.fold(w.stream().map(this::shape).toList()));
  }

  private long[] shape(int width) {
    return new long[] {0, width};
  }
}
