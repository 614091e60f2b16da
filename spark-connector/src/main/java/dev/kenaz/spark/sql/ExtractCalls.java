package dev.kenaz.spark.sql;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.types.Metadata;
import scala.runtime.AbstractPartialFunction;

/**
 * Takes calls of functions of Kenaz out of expressions: an operator below computes them for all
 * rows. A call whose argument is a call comes above that, and a call whose argument is an aggregate
 * comes above the aggregation.
 */
final class ExtractCalls extends Rule<LogicalPlan> {
  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    return plan.transformUp(new At());
  }

  private static final class At extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    private static final long serialVersionUID = 1;

    @Override
    public boolean isDefinedAt(LogicalPlan plan) {
      return !(plan instanceof EvalCalls) && hasCall(plan);
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
      if (plan instanceof Aggregate a && SplitAggregate.concerns(a)) {
        var split = SplitAggregate.of(a);
        var below = split.children().head();
        var within = hasCall(below) ? extracted(below) : below;
        return extracted(split.withNewChildren(Seqs.one(within)));
      }
      return extracted(plan);
    }
  }

  private static boolean hasCall(LogicalPlan plan) {
    return plan.expressions().exists(ExtractCalls::hasCall);
  }

  static boolean hasCall(Expression e) {
    return e instanceof KenazCall || e.children().exists(ExtractCalls::hasCall);
  }

  private static LogicalPlan extracted(LogicalPlan plan) {
    var all = plan;
    for (boolean more = true; more && hasCall(all); ) {
      var next = innermostExtracted(all);
      more = next != all;
      all = next;
    }
    // Some operators hand on all columns of their children, but these are nobody else's.
    return all == plan || all.output().equals(plan.output())
        ? all
        : new Project(Seqs.<NamedExpression>of(Seqs.list(plan.output())), all);
  }

  /** Takes out the calls whose arguments have none. */
  private static LogicalPlan innermostExtracted(LogicalPlan plan) {
    var calls = new LinkedHashMap<Expression, Attribute>();
    Seqs.list(plan.expressions()).forEach(e -> innermost(e, calls));
    var children = new ArrayList<LogicalPlan>();
    var taken = new LinkedHashMap<Expression, Attribute>();
    for (var child : Seqs.list(plan.children())) {
      var its = new LinkedHashMap<Expression, Attribute>();
      calls.forEach(
          (call, result) -> {
            if (!taken.containsKey(call) && call.references().subsetOf(child.outputSet())) {
              its.put(call, result);
            }
          });
      taken.putAll(its);
      children.add(
          its.isEmpty()
              ? child
              : new EvalCalls(Seqs.of(its.keySet()), Seqs.of(its.values()), child));
    }
    if (taken.isEmpty()) {
      return plan;
    }
    var replaced = plan.transformExpressions(new Replaced(taken));
    if (plan instanceof Aggregate) {
      children.replaceAll(c -> c instanceof EvalCalls ? needed(c, replaced.references()) : c);
    }
    return replaced.withNewChildren(Seqs.of(children));
  }

  /** An aggregation would make rows of all columns, those of the arguments, too. */
  private static LogicalPlan needed(LogicalPlan child, AttributeSet needed) {
    var all = Seqs.list(child.output());
    var some = all.stream().filter(needed::contains).toList();
    return some.size() == all.size() ? child : new Project(Seqs.<NamedExpression>of(some), child);
  }

  /** Finds the calls whose arguments are no calls; equal ones are one. */
  private static void innermost(Expression e, Map<Expression, Attribute> calls) {
    if (e instanceof KenazCall c && !c.children().exists(ExtractCalls::hasCall)) {
      calls.computeIfAbsent(c, _ -> attribute(c));
    } else {
      Seqs.list(e.children()).forEach(child -> innermost(child, calls));
    }
  }

  private static Attribute attribute(KenazCall call) {
    return new AttributeReference(
        call.prettyName(),
        call.dataType(),
        true,
        Metadata.empty(),
        NamedExpression.newExprId(),
        Seqs.of(List.<String>of()));
  }

  /** Replaces expressions by attributes. */
  static final class Replaced extends AbstractPartialFunction<Expression, Expression> {
    private static final long serialVersionUID = 1;
    private final transient Map<Expression, Attribute> by;

    Replaced(Map<Expression, Attribute> by) {
      this.by = by;
    }

    @Override
    public boolean isDefinedAt(Expression e) {
      return by.containsKey(e);
    }

    @Override
    public Expression apply(Expression e) {
      return (Expression) by.get(e);
    }
  }
}
