package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6110;
import static dev.kenaz.error.ErrorCode.K6111;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.Progress;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Files are read from and written to a file system that only Hadoop knows. */
final class RemoteFilesTest {
  @TempDir private Path folder;

  private RemoteFiles remote;

  /** A file system whose files are those of this machine, under addresses of its own. */
  public static final class Mirror extends RawLocalFileSystem {
    @Override
    public URI getUri() {
      return URI.create("mirror:///");
    }

    @Override
    public String getScheme() {
      return "mirror";
    }
  }

  @BeforeEach
  void configure() {
    var configuration = new Configuration();
    configuration.set("fs.mirror.impl", Mirror.class.getName());
    remote = new RemoteFiles(configuration);
  }

  private String address(String name) {
    return "mirror://" + folder.resolve(name);
  }

  private static void assertFault(ErrorCode code, String part, Executable action) {
    var e = assertThrows(UserError.class, action);
    assertEquals(code, e.diagnostics().getFirst().code(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  private static long count(RowSource source) {
    long rows = 0;
    for (int part = 0; part < source.parts(); part++) {
      try (var reader = source.open(part)) {
        for (var batch = reader.next(); batch != null; batch = reader.next()) {
          rows += batch.getRowCount();
        }
        assertEquals(1, reader.fraction(), 0.5);
      }
    }
    return rows;
  }

  @Test
  void addressesAreToldFromPaths() {
    assertTrue(RemoteFiles.isAddress("hdfs://host:8020/a"));
    assertTrue(RemoteFiles.isAddress("s3a://bucket/a"));
    assertFalse(RemoteFiles.isAddress("file:///a"));
    assertFalse(RemoteFiles.isAddress("/a/b"));
    assertEquals(Path.of("/a/b"), SourceFiles.local("file:///a/b"));
    assertEquals(Path.of("/a/b"), SourceFiles.local("/a/b"));
  }

  @Test
  void filesOfAllFormatsAreReadFromElsewhere() throws IOException {
    var csv = new StringBuilder("id,s\n");
    for (int i = 0; i < 100_000; i++) {
      csv.append(i).append(",n").append(i % 9).append('\n');
    }
    Files.createDirectories(folder.resolve("in"));
    Files.writeString(folder.resolve("in/a.csv"), csv);
    Files.writeString(folder.resolve("in/b.csv"), "id,s\n1,2\n");
    var files = remote.resolve(address("in"));
    assertEquals(
        List.of("a.csv", "b.csv"),
        files.stream().map(f -> Path.of(f.name()).getFileName().toString()).toList());
    assertEquals(1, remote.resolve(address("in/a*.csv")).size());
    assertEquals(DataFormat.CSV, SourceFiles.format(files));
    assertEquals(100_001, count(new CsvFiles(files, CsvOptions.DEFAULT)));
    var source = new CsvFiles(remote.resolve(address("in/a.csv")), CsvOptions.DEFAULT);
    for (var format : List.of(DataFormat.ARROW, DataFormat.PARQUET, DataFormat.JSON)) {
      var target = folder.resolve("x" + format.ending());
      var output =
          new RowOutput(
              target,
              false,
              0,
              format.ending(),
              (file, schema) ->
                  Formats.create(format, file, schema, FormatOptions.DEFAULT, Packing.NONE),
              List.of(),
              0,
              false,
              false,
              1,
              "");
      Transfer.run(source, output, Progress.NONE);
      var there = remote.resolve(address("x" + format.ending()));
      assertEquals(format, DataFormat.of(there.getFirst()));
      assertEquals(100_000, count(Formats.source(format, there, FormatOptions.DEFAULT)));
    }
  }

  @Test
  void foldersArePutInPlaceWhole() throws IOException {
    var csv = Files.writeString(folder.resolve("a.csv"), "id\n1\n2\n");
    var source = new CsvFiles(List.of(DataFile.of(csv)), CsvOptions.DEFAULT);
    var local = folder.resolve("made");
    Transfer.run(source, RowOutput.arrowFolder(local, 1, false), Progress.NONE);
    remote.put(local, address("there/d"), false);
    var found = Validation.folder(folder.resolve("there/d"), ArrowReader::open, Progress.NONE);
    assertEquals(2, found.rows());
    assertEquals(2, remote.resolve(address("there/d")).size());
    assertFault(K6110, "exists already", () -> remote.put(local, address("there/d"), false));
    remote.put(local, address("there/d"), true);
    try (var all = Files.list(folder.resolve("there"))) {
      assertEquals(1, all.count());
    }
    Files.delete(folder.resolve("there/d").resolve(Manifest.NAME));
    assertFault(K6110, "isn't a dataset", () -> remote.put(local, address("there/d"), true));
  }

  @Test
  void whatCantBeReachedIsAnError() {
    assertFault(K6101, "no file is at", () -> remote.resolve(address("none.csv")));
    assertFault(K6101, "nowhere", () -> remote.resolve("nowhere://x/y"));
    assertFault(K6111, "nowhere", () -> remote.put(folder, "nowhere://x/y", false));
  }
}
