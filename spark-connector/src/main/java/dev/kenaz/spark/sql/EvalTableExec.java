package dev.kenaz.spark.sql;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.AllTuples$;
import org.apache.spark.sql.catalyst.plans.physical.ClusteredDistribution;
import org.apache.spark.sql.catalyst.plans.physical.Distribution;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Option;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * Computes {@link EvalTable}: for all rows in one task, or for each partition of them in the task
 * that gets it.
 */
public final class EvalTableExec extends SparkPlan {
  private static final long serialVersionUID = 1;

  private final Evaluated<TableCall, SparkPlan> is;

  public EvalTableExec(TableCall call, Seq<Attribute> results, SparkPlan child) {
    this.is = new Evaluated<>(call, results, child);
  }

  @Override
  public String nodeName() {
    return "Kenaz table";
  }

  @Override
  public String simpleString(int maxFields) {
    return nodeName() + " [" + is.what().shown(Seqs.list(is.child().output())) + "]";
  }

  @Override
  public Seq<Distribution> requiredChildDistribution() {
    var keys = is.what().keys(Seqs.list(is.child().output()));
    return Seqs.one(
        keys.isEmpty()
            ? AllTuples$.MODULE$
            : new ClusteredDistribution(Seqs.of(keys), false, Option.empty()));
  }

  @Override
  public Seq<Seq<SortOrder>> requiredChildOrdering() {
    return Seqs.one(Seqs.of(is.what().order(Seqs.list(is.child().output()))));
  }

  @Override
  public Partitioning outputPartitioning() {
    int partitions = is.child().outputPartitioning().numPartitions();
    return is.what().keys() == 0 ? SinglePartition$.MODULE$ : new UnknownPartitioning(partitions);
  }

  @Override
  public RDD<InternalRow> doExecute() {
    var work = new Work(is.what(), Seqs.list(is.child().output()), Seqs.list(is.results()));
    return is.child().execute().toJavaRDD().mapPartitions(work).rdd();
  }

  /** Takes all rows of some partitions, and gives those of their results. */
  private record Work(TableCall call, List<Attribute> input, List<Attribute> output)
      implements FlatMapFunction<Iterator<InternalRow>, InternalRow>, Serializable {
    @Override
    public Iterator<InternalRow> call(Iterator<InternalRow> rows) {
      return new TablePartitions(call, input, output, rows);
    }
  }

  @Override
  public Seq<SparkPlan> children() {
    return Seqs.one(is.child());
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> others) {
    return new EvalTableExec(is.what(), is.results(), others.head());
  }

  @Override
  public Seq<Attribute> output() {
    return is.results();
  }

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
    return other instanceof EvalTableExec;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EvalTableExec e && is.equals(e.is);
  }

  @Override
  public int hashCode() {
    return is.hashCode();
  }
}
