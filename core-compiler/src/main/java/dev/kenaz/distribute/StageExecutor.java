package dev.kenaz.distribute;

import dev.kenaz.value.Value;
import java.util.List;

/** The interface to an engine that has the pieces of a dataset. */
public interface StageExecutor {
  /** Returns how many rows the whole dataset has. */
  long rows();

  /** Returns the number of pieces, which is at least one. */
  long pieces();

  /**
   * Runs the stage's local program on every piece, and combines the results.
   *
   * @param broadcast the values of the stage's {@code broadcast}
   * @param combineWith the values of the stage's {@code combineWith}
   * @return the combined values, one for each output, then all rows of what is gathered; what the
   *     stage keeps in pieces stays with the engine, under the variable's tag.
   */
  List<Value> run(Plan.Stage stage, List<Value> broadcast, List<Value> combineWith);
}
