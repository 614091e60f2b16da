package dev.kenaz.distribute;

import dev.kenaz.ir.FreeVars;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;

/** Tells of a plan whether each row of its results depends on nothing but its own row. */
public final class RowwisePlan {
  private RowwisePlan() {}

  /**
   * Whether the plan is row by row. A plan is right however the rows are cut, so also if each row
   * is a piece. So it is enough that it has one stage, which only hands on rows, and that the stage
   * knows neither where its rows are nor how many there are in all.
   */
  public static boolean is(Plan plan) {
    var rows = plan.pieces().first();
    var unknown = new HashSet<>(List.of(rows.rows(), rows.total(), rows.cut()));
    var stages = new ArrayList<Plan.Stage>();
    for (var step : plan.steps()) {
      switch (step) {
        case Plan.Compute c -> {
          if (!Collections.disjoint(c.function().params(), unknown)) {
            unknown.addAll(c.outputs());
          }
        }
        case Plan.Stage s -> stages.add(s);
        case Plan.Exchange _, Plan.Repeat _, Plan.Choose _ -> {
          return false;
        }
      }
    }
    return plan.pieces().datasets().size() == 1
        && plan.gathered().isEmpty()
        && !plan.shardedResults().contains(false)
        && plan.rowDims().stream().allMatch(d -> d == 0)
        && stages.size() == 1
        && isRowwise(stages.getFirst())
        && Collections.disjoint(stages.getFirst().broadcast(), unknown);
  }

  private static boolean isRowwise(Plan.Stage stage) {
    var places = stage.local().params().subList(1, Pieces.PARAMS);
    return stage.outputs().isEmpty()
        && stage.gathered().isEmpty()
        && stage.stored().isEmpty()
        && stage.reads().isEmpty()
        && stage.spaces().isEmpty()
        && stage.states() == 0
        && Collections.disjoint(FreeVars.of(stage.local().body()), places);
  }
}
