package dev.kenaz.arrow;

import static dev.kenaz.arrow.ArrowRoundTripTest.assertFault;
import static dev.kenaz.error.ErrorCode.K6102;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6106;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ArrowWriter;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What Arrow's own writers write: nulls, strings, streams, compression, borrowed vectors. */
class ArrowInteropTest {
  private static final int ROWS = 1000;

  private final RootAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    allocator.close();
  }

  /**
   * id: 0.. with nulls at 7 and 500; x: id/2; name: text; flag: even; pair: (id, -id), row 9 null.
   */
  private VectorSchemaRoot sample() {
    var id = new IntVector("id", allocator);
    var x = new Float8Vector("x", allocator);
    var name = new VarCharVector("name", allocator);
    var flag = new BitVector("flag", allocator);
    var pair = FixedSizeListVector.empty("pair", 2, allocator);
    pair.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)));
    var cells = (IntVector) pair.getDataVector();
    for (int i = 0; i < ROWS; i++) {
      if (i != 7 && i != 500) {
        id.setSafe(i, i);
      }
      x.setSafe(i, i / 2.0);
      name.setSafe(i, ("row" + i).getBytes(StandardCharsets.UTF_8));
      flag.setSafe(i, 1 - i % 2);
      cells.setSafe(2 * i, i);
      cells.setSafe(2 * i + 1, -i);
      pair.setNotNull(i);
    }
    pair.setNull(9);
    id.setValueCount(ROWS);
    x.setValueCount(ROWS);
    name.setValueCount(ROWS);
    flag.setValueCount(ROWS);
    pair.setValueCount(ROWS);
    return new VectorSchemaRoot(List.of(name, id, x, flag, pair));
  }

  private byte[] bytes(boolean stream, CodecType codec) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var root = sample();
        var writer = writer(root, stream, codec, out)) {
      writer.start();
      writer.writeBatch();
      writer.writeBatch();
      writer.end();
    }
    return out.toByteArray();
  }

  private static ArrowWriter writer(
      VectorSchemaRoot root, boolean stream, CodecType codec, ByteArrayOutputStream out) {
    var channel = Channels.newChannel(out);
    CompressionCodec.Factory factory =
        codec == CodecType.NO_COMPRESSION
            ? NoCompressionCodec.Factory.INSTANCE
            : CommonsCompressionFactory.INSTANCE;
    if (stream) {
      return new ArrowStreamWriter(root, null, channel, IpcOption.DEFAULT, factory, codec);
    }
    return new ArrowFileWriter(root, null, channel, null, IpcOption.DEFAULT, factory, codec);
  }

  private static ArrowDataset read(byte[] bytes, ReadOptions options) {
    return ArrowDataset.read(new ByteArrayInputStream(bytes), "sample", options);
  }

  @ParameterizedTest
  @EnumSource(
      value = CodecType.class,
      names = {"NO_COMPRESSION", "LZ4_FRAME", "ZSTD"})
  void filesAndStreamsPlainAndCompressedReadTheSame(CodecType codec) throws IOException {
    for (boolean stream : new boolean[] {false, true}) {
      var d = read(bytes(stream, codec), ReadOptions.ALL);
      assertEquals(2 * ROWS, d.rowCount());
      assertEquals(2, d.batchCount());
      assertEquals(codec != CodecType.NO_COMPRESSION, d.compressed());
      assertEquals(ROWS / 4.0, d.column("x").toVector(Prim.F64).getDouble(ROWS / 2 + ROWS));
      assertEquals(1, d.column("flag").toVector(Prim.U8).getLong(2));
      assertFault(K6106, "\"id\" is null in row 7", () -> d.column("id").toVector(Prim.I32));
      assertFault(K6106, "\"pair\" is null in row 9", () -> d.column("pair").toMatrix(Prim.I32));
      assertFault(K6105, "column \"name\" of sample is string", () -> d.toMatrix(Prim.F64));
    }
  }

  /** Arrow has had these since its version 18; its library for Java hasn't. */
  @Test
  void narrowDecimalsAreNamed() throws IOException {
    var narrow = new Field("price", FieldType.nullable(new ArrowType.Decimal(5, 2, 32)), null);
    var bytes = new ByteArrayOutputStream();
    var channel = new WriteChannel(Channels.newChannel(bytes));
    MessageSerializer.serialize(channel, new Schema(List.of(narrow)));
    channel.writeIntLittleEndian(-1);
    channel.writeIntLittleEndian(0);
    assertFault(
        K6105,
        "column \"price\" of sample is decimal32",
        () -> read(bytes.toByteArray(), ReadOptions.ALL).rowCount());
  }

  /** Rows behind the end of a stream would be lost; zeros are padding. */
  @Test
  void joinedStreamsAreRefused() throws IOException {
    var one = bytes(true, CodecType.NO_COMPRESSION);
    var padded = Arrays.copyOf(one, one.length + 24);
    assertEquals(2 * ROWS, read(padded, ReadOptions.ALL).rowCount());
    System.arraycopy(one, 0, padded, one.length, 24);
    assertFault(
        K6103,
        "has 24 bytes behind the end of its stream",
        () -> read(padded, ReadOptions.ALL).rowCount());
  }

  @Test
  void droppedRowsAreWhole() throws IOException {
    var drop = ReadOptions.columns("id", "x", "pair").withNulls(ReadOptions.Nulls.DROP);
    var d = read(bytes(false, CodecType.NO_COMPRESSION), drop);
    var m = d.toMatrix(Prim.F64);
    assertEquals(2 * (ROWS - 3), m.dim(0));
    assertEquals(ArrayValue.ofDoubles(new double[] {6, 3, 6, -6}), m.at(6));
    assertEquals(ArrayValue.ofDoubles(new double[] {8, 4, 8, -8}), m.at(7));
    assertEquals(ArrayValue.ofDoubles(new double[] {10, 5, 10, -10}), m.at(8));
    assertEquals(ArrayValue.ofDoubles(new double[] {0, 0, 0, 0}), m.at(ROWS - 3));
    var nulls = new DatasetInspect(d).columns().stream().map(DatasetInspect.Column::nulls).toList();
    assertEquals(List.of(4L, 0L, 2L), nulls);
  }

  @Test
  void rowsOfErrorsCountFromTheFilesStart() throws IOException {
    var d = read(bytes(true, CodecType.ZSTD), ReadOptions.columns("id"));
    assertFault(K6106, "in row 1500", () -> d.rows(1200, 1600).toVector(Prim.I32));
    assertEquals(200, d.rows(1200, 1400).toVector(Prim.I32).dim(0));
  }

  @Test
  void vectorsAreBorrowedWithoutACopy() {
    try (var root = sample()) {
      var x = ColumnData.of(root.getVector("x"));
      var pair = ColumnData.of(root.getVector("pair"));
      var block = new RowBlock(List.of(x, pair), "vectors", 0);
      var m = RowBlock.toMatrix(List.of(block), 3, Prim.F64, ReadOptions.Nulls.DROP);
      assertEquals(ROWS - 1, m.dim(0));
      assertEquals(ArrayValue.ofDoubles(new double[] {1.5, 3, -3}), m.at(3));
      var alone = new RowBlock(List.of(x), "vectors", 0);
      var view = RowBlock.toMatrix(List.of(alone), 1, Prim.F64, ReadOptions.Nulls.ERROR);
      assertEquals(root.getVector("x").getDataBuffer().memoryAddress(), view.data().address());
      assertFault(K6105, "string", () -> ColumnData.of(root.getVector("name")));
    }
  }

  @Test
  void everyTruncationOfAStreamIsAnErrorOrLosesWholeBatchesOnly() throws IOException {
    for (var codec : new CodecType[] {CodecType.NO_COMPRESSION, CodecType.ZSTD}) {
      var whole = bytes(true, codec);
      for (int n = 1; n < whole.length; n += n < 2000 || n > whole.length - 64 ? 1 : 97) {
        var cut = Arrays.copyOf(whole, n);
        try {
          var d = read(cut, ReadOptions.columns("x"));
          assertEquals(d.rowCount(), d.toVector(Prim.F64).dim(0));
          assertEquals(0, d.rowCount() % ROWS);
        } catch (UserError e) {
          var code = e.diagnostics().getFirst().code();
          assertTrue(List.of(K6102, K6103).contains(code), n + ": " + e.getMessage());
        }
      }
    }
  }

  @Test
  void damageToBodiesAndMetadataNeverCrashes() throws IOException {
    for (var codec : CodecType.values()) {
      if (codec == CodecType.NO_COMPRESSION) {
        continue;
      }
      var whole = bytes(false, codec);
      for (int at = 0; at < whole.length; at += at < 700 || at > whole.length - 700 ? 1 : 211) {
        var bytes = whole.clone();
        bytes[at] ^= (byte) 0xFF;
        try {
          read(bytes, ReadOptions.columns("x", "id").withNulls(ReadOptions.Nulls.DROP))
              .toMatrix(Prim.F64);
        } catch (UserError e) {
          assertTrue(e.diagnostics().getFirst().code().name().startsWith("K61"));
        }
      }
    }
  }
}
