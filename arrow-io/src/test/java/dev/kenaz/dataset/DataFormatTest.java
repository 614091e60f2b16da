package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6125;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ValueWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a file is, is told by its contents and its name, and anything else is an error. */
final class DataFormatTest {
  @TempDir Path folder;

  private Path file(String name, byte[] contents) throws IOException {
    return Files.write(folder.resolve(name), contents);
  }

  private DataFile data(String name, byte[] contents) throws IOException {
    return DataFile.of(file(name, contents));
  }

  private static byte[] packed(byte[] bytes) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  @Test
  void whatCanBeImported() throws IOException {
    var csv = "a,b\n1,2\n".repeat(5000).getBytes(StandardCharsets.UTF_8);
    for (var name : new String[] {"x.csv", "x.CSV", "x.txt", "x.tsv"}) {
      assertEquals(DataFormat.CSV, DataFormat.of(data(name, csv)));
    }
    assertEquals(DataFormat.CSV, DataFormat.of(data("x.csv.gz", packed(csv))));
    assertEquals(DataFormat.CSV, DataFormat.of(data("packed.csv", packed(csv))));
    assertEquals(DataFormat.CSV, DataFormat.of(data("x.csv.zst", Zstd.compress(csv))));
    assertEquals(DataFormat.CSV, DataFormat.of(data("empty.csv", new byte[0])));
    assertEquals('\t', DataFormat.separator(DataFile.of(Path.of("x.tsv.gz"))));
    for (var name : new String[] {"x.parquet", "x", "x.snappy"}) {
      assertEquals(DataFormat.PARQUET, DataFormat.of(data(name, "PAR1..PAR1".getBytes())));
    }
  }

  /** A text file's first lines tell its format, unless its name says that it is CSV. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          x.libsvm   | 1 1:0.5 7:2e-3            | LIBSVM
          x.csv      | -1 qid:3 1:0.5            | LIBSVM
          x          | # why;+1 1:nan 2:-inf # x | LIBSVM
          x.json     | {"a": 1}                  | JSON
          x.jsonl    |  {;"a": 1}                | JSON
          x          | [;{"a": 1}]               | JSON
          x          | {}                        | JSON
          x.csv      | [a],{b}                   | CSV
          x.csv      | {"a": 1}                  | CSV
          x.mtx      | %%MatrixMarket matrix x   | MATRIX_MARKET
          x.txt      | %%matrixmarket matrix x   | MATRIX_MARKET
          x          | [1, 2]                    | FUTHARK
          x.in       | -- c;;  [[f32.nan]]       | FUTHARK
          x          | empty([0]i32)             | FUTHARK
          x          | ["ab", "cd"]              | FUTHARK
          x          | [true]                    | FUTHARK
          x.txt      | 2 3 1;-0.64;1.2           | ADBENCH
          x.txt      | 2 3 4;1 2 3 4 5 6 7 8 9 10 11 | ADBENCH
          x.txt      | 2 8 1;;0.1 0.2 0.3 0.4    | ADBENCH
          x.txt      | 100 26;516 0.1 0.2 -1.6   | ADBENCH
          x.txt      | a b;1 2                   | CSV
          x.txt      | 1 2;3                     | CSV
          x.csv      | 2 3 1;-0.64;1.2           | CSV
          """)
  void textTellsItsFormat(String name, String lines, DataFormat format) throws IOException {
    var text = lines.replace(';', '\n').getBytes(StandardCharsets.UTF_8);
    assertEquals(format, DataFormat.of(data(name, text)));
    assertEquals(format, DataFormat.of(data(name + ".gz", packed(text))));
  }

  @Test
  void bytesTellTheirFormat() throws IOException {
    var value = new ByteArrayOutputStream();
    ValueWriter.writeBinary(ArrayValue.ofLongs(new long[] {1, 2}, 2), value);
    assertEquals(DataFormat.FUTHARK, DataFormat.of(data("x", value.toByteArray())));
    var zip = new ByteArrayOutputStream();
    try (var out = new ZipOutputStream(zip)) {
      out.putNextEntry(new ZipEntry("a.npy"));
    }
    assertEquals(DataFormat.NPZ, DataFormat.of(data("x.npz", zip.toByteArray())));
    var e =
        assertThrows(UserError.class, () -> DataFormat.of(data("x.gz", packed(zip.toByteArray()))));
    assertTrue(e.getMessage().contains("packed once more"), e.getMessage());
  }

  /** What takes time or stack for each character doesn't get much of either. */
  @Test
  void hostileBeginnings() throws IOException {
    for (var start : new String[] {" ", "\n", "-- x\n", "1 1:1 ", "[", "{", "9", "1 2 3\n"}) {
      var text = start.repeat(200_000).getBytes(StandardCharsets.UTF_8);
      try {
        DataFormat.of(data("x.txt", text));
      } catch (UserError e) {
        assertEquals(K6125, e.diagnostics().getFirst().code());
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          x          | a,b                 | its name doesn't tell
          x.json     | ``                  | is empty
          x.csv      | PAR1                | its name says CSV
          x.parquet  | a,b                 | doesn't begin as one
          x.csv      | BZh9                | packed by bzip2
          x.csv      | version https://git-lfs.github.com/spec/v1 | pointer of Git LFS
          x.xlsx     | PK\u0003\u0004x     | zip archive
          x.npz      | PK\u0003\u0004x     | zip archive
          x.txt.gz   | PK\u0003\u0004x     | zip archive
          x.csv      | a\u0000b            | NUL
          """)
  void whatIsNotImportedIsAnError(String name, String start, String message) throws IOException {
    var file = file(name, (start + "\n").getBytes(StandardCharsets.UTF_8));
    var e = assertThrows(UserError.class, () -> DataFormat.of(DataFile.of(file)));
    assertTrue(e.getMessage().contains(message), e.getMessage());
    assertTrue(e.getMessage().contains(name), e.getMessage());
  }

  @Test
  void whatCannotBeReadIsNamed() throws IOException {
    var link = Files.createSymbolicLink(folder.resolve("l.csv"), Path.of("gone.csv"));
    for (var p : new Path[] {folder, link, folder.resolve("none.csv"), Path.of("/")}) {
      var e = assertThrows(UserError.class, () -> DataFormat.of(DataFile.of(p)));
      assertEquals(K6101, e.diagnostics().getFirst().code());
    }
    var e = assertThrows(UserError.class, () -> DataFormat.of(DataFile.of(link)));
    assertTrue(e.getMessage().contains("a link to gone.csv"), e.getMessage());
  }
}
