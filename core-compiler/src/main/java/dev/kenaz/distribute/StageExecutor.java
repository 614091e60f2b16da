package dev.kenaz.distribute;

import dev.kenaz.value.Value;
import java.util.List;

/** An engine that has the pieces of a dataset. */
public interface StageExecutor {
  /** How many rows the whole dataset has. */
  long rows();

  /** The number of pieces; at least one. */
  long pieces();

  /**
   * Runs the stage's local program on every piece, and combines.
   *
   * @param broadcast values of the stage's {@code broadcast}
   * @param combineWith values of its {@code combineWith}
   * @return the combined values, one an output. What the stage keeps in pieces stays with the
   *     engine, under the variable's tag.
   */
  List<Value> run(Plan.Stage stage, List<Value> broadcast, List<Value> combineWith);
}
