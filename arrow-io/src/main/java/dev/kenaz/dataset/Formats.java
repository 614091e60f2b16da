package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import dev.kenaz.arrow.Faults;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;

/** The readers and writers of formats besides Arrow's own. */
public final class Formats {
  private Formats() {}

  /**
   * Begins a file, which must not exist.
   *
   * @param packing how it is packed on the way
   * @throws dev.kenaz.error.UserError K6111; K6143 if the format can't hold such columns
   */
  public static RowWriter create(
      DataFormat format, Path file, Schema schema, FormatOptions options, Packing packing) {
    boolean packsItself = format == DataFormat.PARQUET || format == DataFormat.NPZ;
    if (packsItself && packing != Packing.NONE) {
      throw Faults.fault(
          K6143, format.text() + " isn't packed once more", "leave .gz and .zst out of the name");
    }
    return new SinkWriter(file, packing, schema, sink(format, options));
  }

  private static SinkWriter.Format sink(DataFormat format, FormatOptions options) {
    return switch (format) {
      case CSV -> (schema, out, _) -> new CsvSink(schema, out, options.separator());
      case PARQUET -> (schema, out, _) -> new ParquetSink(schema, out);
      case NUMPY -> NumpySink::array;
      case NPZ -> NumpySink::archive;
      case JSON -> (_, out, _) -> new JsonSink(out);
      case LIBSVM -> (schema, out, _) -> new LibsvmSink(schema, out, options);
      case MATRIX_MARKET -> Formats::matrix;
      case FUTHARK ->
          (schema, out, folder) -> new FutharkSink(schema, out, folder, options.binary());
      case IDX, ADBENCH ->
          throw Faults.fault(
              K6143,
              "Kenaz reads " + format.text() + ", but doesn't write it",
              "write one of " + String.join(", ", written()));
    };
  }

  /** Returns the names of the formats that are written. */
  public static List<String> written() {
    return List.of("csv", "parquet", "npy", "npz", "json", "libsvm", "matrix-market", "futhark");
  }

  private static RowSink matrix(Schema schema, java.io.OutputStream out, Path folder)
      throws java.io.IOException {
    var fields = schema.getFields();
    boolean dense =
        fields.size() == 1 && fields.getFirst().getType() instanceof ArrowType.FixedSizeList;
    return dense && !fields.getFirst().getName().equals(LibsvmReader.INDICES)
        ? new DenseMatrixSink(NumberColumn.of(fields.getFirst(), "Matrix Market"), out, folder)
        : new MatrixSink(schema, out, folder);
  }

  /** Opens a matrix: its rows, if it is dense or they are asked for, or its entries. */
  static RowReader matrix(DataFile file, FormatOptions options) {
    var in = new MatrixMarketFile(file);
    if (in.header().coordinate() && !options.csr()) {
      return MatrixEntriesReader.open(file, in);
    }
    in.close();
    return MatrixRowsReader.open(file, in.header(), options);
  }
}
