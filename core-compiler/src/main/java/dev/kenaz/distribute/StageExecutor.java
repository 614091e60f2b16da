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
   * @param spaces how the rows of the stage's {@code spaces} are cut
   * @return the combined values, one for each output, then all rows of what is gathered; what the
   *     stage keeps or stores stays with the engine, under its variable
   */
  List<Value> run(
      Plan.Stage stage, List<Value> broadcast, List<Value> combineWith, List<Cuts> spaces);

  /**
   * Moves rows between pieces.
   *
   * @param spaces how the rows of the exchange's {@code spaces} are cut
   * @param offset the offset of a {@link Plan.Recut}
   * @return for a {@link Plan.Send}, how the rows that arrive are cut
   */
  Optional<Cuts> exchange(Plan.Exchange exchange, List<Cuts> spaces, long offset);

  /** Gives what the engine has under some variables to others, all at once. */
  void bind(List<Var> to, List<Var> from);

  /** Whether the engine has rows under a variable. */
  boolean holds(Var rows);

  /**
   * Returns what the engine has under a variable: the same object as long as the rows are the same.
   */
  Object held(Var rows);

  /** Writes what the engine has under a variable, each piece its own rows. */
  void write(Var rows, RowFiles to);

  /** Takes rows that were written over the same pieces as what the engine has under a variable. */
  void read(Var rows, RowFiles from);

  /** Runs what the engine has put off; no step comes after that. */
  default void end() {}
}
