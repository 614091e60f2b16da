package dev.kenaz.jobs.command;

import dev.kenaz.jobs.SparkLog;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.Application;
import dev.kenaz.options.Backend;
import dev.kenaz.spark.sql.TableRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How a model is applied to data. */
final class ModelOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "DATA is of this format of Spark, such as parquet or csv.")
  private String format;

  @Option(
      names = "--option",
      paramLabel = "NAME=VALUE",
      description = "Tell the format this, such as header=true. Once for each such option.")
  private List<String> formatOptions = List.of();

  @Option(
      names = "--table",
      paramLabel = "TABLE",
      description = "Instead of DATA: a table of Spark's catalog.")
  private String table;

  @Option(
      names = "--sql",
      paramLabel = "QUERY",
      description = "Instead of DATA: the result of a query of Spark.")
  private String sql;

  @Option(
      names = "--on",
      paramLabel = "PARAMETER=COLUMN,...",
      description =
          "This parameter of the program is these columns; without this option, those that the"
              + " training's configuration names. Once for each such parameter.")
  private List<String> on = List.of();

  @Option(
      names = "--nulls",
      paramLabel = "error|drop",
      description =
          "What happens to a row with a null: an error, or nothing is computed for it. Without this"
              + " option, the configuration says it.")
  private DataOptions.Nulls nulls;

  @Option(
      names = "--nans",
      paramLabel = "error|keep",
      description =
          "What happens to NaNs: an error, or they are numbers like others. Without this option,"
              + " the configuration says it.")
  private DataOptions.Nans nans;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description =
          "Divide the data into so many pieces. Without this option, pieces have at most 64 MiB"
              + " (for predict also 524,288 rows), and there are at least as many as cores.")
  @InRange(from = 1, to = 1_000_000)
  private Integer partitions;

  @Option(
      names = "--spark",
      paramLabel = "MASTER",
      description = "Compute on this Spark; without this option, on that of the configuration.")
  private String master;

  @Option(
      names = "--backend",
      paramLabel = "BACKEND",
      description = "Run programs by this backend; without this option, by the configuration's.")
  private String backend;

  @Option(
      names = {"-v", "--verbose"},
      description = "Also print all that Spark logs.")
  private boolean verbose;

  /**
   * Returns what is chosen, and prepares the log.
   *
   * @param data null if no path is named
   * @param copy a folder for a copy of rows that Spark reads, or null
   */
  Application.Choice choice(String data, String copy) {
    SparkLog.choose(verbose);
    var source =
        new TableRows.Source(
            Optional.ofNullable(table),
            Optional.ofNullable(sql),
            Optional.ofNullable(format),
            pairs("--option", formatOptions),
            Optional.ofNullable(data));
    boolean named = source.isTable() || data != null || !source.options().isEmpty();
    var columns = new LinkedHashMap<String, List<String>>();
    pairs("--on", on).forEach((name, names) -> columns.put(name, List.of(names.split(",", -1))));
    if (columns.values().stream().anyMatch(names -> names.contains(""))) {
      throw fault("--on: a column has no name");
    }
    return new Application.Choice(
        named ? Optional.of(source) : Optional.empty(),
        Optional.ofNullable(copy),
        columns,
        Optional.ofNullable(nulls)
            .map(
                n ->
                    n == DataOptions.Nulls.drop ? TrainConfig.Nulls.DROP : TrainConfig.Nulls.ERROR),
        Optional.ofNullable(nans)
            .map(n -> n == DataOptions.Nans.keep ? TrainConfig.Nans.KEEP : TrainConfig.Nans.ERROR),
        Optional.ofNullable(backend).map(Backend::named));
  }

  OptionalInt partitions() {
    return partitions == null ? OptionalInt.empty() : OptionalInt.of(partitions);
  }

  Optional<String> master() {
    return Optional.ofNullable(master);
  }

  /** Reads values of an option, each of which has a name before it. */
  Map<String, String> pairs(String option, List<String> given) {
    var pairs = new LinkedHashMap<String, String>();
    for (var text : given) {
      int at = text.indexOf('=');
      if (at < 1 || at == text.length() - 1) {
        throw fault(option + " " + text + ": write NAME=COLUMN");
      }
      if (pairs.put(text.substring(0, at), text.substring(at + 1)) != null) {
        throw fault(option + " names " + text.substring(0, at) + " twice");
      }
    }
    return pairs;
  }

  ParameterException fault(String message) {
    return new ParameterException(command.commandLine(), message);
  }
}
