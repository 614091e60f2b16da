package dev.kenaz.jobs.command;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.CsvOptions;
import dev.kenaz.arrow.DatasetExport;
import dev.kenaz.arrow.DatasetGenerate;
import dev.kenaz.arrow.DatasetImport;
import dev.kenaz.arrow.DatasetInspect;
import dev.kenaz.arrow.Progress;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Datasets in and out of Arrow files. */
@Command(
    name = "dataset",
    description = "Imports, inspects, generates and exports Arrow datasets.",
    footer = {
      "",
      "Without a subcommand, values in Futhark's formats, the options being those of its tool:",
      "  kenaz dataset --i32-bounds=0:9 -g [10]f32 -g [100]i32    random values as text",
      "  kenaz dataset -b -s 42 -g [1000][3]f64                   in the binary format",
      "  kenaz dataset --text < values.bin                        binary to text",
      "  kenaz dataset -b < values.txt                            text to binary"
    },
    mixinStandardHelpOptions = true)
public final class DatasetCommand {

  /** What of a dataset is read. */
  static final class Input {
    @Parameters(index = "0", paramLabel = "DATA", description = "A file, a folder, or a glob.")
    private String path;

    @Option(names = "--columns", split = ",", description = "These columns; all unless given.")
    private List<String> columns = List.of();

    ArrowDataset open(ReadOptions.Nulls nulls) {
      return ArrowDataset.open(List.of(path), new ReadOptions(columns, nulls));
    }
  }

