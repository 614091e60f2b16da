package dev.kenaz.jobs.ml;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.ScalaUDF;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A vector of spark.ml, or an array as one, in which all numbers are finite. What MLlib finds wrong
 * with others is an error. The vector is looked at as Spark stores it: MLlib's own check takes
 * several times as long as all else that is done to keep a row.
 */
public final class FiniteVector extends Expression implements CodegenFallback, Serializable {
  private static final long serialVersionUID = 1L;

  /** The object that has the functions of DataFrames for MLlib. */
  private static final String FUNCTIONS = "org.apache.spark.sql.ml.InternalFunctionRegistration$";

  private static final VectorUDT VECTOR = new VectorUDT();

  /** A vector is stored as a struct of its kind, size, indices and values. */
  private static final int FIELDS = 4;

  private static final int VALUES = 3;
  private static final byte DENSE = 1;

  private final Expression vector;

  /**
   * @param vector a vector, or an array of f32 or f64 that has no nulls
   */
  public FiniteVector(Expression vector) {
    this.vector = isOfArray(vector) ? vector.children().head() : vector;
  }

  /**
   * Whether an expression is MLlib's {@code array_to_vector}, which makes an object of each number.
   */
  private static boolean isOfArray(Expression e) {
    return e instanceof ScalaUDF u
        && u.dataType() instanceof VectorUDT
        && u.function().getClass().getName().startsWith(FUNCTIONS)
        && u.children().size() == 1
        && u.children().head().dataType() instanceof ArrayType a
        && a.elementType().equals(DataTypes.DoubleType);
  }

  @Override
  public Seq<Expression> children() {
    return CollectionConverters.asScala(List.of(vector)).toSeq();
  }

  @Override
  public DataType dataType() {
    return VECTOR;
  }

  @Override
  public boolean nullable() {
    return false;
  }

  @Override
  public String prettyName() {
    return "finite_vector";
  }

  @Override
  public Object eval(InternalRow row) {
    var found = vector.eval(row);
    if (found == null) {
      throw fault("Vectors MUST NOT be Null");
    }
    var struct = found instanceof ArrayData a ? dense(a) : (InternalRow) found;
    var values = struct.getArray(VALUES);
    int n = values.numElements();
    for (int i = 0; i < n; i++) {
      if (!Double.isFinite(values.getDouble(i))) {
        throw fault(
            "Vector values MUST NOT be NaN or Infinity, but got " + VECTOR.deserialize(struct));
      }
    }
    return struct;
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    return CodegenFallback.super.doGenCode(context, code);
  }

  private InternalRow dense(ArrayData array) {
    boolean floats =
        vector.dataType() instanceof ArrayType a && a.elementType().equals(DataTypes.FloatType);
    var values = new double[array.numElements()];
    for (int i = 0; i < values.length; i++) {
      // As for MLlib's array_to_vector, a null in an array is 0.
      if (!array.isNullAt(i)) {
        values[i] = floats ? array.getFloat(i) : array.getDouble(i);
      }
    }
    var all = new Object[FIELDS];
    all[0] = DENSE;
    all[VALUES] = UnsafeArrayData.fromPrimitiveArray(values);
    return new GenericInternalRow(all);
  }

  private static UserError fault(String message) {
    return new UserError(ErrorCode.K6106, message, "leave such rows out, for example by a where");
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> others) {
    return new FiniteVector(others.head());
  }

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public Object productElement(int n) {
    return vector;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof FiniteVector;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FiniteVector v && vector.equals(v.vector);
  }

  @Override
  public int hashCode() {
    return vector.hashCode();
  }
}
