package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6110;
import static dev.kenaz.error.ErrorCode.K6111;
import static dev.kenaz.error.ErrorCode.K6131;
import static dev.kenaz.error.ErrorCode.K6132;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.util.Progressable;
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
    remote.put(local, address("there/d"), false, false);
    var found =
        Validation.folder(
            DatasetFolder.of(folder.resolve("there/d")), ArrowReader::open, Progress.NONE);
    assertEquals(2, found.rows());
    assertEquals(2, remote.resolve(address("there/d")).size());
    assertFault(K6110, "exists already", () -> remote.put(local, address("there/d"), false, false));
    remote.put(local, address("there/d"), true, false);
    try (var all = Files.list(folder.resolve("there"))) {
      assertEquals(1, all.count());
    }
    Files.delete(folder.resolve("there/d").resolve(Manifest.NAME));
    assertFault(K6110, "isn't a dataset", () -> remote.put(local, address("there/d"), true, false));
  }

  /** A file system that breaks down after some files. */
  public static final class Breaking extends RawLocalFileSystem {
    static final AtomicInteger LEFT = new AtomicInteger();
    static final List<String> WRITTEN = new ArrayList<>();

    @Override
    public URI getUri() {
      return URI.create("breaking:///");
    }

    @Override
    public FSDataOutputStream create(
        org.apache.hadoop.fs.Path f,
        boolean overwrite,
        int bufferSize,
        short replication,
        long blockSize,
        Progressable progress)
        throws IOException {
      if (LEFT.getAndDecrement() <= 0) {
        throw new IOException("the network is down");
      }
      WRITTEN.add(f.getName());
      return super.create(f, overwrite, bufferSize, replication, blockSize, progress);
    }
  }

  private RowOutput parts(Path target, boolean resume) {
    return new RowOutput(
        target, true, 0, ".arrow", ArrowFile::new, List.of(), 0, false, resume, 1, "parts");
  }

  private static List<String> names(Path folder) throws IOException {
    try (var all = Files.list(folder)) {
      return all.map(p -> p.getFileName().toString()).sorted().toList();
    }
  }

  /** What is left belongs to this process, which doesn't take it over while it lives. */
  private void renamedAsOfAnEndedProcess() throws IOException {
    var left =
        names(folder).stream()
            .filter(n -> n.startsWith(".kenaz-remote-"))
            .findFirst()
            .orElseThrow();
    var ended = left.replaceFirst("-\\d+-\\d+-(?=[0-9a-f]+$)", "-999999999-1-");
    Files.move(folder.resolve(left), folder.resolve(ended));
  }

  @Test
  void anUploadThatFailsGoesOn() throws IOException {
    var configuration = new Configuration();
    configuration.set("fs.breaking.impl", Breaking.class.getName());
    var breaking = new RemoteFiles(configuration);
    var files = new ArrayList<DataFile>();
    for (int i = 0; i < 4; i++) {
      files.add(
          DataFile.of(Files.writeString(folder.resolve(i + ".csv"), "id\n%d\n".formatted(i))));
    }
    var source = new CsvFiles(files, CsvOptions.DEFAULT);
    var target = "breaking://" + folder.resolve("far/d");
    Breaking.LEFT.set(2);
    assertFault(
        K6111,
        "the network is down",
        () ->
            RemoteTransfer.run(
                source, target, folder, p -> parts(p, false), breaking, Progress.NONE));
    assertEquals(1, names(folder.resolve("far")).size(), "a hidden folder");
    Breaking.LEFT.set(100);
    Breaking.WRITTEN.clear();
    renamedAsOfAnEndedProcess();
    var other = new CsvFiles(files.subList(0, 3), CsvOptions.DEFAULT);
    assertFault(
        K6132,
        "other files or options",
        () ->
            RemoteTransfer.run(
                other, target, folder, p -> parts(p, true), breaking, Progress.NONE));
    renamedAsOfAnEndedProcess();
    var reading = new AtomicLong();
    var done =
        RemoteTransfer.run(
            source,
            target,
            folder,
            p -> parts(p, true),
            breaking,
            (rows, _) -> reading.set(Math.max(rows, reading.get())));
    assertEquals(0, reading.get(), "nothing is made again");
    assertEquals(4, done.rows());
    assertEquals(4, done.files());
    assertEquals(3, Breaking.WRITTEN.size(), "two files of five were there");
    assertEquals(List.of("d"), names(folder.resolve("far")));
    assertTrue(names(folder).stream().noneMatch(n -> n.startsWith(".")), "nothing is left");
    var found = breaking.folder(target).orElseThrow();
    assertEquals(4, Validation.folder(found, ArrowReader::open, Progress.NONE).rows());
    Files.writeString(folder.resolve("far/d/part-00002.arrow"), "damaged");
    var damaged = breaking.folder(target).orElseThrow();
    assertFault(
        K6131, "bytes, not", () -> Validation.folder(damaged, ArrowReader::open, Progress.NONE));
  }

  @Test
  void whatCantBeReachedIsAnError() {
    assertFault(K6101, "no file is at", () -> remote.resolve(address("none.csv")));
    assertFault(K6101, "nowhere", () -> remote.resolve("nowhere://x/y"));
    assertFault(K6111, "nowhere", () -> remote.put(folder, "nowhere://x/y", false, false));
  }
}
