package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.arrow.ArrayImport;
import dev.kenaz.arrow.DatasetImport;
import dev.kenaz.arrow.ParquetImport;
import dev.kenaz.arrow.Progress;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.DataFormat;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Imports files of other formats into Arrow files. */
@Command(
    name = "import",
    description =
        "Imports a CSV file, which may be packed (.gz, .zst), a Parquet file, or an array of NumPy"
            + " (.npy) or IDX into Arrow files.")
final class DatasetImportCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "A file of CSV, Parquet, NumPy or IDX; its contents tell which.")
  private Path source;

  @Parameters(
      index = "1",
      paramLabel = "OUT",
      description = "The file that is written, or a folder of files.")
  private Path target;

  @Option(names = "--overwrite", description = "Replace files that exist already.")
  private boolean overwrite;

  @Option(
      names = "--columns",
      split = ",",
      paramLabel = "NAME",
      description = "Import only these columns, in this order; without this option, all.")
  private List<String> columns = List.of();

  @Option(
      names = "--missing",
      paramLabel = "WHAT",
      defaultValue = "error",
      description =
          "What to do with a missing value: error ends the import, drop leaves out the"
              + " row, and nan, which is for CSV only, makes it a NaN (${DEFAULT-VALUE}).")
  private String missing;

  @InRange(from = 1, to = 1L << 50)
  @Option(
      names = "--rows-per-file",
      paramLabel = "N",
      description =
          "Write a folder of files with so many rows each; without this option, one file.")
  private Long rowsPerFile;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "NumPy and IDX: the name of the column; x without this option.")
  private String name;

  @Option(
      names = "--separator",
      paramLabel = "C",
      description =
          "CSV: the character between fields; without this option, a comma, or a tab in"
              + " .tsv files.")
  private Character separator;

  @Option(
      names = "--no-header",
      description = "CSV: take the first line as data, and name the columns c0, c1, ...")
  private boolean headless;

  @Option(
      names = "--types",
      split = ",",
      paramLabel = "NAME=TYPE",
      description = "CSV: give columns these types, as in delay=f32,id=i64.")
  private List<String> types = List.of();

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description =
          "CSV: give this type to all columns that --types doesn't name; without this"
              + " option, the data tells their types.")
  private String type;

  @Option(
      names = "--lists",
      split = ",",
      paramLabel = "NAME=FIRST:LAST",
      description = "CSV: make one column of lists of neighbouring columns, as in x=x0:x9.")
  private List<String> lists = List.of();

  @Override
  public Integer call() {
    long perFile = rowsPerFile == null ? 0 : rowsPerFile;
    var done =
        switch (format()) {
          case CSV ->
              DatasetImport.csv(source, target, perFile, overwrite, csvOptions(), Progress.NONE);
          case PARQUET ->
              ParquetImport.parquet(
                  source, target, perFile, overwrite, parquetOptions(), Progress.NONE);
          case NUMPY, IDX -> array(perFile);
        };
    System.out.printf(
        Locale.ROOT,
        "%,d rows (%,d left out) of %d columns in %d file%s: %s%n",
        done.rows(),
        done.dropped(),
        done.columns().size(),
        done.files(),
        done.files() == 1 ? "" : "s",
        target);
    return 0;
  }

  private DataFormat format() {
    var format = DataFormat.of(DataFile.of(source));
    if (name != null && format != DataFormat.NUMPY && format != DataFormat.IDX) {
      throw fault("--name is for files of one array; the columns of " + source + " have names");
    }
    return format;
  }

  private DatasetImport.Summary array(long perFile) {
    var unused = unusedOfCsv();
    if (!columns.isEmpty()) {
      unused.add("--columns");
    }
    if (!unused.isEmpty()) {
      throw fault(
          source + " has one array; " + String.join(", ", unused) + " is for other formats");
    }
    return ArrayImport.array(
        DataFormat.of(DataFile.of(source)),
        source,
        target,
        name == null ? "x" : name,
        perFile,
        overwrite,
        Progress.NONE);
  }

  private CsvOptions csvOptions() {
    var options =
        CsvOptions.DEFAULT
            .withSeparator(separator())
            .withHeader(!headless)
            .withColumns(columns)
            .withTypes(prims())
            .withGroups(lists.stream().map(DatasetImportCommand::group).toList())
            .withMissing(missing());
    return type == null ? options : options.withDefaultType(DatasetCommand.prim(type));
  }

  private char separator() {
    if (separator == null) {
      return DataFormat.separator(DataFile.of(source));
    }
    char c = separator;
    if (c < ' ' && c != '\t' || c == '"' || c > '~' || Character.isLetterOrDigit(c)) {
      throw fault("--separator is a punctuation mark, a space or a tab, not \"" + c + "\"");
    }
    return c;
  }

  private Map<String, Prim> prims() {
    var prims = new LinkedHashMap<String, Prim>();
    for (var text : types) {
      int equals = text.lastIndexOf('=');
      if (equals < 0) {
        throw fault("--types takes NAME=TYPE, not \"" + text + "\"");
      }
      var prim = DatasetCommand.prim(text.substring(equals + 1));
      if (prims.put(text.substring(0, equals), prim) != null) {
        throw fault("--types names \"" + text.substring(0, equals) + "\" twice");
      }
    }
    return prims;
  }

  private static CsvOptions.Group group(String text) {
    var parts = text.split("[=:]", -1);
    if (parts.length != 3) {
      throw fault("--lists takes NAME=FIRST:LAST, not \"" + text + "\"");
    }
    return new CsvOptions.Group(parts[0], parts[1], parts[2]);
  }

  private CsvOptions.Missing missing() {
    return switch (missing) {
      case "error" -> CsvOptions.Missing.ERROR;
      case "drop" -> CsvOptions.Missing.DROP;
      case "nan" -> CsvOptions.Missing.NAN;
      default -> throw fault("--missing is one of error, drop and nan, not \"" + missing + "\"");
    };
  }

  /** Returns the options that are given, and are for CSV alone. */
  private List<String> unusedOfCsv() {
    var unused = new ArrayList<String>();
    if (separator != null) {
      unused.add("--separator");
    }
    if (headless) {
      unused.add("--no-header");
    }
    if (!types.isEmpty()) {
      unused.add("--types");
    }
    if (type != null) {
      unused.add("--type");
    }
    if (!lists.isEmpty()) {
      unused.add("--lists");
    }
    return unused;
  }

  private ReadOptions parquetOptions() {
    var unused = unusedOfCsv();
    if (!unused.isEmpty()) {
      throw fault(source + " is Parquet; for CSV alone there is " + String.join(", ", unused));
    }
    var nulls =
        switch (missing()) {
          case ERROR -> ReadOptions.Nulls.ERROR;
          case DROP -> ReadOptions.Nulls.DROP;
          case NAN ->
              throw fault("--missing nan is for CSV; in Parquet, nulls end it or are dropped");
        };
    return new ReadOptions(columns, nulls);
  }

  private static UserError fault(String message) {
    return new UserError(K7501, message);
  }
}
