package dev.kenaz.ad;

import java.util.OptionalLong;

/**
 * Says which of several rules to use.
 *
 * @param generalOnly reductions, scans and histograms use the rule that works for every operator
 * @param rightFold scans use the rule without Jacobians
 * @param twice the derivative is itself differentiated, so that a rule's code must not only compute
 *     the derivative but be differentiable to it
 * @param manyThreads whether there are many more threads than an ordinary processor has, so that
 *     what has more parallelism is faster, even if it reads and writes more
 * @param budget how many bytes a loop may keep for its return sweep, if not as many as it likes
 */
record Options(
    boolean generalOnly,
    boolean rightFold,
    boolean twice,
    boolean manyThreads,
    OptionalLong budget) {
  static final Options DEFAULT = new Options(false, false, false, false, OptionalLong.empty());

  Options nested(boolean isNested) {
    return new Options(generalOnly, rightFold, isNested, manyThreads, budget);
  }

  Options general() {
    return new Options(true, false, false, manyThreads, budget);
  }

  Options byRightFold() {
    return new Options(false, true, false, manyThreads, budget);
  }

  Options within(long bytes) {
    return new Options(generalOnly, rightFold, twice, manyThreads, OptionalLong.of(bytes));
  }

  Options forManyThreads() {
    return new Options(generalOnly, rightFold, twice, true, budget);
  }
}
