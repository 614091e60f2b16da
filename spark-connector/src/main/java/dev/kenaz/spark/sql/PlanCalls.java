package dev.kenaz.spark.sql;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import scala.collection.immutable.Seq;

/** Plans {@link EvalCalls} and {@link EvalTable}. */
final class PlanCalls extends SparkStrategy {
  @Override
  public Seq<SparkPlan> apply(LogicalPlan plan) {
    return switch (plan) {
      case EvalCalls e -> Seqs.one(new EvalCallsExec(e.calls(), e.results(), planLater(e.child())));
      case EvalTable t -> Seqs.one(new EvalTableExec(t.call(), t.output(), planLater(t.child())));
      default -> Seqs.of(List.of());
    };
  }
}
