package dev.kenaz.jobs.command;

import dev.kenaz.jobs.train.Prediction;
import dev.kenaz.jobs.train.SavedModel;
import dev.kenaz.spark.sql.TableOutput;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes data with what a model predicts for its rows. */
@Command(
    name = "predict",
    description = "Writes data with columns that a model predicts, piece by piece on Spark.")
public final class PredictCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "MODEL", description = "The folder of a trained model.")
  private Path model;

  @Parameters(
      index = "1",
      paramLabel = "DATA",
      arity = "0..1",
      description =
          "An Arrow file, a folder of them or a glob in quotes; with --format, what Spark can"
              + " load.")
  private String data;

  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "Write into this folder, which must not exist yet or be empty.")
  private Path out;

  @Option(
      names = "--out-format",
      paramLabel = "FORMAT",
      description =
          "Let Spark write this format, such as parquet or csv; without this option, they are Arrow"
              + " files.")
  private String format;

  @Option(
      names = "--out-option",
      paramLabel = "NAME=VALUE",
      description =
          "Tell the format of --out-format this, such as header=true. Once for each such option.")
  private List<String> formatOptions = List.of();

  @Option(names = "--overwrite", description = "Replace the folder of --out, if there is one.")
  private boolean overwrite;

  @Option(
      names = "--as",
      paramLabel = "NAME=COLUMN",
      description = "Call a column that is predicted otherwise. Once for each such column.")
  private List<String> as = List.of();

  @Option(
      names = "--copy",
      paramLabel = "DIR",
      description =
          "Copy rows that Spark reads into this folder, which all executors see. Without it, they"
              + " are copied only if Spark can't compute them again, beside the folder of --out.")
  private String copy;

  @Mixin private ModelOptions options;

  @Override
  public Integer call() {
    var choice = options.choice(data, copy);
    if (choice.data().isEmpty()) {
      throw options.fault("name the data: DATA, --table or --sql");
    }
    var renamed = options.pairs("--as", as);
    try (var prediction = Prediction.of(SavedModel.open(model), choice, renamed)) {
      var written =
          prediction.run(
              new Prediction.Place(out, overwrite, output()),
              options.partitions(),
              options.master(),
              System.err::println);
      var columns = String.join(", ", written.columns());
      if (format != null) {
        System.out.printf(
            Locale.ROOT, "%,d rows with %s as %s in %s%n", written.rows(), columns, format, out);
      } else {
        System.out.printf(
            Locale.ROOT,
            "%,d rows with %s in %d %s in %s%n",
            written.rows(),
            columns,
            written.files(),
            written.files() == 1 ? "file" : "files",
            out);
      }
      if (written.withoutPrediction() > 0) {
        System.out.printf(
            Locale.ROOT,
            "%,d of them have nulls, and null as prediction%n",
            written.withoutPrediction());
      }
    }
    return 0;
  }

  private Optional<TableOutput> output() {
    var told = options.pairs("--out-option", formatOptions);
    if (format == null && !told.isEmpty()) {
      throw options.fault("--out-option is told to the format of --out-format, which is missing");
    }
    return Optional.ofNullable(format).map(f -> new TableOutput(f, told));
  }
}
