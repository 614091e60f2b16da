package dev.kenaz.jobs.command;

import dev.kenaz.dataset.ArrayReader;
import dev.kenaz.dataset.ArrowReader;
import dev.kenaz.dataset.CsvFiles;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.DataFormat;
import dev.kenaz.dataset.ParquetReader;
import dev.kenaz.dataset.RowReader;
import java.util.List;

/** Opens files of any format as they are, without options. */
final class DatasetFormats {
  private DatasetFormats() {}

  static RowReader open(DataFile file) {
    return switch (DataFormat.of(file)) {
      case ARROW -> ArrowReader.open(file);
      case PARQUET -> ParquetReader.open(file, List.of());
      case NUMPY -> ArrayReader.open(file, DataFormat.NUMPY, "x");
      case IDX -> ArrayReader.open(file, DataFormat.IDX, "x");
      case CSV -> {
        var options =
            CsvOptions.DEFAULT
                .withSeparator(DataFormat.separator(file))
                .withMissing(CsvOptions.Missing.NULL);
        var whole = new CsvFiles(List.of(file), options);
        whole.settle();
        yield whole.open(0);
      }
    };
  }
}
