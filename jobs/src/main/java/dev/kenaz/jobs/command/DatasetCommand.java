package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.DatasetInspect;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves datasets in and out of Arrow files. */
@Command(
    name = "dataset",
    description = "Imports, converts, inspects, validates, generates and exports datasets.",
    footer = {
      "",
      "Without a subcommand, values in Futhark's formats, the options being those of its tool:",
      "  kenaz dataset --i32-bounds=0:9 -g [10]f32 -g [100]i32    random values as text",
      "  kenaz dataset -b -s 42 -g [1000][3]f64                   in the binary format",
      "  kenaz dataset --text < values.bin                        binary to text",
      "  kenaz dataset -b < values.txt                            text to binary"
    },
    subcommands = {
      DatasetImportCommand.class,
      DatasetConvertCommand.class,
      DatasetExportCommand.class,
      DatasetValidateCommand.class,
      DatasetGenerateCommand.class
    })
public final class DatasetCommand {

  /** The options that say what is read of a dataset. */
  static final class Input {
    @Parameters(index = "0", paramLabel = "DATA", description = "A file, a folder, or a glob.")
    private String path;

    @Option(
        names = "--columns",
        split = ",",
        paramLabel = "NAME",
        description = "Take only these columns, in this order; without this option, all.")
    private List<String> columns = List.of();

    ArrowDataset open(ReadOptions.Nulls nulls) {
      return ArrowDataset.open(List.of(path), new ReadOptions(columns, nulls));
    }
  }

  @Command(
      name = "inspect",
      description = "Prints the columns, rows, nulls, NaNs and ranges of a dataset.")
  int inspect(@Mixin Input input) {
    var inspect = new DatasetInspect(input.open(ReadOptions.Nulls.ERROR));
    System.out.printf(Locale.ROOT, "%,d rows in %,d batches%n", inspect.rows(), inspect.batches());
    System.out.printf(
        "%-20s %-20s %12s %8s %8s %14s %14s %14s%n",
        "column", "type", "numbers", "nulls", "NaNs", "min", "max", "mean");
    for (var c : inspect.columns()) {
      if (c.info().prim().isEmpty()) { // Such a column isn't read.
        System.out.printf(
            "%-20s %-20s %12s %8s %8s %14s %14s %14s%n",
            c.info().name(), c.info().shownType(), "-", "-", "-", "-", "-", "-");
        continue;
      }
      System.out.printf(
          Locale.ROOT,
          "%-20s %-20s %12d %8d %8d %14s %14s %14s%n",
          c.info().name(),
          c.info().shownType(),
          c.count(),
          c.nulls(),
          c.nans(),
          shown(c, c.min()),
          shown(c, c.max()),
          shown(c, c.mean()));
    }
    return 0;
  }

  private static String shown(DatasetInspect.Column c, double number) {
    return c.count() == 0 ? "-" : String.format(Locale.ROOT, "%.6g", number);
  }

  static Prim prim(String name) {
    var known = Arrays.stream(Prim.values()).map(Prim::text).toList();
    return Prim.named(name)
        .orElseThrow(
            () ->
                new UserError(
                    K7501, "there is no type \"" + name + "\"", NearestName.hint(name, known)));
  }
}