  @Command(
      name = "import",
      description = "Makes Arrow files of a CSV file (also packed: .csv.gz).",
      mixinStandardHelpOptions = true)
  int importCsv(
      @Parameters(index = "0", paramLabel = "CSV") Path csv,
      @Parameters(index = "1", paramLabel = "OUT", description = "A file, or a folder of files.")
          Path target,
      @Option(names = "--overwrite", description = "Replace what is there.") boolean overwrite,
      @Option(names = "--separator", defaultValue = ",", description = "(${DEFAULT-VALUE})")
          char separator,
      @Option(
              names = "--no-header",
              description = "The first line is data; columns are c0, c1, ...")
          boolean headless,
      @Option(names = "--columns", split = ",", description = "These; all unless given.")
          List<String> columns,
      @Option(names = "--types", split = ",", description = "Such as delay=f32,id=i64.")
          Map<String, String> types,
      @Option(names = "--type", description = "Of all columns not in --types.") String type,
      @Option(names = "--lists", split = ",", description = "Such as x=x0:x9: columns to a list.")
          List<String> lists,
      @Option(
              names = "--missing",
              defaultValue = "error",
              description = "error, drop (the row) or nan (${DEFAULT-VALUE}).")
          String missing,
      @Option(names = "--rows-per-file", description = "Several files in a folder.")
          long rowsPerFile) {
    var options = CsvOptions.DEFAULT.withSeparator(separator).withHeader(!headless);
    options = columns == null ? options : options.withColumns(columns);
    options = types == null ? options : options.withTypes(prims(types));
    options = type == null ? options : options.withDefaultType(prim(type));
    options = lists == null ? options : options.withGroups(lists.stream().map(Lists::of).toList());
    options = options.withMissing(choice(CsvOptions.Missing.class, missing, "--missing"));
    var done = DatasetImport.csv(csv, target, rowsPerFile, overwrite, options, Progress.NONE);
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

  /** Parses NAME=FIRST:LAST. */
  private static final class Lists {
    static CsvOptions.Group of(String text) {
      var parts = text.split("[=:]");
      if (parts.length != 3) {
        throw new UserError(
            "K7501", Span.NONE, "--lists takes NAME=FIRST:LAST, not \"" + text + "\"");
      }
      return new CsvOptions.Group(parts[0], parts[1], parts[2]);
    }
  }

  @Command(
      name = "inspect",
      description = "Tells columns, rows, nulls, NaNs and ranges of a dataset.",
      mixinStandardHelpOptions = true)
  int inspect(@Mixin Input input) {
    var inspect = new DatasetInspect(input.open(ReadOptions.Nulls.ERROR));
    System.out.printf(Locale.ROOT, "%,d rows in %,d batches%n", inspect.rows(), inspect.batches());
    System.out.printf(
        "%-20s %-12s %12s %8s %8s %14s %14s %14s%n",
        "column", "type", "numbers", "nulls", "NaNs", "min", "max", "mean");
    for (var c : inspect.columns()) {
      System.out.printf(
          Locale.ROOT,
          "%-20s %-12s %12d %8d %8d %14.6g %14.6g %14.6g%n",
          c.info().name(),
          c.info().shownType(),
          c.count(),
          c.nulls(),
          c.nans(),
          c.min(),
          c.max(),
          c.mean());
    }
    return 0;
  }

  @Command(
      name = "generate",
      description = "Makes Gaussian blobs: the same for the same seed.",
      mixinStandardHelpOptions = true)
  int generate(
      @Parameters(index = "0", paramLabel = "KIND", description = "blobs") String kind,
      @Parameters(index = "1", paramLabel = "OUT", description = "A file, or a folder of files.")
          Path target,
      @Option(names = "--overwrite", description = "Replace what is there.") boolean overwrite,
      @Option(names = "--rows", defaultValue = "1000000", description = "(${DEFAULT-VALUE})")
          long rows,
      @Option(names = "--dimensions", defaultValue = "16", description = "(${DEFAULT-VALUE})")
          int dimensions,
      @Option(names = "--blobs", defaultValue = "16", description = "(${DEFAULT-VALUE})") int blobs,
      @Option(names = "--seed", defaultValue = "1", description = "(${DEFAULT-VALUE})") long seed,
      @Option(
              names = "--spread",
              defaultValue = "1",
              description = "Standard deviation of a blob (${DEFAULT-VALUE}).")
          double spread,
      @Option(names = "--type", defaultValue = "f32", description = "(${DEFAULT-VALUE})")
          String type,
      @Option(names = "--separate", description = "A column a dimension, not one of lists.")
          boolean separate,
      @Option(names = "--files", defaultValue = "1", description = "(${DEFAULT-VALUE})")
          int files) {
    if (!kind.equals("blobs")) {
      throw new UserError("K7501", Span.NONE, "can't generate \"" + kind + "\", only blobs");
    }
    var made =
        new DatasetGenerate.Blobs(rows, dimensions, blobs, seed, spread, prim(type), !separate);
    DatasetGenerate.write(made, target, files, overwrite, Progress.NONE);
    System.out.printf(Locale.ROOT, "%,d points of %d dimensions: %s%n", rows, dimensions, target);
    return 0;
  }

  @Command(
      name = "export",
      description = "Writes a dataset as CSV (packed if OUT ends in .gz).",
      mixinStandardHelpOptions = true)
  int export(
      @Mixin Input input,
      @Parameters(index = "1", paramLabel = "OUT", description = "A file, or a folder of files.")
          Path target,
      @Option(names = "--overwrite", description = "Replace what is there.") boolean overwrite,
      @Option(names = "--drop-nulls", description = "Leave out rows with a null.") boolean drop) {
    var data = input.open(drop ? ReadOptions.Nulls.DROP : ReadOptions.Nulls.ERROR);
    DatasetExport.csv(data, target, overwrite, Progress.NONE);
    System.out.printf(Locale.ROOT, "%,d rows: %s%n", data.rowCount(), target);
    return 0;
  }

  private static Map<String, Prim> prims(Map<String, String> types) {
    var prims = new LinkedHashMap<String, Prim>();
    types.forEach((column, type) -> prims.put(column, prim(type)));
    return prims;
  }

  private static Prim prim(String name) {
    var known = Arrays.stream(Prim.values()).map(Prim::text).toList();
    return Prim.named(name)
        .orElseThrow(
            () ->
                new UserError(
                    "K7501",
                    Span.NONE,
                    "there is no type \"" + name + "\"",
                    NearestName.hint(name, known)));
  }

  private static <E extends Enum<E>> E choice(Class<E> type, String text, String option) {
    for (var value : type.getEnumConstants()) {
      if (value.name().equalsIgnoreCase(text)) {
        return value;
      }
    }
    var known = Arrays.stream(type.getEnumConstants()).map(e -> e.name().toLowerCase(Locale.ROOT));
    throw new UserError(
        "K7501", Span.NONE, option + " is one of " + known.toList() + ", not \"" + text + "\"");
  }
}
