package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.dataset.AdBenchFile;
import dev.kenaz.dataset.CsvFiles;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.CsvType;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.DataFormat;
import dev.kenaz.dataset.FileSource;
import dev.kenaz.dataset.FirstPass;
import dev.kenaz.dataset.Formats;
import dev.kenaz.dataset.JsonFiles;
import dev.kenaz.dataset.NullNumbers;
import dev.kenaz.dataset.Packing;
import dev.kenaz.dataset.ParquetReader;
import dev.kenaz.dataset.RemoteFiles;
import dev.kenaz.dataset.RemoteTransfer;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.RowPlan;
import dev.kenaz.dataset.RowSource;
import dev.kenaz.dataset.ShuffledRows;
import dev.kenaz.dataset.SourceFiles;
import dev.kenaz.dataset.Transfer;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Moves rows from files of one format to files of another one. */
abstract class DatasetMove implements Callable<Integer> {
  /** The options of an import of several tables. */
  private static final Set<String> FOR_TABLES = Set.of("--overwrite", "--quiet");

  @Spec private CommandSpec spec;

  @Parameters(
      // There are two at least, which call checks: with "2..*" picocli takes what follows an
      // unknown option for another pair of paths, and does not name the option.
      arity = "1..*",
      paramLabel = "PATH",
      description =
          "The files that are read, folders of files, or globs; and, as the last one, the file or"
              + " folder that is written.")
  private List<String> paths;

