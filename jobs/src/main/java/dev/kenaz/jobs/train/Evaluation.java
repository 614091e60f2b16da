package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7402;

import dev.kenaz.error.UserError;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * How good a model is on some data.
 *
 * @param data what messages call the data
 * @param rows how many rows were computed with
 * @param loss if the program has one
 */
public record Evaluation(
    String data, long rows, Optional<Double> loss, Map<String, Number> metrics) {

  /**
   * Computes loss and metrics.
   *
   * @param master the Spark master, if the configuration isn't to say it
   * @param say is told what takes long, and why
   * @throws UserError K7402 if the program has neither, K7302 if there are no rows
   */
  public static Evaluation of(
      SavedModel model,
      Application.Choice choice,
      OptionalInt partitions,
      Optional<String> master,
      Consumer<String> say) {
    var program = model.program();
    var used = new ArrayList<JobFunction>();
    var results = new ArrayList<String>();
    if (program.has(JobFunction.LOSS)) {
      used.add(program.function(JobFunction.LOSS));
      results.add(used.getLast().call());
    } else if (program.stepGivesLoss()) {
      used.add(program.function(JobFunction.STEP));
      results.add("(" + used.getLast().call() + ").1");
    }
    int losses = used.size();
    if (program.has(JobFunction.METRICS)) {
      used.add(program.function(JobFunction.METRICS));
      results.add("copy (" + used.getLast().call() + ")");
    }
    if (used.isEmpty()) {
      throw new UserError(
          K7402,
          "the program of " + model.folder().path() + " has neither a loss nor metrics",
          "its functions are " + String.join(", ", program.functions().keySet()));
    }
    var expression =
        results.size() == 1 ? results.getFirst() : "(" + String.join(", ", results) + ")";
    try (var application = Application.of(model, used, expression, choice)) {
      return of(application, losses, partitions, master, say);
    }
  }

  private static Evaluation of(
      Application application,
      int losses,
      OptionalInt partitions,
      Optional<String> master,
      Consumer<String> say) {
    var source = application.source();
    var there =
        source.isTable()
            ? Optional.<OpenedData>empty()
            : Optional.of(opened(application, source.path().get()));
    var spark = application.model().config().spark();
    try (var context =
        SparkStart.open(
            "kenaz evaluate", master.or(spark::master), spark.backend(), spark.fallback())) {
      if (there.isPresent()) {
        return of(application, losses, partitions, context, there.get());
      }
      var kept = application.kept(context, say);
      if (kept.isPresent()) {
        requireRows(application, kept.get());
        return of(application, losses, partitions, context, kept.get());
      }
      try (var copy = application.place(context)) {
        TableCopy.write(context, source, application.columns(), copy.path());
        try {
          var data = opened(application, copy.path().toString());
          return of(application, losses, partitions, context, data);
        } catch (UserError e) {
          throw TableCopy.told(e, copy.path(), source);
        }
      }
    }
  }

  private static OpenedData opened(Application application, String files) {
    var data = OpenedData.ofFiles(application.open(files));
    requireRows(application, data);
    return data;
  }

  private static void requireRows(Application application, OpenedData data) {
    JobData.requireRows(data.columns(), application.source().toString(), "evaluate");
  }

  private static Evaluation of(
      Application application,
      int losses,
      OptionalInt partitions,
      JavaSparkContext spark,
      OpenedData opened) {
    var data = opened.columns();
    var cuts = data.pieces(partitions, Math.max(1, spark.defaultParallelism()));
    var runner = new SparkRunner(spark, opened.shards(cuts), SparkStart.cacheBytes(spark));
    var job = new JobData(runner, data.kept(cuts), data.shapes(), data.layout());
    var values = application.planned().on(job).call(application.arguments());
    var metrics = new LinkedHashMap<String, Number>();
    var names = application.model().program().metrics();
    for (int i = 0; i < names.size(); i++) {
      metrics.put(names.get(i), Scores.exact(values.get(losses + i)));
    }
    return new Evaluation(
        application.source().toString(),
        job.rows(),
        values.subList(0, losses).stream().findFirst().map(v -> ((ScalarValue) v).asDouble()),
        metrics);
  }
}
