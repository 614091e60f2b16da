package dev.kenaz.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/**
 * Runs a job and collects its outcomes. Its function is a class of its own, because Spark reads the
 * code of a lambda in each job, to find what the lambda captures; that takes longer than the rest
 * of a small job.
 */
final class OutcomeJob {
  private OutcomeJob() {}

  private static final class TheOutcome
      extends AbstractFunction2<TaskContext, Iterator<Outcome>, Outcome> implements Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Outcome apply(TaskContext context, Iterator<Outcome> outcomes) {
      return outcomes.next();
    }
  }

  private static final class AllOutcomes
      extends AbstractFunction2<TaskContext, Iterator<Outcome>, Outcome[]> implements Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Outcome[] apply(TaskContext context, Iterator<Outcome> outcomes) {
      var all = new ArrayList<Outcome>();
      while (outcomes.hasNext()) {
        all.add(outcomes.next());
      }
      return all.toArray(Outcome[]::new);
    }
  }

  /** Returns the outcomes of each partition of a dataset. */
  static List<List<Outcome>> runAll(SparkContext spark, RDD<Outcome> outcomes) {
    var arrived =
        spark.runJob(
            outcomes, new AllOutcomes(), ClassTag$.MODULE$.<Outcome[]>apply(Outcome[].class));
    return Stream.of((Outcome[][]) arrived).map(Arrays::asList).toList();
  }

  /** Returns the outcomes of a dataset that has one in each partition. */
  static List<Outcome> run(SparkContext spark, RDD<Outcome> outcomes) {
    var arrived =
        spark.runJob(outcomes, new TheOutcome(), ClassTag$.MODULE$.<Outcome>apply(Outcome.class));
    return Arrays.asList((Outcome[]) arrived);
  }

  /** Returns the outcome of one partition of such a dataset. */
  static Outcome run(SparkContext spark, RDD<Outcome> outcomes, int partition) {
    var one = CollectionConverters.asScala(List.<Object>of(partition)).toSeq();
    var arrived =
        spark.runJob(
            outcomes, new TheOutcome(), one, ClassTag$.MODULE$.<Outcome>apply(Outcome.class));
    return ((Outcome[]) arrived)[0];
  }
}
