package dev.kenaz.pipeline;

import java.time.Duration;
import java.util.Map;

/**
 * Says what a pass did, and what program it left.
 *
 * @param depth how many groups of repeated passes the pass is in; what follows with a greater depth
 *     is what this one consists of
 * @param runs how often it ran; it is not run on a program that it has left unchanged before
 * @param time that all runs took
 * @param counts how often it did what, such as fuse a map into a reduction
 * @param program the program as the last run left it; null if the pass did not run
 */
public record PassResult(
    String name,
    String description,
    int depth,
    int runs,
    Duration time,
    Map<String, Integer> counts,
    Object program) {
  /** Prints the program. */
  public String print() {
    return Forms.print(program);
  }
}
