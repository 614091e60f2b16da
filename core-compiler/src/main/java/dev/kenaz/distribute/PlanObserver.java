package dev.kenaz.distribute;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Exp;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Is told how far a run of a plan has come, and keeps its state if it wants to. */
public interface PlanObserver {
  /** Wants nothing. */
  PlanObserver NONE = new PlanObserver() {};

  /**
   * A loop that is under way.
   *
   * @param iteration the number of the iteration, counted from 1
   * @param of how many there are, if that is known before the loop ends
   */
  record Iteration(long iteration, OptionalLong of) {
    static Iteration of(Plan.Repeat loop, long done, long trips) {
      return new Iteration(
          done + 1, loop.form() instanceof Exp.For ? OptionalLong.of(trips) : OptionalLong.empty());
    }
  }

  /**
   * A stage is about to run.
   *
   * @param loops the loops around it, the outermost first
   */
  default void begins(Plan.Stage stage, List<Iteration> loops) {}

  /** Whether it takes the state after so many iterations of a loop. */
  default boolean takes(long iterations) {
    return false;
  }

  /** Returns a new place for rows of the state that it takes next. */
  default RowFiles place() {
    throw new CompilerBug("distribute", "an observer that takes states has no place for rows");
  }

  /**
   * Takes a state, from which another run can go on. Rows that are the same as in the state before
   * are in the same place.
   */
  default void take(PlanState state) {}

  /** Returns the state from which the run goes on; nothing if it begins. */
  default Optional<PlanState> goesOnFrom() {
    return Optional.empty();
  }
}
