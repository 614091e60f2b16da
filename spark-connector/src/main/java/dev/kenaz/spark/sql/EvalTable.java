package dev.kenaz.spark.sql;

import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** A table that a function of Kenaz makes of another one. */
public final class EvalTable extends LogicalPlan {
  private static final long serialVersionUID = 1;

  private final Evaluated<TableCall, LogicalPlan> is;

  /**
   * @param results keys, and what the function gives
   * @param child has keys, what orders rows, and the columns that the function takes, in this order
   */
  public EvalTable(TableCall call, Seq<Attribute> results, LogicalPlan child) {
    this.is = new Evaluated<>(call, results, child);
  }

  TableCall call() {
    return is.what();
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
    return new EvalTable(is.what(), is.results(), others.head());
  }

  @Override
  public Seq<Attribute> output() {
    return is.results();
  }

  /** All columns are arguments, so none may be left out. */
  @Override
  public AttributeSet references() {
    return is.child().outputSet();
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
    return other instanceof EvalTable;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EvalTable e && is.equals(e.is);
  }

  @Override
  public int hashCode() {
    return is.hashCode();
  }
}
