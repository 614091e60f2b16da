package dev.kenaz.spark.sql;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import scala.collection.immutable.Seq;

/**
 * What operators of Kenaz consist of, in the logical plan and in the physical one. Operators are
 * equal if these are.
 *
 * @param what is evaluated: calls, or that of a function of a table. Spark changes expressions that
 *     it finds in it
 * @param results the columns that it gives
 * @param child gives its rows
 */
record Evaluated<W, P extends QueryPlan<P>>(W what, Seq<Attribute> results, P child)
    implements Serializable {
  /** How many parts an operator has for Spark, which makes changed copies of it from these. */
  static final int PARTS = 3;

  Object part(int i) {
    return switch (i) {
      case 0 -> what;
      case 1 -> results;
      default -> child;
    };
  }

  Evaluated<W, P> over(P other) {
    return new Evaluated<>(what, results, other);
  }

  AttributeSet produced() {
    return AttributeSet.apply(Seqs.<Expression>of(Seqs.list(results)));
  }
}
