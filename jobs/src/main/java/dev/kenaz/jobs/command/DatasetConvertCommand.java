package dev.kenaz.jobs.command;

import dev.kenaz.dataset.CsvOptions;
import picocli.CommandLine.Command;

/** Converts files from one format to another. */
@Command(
    name = "convert",
    description =
        "Reads files of any format, and writes the format that the name of the target tells, or"
            + " --to; without either, Arrow.")
final class DatasetConvertCommand extends DatasetMove {
  @Override
  CsvOptions.Missing missingByDefault() {
    return CsvOptions.Missing.NULL;
  }
}
