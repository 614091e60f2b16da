package dev.kenaz.jobs.command;

import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.DataFormat;
import dev.kenaz.dataset.Formats;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Converts files from one format to another. */
@Command(
    name = "convert",
    description =
        "Reads files of any format, and writes the format that --to or the name of the target"
            + " tells; without either, Arrow.")
class DatasetConvertCommand extends DatasetMove {
  @Option(
      names = "--to",
      paramLabel = "FORMAT",
      description =
          "Write this format: arrow, csv, parquet, npy, npz, json, libsvm, matrix-market or"
              + " futhark.")
  private String to;

  @Override
  CsvOptions.Missing missingByDefault() {
    return CsvOptions.Missing.NULL;
  }

  /** Returns what is written if nothing tells another format. */
  DataFormat otherwise() {
    return DataFormat.ARROW;
  }

  @Override
  DataFormat format(String target) {
    if (to == null) {
      return DataFormat.ofTarget(target).orElse(otherwise());
    }
    return DataFormat.named(to)
        .filter(f -> Formats.written().contains(f.text()))
        .orElseThrow(
            () ->
                fault(
                    "--to is one of %s, not \"%s\""
                        .formatted(String.join(", ", Formats.written()), to)));
  }
}
