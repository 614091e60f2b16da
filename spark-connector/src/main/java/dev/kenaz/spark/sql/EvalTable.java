package dev.kenaz.spark.sql;

import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** A table that a function of Kenaz makes of another one. */
public final class EvalTable extends LogicalPlan {
  private static final long serialVersionUID = 1;

  private final TableFunction function;
  private final Seq<Attribute> results;
  private final LogicalPlan child;

  /**
   * @param child has the columns that the function takes, in their order
   */
  public EvalTable(TableFunction function, Seq<Attribute> results, LogicalPlan child) {
    this.function = function;
    this.results = results;
    this.child = child;
  }

  TableFunction function() {
    return function;
  }

  LogicalPlan child() {
    return child;
  }

  @Override
  public Seq<LogicalPlan> children() {
    return Seqs.one(child);
  }

  @Override
  public LogicalPlan withNewChildrenInternal(IndexedSeq<LogicalPlan> others) {
    return new EvalTable(function, results, others.head());
  }

  @Override
  public Seq<Attribute> output() {
    return results;
  }

  /** All columns are arguments, so none may be left out. */
  @Override
  public AttributeSet references() {
    return child.outputSet();
  }

  @Override
  public AttributeSet producedAttributes() {
    return AttributeSet.apply(Seqs.<Expression>of(Seqs.list(results)));
  }

  @Override
  public int productArity() {
    return 3;
  }

  @Override
  public Object productElement(int i) {
    return switch (i) {
      case 0 -> function;
      case 1 -> results;
      default -> child;
    };
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof EvalTable;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EvalTable e
        && function.equals(e.function)
        && results.equals(e.results)
        && child.equals(e.child);
  }

  @Override
  public int hashCode() {
    return Objects.hash(function.name(), results, child);
  }
}
