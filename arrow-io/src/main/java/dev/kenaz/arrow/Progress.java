package dev.kenaz.arrow;

/**
 * Is told now and then how far a long operation is; it is called on the thread that does the work.
 */
@FunctionalInterface
public interface Progress {
  Progress NONE = (_, _) -> {};

  /**
   * @param rows rows done
   * @param fraction of the whole, 0 to 1
   */
  void at(long rows, double fraction);
}
