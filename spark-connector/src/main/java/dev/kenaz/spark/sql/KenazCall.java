package dev.kenaz.spark.sql;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import java.io.Serializable;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import scala.collection.Iterator;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * A call of a function of Kenaz in a query. It is computed for many rows at once, so {@link
 * ExtractCalls} takes it out of the expression in which it is.
 */
public final class KenazCall extends Expression implements Unevaluable, Serializable {
  private static final long serialVersionUID = 1;

  private final RowFunction function;
  private final Seq<Expression> arguments;

  /**
   * @param arguments of the types that the function's columns have
   */
  public KenazCall(RowFunction function, Seq<Expression> arguments) {
    this.function = function;
    this.arguments = arguments;
  }

  RowFunction function() {
    return function;
  }

  @Override
  public Seq<Expression> children() {
    return arguments;
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> others) {
    return new KenazCall(function, others.toSeq());
  }

  @Override
  public DataType dataType() {
    return function.result().sqlType();
  }

  /** It is null where an argument is null. */
  @Override
  public boolean nullable() {
    return true;
  }

  @Override
  public boolean foldable() {
    return false;
  }

  @Override
  public String prettyName() {
    return function.name();
  }

  @Override
  public Iterator<Object> stringArgs() {
    return Seqs.<Object>of(Seqs.list(arguments)).iterator();
  }

  @Override
  public Object eval(InternalRow row) {
    throw misplaced();
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    throw misplaced();
  }

  private Limitation misplaced() {
    return new Limitation(
        Span.NONE,
        "the function %s of Kenaz where rows of two tables meet, or Spark computes single rows"
            .formatted(function.name()),
        "compute it in a subquery of one table");
  }

  @Override
  public int productArity() {
    return 2;
  }

  @Override
  public Object productElement(int i) {
    return i == 0 ? function : arguments;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof KenazCall;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KenazCall c
        && function.equals(c.function)
        && arguments.equals(c.arguments);
  }

  @Override
  public int hashCode() {
    return Objects.hash(function.name(), arguments);
  }
}
