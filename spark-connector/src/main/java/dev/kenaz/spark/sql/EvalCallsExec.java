package dev.kenaz.spark.sql;

import static java.util.stream.Collectors.joining;

import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Computes {@link EvalCalls}, thousands of rows at a time, by columns where there are columns. */
public final class EvalCallsExec extends SparkPlan {
  private static final long serialVersionUID = 1;

  private final Evaluated<Seq<Expression>, SparkPlan> is;
  private final SQLMetric rows;
  private final SQLMetric time;

  public EvalCallsExec(Seq<Expression> calls, Seq<Attribute> results, SparkPlan child) {
    this.is = new Evaluated<>(calls, results, child);
    this.rows = SQLMetrics.createMetric(sparkContext(), "number of output rows");
    this.time = SQLMetrics.createNanoTimingMetric(sparkContext(), "time in Kenaz", -1);
  }

  @Override
  public Map<String, SQLMetric> metrics() {
    return scala.collection.immutable.Map.from(
        CollectionConverters.asScala(java.util.Map.of("numOutputRows", rows, "kenazTime", time)));
  }

  @Override
  public String nodeName() {
    return supportsColumnar() ? "Kenaz columnar" : "Kenaz";
  }

  @Override
  public String simpleString(int maxFields) {
    var shown =
        kenazCalls().stream().map(c -> c + " = " + c.function().shown()).collect(joining("; "));
    return nodeName() + " [" + shown + "]";
  }

  private List<KenazCall> kenazCalls() {
    return Seqs.list(is.what()).stream().map(KenazCall.class::cast).toList();
  }

  /** Columns come and go, if a call can take them as they are. */
  @Override
  public boolean supportsColumnar() {
    var input = Seqs.<Attribute>list(is.child().output());
    return is.child().supportsColumnar()
        && kenazCalls().stream().anyMatch(c -> CallBatch.takesColumns(c, input));
  }

  @Override
  public RDD<InternalRow> doExecute() {
    var work =
        new CallRows(kenazCalls(), Seqs.list(is.child().output()), Seqs.list(output()), rows, time);
    return is.child().execute().toJavaRDD().mapPartitions(work).rdd();
  }

  @Override
  public RDD<ColumnarBatch> doExecuteColumnar() {
    var work = new CallColumns(kenazCalls(), Seqs.list(is.child().output()), rows, time);
    return is.child().executeColumnar().toJavaRDD().mapPartitions(work).rdd();
  }

  @Override
  public Seq<SparkPlan> children() {
    return Seqs.one(is.child());
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> others) {
    return new EvalCallsExec(is.what(), is.results(), others.head());
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
  public Partitioning outputPartitioning() {
    return is.child().outputPartitioning();
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return is.child().outputOrdering();
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
    return other instanceof EvalCallsExec;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EvalCallsExec e && is.equals(e.is);
  }

  @Override
  public int hashCode() {
    return is.hashCode();
  }
}
