package dev.kenaz.jobs.command;

import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.DataFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes datasets for other programs. */
@Command(
    name = "export",
    description =
        "Writes a dataset in the format that --to or the name of the target tells; without either,"
            + " as CSV. The target - is the standard output. A name that ends in .gz or .zst makes"
            + " a packed file.")
final class DatasetExportCommand extends DatasetConvertCommand {
  @Option(names = "--drop-nulls", description = "Leave out rows that have a null.")
  private boolean drop;

  @Override
  CsvOptions.Missing missingByDefault() {
    return drop ? CsvOptions.Missing.DROP : CsvOptions.Missing.NULL;
  }

  @Override
  DataFormat otherwise() {
    return DataFormat.CSV;
  }
}
