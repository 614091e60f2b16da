package dev.kenaz.arrow;

import static dev.kenaz.arrow.ArrowRoundTripTest.assertFault;
import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6106;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.dataset.ArrowReader;
import dev.kenaz.dataset.ChangedSource;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.FileSource;
import dev.kenaz.dataset.NullNumbers;
import dev.kenaz.dataset.ParquetReader;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.Transfer;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ParquetImportTest {
  private static final int ROWS = 5000;

  @TempDir Path folder;

  private Path sample(CompressionCodecName codec) throws IOException {
    var schema =
        MessageTypeParser.parseMessageType(
            """
            message sample {
              required int32 id;
              optional double x;
              required int32 small (INTEGER(8, false));
              required int64 big;
              required float f;
              required boolean even;
              required binary name (UTF8);
              required int32 day (DATE);
            }
            """);
    var file = folder.resolve(codec + ".parquet");
    try (var out =
        ExampleParquetWriter.builder(new LocalOutputFile(file))
            .withConf(new PlainParquetConfiguration())
            .withType(schema)
            .withCompressionCodec(codec)
            .withRowGroupSize(50_000L)
            .build()) {
      var groups = new SimpleGroupFactory(schema);
      for (int i = 0; i < ROWS; i++) {
        var g = groups.newGroup();
        g.add("id", i);
        if (i % 1000 != 7) {
          g.add("x", i / 4.0);
        }
        g.append("small", i % 256).append("big", (long) i << 40).append("f", i / 2f);
        g.append("even", i % 2 == 0).append("name", "n" + i).append("day", i);
        out.write(g);
      }
    }
    return file;
  }

  private ArrowDataset imported(Path file, ReadOptions options) {
    var target = folder.resolve("out.arrow");
    var nulls =
        options.nulls() == ReadOptions.Nulls.DROP
            ? NullNumbers.Nulls.DROP
            : NullNumbers.Nulls.ERROR;
    var read =
        new FileSource(List.of(DataFile.of(file)), f -> ParquetReader.open(f, options.columns()));
    Transfer.run(
        new ChangedSource(read, new NullNumbers(nulls)),
        RowOutput.arrowFile(target, true),
        Progress.NONE);
    return ArrowDataset.open(target.toString());
  }

  @ParameterizedTest
  @EnumSource(
      value = CompressionCodecName.class,
      names = {"UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD"})
  void numbersOfAllKindsAreRead(CompressionCodecName codec) throws IOException {
    var options = ReadOptions.columns("big", "id", "small", "f", "even");
    var d = imported(sample(codec), options);
    assertEquals(
        List.of("i64", "i32", "u8", "f32", "bool"),
        d.schema().stream().map(ColumnInfo::shownType).toList());
    assertTrue(d.batchCount() > 1);
    assertEquals(ROWS, d.rowCount());
    var m = d.toMatrix(Prim.F64);
    for (int i = 0; i < ROWS; i += 333) {
      assertEquals(
          ArrayValue.ofDoubles(
              new double[] {(double) ((long) i << 40), i, i % 256, i / 2.0, 1 - i % 2}),
          m.at(i));
    }
  }

  @Test
  void nullsAreErrorsOrDropTheirRows() throws IOException {
    var file = sample(CompressionCodecName.SNAPPY);
    var options = ReadOptions.columns("x", "id");
    assertFault(K6106, "\"x\" is null in row 7", () -> imported(file, options));
    var d = imported(file, options.withNulls(ReadOptions.Nulls.DROP));
    assertEquals(ROWS - 5, d.rowCount());
    assertEquals(
        ArrayValue.ofDoubles(new double[] {1.5, 6, 2, 8}, 2, 2), d.toMatrix(Prim.F64).rows(6, 8));
  }

  @Test
  void textsAndDaysAreRead() throws IOException {
    var file = sample(CompressionCodecName.UNCOMPRESSED);
    var d = imported(file, ReadOptions.columns("id", "name", "day"));
    assertEquals(
        List.of("i32", "string", "date"), d.schema().stream().map(ColumnInfo::shownType).toList());
    try (var reader = ArrowReader.open(DataFile.of(folder.resolve("out.arrow")))) {
      long row = 0;
      for (var batch = reader.next(); batch != null; batch = reader.next()) {
        for (int i = 0; i < batch.getRowCount(); i++, row++) {
          assertEquals("n" + row, batch.getVector("name").getObject(i).toString());
          assertEquals((int) row, batch.getVector("day").getObject(i));
        }
      }
      assertEquals(ROWS, row);
    }
    assertFault(K6104, "no column \"idd\"", () -> imported(file, ReadOptions.columns("idd")));
  }

  @Test
  void damagedFilesAreErrorsAndLeaveNothing() throws IOException {
    var whole = Files.readAllBytes(sample(CompressionCodecName.SNAPPY));
    for (int n = 0; n < whole.length; n += 1 + whole.length / 50) {
      var cut = Files.write(folder.resolve("cut.parquet"), Arrays.copyOf(whole, n));
      assertFault(K6103, "cut.parquet", () -> imported(cut, ReadOptions.columns("id")));
    }
    assertFault(K6101, "none", () -> imported(folder.resolve("none.parquet"), ReadOptions.ALL));
    try (var left = Files.list(folder)) {
      assertEquals(2, left.count());
    }
  }
}
