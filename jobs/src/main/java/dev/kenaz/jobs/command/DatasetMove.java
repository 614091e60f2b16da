package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.dataset.ArrayReader;
import dev.kenaz.dataset.ArrowFile;
import dev.kenaz.dataset.ArrowReader;
import dev.kenaz.dataset.CsvFiles;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.CsvType;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.DataFormat;
import dev.kenaz.dataset.FileSource;
import dev.kenaz.dataset.Formats;
import dev.kenaz.dataset.GroupedColumns;
import dev.kenaz.dataset.NullNumbers;
import dev.kenaz.dataset.ParquetReader;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.RowPlan;
import dev.kenaz.dataset.RowSource;
import dev.kenaz.dataset.SourceFiles;
import dev.kenaz.dataset.Transfer;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.Screen;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves rows from files of one format to files of another one. */
abstract class DatasetMove implements Callable<Integer> {
  @Parameters(
      arity = "2..*",
      paramLabel = "PATH",
      description =
          "The files that are read, folders of files, or globs; and, as the last one, the file or"
              + " folder that is written.")
  private List<String> paths;

  @Option(names = "--overwrite", description = "Replace files that exist already.")
  private boolean overwrite;

  @Option(
      names = "--resume",
      description =
          "Go on with what an interrupted command with the same files and options has left.")
  private boolean resume;

  @Option(names = "--quiet", description = "Show no progress.")
  private boolean quiet;

  @InRange(from = 1, to = 1024)
  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Move so many files at the same time; without this option, one a processor.")
  private Integer threads;

  @Option(
      names = "--columns",
      split = ",",
      paramLabel = "NAME",
      description = "Take only these columns, in this order; without this option, all.")
  private List<String> columns = List.of();

