package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6101;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import dev.kenaz.error.UserError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          x.libsvm   | 1 1:0.5 7:2e-3      | sparse text
          x.csv      | -1 qid:3 1:0.5      | sparse text
          x.json     | {"a": 1}            | its name doesn't tell
          x          | a,b                 | its name doesn't tell
          x.csv      | PAR1                | its name says CSV
          x.parquet  | a,b                 | doesn't begin as one
          x.csv      | BZh9                | packed by bzip2
          x.csv      | version https://git-lfs.github.com/spec/v1 | pointer of Git LFS
          x.xlsx     | PK\u0003\u0004x     | zip archive
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
