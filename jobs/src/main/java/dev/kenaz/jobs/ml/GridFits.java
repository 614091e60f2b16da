package dev.kenaz.jobs.ml;

import dev.kenaz.spark.SparkFaults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.Transformer;
import org.apache.spark.ml.evaluation.Evaluator;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The models of a grid of parameters, and what an evaluator says of them.
 *
 * @param estimator one of Kenaz, or a pipeline whose last estimator is one
 */
public record GridFits(Estimator<?> estimator, List<ParamMap> maps) {
  /**
   * Whether the models of a grid share anything. Those of a pipeline do if the grid changes nothing
   * but its last estimator: what comes before is trained once.
   */
  public static boolean areShared(Estimator<?> estimator, List<ParamMap> maps) {
    return switch (estimator) {
      case FitsTogether<?> _ -> true;
      case Pipeline p -> {
        int last = last(p);
        var stages = p.getStages();
        yield last >= 0
            && stages[last] instanceof FitsTogether<?>
            && maps.stream()
                .flatMap(m -> CollectionConverters.asJava(m.toSeq()).stream())
                .allMatch(pair -> pair.param().parent().equals(stages[last].uid()));
      }
      default -> false;
    };
  }

  private static int last(Pipeline pipeline) {
    var stages = pipeline.getStages();
    int last = stages.length - 1;
    while (last >= 0 && !(stages[last] instanceof Estimator<?>)) {
      last--;
    }
    return last;
  }

  /** Trains the models. */
  public List<Model<?>> models(Dataset<?> rows) {
    var seq = CollectionConverters.asScala(maps).toSeq();
    if (!(estimator instanceof Pipeline pipeline)) {
      return list(((FitsTogether<?>) estimator).fit(rows, seq));
    }
    pipeline.transformSchema(rows.schema());
    var stages = pipeline.getStages();
    int last = last(pipeline);
    var before = new Pipeline().setStages(Arrays.copyOf(stages, last)).fit(rows);
    var chosen = list(((FitsTogether<?>) stages[last]).fit(before.transform(rows), seq));
    var all = new ArrayList<Model<?>>();
    for (var model : chosen) {
      var its = new ArrayList<Transformer>(List.of(before.stages()));
      its.add(model);
      for (PipelineStage after : Arrays.copyOfRange(stages, last + 1, stages.length)) {
        its.add((Transformer) after);
      }
      all.add(
          new PipelineModel(pipeline.uid(), its.toArray(Transformer[]::new)).setParent(pipeline));
    }
    return all;
  }

  private static List<Model<?>> list(scala.collection.immutable.Seq<?> models) {
    return CollectionConverters.asJava(models).stream().<Model<?>>map(m -> (Model<?>) m).toList();
  }

  /**
   * Judges models by other rows.
   *
   * @param parallelism so many at the same time
   */
  public double[] metrics(
      List<Model<?>> models, Dataset<Row> rows, Evaluator evaluator, int parallelism) {
    var asked = new ArrayList<Callable<Double>>();
    for (int i = 0; i < maps.size(); i++) {
      var model = models.get(i);
      var map = maps.get(i);
      asked.add(() -> evaluator.evaluate(model.transform(rows, map)));
    }
    try (var threads = Executors.newFixedThreadPool(parallelism)) {
      try {
        var metrics = new double[asked.size()];
        var judged = asked.stream().map(threads::submit).toList();
        for (int i = 0; i < metrics.length; i++) {
          metrics[i] = judged.get(i).get();
        }
        return metrics;
      } finally {
        threads.shutdownNow(); // After a failure, the metrics of other models are of no use.
      }
    } catch (ExecutionException e) {
      throw SparkFaults.explain(e.getCause(), rows.sparkSession().sparkContext());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw SparkFaults.explain(e, rows.sparkSession().sparkContext());
    }
  }

  /** Returns which of some metrics is the best one; the first, if there are several. */
  public static int best(double[] metrics, Evaluator evaluator) {
    int best = 0;
    for (int i = 1; i < metrics.length; i++) {
      int order = Double.compare(metrics[i], metrics[best]);
      if (evaluator.isLargerBetter() ? order > 0 : order < 0) {
        best = i;
      }
    }
    return best;
  }

  /** Returns the model for one of the combinations, trained alone. */
  public Model<?> model(Dataset<?> rows, int which) {
    return new GridFits(estimator, List.of(maps.get(which))).models(rows).getFirst();
  }

  /** Returns the combinations of an array. */
  public static GridFits of(Estimator<?> estimator, ParamMap[] maps) {
    return new GridFits(estimator, Stream.of(maps).toList());
  }
}
