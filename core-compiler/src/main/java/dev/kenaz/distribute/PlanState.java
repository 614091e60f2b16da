package dev.kenaz.distribute;

import dev.kenaz.value.Value;
import java.util.List;
import java.util.Map;

/**
 * The state of a run of a plan between two iterations of a loop, in terms that are the same for
 * every compilation of the program.
 *
 * @param position the number of the step that is under way; then, for a loop, how many iterations
 *     were done, and the number of the step in it, and so on
 * @param values what the steps have bound and the rest of the plan needs, by the numbers that
 *     {@link PlanVariables} gives
 */
public record PlanState(List<Long> position, Map<Integer, Value> values) {
  public PlanState {
    position = List.copyOf(position);
    values = Map.copyOf(values);
  }
}
