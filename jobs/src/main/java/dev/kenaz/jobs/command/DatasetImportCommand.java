package dev.kenaz.jobs.command;

import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.DataFormat;
import picocli.CommandLine.Command;

/** Imports files of other formats into Arrow files. */
@Command(
    name = "import",
    description =
        "Imports files of CSV, Parquet, JSON, LIBSVM, Matrix Market, NumPy (.npy, .npz), IDX,"
            + " ADBench or Futhark's values, which may be packed (.gz, .zst), into Arrow files."
            + " Their contents tell which they are.")
final class DatasetImportCommand extends DatasetMove {
  @Override
  CsvOptions.Missing missingByDefault() {
    return CsvOptions.Missing.ERROR;
  }

  @Override
  DataFormat format(String target) {
    requireArrow(target, "kenaz dataset convert writes other formats");
    return DataFormat.ARROW;
  }
}
