package dev.kenaz.jobs.models;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.jobs.train.TrainJob;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Columns that a test has made, models of them, and the same rows for MLlib. */
record Sample(Path folder, SequencedMap<String, ArrayValue> columns) {
  private static final Path MODELS = Path.of("../configs/models").toAbsolutePath().normalize();

  static JavaSparkContext spark() {
    return SparkStart.open("test", Optional.of("local[2]"));
  }

  /**
   * Trains a program of configs/models.
   *
   * @param more further keys of the configuration
   */
  TrainJob.Result train(JavaSparkContext spark, String program, String more) {
    ArrowOutput.write(folder.resolve("data.arrow"), columns, true);
    var bound =
        columns.keySet().stream()
            .map(c -> "\"%s\": \"%s\"".formatted(c, c))
            .collect(Collectors.joining(", "));
    var json =
        """
        {
          "program": "%s",
          "data": { "path": "data.arrow", "columns": { %s } },
          "spark": { "partitions": 3 },
          "output": "out",
          %s
        }
        """
            .formatted(MODELS.resolve(program + ".fut"), bound, more);
    try {
      var document = new ObjectMapper().readTree(json);
      var job = new TrainJob(ConfigReader.train(document, "job"), document, folder, line -> {});
      return job.run(Existing.OVERWRITE, spark);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Compiles a program of configs/models with more text behind it. */
  static CompiledProgram program(String name, String more) {
    return compiled(name, more, "f32");
  }

  /**
   * Does the same with double precision in the place of single precision, so that differences can
   * be compared with derivatives.
   */
  static CompiledProgram precise(String name, String more) {
    return compiled(name, more, "f64");
  }

  private static CompiledProgram compiled(String name, String more, String single) {
    var source = ProgramSource.read(MODELS.resolve(name + ".fut"));
    var files = new HashMap<>(source.files());
    files.merge(source.root(), more, String::concat);
    files.replaceAll((file, text) -> text.replaceAll("\\bf32\\b", single));
    return Compiler.open(new ProgramSource(source.root(), files), CompileOptions.of(Backend.JVM));
  }

  /**
   * Returns the largest component of the gradient, by central differences.
   *
   * @param model the numbers and arrays of f64 of the model
   * @param others the other arguments of {@code loss}
   */
  static double slope(CompiledProgram program, List<Value> model, List<Value> others) {
    return Arrays.stream(gradient(program, model, others)).map(Math::abs).max().orElse(0);
  }

  /** Returns the gradient by central differences. */
  static double[] gradient(CompiledProgram program, List<Value> model, List<Value> others) {
    var at = new ArrayList<Double>();
    for (int i = 0; i < model.size(); i++) {
      for (int j = 0; j < numbers(model.get(i)).length; j++) {
        double h = 1e-5 * Math.max(1, Math.abs(numbers(model.get(i))[j]));
        double up = loss(program, moved(model, i, j, h), others);
        at.add((up - loss(program, moved(model, i, j, -h), others)) / (2 * h));
      }
    }
    return at.stream().mapToDouble(x -> x).toArray();
  }

  static double loss(CompiledProgram program, List<Value> model, List<Value> others) {
    var arguments = new ArrayList<>(model);
    arguments.addAll(others);
    return ((ScalarValue) program.entry("loss").call(arguments).getFirst()).asDouble();
  }

  private static List<Value> moved(List<Value> model, int part, int element, double by) {
    var moved = new ArrayList<>(model);
    var numbers = numbers(model.get(part));
    numbers[element] += by;
    moved.set(
        part,
        switch (model.get(part)) {
          case ScalarValue _ -> ScalarValue.f64(numbers[0]);
          case ArrayValue a -> ArrayValue.ofDoubles(numbers, a.shape());
        });
    return moved;
  }

  static double[] numbers(Value v) {
    return switch (v) {
      case ScalarValue s -> new double[] {s.asDouble()};
      case ArrayValue a -> a.toDoubleArray();
    };
  }

  /** Returns a column of the sample. */
  double[] column(String name) {
    return columns.get(name).toDoubleArray();
  }

  /** Returns the rows as MLlib's features and labels, from x and y. */
  Dataset<Row> rows(JavaSparkContext spark) {
    var x = columns.get("x");
    int n = Math.toIntExact(x.dim(0));
    int d = Math.toIntExact(x.dim(1));
    var flat = x.toDoubleArray();
    var y = columns.containsKey("y") ? column("y") : new double[n];
    var rows = new ArrayList<Row>();
    for (int i = 0; i < n; i++) {
      var features = Vectors.dense(Arrays.copyOfRange(flat, i * d, (i + 1) * d));
      rows.add(RowFactory.create(features, y[i]));
    }
    var schema =
        new StructType(
            new StructField[] {
              new StructField("features", new VectorUDT(), false, Metadata.empty()),
              new StructField("label", DataTypes.DoubleType, false, Metadata.empty())
            });
    return session(spark).createDataFrame(rows, schema).coalesce(1).cache();
  }

  static SparkSession session(JavaSparkContext spark) {
    return SparkSession.builder().config(spark.getConf()).getOrCreate();
  }
}