  @Mixin private ChangeFlags changes;

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
          "CSV and JSON: give columns these types, as in"
              + " delay=f32,day=date,price=decimal(10,2),id=string.")
  private List<String> types = List.of();

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description =
          "CSV: give this type to all columns that --types doesn't name; without this"
              + " option, the data tells their types.")
  private String type;

  @Mixin private FormatFlags flags;

  /** Returns what happens to missing numbers if the user doesn't say. */
  abstract CsvOptions.Missing missingByDefault();

  /** Returns the format of a target. */
  abstract DataFormat format(String target);

  @Override
  public Integer call() {
    if (paths.size() < 2) {
      throw fault("Missing required parameter: 'PATH', the file or folder that is written");
    }
    var files = SourceFiles.resolve(paths.subList(0, paths.size() - 1));
    var target = paths.getLast();
    var from = SourceFiles.format(files);
    var to = format(target);
    if (from == DataFormat.ADBENCH && to == DataFormat.ARROW && tables(target)) {
      return tables(files, target);
    }
    var programs = new ArrayList<AutoCloseable>();
    boolean shown = !quiet && !target.equals("-");
    try (var console = new DatasetConsole(Screen.error(), !shown)) {
      var pass = new FirstPass(threads(), console);
      var plan = changes.plan(missing(from), pass, programs);
      var rows = plan.of(names -> source(files, from, to, names), changes.needsOthers());
      if (target.equals("-")) {
        toStandardOutput(rows, from, to, console);
      } else if (RemoteFiles.isAddress(target)) {
        toRemote(rows, target, from, to, console);
      } else {
        move(rows, SourceFiles.local(target), from, to, console);
      }
    } finally {
      programs.forEach(DatasetMove::close);
    }
    return 0;
  }

  /** Whether a file of several tables becomes a folder of all of them. */
  private boolean tables(String target) {
    boolean one = target.equals("-") || DataFormat.ofTarget(target).isPresent();
    return !one && flags.arrays().isEmpty();
  }

  private int tables(List<DataFile> files, String target) {
    var given = spec.commandLine().getParseResult().matchedOptionsSet();
    boolean plain = given.stream().allMatch(o -> FOR_TABLES.contains(o.longestName()));
    if (RemoteFiles.isAddress(target)) {
      throw fault("tables are imported into a folder of this machine; --arrays names one table");
    }
    if (files.size() > 1 || !plain) {
      throw fault("all tables of one file of ADBench are imported as they are; --arrays names one");
    }
    var rows = AdBenchFile.importTables(files.getFirst(), SourceFiles.local(target), overwrite);
    rows.forEach((table, n) -> System.out.printf(Locale.ROOT, "%,d rows of %s%n", n, table));
    return 0;
  }

  private static void close(AutoCloseable opened) {
    try {
      opened.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Writes into a file system of Hadoop. */
  private void toRemote(
      RowSource rows, String target, DataFormat from, DataFormat to, DatasetConsole console) {
    var temporary = Path.of(System.getProperty("java.io.tmpdir"));
    var remote = new RemoteFiles(new Configuration());
    move(
        rows,
        temporary.resolve("rows"),
        target,
        console,
        moved ->
            RemoteTransfer.run(
                moved,
                target,
                temporary,
                path -> output(path, rows.parts(), from, to),
                remote,
                console));
  }

  private void move(
      RowSource rows, Path target, DataFormat from, DataFormat to, DatasetConsole console) {
    var output = output(target, rows.parts(), from, to);
    var shown = paths.getLast();
    move(rows, target, shown, console, moved -> Transfer.run(moved, output, console));
  }

  /**
   * @param place a path beside which large temporary files may be
   * @param shown what the target is called
   */
  private void move(
      RowSource rows,
      Path place,
      String shown,
      DatasetConsole console,
      Function<RowSource, Transfer.Summary> transfer) {
    var done = inOrder(rows, place, console, transfer);
    System.out.printf(
        Locale.ROOT,
        "%,d rows (%,d left out) of %d columns in %d file%s: %s%n",
        done.rows(),
        done.dropped(),
        done.schema().getFields().size(),
        done.files(),
        done.files() == 1 ? "" : "s",
        shown);
  }

  /** Moves rows in the order that they were asked for. */
  private Transfer.Summary inOrder(
      RowSource rows,
      Path place,
      DatasetConsole console,
      Function<RowSource, Transfer.Summary> transfer) {
    var pass = new FirstPass(threads(), console);
    try (var shuffled =
        changes.shuffle().map(seed -> shuffled(rows, seed, place, pass)).orElse(null)) {
      console.pass("");
      var done = transfer.apply(shuffled == null ? rows : shuffled);
      console.clear();
      return done;
    }
  }

  private ShuffledRows shuffled(RowSource rows, long seed, Path target, FirstPass pass) {
    if (resume) {
      throw fault("--resume isn't for --shuffle, which reads all rows before it writes any");
    }
    return ShuffledRows.of(rows, seed, target, pass);
  }

  /** Writes a file elsewhere first, because most formats can't be written as a stream. */
  private void toStandardOutput(
      RowSource rows, DataFormat from, DataFormat to, DatasetConsole console) {
    try {
      var folder = Files.createTempDirectory("kenaz-export");
      var file = folder.resolve("rows");
      try {
        var output = output(file, 1, from, to);
        if (output.folder()) {
          throw fault("standard output takes one file");
        }
        inOrder(rows, file, console, moved -> Transfer.run(moved, output, (_, _) -> {}));
        Files.copy(file, System.out);
        System.out.flush();
      } finally {
        Files.deleteIfExists(file);
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw fault("can't write to standard output: " + e.getMessage());
    }
  }

  private int threads() {
    return threads == null ? Runtime.getRuntime().availableProcessors() : threads;
  }

  private RowOutput output(Path target, int parts, DataFormat from, DataFormat to) {
    var shares = changes.shares();
    boolean named = DataFormat.ofTarget(target.toString()).isPresent();
    boolean folder = rowsPerFile != null || parts > 1 && !named || !shares.isEmpty();
    if (resume && !folder) {
      throw fault("--resume is for folders of files; a single file is written in one go");
    }
    var options =
        flags.options(name, from, to).withSeparator(DataFormat.separator(DataFile.of(target)));
    var packing = folder ? Packing.NONE : Packing.ofName(target.toString());
    return new RowOutput(
        target,
        folder,
        rowsPerFile == null ? 0 : rowsPerFile,
        to.ending(),
        (file, schema) -> Formats.create(to, file, schema, options, packing),
        shares,
        changes.seed(),
        overwrite,
        resume,
        threads(),
        description(to));
  }

  /** Returns the options that decide what is written. */
  private String description(DataFormat to) {
    return String.join(
        " ",
        to.text(),
        String.valueOf(missing),
        String.valueOf(name),
        String.valueOf(separator),
        String.valueOf(headless),
        types.toString(),
        String.valueOf(type),
        flags.options(name, DataFormat.values()).toString(),
        changes.description());
  }

  /** Returns what is done with nulls after files were read; CSV's reader sees to them itself. */
  private List<RowPlan.Stage> missing(DataFormat format) {
    if (format == DataFormat.CSV) {
      return List.of();
    }
    return switch (missing()) {
      case ERROR -> List.of(RowPlan.Stage.of(new NullNumbers(NullNumbers.Nulls.ERROR)));
      case DROP -> List.of(RowPlan.Stage.of(new NullNumbers(NullNumbers.Nulls.DROP)));
      case NULL -> List.of();
      case NAN -> throw fault("--missing nan is for CSV; other formats have nulls");
    };
  }

  private RowSource source(
      List<DataFile> files, DataFormat from, DataFormat to, List<String> names) {
    if (from != DataFormat.CSV) {
      requireNone(from);
    }
    return switch (from) {
      case CSV -> new CsvFiles(files, csvOptions(files.getFirst()).withColumns(names));
      case PARQUET -> new FileSource(files, f -> ParquetReader.open(f, names));
      case JSON -> new JsonFiles(files, types());
      case ARROW, NUMPY, IDX, NPZ, LIBSVM, MATRIX_MARKET, ADBENCH, FUTHARK ->
          Formats.source(from, files, flags.options(name, from, to));
    };
  }

  private CsvOptions csvOptions(DataFile first) {
    var options =
        CsvOptions.DEFAULT
            .withSeparator(separator(first))
            .withHeader(!headless)
            .withTypes(types())
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

  private Map<String, CsvType> types() {
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
      if (equals < 1 || equals == text.length() - 1) {
        throw fault(option + " takes NAME=VALUE, not \"" + text + "\"");
      }
      if (pairs.put(text.substring(0, equals), text.substring(equals + 1)) != null) {
        throw fault(option + " names \"" + text.substring(0, equals) + "\" twice");
      }
    }
    return pairs;
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
    if (!types.isEmpty() && format != DataFormat.JSON) {
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

  /** Refuses a target of Arrow's format whose name tells another one. */
  static void requireArrow(String target, String hint) {
    var told = DataFormat.ofTarget(target).orElse(DataFormat.ARROW);
    if (told != DataFormat.ARROW) {
      throw new UserError(
          K7501, target + " would be Arrow, though its name says " + told.text(), hint);
    }
  }

  static UserError fault(String message) {
    return new UserError(K7501, message);
  }
}
