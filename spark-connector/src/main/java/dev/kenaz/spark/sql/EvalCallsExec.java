package dev.kenaz.spark.sql;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.Objects;
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

  private final Seq<Expression> calls;
  private final Seq<Attribute> results;
  private final SparkPlan child;
  private final SQLMetric rows;
  private final SQLMetric time;

  public EvalCallsExec(Seq<Expression> calls, Seq<Attribute> results, SparkPlan child) {
    this.calls = calls;
    this.results = results;
    this.child = child;
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
    return Seqs.list(calls).stream().map(KenazCall.class::cast).toList();
  }

  /** Columns come and go, if a call can take them as they are. */
  @Override
  public boolean supportsColumnar() {
    var input = Seqs.<Attribute>list(child.output());
    return child.supportsColumnar()
        && kenazCalls().stream().anyMatch(c -> CallBatch.takesColumns(c, input));
  }

  @Override
  public RDD<InternalRow> doExecute() {
    var work =
        new CallRows(kenazCalls(), Seqs.list(child.output()), Seqs.list(output()), rows, time);
    return child.execute().toJavaRDD().mapPartitions(work).rdd();
  }

  @Override
  public RDD<ColumnarBatch> doExecuteColumnar() {
    var work = new CallColumns(kenazCalls(), Seqs.list(child.output()), rows, time);
    return child.executeColumnar().toJavaRDD().mapPartitions(work).rdd();
  }

  @Override
  public Seq<SparkPlan> children() {
    return Seqs.one(child);
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> others) {
    return new EvalCallsExec(calls, results, others.head());
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
  public Partitioning outputPartitioning() {
    return child.outputPartitioning();
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return child.outputOrdering();
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
    return other instanceof EvalCallsExec;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EvalCallsExec e
        && calls.equals(e.calls)
        && results.equals(e.results)
        && child.equals(e.child);
  }

  @Override
  public int hashCode() {
    return Objects.hash(calls, results, child);
  }
}
