package dev.kenaz.dataset;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.api.RecordConsumer;

/**
 * Writes rows as Parquet, compressed by Zstandard, in row groups of bounded size. Arrow's schema
 * goes along under the key by which other writers of Arrow store it, so that readers of Arrow find
 * the types again that Parquet doesn't have, such as lists of one length.
 */
final class ParquetSink implements RowSink {
  /** So many bytes a row group has, before they are compressed. */
  private static final long GROUP_BYTES = 64L << 20;

  private static final String ARROW_SCHEMA = "ARROW:schema";

  private final ParquetWriter<Integer> writer;
  private final Rows rows;

  /**
   * @throws dev.kenaz.error.UserError K6143 if Parquet lacks the type of a column
   */
  ParquetSink(Schema schema, OutputStream out) throws IOException {
    this.rows = new Rows(schema);
    this.writer =
        new Builder(new Output(out), rows)
            .withConf(new PlainParquetConfiguration())
            .withCompressionCodec(CompressionCodecName.ZSTD)
            .withRowGroupSize(GROUP_BYTES)
            .build();
  }

  @Override
  public void write(VectorSchemaRoot batch) throws IOException {
    rows.begin(batch.getFieldVectors());
    for (int row = 0; row < batch.getRowCount(); row++) {
      writer.write(row);
    }
  }

  @Override
  public void end() throws IOException {
    writer.close();
  }

  /** Makes the writer of the library, whose rows are numbers of rows of the batch. */
  private static final class Builder extends ParquetWriter.Builder<Integer, Builder> {
    private final Rows rows;

    Builder(OutputFile file, Rows rows) {
      super(file);
      this.rows = rows;
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    @SuppressWarnings("deprecation") // The library has it as an abstract method all the same.
    protected WriteSupport<Integer> getWriteSupport(Configuration configuration) {
      return rows;
    }

    @Override
    protected WriteSupport<Integer> getWriteSupport(ParquetConfiguration configuration) {
      return rows;
    }
  }

  /** Hands the values of rows to the library. */
  private static final class Rows extends WriteSupport<Integer> {
    private final Schema schema;
    private final org.apache.parquet.schema.MessageType type;
    private RecordConsumer consumer;
    private List<ParquetCells.Column> columns = List.of();

    Rows(Schema schema) {
      this.schema = schema;
      this.type = ParquetFields.message(schema);
    }

    @Override
    @SuppressWarnings("deprecation")
    public WriteContext init(Configuration configuration) {
      return context();
    }

    @Override
    public WriteContext init(ParquetConfiguration configuration) {
      return context();
    }

    private WriteContext context() {
      var metadata = new HashMap<String, String>(schema.getCustomMetadata());
      metadata.put(ARROW_SCHEMA, Base64.getEncoder().encodeToString(serialized(schema)));
      return new WriteContext(type, Map.copyOf(metadata));
    }

    /** Returns the schema as a message of Arrow's IPC format. */
    private static byte[] serialized(Schema schema) {
      return schema.serializeAsMessage();
    }

    @Override
    public void prepareForWrite(RecordConsumer recordConsumer) {
      this.consumer = recordConsumer;
    }

    void begin(List<FieldVector> vectors) {
      columns = new ArrayList<>();
      for (var vector : vectors) {
        columns.add(ParquetCells.of(vector));
      }
    }

    @Override
    public void write(Integer row) {
      consumer.startMessage();
      for (int c = 0; c < columns.size(); c++) {
        columns.get(c).field(consumer, type.getFieldName(c), c, row);
      }
      consumer.endMessage();
    }
  }

  /** A file for the library that is a stream for others, who close it. */
  private record Output(OutputStream out) implements OutputFile {
    @Override
    public PositionOutputStream create(long blockSizeHint) {
      return new PositionOutputStream() {
        private long position;

        @Override
        public long getPos() {
          return position;
        }

        @Override
        public void write(int b) throws IOException {
          out.write(b);
          position++;
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
          out.write(bytes, from, length);
          position += length;
        }

        @Override
        public void flush() throws IOException {
          out.flush();
        }

        @Override
        public void close() throws IOException {
          out.flush();
        }
      };
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSizeHint) {
      return create(blockSizeHint);
    }

    @Override
    public boolean supportsBlockSize() {
      return false;
    }

    @Override
    public long defaultBlockSize() {
      return 0;
    }
  }
}
