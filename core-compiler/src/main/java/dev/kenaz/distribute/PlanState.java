package dev.kenaz.distribute;

import dev.kenaz.value.Value;
import java.util.List;
import java.util.Map;

/**
 * The state of a run of a plan between two iterations of a loop, in terms that are the same for
 * every compilation of the program. The rest of the plan needs what it has, by the numbers that
 * {@link PlanVariables} gives.
 *
 * @param position the number of the step that is under way; then, for a loop, how many iterations
 *     were done, or for a branch, 1 if its condition holds and else 0; then the number of the step
 *     in it, and so on
 * @param values what the driver has
 * @param rows where the rows are that the engine has
 */
public record PlanState(
    List<Long> position, Map<Integer, Value> values, Map<Integer, RowFiles> rows) {
  public PlanState {
    position = List.copyOf(position);
    values = Map.copyOf(values);
    rows = Map.copyOf(rows);
  }
}
