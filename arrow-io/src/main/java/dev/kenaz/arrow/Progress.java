package dev.kenaz.arrow;

/**
 * An observer of a long operation is called now and then with its progress, on the thread that does
 * the work.
 */
@FunctionalInterface
public interface Progress {
  Progress NONE = (_, _) -> {};

  /**
   * @param rows how many rows are done
   * @param fraction the part of the whole that is done, from 0 to 1
   */
  void at(long rows, double fraction);

  /**
   * Tells that a pass over all rows begins, from the first one on.
   *
   * @param why what they are read for, such as "means and deviations"; empty if they are moved
   */
  default void pass(String why) {}
}
