package dev.kenaz.arrow;

/**
 * Is called now and then with the progress of a long operation, on the thread that does the work.
 */
@FunctionalInterface
public interface Progress {
  Progress NONE = (_, _) -> {};

  /**
   * @param rows how many rows are done
   * @param fraction the part of the whole that is done, from 0 to 1
   */
  void at(long rows, double fraction);
}