  @Option(
      names = "--missing",
      paramLabel = "WHAT",
      description =
          "What to do with a missing number: error ends the command, drop leaves out the row, nan,"
              + " which is for CSV only, makes it a NaN, and null keeps it as a null. Import"
              + " takes error without this option, other commands null.")
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
      paramLabel = "NAME=TYPE",
      description =
          "CSV: give columns these types, as in delay=f32,day=date,price=decimal(10,2),id=string.")
  private List<String> types = List.of();

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description =
          "CSV: give this type to all columns that --types doesn't name; without this"
              + " option, the data tells their types.")
  private String type;

  @Mixin private FormatFlags flags;

  @Option(
      names = "--lists",
      split = ",",
      paramLabel = "NAME=FIRST:LAST",
      description = "Make one column of lists of neighbouring columns, as in x=x0:x9.")
  private List<String> lists = List.of();

  @Option(
      names = "--rename",
      split = ",",
      paramLabel = "OLD=NEW",
      description = "Give columns other names.")
  private List<String> renamed = List.of();

  /** Returns what happens to missing numbers if the user doesn't say. */
  abstract CsvOptions.Missing missingByDefault();

  @Override
  public Integer call() {
    var files = SourceFiles.resolve(paths.subList(0, paths.size() - 1));
    var target = UserPath.of(paths.getLast(), K7501);
    var format = SourceFiles.format(files);
    var source = plan(format).of(names -> source(files, format, names), false);
    var screen = Screen.error();
    try (var console = new DatasetConsole(screen, quiet)) {
      var done = Transfer.run(source, output(target, files), console);
      console.clear();
      System.out.printf(
          Locale.ROOT,
          "%,d rows (%,d left out) of %d columns in %d file%s: %s%n",
          done.rows(),
          done.dropped(),
          done.schema().getFields().size(),
          done.files(),
          done.files() == 1 ? "" : "s",
          target);
    }
    return 0;
  }

  private RowOutput output(Path target, List<DataFile> files) {
    boolean folder =
        rowsPerFile != null || files.size() > 1 && !target.toString().endsWith(".arrow");
    if (resume && !folder) {
      throw fault("--resume is for folders of files; a single file is written in one go");
    }
    return new RowOutput(
        target,
        folder,
        rowsPerFile == null ? 0 : rowsPerFile,
        ".arrow",
        ArrowFile::new,
        List.of(),
        0,
        overwrite,
        resume,
        threads == null ? Runtime.getRuntime().availableProcessors() : threads,
        description());
  }

  /** Returns the options that decide what is written. */
  private String description() {
    return String.join(
        " ",
        columns.toString(),
        String.valueOf(missing),
        String.valueOf(name),
        String.valueOf(separator),
        String.valueOf(headless),
        types.toString(),
        String.valueOf(type),
        lists.toString(),
        renamed.toString());
  }

  private RowPlan plan(DataFormat format) {
    var changes = new ArrayList<RowPlan.Stage>();
    if (format != DataFormat.CSV) {
      switch (missing()) {
        case ERROR -> changes.add(RowPlan.Stage.of(new NullNumbers(NullNumbers.Nulls.ERROR)));
        case DROP -> changes.add(RowPlan.Stage.of(new NullNumbers(NullNumbers.Nulls.DROP)));
        case NULL -> {}
        case NAN -> throw fault("--missing nan is for CSV; other formats have nulls");
      }
    }
    return new RowPlan(
        changes,
        new GroupedColumns(lists.stream().map(DatasetMove::group).toList()),
        columns,
        pairs("--rename", renamed));
  }

  private RowSource source(List<DataFile> files, DataFormat format, List<String> names) {
    if (format != DataFormat.CSV) {
      requireNone(format);
    }
    return switch (format) {
      case CSV -> new CsvFiles(files, csvOptions(files.getFirst()).withColumns(names));
      case ARROW -> new FileSource(files, ArrowReader::open);
      case PARQUET -> new FileSource(files, f -> ParquetReader.open(f, names));
      case NUMPY, IDX ->
          new FileSource(files, f -> ArrayReader.open(f, format, name == null ? "x" : name));
      case NPZ, JSON, LIBSVM, MATRIX_MARKET, ADBENCH, FUTHARK ->
          Formats.source(format, files, flags.options(name, format));
    };
  }

  private CsvOptions csvOptions(DataFile first) {
    var options =
        CsvOptions.DEFAULT
            .withSeparator(separator(first))
            .withHeader(!headless)
            .withTypes(csvTypes())
            .withMissing(missing());
    return type == null ? options : options.withDefaultType(csvType(type));
  }

  private char separator(DataFile file) {
    if (separator == null) {
      return DataFormat.separator(file);
    }
    char c = separator;
    if (c < ' ' && c != '\t' || c == '"' || c > '~' || Character.isLetterOrDigit(c)) {
      throw fault("--separator is a punctuation mark, a space or a tab, not \"" + c + "\"");
    }
    return c;
  }

  private Map<String, CsvType> csvTypes() {
    var made = new LinkedHashMap<String, CsvType>();
    pairs("--types", types.stream().flatMap(t -> DatasetMove.split(t).stream()).toList())
        .forEach((column, t) -> made.put(column, csvType(t)));
    return made;
  }

  /** Divides a text at commas that aren't in parentheses. */
  static List<String> split(String text) {
    return List.of(text.split(",(?![^(]*\\))"));
  }

  static CsvType csvType(String name) {
    return CsvType.named(name)
        .orElseThrow(
            () ->
                new UserError(
                    K7501,
                    "there is no type \"" + name + "\"",
                    "types are bool, i8 to i64, u8 to u64, f16 to f64, string, date, timestamp,"
                        + " timestamp(utc), and decimal(DIGITS,BEHIND THE POINT)"));
  }

  static Map<String, String> pairs(String option, List<String> texts) {
    var pairs = new LinkedHashMap<String, String>();
    for (var text : texts) {
      int equals = text.lastIndexOf('=');
      if (equals < 0) {
        throw fault(option + " takes NAME=VALUE, not \"" + text + "\"");
      }
      if (pairs.put(text.substring(0, equals), text.substring(equals + 1)) != null) {
        throw fault(option + " names \"" + text.substring(0, equals) + "\" twice");
      }
    }
    return pairs;
  }

  private static GroupedColumns.Group group(String text) {
    var parts = text.split("[=:]", -1);
    if (parts.length != 3) {
      throw fault("--lists takes NAME=FIRST:LAST, not \"" + text + "\"");
    }
    return new GroupedColumns.Group(parts[0], parts[1], parts[2]);
  }

  private CsvOptions.Missing missing() {
    return switch (missing) {
      case null -> missingByDefault();
      case "error" -> CsvOptions.Missing.ERROR;
      case "drop" -> CsvOptions.Missing.DROP;
      case "nan" -> CsvOptions.Missing.NAN;
      case "null" -> CsvOptions.Missing.NULL;
      default ->
          throw fault("--missing is one of error, drop, nan and null, not \"" + missing + "\"");
    };
  }

  /** Refuses options of other formats. */
  private void requireNone(DataFormat format) {
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
    if (!unused.isEmpty()) {
      throw fault(
          "the files are "
              + format.text()
              + "; for CSV alone there is "
              + String.join(", ", unused));
    }
    var arrays = EnumSet.of(DataFormat.NUMPY, DataFormat.IDX, DataFormat.FUTHARK);
    arrays.add(DataFormat.MATRIX_MARKET);
    if (name != null && !arrays.contains(format)) {
      throw fault("--name is for files of one array; these columns have names");
    }
  }

  static UserError fault(String message) {
    return new UserError(K7501, message);
  }
}
