package dev.kenaz.spark.sql;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import scala.Option;

/**
 * Splits an aggregation whose results call functions of Kenaz: the aggregation gives the aggregates
 * and the groups' keys, and a projection above it has the calls. Calls inside of aggregates and of
 * keys stay, as they are about rows.
 */
final class SplitAggregate {
  private final Aggregate aggregate;
  private final Map<Expression, Alias> below = new LinkedHashMap<>();

  private SplitAggregate(Aggregate aggregate) {
    this.aggregate = aggregate;
  }

  /** Whether some result has a call outside of aggregates and keys. */
  static boolean concerns(Aggregate aggregate) {
    var split = new SplitAggregate(aggregate);
    return aggregate.aggregateExpressions().exists(e -> split.calls((Expression) e));
  }

  static Project of(Aggregate aggregate) {
    return new SplitAggregate(aggregate).split();
  }

  private boolean calls(Expression e) {
    return !isBelow(e) && (e instanceof KenazCall || e.children().exists(this::calls));
  }

  private boolean isBelow(Expression e) {
    return e instanceof AggregateExpression
        || aggregate.groupingExpressions().exists(key -> key.semanticEquals(e));
  }

  private Project split() {
    var above = new ArrayList<NamedExpression>();
    for (var e : Seqs.list(aggregate.aggregateExpressions())) {
      above.add((NamedExpression) over((Expression) e));
    }
    LogicalPlan aggregated =
        new Aggregate(
            aggregate.groupingExpressions(),
            Seqs.<NamedExpression>of(below.values()),
            aggregate.child(),
            aggregate.hint());
    return new Project(Seqs.of(above), aggregated);
  }

  /** Returns the expression over what the aggregation gives. */
  private Expression over(Expression e) {
    if (isBelow(e)) {
      var alias = below.computeIfAbsent(e.canonicalized(), _ -> alias(e));
      var attribute = alias.toAttribute();
      // A result that is a key itself keeps its name and number.
      return e instanceof Attribute a ? alias(attribute, a) : (Expression) attribute;
    }
    var children = Seqs.list(e.children()).stream().map(this::over).toList();
    return children.isEmpty() ? e : e.withNewChildren(Seqs.of(children));
  }

  /** Names an expression. */
  static Alias alias(Expression e) {
    return alias(e, e instanceof NamedExpression n ? n.name() : "kenaz");
  }

  /** Gives an expression a name. */
  static Alias alias(Expression e, String name) {
    return new Alias(
        e,
        name,
        NamedExpression.newExprId(),
        Seqs.of(List.<String>of()),
        Option.empty(),
        Seqs.of(List.<String>of()));
  }

  private static Expression alias(Attribute value, Attribute as) {
    return new Alias(
        (Expression) value,
        as.name(),
        as.exprId(),
        as.qualifier(),
        Option.empty(),
        Seqs.of(List.<String>of()));
  }
}
