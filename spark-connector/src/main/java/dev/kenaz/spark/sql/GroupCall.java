package dev.kenaz.spark.sql;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.Iterator;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * A call of a function of a group. Spark divides the rows into groups, and asks for the buffers of
 * a group's parts to be merged; DISTINCT and FILTER are its concern, too.
 */
public final class GroupCall extends TypedImperativeAggregate<GroupRows> implements Serializable {
  private static final long serialVersionUID = 1;

  private final GroupFunction function;
  private final Seq<Expression> arguments;
  private final int mutableOffset;
  private final int inputOffset;
  private transient UnsafeProjection row;
  private transient GroupFolds folds;

  public GroupCall(
      GroupFunction function, Seq<Expression> arguments, int mutableOffset, int inputOffset) {
    this.function = function;
    this.arguments = arguments;
    this.mutableOffset = mutableOffset;
    this.inputOffset = inputOffset;
  }

  private GroupFolds folds() {
    if (folds == null) {
      folds = new GroupFolds(function);
    }
    return folds;
  }

  @Override
  public GroupRows createAggregationBuffer() {
    return new GroupRows(folds());
  }

  @Override
  public GroupRows update(GroupRows buffer, InternalRow input) {
    if (row == null) {
      row = UnsafeProjection.create(arguments);
    }
    buffer.add(row.apply(input));
    return buffer;
  }

  @Override
  public GroupRows merge(GroupRows buffer, GroupRows other) {
    buffer.addAll(other);
    return buffer;
  }

  @Override
  public Object eval(GroupRows buffer) {
    var results = buffer.results();
    if (results.isEmpty()) {
      return null;
    }
    var values = new ArrayList<ArrayValue>();
    int width = function.result().width();
    for (var v : results.subList(results.size() - width, results.size())) {
      values.add(row(v));
    }
    ColumnVector[] column = {ResultColumns.of(function.result(), values, 1)};
    return new ColumnarBatch(column, 1).getRow(0).copy().get(0, dataType());
  }

  /** Returns a value as an array of this one. */
  private static ArrayValue row(Value value) {
    return switch (value) {
      case ScalarValue s -> ArrayValue.stack(List.of(s));
      case ArrayValue a -> {
        var shape = new long[a.rank() + 1];
        shape[0] = 1;
        System.arraycopy(a.shape(), 0, shape, 1, a.rank());
        yield a.reshape(shape);
      }
    };
  }

  @Override
  public byte[] serialize(GroupRows buffer) {
    return buffer.bytesToSend();
  }

  @Override
  public GroupRows deserialize(byte[] bytes) {
    return GroupRows.read(folds(), bytes);
  }

  @Override
  public int mutableAggBufferOffset() {
    return mutableOffset;
  }

  @Override
  public int inputAggBufferOffset() {
    return inputOffset;
  }

  @Override
  public ImperativeAggregate withNewMutableAggBufferOffset(int offset) {
    return new GroupCall(function, arguments, offset, inputOffset);
  }

  @Override
  public ImperativeAggregate withNewInputAggBufferOffset(int offset) {
    return new GroupCall(function, arguments, mutableOffset, offset);
  }

  @Override
  public Seq<Expression> children() {
    return arguments;
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> others) {
    return new GroupCall(function, others.toSeq(), mutableOffset, inputOffset);
  }

  @Override
  public DataType dataType() {
    return function.result().sqlType();
  }

  /** A group without rows has no result. */
  @Override
  public boolean nullable() {
    return true;
  }

  @Override
  public String prettyName() {
    return function.name();
  }

  @Override
  public Iterator<Object> stringArgs() {
    return Seqs.<Object>of(Seqs.list(arguments)).iterator();
  }

  /** Says for {@code EXPLAIN} what it is of the program, and how it is computed. */
  @Override
  public String toAggString(boolean isDistinct) {
    var shown = super.toAggString(isDistinct);
    return "%s [Kenaz, %s: %s]".formatted(shown, function.how(), function.shown());
  }

  @Override
  public int productArity() {
    return 4;
  }

  @Override
  public Object productElement(int i) {
    return switch (i) {
      case 0 -> function;
      case 1 -> arguments;
      case 2 -> mutableOffset;
      default -> inputOffset;
    };
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof GroupCall;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof GroupCall c
        && function.equals(c.function)
        && arguments.equals(c.arguments)
        && mutableOffset == c.mutableOffset
        && inputOffset == c.inputOffset;
  }

  @Override
  public int hashCode() {
    return Objects.hash(function.name(), arguments, mutableOffset, inputOffset);
  }
}
