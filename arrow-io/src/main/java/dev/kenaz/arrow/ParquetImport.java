package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6106;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayBuilder;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.DummyRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.Float16LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;

/**
 * Imports flat columns of numbers from a Parquet file into Arrow files, in memory that is bounded
 * by one row group.
 */
public final class ParquetImport {
  private final Path source;
  private final ReadOptions options;
  private final Progress progress;
  private long dropped;

  private ParquetImport(Path source, ReadOptions options, Progress progress) {
    this.source = source;
    this.options = options;
    this.progress = progress;
  }

  /**
   * Imports a Parquet file on this machine.
   *
   * @param target the file that is written or, if {@code rowsPerFile} isn't 0, the folder
   * @param rowsPerFile 0 for a single file
   * @throws UserError K6101 to K6106, K6110, K6111
   */
  public static DatasetImport.Summary parquet(
      Path source,
      Path target,
      long rowsPerFile,
      boolean overwrite,
      ReadOptions options,
      Progress progress) {
    AtomicOutput.to(target, overwrite).close();
    return new ParquetImport(source, options, progress).run(target, rowsPerFile, overwrite);
  }

  private record Column(ColumnDescriptor descriptor, ColumnInfo info) {
    Prim type() {
      return info.prim().orElseThrow();
    }
  }

  private DatasetImport.Summary run(Path target, long rowsPerFile, boolean overwrite) {
    var config = ParquetReadOptions.builder(new PlainParquetConfiguration()).build();
    try (var reader = ParquetFileReader.open(new LocalInputFile(source), config)) {
      var schema = reader.getFileMetaData().getSchema();
      var columns = columns(schema);
      var infos = columns.stream().map(Column::info).toList();
      reader.setRequestedSchema(requested(schema, columns));
      try (var out = new PartedOutput(target, infos, rowsPerFile, overwrite)) {
        long row = 0;
        var group = reader.readNextRowGroup();
        while (group != null) {
          copy(group, schema, reader.getFileMetaData().getCreatedBy(), columns, row, out);
          row += group.getRowCount();
          progress.at(row, (double) row / Math.max(1, reader.getRecordCount()));
          group = reader.readNextRowGroup();
        }
        out.commit();
        return new DatasetImport.Summary(infos, out.rows(), dropped, out.files());
      }
    } catch (IOException e) {
      throw Faults.cannotRead(source, e);
    } catch (UserError e) {
      throw e;
    } catch (RuntimeException e) {
      // The library reports damage by all kinds of exceptions.
      throw fault(K6103, source + " is no Parquet file, or is damaged: " + e.getMessage());
    }
  }

  private static MessageType requested(MessageType schema, List<Column> columns) {
    return new MessageType(
        schema.getName(), columns.stream().map(c -> schema.getType(c.info().name())).toList());
  }

  private List<Column> columns(MessageType schema) {
    var names = schema.getFields().stream().map(org.apache.parquet.schema.Type::getName).toList();
    var wanted = options.columns().isEmpty() ? names : options.columns();
    var columns = new ArrayList<Column>();
    for (var name : wanted) {
      if (!names.contains(name)) {
        throw Faults.noColumn(source, name, names);
      }
      var type = schema.getType(name);
      var prim =
          type.isPrimitive()
                  && !type.isRepetition(org.apache.parquet.schema.Type.Repetition.REPEATED)
              ? prim(type.asPrimitiveType())
              : Optional.<Prim>empty();
      if (prim.isEmpty()) {
        throw fault(
            K6105,
            "column \"%s\" of %s is \"%s\", not numbers"
                .formatted(name, source, type.toString().strip()),
            "choose columns of integers, floats or booleans");
      }
      columns.add(
          new Column(
              schema.getColumnDescription(new String[] {name}),
              ColumnInfo.scalar(name, prim.get())));
    }
    return columns;
  }

  private static Optional<Prim> prim(PrimitiveType type) {
    LogicalTypeAnnotation logical = type.getLogicalTypeAnnotation();
    return switch (type.getPrimitiveTypeName()) {
      case BOOLEAN -> Optional.of(Prim.BOOL);
      case FLOAT -> Optional.of(Prim.F32);
      case DOUBLE -> Optional.of(Prim.F64);
      case INT32 -> integer(logical, Prim.I32);
      case INT64 -> integer(logical, Prim.I64);
      case FIXED_LEN_BYTE_ARRAY ->
          logical instanceof Float16LogicalTypeAnnotation
              ? Optional.of(Prim.F16)
              : Optional.empty();
      case INT96, BINARY -> Optional.empty();
    };
  }

  /**
   * Returns the type of an integer column; nothing for dates, times and decimals, which are
   * integers with another meaning that must not get lost.
   */
  private static Optional<Prim> integer(LogicalTypeAnnotation logical, Prim plain) {
    if (logical == null) {
      return Optional.of(plain);
    }
    return logical instanceof IntLogicalTypeAnnotation i
        ? Prim.named((i.isSigned() ? "i" : "u") + i.getBitWidth())
        : Optional.empty();
  }

  private void copy(
      PageReadStore group,
      MessageType schema,
      String writer,
      List<Column> columns,
      long firstRow,
      PartedOutput out) {
    int rows = Math.toIntExact(group.getRowCount());
    var wanted = requested(schema, columns);
    var readers =
        new ColumnReadStoreImpl(
            group, new DummyRecordConverter(wanted).getRootConverter(), wanted, writer);
    var nulls = new BitSet();
    List<ArrayValue> arrays =
        columns.stream()
            .map(c -> read(readers.getColumnReader(c.descriptor()), c, rows, firstRow, nulls))
            .toList();
    dropped += nulls.cardinality();
    // This takes runs of complete rows, and cuts them into batches.
    for (int from = nulls.nextClearBit(0); from < rows; ) {
      int end = nulls.nextSetBit(from);
      int to = (int) Math.min(end < 0 ? rows : end, from + ArrowOutput.BATCH_ROWS);
      int start = from;
      out.write(arrays.stream().map(a -> a.rows(start, to)).toList());
      from = nulls.nextClearBit(to);
    }
  }

  private ArrayValue read(ColumnReader in, Column c, int rows, long firstRow, BitSet nulls) {
    var type = c.type();
    var builder = new ArrayBuilder(type, rows);
    int present = c.descriptor().getMaxDefinitionLevel();
    for (int i = 0; i < rows; i++) {
      if (in.getCurrentDefinitionLevel() == present) {
        builder.add(bits(in, c));
      } else if (options.nulls() == ReadOptions.Nulls.DROP) {
        nulls.set(i);
        builder.add(0);
      } else {
        throw fault(
            K6106,
            source + ": column \"" + c.info().name() + "\" is null in row " + (firstRow + i),
            "drop rows with nulls, or leave the column out");
      }
      in.consume();
    }
    return builder.build();
  }

  private static long bits(ColumnReader in, Column c) {
    return switch (c.type()) {
      case BOOL -> in.getBoolean() ? 1 : 0;
      case I8, I16, I32, U8, U16, U32 -> in.getInteger();
      case I64, U64 -> in.getLong();
      case F16 -> {
        var bytes = in.getBinary().getBytes();
        yield bytes[0] & 0xFFL | (bytes[1] & 0xFFL) << 8;
      }
      case F32 -> Float.floatToRawIntBits(in.getFloat());
      case F64 -> Double.doubleToRawLongBits(in.getDouble());
    };
  }
}
