package dev.kenaz.spark.sql;

import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** Adds to each row of its child what calls of functions of Kenaz give for it. */
public final class EvalCalls extends LogicalPlan {
  private static final long serialVersionUID = 1;

  private final Seq<Expression> calls;
  private final Seq<Attribute> results;
  private final LogicalPlan child;

  /**
   * @param calls each is a {@link KenazCall}
   */
  public EvalCalls(Seq<Expression> calls, Seq<Attribute> results, LogicalPlan child) {
    this.calls = calls;
    this.results = results;
    this.child = child;
  }

  Seq<Expression> calls() {
    return calls;
  }

  Seq<Attribute> results() {
    return results;
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
    return new EvalCalls(calls, results, others.head());
  }

  @Override
  public Seq<Attribute> output() {
    return Seqs.joined(child.output(), results);
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
      case 0 -> calls;
      case 1 -> results;
      default -> child;
    };
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof EvalCalls;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EvalCalls e
        && calls.equals(e.calls)
        && results.equals(e.results)
        && child.equals(e.child);
  }

  @Override
  public int hashCode() {
    return Objects.hash(calls, results, child);
  }
}
