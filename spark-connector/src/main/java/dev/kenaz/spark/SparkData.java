package dev.kenaz.spark;

import dev.kenaz.Dataset;
import dev.kenaz.arrow.ArrowData;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.pipeline.DatasetCall;
import dev.kenaz.pipeline.DatasetCaller;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.OptionalInt;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Parameters of an entry as columns of Arrow files, for {@code entry.over(data)}: calls compute on
 * Spark. All executors must be able to open the files by the same names.
 */
public record SparkData(JavaSparkContext spark, ArrowData data) implements Dataset, DatasetCaller {
  @Override
  public List<String> parameters() {
    return data.parameters();
  }

  /**
   * Returns an engine for a plan over files.
   *
   * @param pieces how many are wanted, if that is said
   * @param sink what takes results that are as long as a dataset
   */
  public static SparkEngine engine(
      JavaSparkContext spark,
      ProgramText text,
      ParameterData data,
      OptionalInt pieces,
      RowSink sink) {
    return engine(spark, text, OpenedData.ofFiles(data), pieces, sink);
  }

  /** Does the same where some of the data may be tables. */
  public static SparkEngine engine(
      JavaSparkContext spark,
      ProgramText text,
      OpenedData opened,
      OptionalInt pieces,
      RowSink sink) {
    var data = opened.columns();
    var cuts = data.pieces(pieces, Math.max(1, spark.defaultParallelism()));
    var runner = new SparkRunner(spark, opened.shards(cuts), SparkStart.cacheBytes(spark));
    return new SparkEngine(runner, text, data.kept(cuts), sink);
  }

  @Override
  public List<Value> compute(DatasetCall call) {
    var opened = data.open(call);
    var plan = call.entry().plan();
    var given = call.entry().replicated(opened.kept(), opened.shapes(), call.arguments());
    var text =
        SourceText.of(
            call.source(), call.derivations(), call.entry(), call.rows(), call.options(), true);
    return engine(spark, text, opened, data.pieces(), RowSink.COLLECT)
        .results(plan, call.caller(), given);
  }
}
