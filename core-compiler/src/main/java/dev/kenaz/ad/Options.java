package dev.kenaz.ad;

/**
 * Switches that tests use to compare rules with each other.
 *
 * @param generalOnly reductions, scans and histograms use the rule that works for every operator
 */
record Options(boolean generalOnly) {
  static final Options DEFAULT = new Options(false);
}
