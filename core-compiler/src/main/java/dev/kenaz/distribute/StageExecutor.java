package dev.kenaz.distribute;

import dev.kenaz.ir.Var;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.Optional;

/** The interface to an engine that has the pieces of a dataset. */
public interface StageExecutor {
  /** Returns how many rows the whole dataset has. */
  long rows();

  /** Returns the number of pieces, which is at least one. */
  long pieces();

  /** Returns how the rows of the dataset's columns are cut, of the space with this number. */
  Cuts cuts(int dataset);

  /**
   * Runs the stage's local program on every piece, and combines the results.
   *
   * @param broadcast the values of the stage's {@code broadcast}
   * @param combineWith the values of the stage's {@code combineWith}
   * @return the combined values, one for each output, then all rows of what is gathered; what the
   *     stage keeps in pieces stays with the engine, under the variable's tag.
   */
  List<Value> run(Plan.Stage stage, List<Value> broadcast, List<Value> combineWith);

  /**
   * Runs a stage that has other rows than those of the first dataset, or reads values that the
   * engine keeps.
   *
   * @param spaces how the rows of the stage's {@code spaces} are cut
   */
  default List<Value> run(
      Plan.Stage stage, List<Value> broadcast, List<Value> combineWith, List<Cuts> spaces) {
    if (!spaces.isEmpty() || !stage.reads().isEmpty()) {
      throw new UnsupportedOperationException("several spaces");
    }
    return run(stage, broadcast, combineWith);
  }

  /**
   * Moves rows between pieces.
   *
   * @param spaces how the rows of the exchange's {@code spaces} are cut
   * @param offset the offset of a {@link Plan.Recut}
   * @return for a {@link Plan.Send}, how many values arrive at each piece
   */
  default Optional<Cuts> exchange(Plan.Exchange exchange, List<Cuts> spaces, long offset) {
    throw new UnsupportedOperationException("exchange");
  }

  /** Forgets a row-wise value that no step reads any more. */
  default void drop(Var rows) {}

  /** Gives what the engine has under some variables to others, all at once. */
  default void bind(List<Var> to, List<Var> from) {
    if (!to.isEmpty()) {
      throw new UnsupportedOperationException("rows in loops");
    }
  }
}
