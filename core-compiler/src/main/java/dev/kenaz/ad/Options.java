package dev.kenaz.ad;

/**
 * Which of several rules to use.
 *
 * @param generalOnly reductions, scans and histograms use the rule that works for every operator
 * @param rightFold scans use the rule without Jacobians
 * @param twice the derivative is itself differentiated, so that a rule's code must not only compute
 *     the derivative but be differentiable to it
 */
record Options(boolean generalOnly, boolean rightFold, boolean twice) {
  static final Options DEFAULT = new Options(false, false, false);

  Options nested(boolean isNested) {
    return new Options(generalOnly, rightFold, isNested);
  }
}
