package dev.kenaz.spark.sql;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import scala.collection.immutable.Seq;

/** Plans {@link EvalCalls}. */
final class PlanCalls extends SparkStrategy {
  @Override
  public Seq<SparkPlan> apply(LogicalPlan plan) {
    return plan instanceof EvalCalls e
        ? Seqs.one(new EvalCallsExec(e.calls(), e.results(), planLater(e.child())))
        : Seqs.of(List.of());
  }
}
