package dev.kenaz.spark.sql;

import static java.util.stream.Collectors.joining;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FunctionTableSubqueryArgumentExpression;
import org.apache.spark.sql.catalyst.expressions.KnownFloatingPointNormalized;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NullOrdering;
import org.apache.spark.sql.catalyst.expressions.NullsFirst$;
import org.apache.spark.sql.catalyst.expressions.SortDirection;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils;
import org.apache.spark.sql.internal.SQLConf$;
import org.apache.spark.sql.types.AtomicType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.Metadata;

/**
 * A call of a function of a table: for all rows, or for each partition of them.
 *
 * @param keys how many columns, the first ones, are equal in all rows of a partition
 * @param orders the directions of the columns after these, which order the rows of a partition
 */
record TableCall(TableFunction function, int keys, ArrayList<Direction> orders)
    implements Serializable {
  /** How a column orders rows. */
  record Direction(SortDirection direction, NullOrdering nulls) implements Serializable {}

  /** Returns the function's table, for all rows of one whose columns are of any types. */
  static LogicalPlan over(TableFunction function, LogicalPlan table) {
    return over(function, table, List.of(), List.of());
  }

  /**
   * Returns the function's table for an argument of SQL, with PARTITION BY and ORDER BY.
   *
   * @throws UserError K6115 if it is partitioned or ordered by something else than columns
   */
  static LogicalPlan of(TableFunction function, FunctionTableSubqueryArgumentExpression argument) {
    var table = argument.plan();
    var keys =
        Seqs.list(argument.partitionByExpressions()).stream()
            .map(e -> column(function, e, table))
            .toList();
    for (var key : keys) {
      if (!(key.dataType() instanceof AtomicType)
          || !UnsafeRowUtils.isBinaryStable(key.dataType())) {
        throw new UserError(
            ErrorCode.K6115,
            "%s is partitioned by %s of type %s"
                .formatted(function.name(), key.name(), key.dataType().sql()),
            "partition by numbers, truth values, dates, times, or strings without a collation");
      }
    }
    var orders =
        Seqs.<SortOrder>list(argument.orderByExpressions()).stream()
            .map(
                o ->
                    new SortOrder(
                        (Expression) column(function, o.child(), table),
                        o.direction(),
                        o.nullOrdering(),
                        Seqs.of(List.<Expression>of())))
            .toList();
    return over(function, table, keys, orders);
  }

  private static Attribute column(TableFunction function, Expression by, LogicalPlan table) {
    if (by instanceof UnresolvedAttribute named) {
      var found = table.resolve(named.nameParts(), SQLConf$.MODULE$.get().resolver());
      if (found.isDefined() && found.get() instanceof Attribute column) {
        return column;
      }
    } else if (by instanceof AttributeReference column
        && table.outputSet().contains((NamedExpression) column)) {
      return column;
    }
    throw new UserError(
        ErrorCode.K6115,
        "%s is partitioned or ordered by %s, which is no column of its table"
            .formatted(function.name(), by.sql()),
        "write TABLE(SELECT ..., %s AS k FROM t) PARTITION BY k".formatted(by.sql()));
  }

  private static LogicalPlan over(
      TableFunction function, LogicalPlan table, List<Attribute> keys, List<SortOrder> orders) {
    var given = new ArrayList<NamedExpression>();
    var results = new ArrayList<Attribute>();
    for (var key : keys) {
      given.add(SplitAggregate.alias(normalised(key), key.name()));
      results.add(
          new AttributeReference(
              key.name(),
              key.dataType(),
              true,
              Metadata.empty(),
              NamedExpression.newExprId(),
              Seqs.of(List.<String>of())));
    }
    var directions = new ArrayList<Direction>();
    for (var o : orders) {
      given.add(SplitAggregate.alias(o.child()));
      directions.add(new Direction(o.direction(), o.nullOrdering()));
    }
    var arguments = new ArrayList<Expression>();
    for (var column : Seqs.<Attribute>list(table.output())) {
      if (keys.stream().noneMatch(k -> k.exprId().equals(column.exprId()))) {
        arguments.add((Expression) column);
      }
    }
    var cast = KenazFunctions.cast(function.name(), function.columns(), Seqs.of(arguments));
    Seqs.<Expression>list(cast).forEach(e -> given.add(SplitAggregate.alias(e)));
    results.addAll(function.output());
    return new EvalTable(
        new TableCall(function, keys.size(), directions),
        Seqs.of(results),
        new Project(Seqs.of(given), table));
  }

  /** Zeros are one key, and so are NaNs. */
  private static Expression normalised(Attribute key) {
    boolean number = key.dataType() instanceof DoubleType || key.dataType() instanceof FloatType;
    return number
        ? new KnownFloatingPointNormalized(new NormalizeNaNAndZero((Expression) key))
        : (Expression) key;
  }

  /** Returns the keys among the columns of a plan. */
  List<Expression> keys(List<Attribute> columns) {
    return columns.subList(0, keys).stream().map(c -> (Expression) c).toList();
  }

  /** Returns the order in which a task needs its rows. */
  List<SortOrder> order(List<Attribute> columns) {
    var order = new ArrayList<SortOrder>();
    for (int i = 0; i < keys + orders.size(); i++) {
      var its =
          i < keys ? new Direction(Ascending$.MODULE$, NullsFirst$.MODULE$) : orders.get(i - keys);
      order.add(
          new SortOrder(
              (Expression) columns.get(i),
              its.direction(),
              its.nulls(),
              Seqs.of(List.<Expression>of())));
    }
    return order;
  }

  /** Returns which column is the function's first argument. */
  int firstArgument() {
    return keys + orders.size();
  }

  /** Says for {@code EXPLAIN} what it is of the program, and by what the rows are divided. */
  String shown(List<Attribute> columns) {
    var by = columns.subList(0, keys).stream().map(Attribute::name).collect(joining(", "));
    return function.name() + " = " + function.shown() + (keys == 0 ? "" : " by " + by);
  }
}
