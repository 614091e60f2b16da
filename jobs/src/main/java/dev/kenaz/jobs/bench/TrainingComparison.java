package dev.kenaz.jobs.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.arrow.RowLayout;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.JobData;
import dev.kenaz.jobs.train.Trainer;
import dev.kenaz.jobs.train.Training;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Compares trainings with those of Spark's MLlib. Both train on the same rows, cached in the same
 * executors; they take turns. A time is that of a whole fit: the first model, and all iterations.
 * Kenaz's compile time is told apart, because it is there once for a program.
 *
 * @param partitions in how many shards the rows are
 * @param warmUp each side fits for so many seconds before, and once at least
 * @param repeats how many fits each side does
 * @param scale the part of the rows that is taken
 * @param say takes lines for the user
 */
public record TrainingComparison(
    int partitions, double warmUp, int repeats, double scale, Consumer<String> say) {

  /**
   * What both train, with as many iterations. Only softmax regression has two more than MLlib's 25,
   * which begins with the biases that suit the sizes of the classes.
   */
  public enum Case {
    LOGISTIC(
        TrainingRows.Kind.CLASSES,
        1_000_000,
        """
        {"program": "builtin:logistic", "data": {"path": "-", "columns": {"x": "x", "y": "y"}},
         "parameters": {"threshold": 0.5, "l2": 0}, "optimiser": {"name": "newton-cg"},
         "iterations": 100, "tolerance": 1e-6, "output": "-"}\
        """),
    LINEAR(
        TrainingRows.Kind.LINE,
        1_000_000,
        """
        {"program": "builtin:linear", "data": {"path": "-", "columns": {"x": "x", "y": "y"}},
         "parameters": {"l2": 0}, "iterations": 1, "output": "-"}\
        """),
    SOFTMAX(
        TrainingRows.Kind.DIGITS,
        60_000,
        """
        {"program": "builtin:softmax", "data": {"path": "-", "columns": {"x": "x", "y": "y"}},
         "parameters": {"classes": 10, "l2": 0}, "optimiser": {"name": "l-bfgs"},
         "iterations": 27, "output": "-"}\
        """),
    MIXTURE(
        TrainingRows.Kind.GROUPS,
        200_000,
        """
        {"program": "builtin:gmm", "data": {"path": "-", "columns": {"x": "x"}},
         "parameters": {"components": 8, "floor": 1e-6}, "iterations": 25, "output": "-"}\
        """),
    COMPONENTS(
        TrainingRows.Kind.PLANE,
        500_000,
        """
        {"program": "builtin:pca", "data": {"path": "-", "columns": {"x": "x"}},
         "parameters": {"components": 8}, "iterations": 1, "output": "-"}\
        """),
    FACTORS(
        TrainingRows.Kind.RATINGS,
        1_000_000,
        """
        {"program": "builtin:factorisation",
         "data": {"path": "-", "columns": {"user": "user", "item": "item", "rating": "rating"}},
         "parameters": {"users": 6040, "items": 3706, "rank": 10, "l2": 0.1},
         "iterations": 10, "output": "-"}\
        """),
    CENTRES(
        TrainingRows.Kind.POINTS,
        1_000_000,
        """
        {"program": "builtin:kmeans", "data": {"path": "-", "columns": {"points": "x"}},
         "parameters": {"k": 16}, "init": {"rows": 20000}, "iterations": 10, "output": "-"}\
        """);

    private final TrainingRows.Kind kind;
    private final long rows;
    private final String job;

    Case(TrainingRows.Kind kind, long rows, String job) {
      this.kind = kind;
      this.rows = rows;
      this.job = job;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the rows that it is trained on. */
    TrainingRows source(double scale, int partitions) {
      return new TrainingRows(kind, Math.max(1000, Math.round(rows * scale)), partitions);
    }

    /**
     * Returns configurations that differ in one setting.
     *
     * @param values returns the value of the setting, by the number of the configuration
     */
    List<TrainConfig> configs(int count, String setting, IntFunction<JsonNode> values) {
      return IntStream.range(0, count)
          .mapToObj(i -> new Settings.Setting(List.of(setting.split("\\.")), values.apply(i)))
          .map(s -> ConfigReader.train(Settings.set(document(), List.of(s)), "job"))
          .toList();
    }

    TrainConfig config() {
      return ConfigReader.train(document(), "job");
    }

    private ObjectNode document() {
      try {
        return (ObjectNode) new ObjectMapper().readTree(job);
      } catch (JsonProcessingException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * The results of a case.
   *
   * @param rows how many rows there were
   * @param compile the seconds that Kenaz has compiled, which are not in its times
   */
  public record Row(Case training, long rows, double compile, Side kenaz, Side mllib) {}

  /**
   * What one of the two did.
   *
   * @param first the seconds of the first fit, when HotSpot had compiled nothing of it, and what
   *     executors cache was loaded
   * @param fit the medians of the seconds of a fit after warming up, in wall time and in CPU time
   * @param objective what its model came to: the lower, the better
   */
  public record Side(double first, Clock.Seconds fit, double objective) {}

  /** Runs cases. */
  public List<Row> run(JavaSparkContext spark, List<Case> cases) {
    say.accept(
        String.format(
            Locale.ROOT,
            "%-11s %10s %9s %9s %9s %9s %9s %7s %9s %9s %7s %16s %16s",
            "training",
            "rows",
            "compile s",
            "first s",
            "mllib's",
            "kenaz s",
            "mllib s",
            "ratio",
            "kenaz cpu",
            "mllib cpu",
            "ratio",
            "objective",
            "of mllib"));
    var rows = new ArrayList<Row>();
    for (var c : cases) {
      rows.add(run(spark, c));
      say.accept(line(rows.getLast()));
    }
    return rows;
  }

  private static String line(Row r) {
    return String.format(
        Locale.ROOT,
        "%-11s %,10d %9.2f %9.3f %9.3f %9.3f %9.3f %7.3f %9.3f %9.3f %7.3f %16.9g %16.9g",
        r.training,
        r.rows,
        r.compile,
        r.kenaz.first,
        r.mllib.first,
        r.kenaz.fit.wall(),
        r.mllib.fit.wall(),
        r.kenaz.fit.wall() / r.mllib.fit.wall(),
        r.kenaz.fit.cpu(),
        r.mllib.fit.cpu(),
        r.kenaz.fit.cpu() / r.mllib.fit.cpu(),
        r.kenaz.objective,
        r.mllib.objective);
  }

  private Row run(JavaSparkContext spark, Case c) {
    var source = c.source(scale, partitions);
    var data = data(spark, source, SparkStart.cacheBytes(spark));
    var config = c.config();
    var start = Clock.now();
    try (var trainer = Trainer.of(config, Path.of(""))) {
      double compile = Clock.now().since(start).wall();
      try (var peer = new MllibTraining(spark, source)) {
        return row(
            c, source.rows(), compile, () -> fit(config, trainer, data), trainer, data, peer);
      }
    }
  }

  /**
   * Returns rows that executors keep.
   *
   * @param cache how many bytes of them each may keep
   */
  static JobData data(JavaSparkContext spark, TrainingRows source, long cache) {
    var shapes =
        source.load(0).stream().map(ArrayValue.class::cast).map(ArrayValue::shape).toList();
    var cuts = List.of(Cuts.even(source.rows(), source.shards()));
    return new JobData(new SparkRunner(spark, source, cache), cuts, shapes, RowLayout.ROWS);
  }

  private Row row(
      Case c,
      long rows,
      double compile,
      Supplier<List<Value>> fit,
      Trainer trainer,
      JobData data,
      MllibTraining peer) {
    double first = warm(fit);
    double theirFirst = warm(() -> fitted(c, peer));
    var ours = new ArrayList<Clock.Seconds>();
    var theirs = new ArrayList<Clock.Seconds>();
    double objective = Double.NaN;
    double other = Double.NaN;
    for (int i = 0; i < repeats; i++) {
      var end = timed(fit, ours);
      var found = timed(() -> fitted(c, peer), theirs);
      objective = trainer.worth(data, end);
      other =
          switch (found) {
            case MllibTraining.Found.Model(var model) -> trainer.worth(data, model);
            case MllibTraining.Found.Objective(var value) -> value;
          };
    }
    return new Row(
        c,
        rows,
        compile,
        new Side(first, Clock.median(ours), objective),
        new Side(theirFirst, Clock.median(theirs), other));
  }

  /** Fits until it has warmed up, and returns the seconds of the first fit. */
  private double warm(Supplier<?> fit) {
    var times = new ArrayList<Clock.Seconds>();
    do {
      timed(fit, times);
    } while (times.stream().mapToDouble(Clock.Seconds::wall).sum() < warmUp);
    return times.getFirst().wall();
  }

  /** A peer that fails is told of, and has no objective; the other rows are measured. */
  private MllibTraining.Found fitted(Case c, MllibTraining peer) {
    try {
      return peer.fit();
    } catch (RuntimeException e) {
      say.accept(c + ": MLlib failed: " + e);
      return new MllibTraining.Found.Objective(Double.NaN);
    }
  }

  static <T> T timed(Supplier<T> work, List<Clock.Seconds> times) {
    var start = Clock.now();
    var result = work.get();
    times.add(Clock.now().since(start));
    return result;
  }

  private static List<Value> fit(TrainConfig config, Trainer trainer, JobData data) {
    return fit(config, trainer, data, trainer.init(data));
  }

  /** Trains a model that begins with another one. */
  static List<Value> fit(TrainConfig config, Trainer trainer, JobData data, List<Value> first) {
    var training =
        new Training(
            config.iterations().orElseThrow(),
            0,
            0,
            Optional.empty(),
            Optional.empty(),
            0,
            s -> {},
            line -> {});
    return trainer.model(training.run(trainer.on(data), first));
  }
}
