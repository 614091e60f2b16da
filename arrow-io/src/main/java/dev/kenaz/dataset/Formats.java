package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import dev.kenaz.arrow.Faults;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;

/** The readers and writers of all formats. */
public final class Formats {
  /** The formats that are never packed as a whole, as they are read from their ends. */
  private static final Set<DataFormat> PACK_THEMSELVES =
      EnumSet.of(DataFormat.ARROW, DataFormat.PARQUET, DataFormat.NPZ);

  private Formats() {}

  /**
   * Begins a file, which must not exist.
   *
   * @param packing how it is packed on the way
   * @throws dev.kenaz.error.UserError K6104 if two columns have one name; K6111; K6143 if the
   *     format can't hold such columns
   */
  public static RowWriter create(
      DataFormat format, Path file, Schema schema, FormatOptions options, Packing packing) {
    if (PACK_THEMSELVES.contains(format) && packing != Packing.NONE) {
      throw Faults.fault(
          K6143, format.text() + " isn't packed once more", "leave .gz and .zst out of the name");
    }
    if (format == DataFormat.ARROW) {
      return new ArrowFile(file, schema);
    }
    return new SinkWriter(file, packing, Columns.distinct(schema), sink(format, options));
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
      case ARROW -> throw new IllegalArgumentException("Arrow has a writer of its own");
      case IDX, ADBENCH ->
          throw Faults.fault(
              K6143,
              "Kenaz reads " + format.text() + ", but doesn't write it",
              "write one of " + String.join(", ", written()));
    };
  }

  /**
   * Opens files of a format, each of which is a part.
   *
   * @param files at least one
   * @throws dev.kenaz.error.UserError K6101 to K6107, K6141, K6142
   */
  public static RowSource source(DataFormat format, List<DataFile> files, FormatOptions options) {
    return switch (format) {
      case ARROW -> new FileSource(files, ArrowReader::open);
      case CSV -> new CsvFiles(files, CsvOptions.DEFAULT.withSeparator(options.separator()));
      case PARQUET -> new FileSource(files, f -> ParquetReader.open(f, List.of()));
      case NUMPY, IDX -> new FileSource(files, f -> ArrayReader.open(f, format, options.name()));
      case NPZ -> new FileSource(files, f -> NpzReader.open(f, options));
      case JSON -> new JsonFiles(files, Map.of());
      case LIBSVM -> new FileSource(files, LibsvmReader.of(files, options));
      case MATRIX_MARKET -> new FileSource(files, f -> matrix(f, options));
      case ADBENCH -> new FileSource(files, f -> AdBenchFile.open(f, options));
      case FUTHARK -> new FileSource(files, f -> ValuesReader.futhark(f, options));
    };
  }

  /** Returns the names of the formats that are written. */
  public static List<String> written() {
    return List.of(
        "arrow", "csv", "parquet", "npy", "npz", "json", "libsvm", "matrix-market", "futhark");
  }

  private static RowSink matrix(Schema schema, OutputStream out, Path folder) throws IOException {
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
