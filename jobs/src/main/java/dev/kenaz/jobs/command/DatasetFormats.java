package dev.kenaz.jobs.command;

import dev.kenaz.dataset.CsvFiles;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.DataFormat;
import dev.kenaz.dataset.FormatOptions;
import dev.kenaz.dataset.Formats;
import dev.kenaz.dataset.RowReader;
import java.util.List;

/** Opens files of any format as they are, without options. */
final class DatasetFormats {
  private DatasetFormats() {}

  static RowReader open(DataFile file) {
    var format = DataFormat.of(file);
    return switch (format) {
      case CSV -> {
        var options =
            CsvOptions.DEFAULT
                .withSeparator(DataFormat.separator(file))
                .withMissing(CsvOptions.Missing.NULL);
        var whole = new CsvFiles(List.of(file), options);
        whole.settle();
        yield whole.open(0);
      }
      case JSON -> {
        var whole = Formats.source(format, List.of(file), FormatOptions.DEFAULT);
        whole.settle();
        yield whole.open(0);
      }
      case ARROW, PARQUET, NUMPY, NPZ, IDX, LIBSVM, MATRIX_MARKET, ADBENCH, FUTHARK ->
          Formats.source(format, List.of(file), FormatOptions.DEFAULT).open(0);
    };
  }
}
