package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K8002;

import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.jobs.run.ResultsFolder;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.api.java.JavaSparkContext;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which parameters are columns of files, and where long results go. */
final class DataOptions {
  /** What happens to NaNs. */
  enum Nans {
    error,
    keep
  }

  /** What happens to rows with nulls. */
  enum Nulls {
    error,
    drop
  }

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--data",
      paramLabel = "PARAMETER=PATH[:COLUMN,...]",
      description =
          "This parameter is columns (all, if none is named; p* for those whose names begin with p)"
              + " of an Arrow file, a folder of them or a glob. Once for each such parameter. With"
              + " --spark, PATH may be what Spark reads: {\"table\": \"db.t\"}, {\"sql\": \"SELECT"
              + " ...\"} or {\"format\": \"parquet\", \"path\": \"...\"}.")
  private List<String> data = List.of();

  @Option(
      names = "--nulls",
      paramLabel = "error|drop",
      description = "What happens to a row with a null: an error, or it is left out.")
  private Nulls nulls;

  @Option(
      names = "--nans",
      paramLabel = "error|keep",
      description = "What happens to NaNs: an error, or they are numbers like others.")
  private Nans nans;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Write results into this folder as Arrow files; long ones are not printed.")
  private Path out;

  @Option(names = "--overwrite", description = "Replace the folder of --out, if there is one.")
  private boolean overwrite;

  boolean given() {
    return !data.isEmpty();
  }

  /** Refuses what makes no sense together. */
  void check(PieceOptions pieces) {
    if (given() && pieces.hasCuts()) {
      throw fault("--cuts divide arguments of --rows; with --data there is --pieces N");
    }
    if (!given() && (nulls != null || nans != null)) {
      throw fault("--nulls and --nans are for --data");
    }
    var names = new HashSet<String>();
    for (var source : sources()) {
      if (!names.add(source.parameter())) {
        throw fault("--data names the parameter " + source.parameter() + " twice");
      }
      if (new HashSet<>(source.columns()).size() < source.columns().size()) {
        throw fault("--data names a column of " + source.parameter() + " twice");
      }
    }
  }

  /** Refuses a folder for results where there are no pieces. */
  void checkOutput(boolean inPieces) {
    if (out != null && !inPieces) {
      throw fault("--out needs --data or --rows");
    }
    if (overwrite && out == null) {
      throw fault("--overwrite is for --out");
    }
  }

  List<String> names() {
    return sources().stream().map(ParameterData.Source::parameter).toList();
  }

  /** Returns where results go. */
  Optional<ResultsFolder.Place> out() {
    return Optional.ofNullable(out).map(o -> new ResultsFolder.Place(o, overwrite));
  }

  /** Refuses arrays among what {@code --rows} names. */
  void requireNumbers(EntryPoint entry, List<String> rows) {
    for (var param : entry.params()) {
      if (rows.contains(param.name()) && param.type().flat().stream().anyMatch(f -> f.rank() > 0)) {
        throw new UserError(
            K8002,
            "the rows of %s are no argument: with --data and --spark they are in files"
                .formatted(param.name()),
            "name its columns: --data " + param.name() + "=PATH:COLUMN,...");
      }
    }
  }

  /** Whether some data is what Spark reads. */
  boolean hasTables() {
    return sources().stream().anyMatch(s -> TableData.is(s.path()));
  }

  /**
   * Returns what opens files and tables on Spark. No method of this class has a type of Spark:
   * where Spark isn't there, picocli looks at all methods.
   */
  Function<JavaSparkContext, OpenedData> onSpark(PiecewiseEntry entry, List<Value> arguments) {
    return TableData.opener(entry, sources(), arguments, nulls(), nans == Nans.keep);
  }

  /** Opens the files; arguments tell the number of rows of a dataset without columns. */
  ParameterData open(PiecewiseEntry entry, List<Value> arguments) {
    return ParameterData.open(entry, sources(), arguments, nulls(), nans == Nans.keep);
  }

  private ReadOptions.Nulls nulls() {
    return nulls == Nulls.drop ? ReadOptions.Nulls.DROP : ReadOptions.Nulls.ERROR;
  }

  private List<ParameterData.Source> sources() {
    return data.stream().map(this::source).toList();
  }

  private ParameterData.Source source(String text) {
    int equals = text.indexOf('=');
    int from = TableData.is(text.substring(equals + 1)) ? text.lastIndexOf('}') : equals;
    int colon = text.indexOf(':', from) < 0 ? -1 : text.lastIndexOf(':');
    var path = text.substring(equals + 1, colon > equals ? colon : text.length());
    if (equals < 1 || path.isEmpty()) {
      throw fault("--data " + text + ": write PARAMETER=PATH or PARAMETER=PATH:COLUMN,...");
    }
    var columns = new ArrayList<String>();
    if (colon > equals && colon + 1 < text.length()) {
      columns.addAll(List.of(text.substring(colon + 1).split(",", -1)));
    }
    if (columns.contains("")) {
      throw fault("--data " + text + ": a column has no name");
    }
    return new ParameterData.Source(text.substring(0, equals), path, columns);
  }

  private ParameterException fault(String message) {
    return new ParameterException(command.commandLine(), message);
  }
}
