package dev.kenaz.jvm;

/**
 * These are the parallel bodies of an entry, by number. Generated classes implement this interface.
 */
interface Tasks {
  /**
   * Runs a chunk of a parallel body.
   *
   * @param environment the registers that the body reads, as bits
   */
  void run(int task, Context context, long[] environment, long chunk, long lo, long hi);
}
