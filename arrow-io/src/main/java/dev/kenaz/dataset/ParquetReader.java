package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6105;

import dev.kenaz.arrow.Faults;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.DummyRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/** Reads the rows of a Parquet file, in memory that is bounded by one row group. */
public final class ParquetReader implements RowReader {
  private final DataFile file;
  private final ParquetFileReader reader;
  private final MessageType wanted;
  private final List<ColumnDescriptor> descriptors = new ArrayList<>();
  private final BufferAllocator memory;
  private final VectorSchemaRoot root;
  private final int batch;
  private List<ParquetColumn> columns = List.of();
  private long leftInGroup;
  private long done;

  private ParquetReader(DataFile file, List<String> names, ParquetFileReader reader) {
    this.file = file;
    this.reader = reader;
    var all = reader.getFileMetaData().getSchema();
    this.wanted = wanted(all, names);
    var arrow = ParquetTypes.arrow(reader.getFileMetaData().getKeyValueMetaData());
    var fields = new ArrayList<Field>();
    for (var type : wanted.getFields()) {
      fields.add(ParquetTypes.sized(ParquetTypes.field(type, file.name()), arrow));
      descriptors.add(
          wanted.getColumns().stream()
              .filter(c -> c.getPath()[0].equals(type.getName()))
              .findFirst()
              .orElseThrow());
    }
    this.batch = Math.clamp((8L << 20) / Math.max(1, fields.size()), 1, BATCH_ROWS);
    this.memory = BatchMemory.of(file.name());
    this.root = VectorSchemaRoot.create(new Schema(fields, arrow.getCustomMetadata()), memory);
    reader.setRequestedSchema(wanted);
  }

  /**
   * Opens a file.
   *
   * @param columns the columns that are wanted, in this order; empty for all
   * @throws UserError K6101, K6103, K6104, K6105
   */
  public static ParquetReader open(DataFile file, List<String> columns) {
    return guarded(
        file,
        () -> {
          var config = ParquetReadOptions.builder(new PlainParquetConfiguration()).build();
          var reader = ParquetFileReader.open(file.seekable(), config);
          try {
            return new ParquetReader(file, columns, reader);
          } catch (RuntimeException e) {
            reader.close();
            throw e;
          }
        });
  }

  private MessageType wanted(MessageType all, List<String> names) {
    var known = all.getFields().stream().map(Type::getName).toList();
    for (var name : names) {
      if (!known.contains(name)) {
        throw Faults.noColumn(file.name(), name, known);
      }
    }
    var chosen = names.isEmpty() ? known : names;
    if (chosen.isEmpty()) {
      throw fault(K6105, file.name() + " has no columns", "write it with columns");
    }
    return new MessageType(all.getName(), chosen.stream().map(all::getType).toList());
  }

  @Override
  public Schema schema() {
    return root.getSchema();
  }

  @Override
  public VectorSchemaRoot next() {
    return guarded(file, this::read);
  }

  private VectorSchemaRoot read() throws IOException {
    while (leftInGroup == 0) {
      var group = reader.readNextRowGroup();
      if (group == null) {
        return null;
      }
      columns = columns(group);
      leftInGroup = group.getRowCount();
    }
    int rows = (int) Math.min(batch, leftInGroup);
    for (int i = 0; i < columns.size(); i++) {
      columns.get(i).read(root.getVector(i), rows);
    }
    root.setRowCount(rows);
    leftInGroup -= rows;
    done += rows;
    return root;
  }

  private List<ParquetColumn> columns(PageReadStore group) {
    var slow =
        new ColumnReadStoreImpl(
            group,
            new DummyRecordConverter(wanted).getRootConverter(),
            wanted,
            reader.getFileMetaData().getCreatedBy());
    var made = new ArrayList<ParquetColumn>();
    for (int i = 0; i < descriptors.size(); i++) {
      made.add(column(group, descriptors.get(i), root.getVector(i).getField(), slow));
    }
    return made;
  }

  private static ParquetColumn column(
      PageReadStore group, ColumnDescriptor c, Field field, ColumnReadStoreImpl slow) {
    var type = c.getPrimitiveType().getPrimitiveTypeName();
    if (!field.getChildren().isEmpty()) {
      boolean nullable = field.getChildren().getFirst().isNullable();
      return new ParquetSlow(
          slow.getColumnReader(c), c.getMaxDefinitionLevel() - (nullable ? 1 : 0));
    }
    boolean plain = !(field.getType() instanceof ArrowType.Decimal);
    return switch (type) {
      case INT32, INT64, FLOAT, DOUBLE ->
          plain
              ? new ParquetFixed(new ParquetPages(c, group.getPageReader(c)), type)
              : new ParquetSlow(slow.getColumnReader(c), 0);
      case BINARY ->
          plain
              ? new ParquetTexts(new ParquetPages(c, group.getPageReader(c)))
              : new ParquetSlow(slow.getColumnReader(c), 0);
      case BOOLEAN, FIXED_LEN_BYTE_ARRAY, INT96 -> new ParquetSlow(slow.getColumnReader(c), 0);
    };
  }

  private interface Action<T> {
    T run() throws IOException;
  }

  private static <T> T guarded(DataFile file, Action<T> action) {
    try {
      return action.run();
    } catch (IOException e) {
      throw file.cannotRead(e);
    } catch (UserError e) {
      throw e;
    } catch (RuntimeException e) {
      // The library reports damage by all kinds of exceptions.
      var why = String.valueOf(e.getMessage());
      if (why.contains("magic number at tail")) {
        throw Faults.malformed(file.name(), "the end is missing; it was probably cut off");
      }
      throw fault(K6103, file.name() + " is no Parquet file, or is damaged: " + why);
    }
  }

  @Override
  public double fraction() {
    return (double) done / Math.max(1, reader.getRecordCount());
  }

  @Override
  public void close() {
    try (memory;
        root) {
      reader.close();
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }
}
