package dev.kenaz.spark.sql;

import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** Adds to each row of its child what calls of functions of Kenaz give for it. */
public final class EvalCalls extends LogicalPlan {
  private static final long serialVersionUID = 1;

  private final Evaluated<Seq<Expression>, LogicalPlan> is;

  /**
   * @param calls each is a {@link KenazCall}
   */
  public EvalCalls(Seq<Expression> calls, Seq<Attribute> results, LogicalPlan child) {
    this.is = new Evaluated<>(calls, results, child);
  }

  Seq<Expression> calls() {
    return is.what();
  }

  Seq<Attribute> results() {
    return is.results();
  }

  LogicalPlan child() {
    return is.child();
  }

  @Override
  public Seq<LogicalPlan> children() {
    return Seqs.one(is.child());
  }

  @Override
  public LogicalPlan withNewChildrenInternal(IndexedSeq<LogicalPlan> others) {
    return new EvalCalls(is.what(), is.results(), others.head());
  }

  @Override
  public Seq<Attribute> output() {
    return Seqs.joined(is.child().output(), is.results());
  }

  @Override
  public AttributeSet producedAttributes() {
    return is.produced();
  }

  @Override
  public int productArity() {
    return Evaluated.PARTS;
  }

  @Override
  public Object productElement(int i) {
    return is.part(i);
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof EvalCalls;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EvalCalls e && is.equals(e.is);
  }

  @Override
  public int hashCode() {
    return is.hashCode();
  }
}
