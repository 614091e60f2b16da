package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K6121;
import static dev.kenaz.error.ErrorCode.K6122;
import static dev.kenaz.error.ErrorCode.K6131;
import static dev.kenaz.error.ErrorCode.K6132;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.Progress;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Rows arrive as they were, in folders that say what they have. */
final class TransferTest {
  @TempDir private Path folder;

  private DataFile file(String name, String text) throws IOException {
    return DataFile.of(Files.writeString(folder.resolve(name), text));
  }

  private static void assertFault(ErrorCode code, String part, Executable action) {
    var e = assertThrows(UserError.class, action);
    assertEquals(code, e.diagnostics().getFirst().code(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  private RowOutput output(String name, int threads, boolean resume, String description) {
    return new RowOutput(
        folder.resolve(name),
        true,
        0,
        ".arrow",
        ArrowFile::new,
        List.of(),
        0,
        false,
        resume,
        threads,
        description);
  }

  /** Returns all rows as text. */
  private static List<String> rows(RowSource source) {
    var rows = new ArrayList<String>();
    for (int part = 0; part < source.parts(); part++) {
      try (var reader = source.open(part)) {
        for (var batch = reader.next(); batch != null; batch = reader.next()) {
          for (int i = 0; i < batch.getRowCount(); i++) {
            int row = i;
            rows.add(
                batch.getFieldVectors().stream()
                    .map(v -> String.valueOf(v.getObject(row)))
                    .toList()
                    .toString());
          }
        }
      }
    }
    return rows;
  }

  private static RowSource arrow(Path... files) {
    return new FileSource(
        java.util.Arrays.stream(files).map(DataFile::of).toList(), ArrowReader::open);
  }

  private static List<String> types(RowSource source) {
    return source.schema().getFields().stream().map(Field::toString).toList();
  }

  @Test
  void textsDaysTimesAndDecimalsAreKept() throws IOException {
    var text =
        """
        s,day,at,zoned,price,n
        "a, ""b\""\n2",2026-11-24,2026-11-24 10:30:00.25,2026-11-24T10:30:00+01:00,12.50,1
        NA,NA,,NA,,2
        "NA",1969-12-31,1969-12-31T23:59:59.999999,1970-01-01T00:00:00Z,-0.07,3
        "",2024-02-29,2024-02-29,2024-02-29T00:00:00Z,99999999.99,4
        """;
    var options =
        CsvOptions.DEFAULT.withTypes(
            Map.of("price", new CsvType.Decimal(10, 2), "at", new CsvType.Timestamp(false)));
    var csv = new CsvFiles(List.of(file("t.csv", text)), options);
    assertEquals(
        List.of(
            "s: Utf8",
            "day: Date(DAY)",
            "at: Timestamp(MICROSECOND, null)",
            "zoned: Timestamp(MICROSECOND, UTC)",
            "price: Decimal(10, 2, 128)",
            "n: Int(64, true) not null"),
        types(csv));
    var target = folder.resolve("t.arrow");
    Transfer.run(csv, RowOutput.arrowFile(target, false), Progress.NONE);
    assertEquals(
        List.of(
            "[a, \"b\"\n2, 20781, 2026-11-24T10:30:00.250, 1795512600000000, 12.50, 1]",
            "[null, null, null, null, null, 2]",
            "[NA, -1, 1969-12-31T23:59:59.999999, 0, -0.07, 3]",
            "[, 19782, 2024-02-29T00:00, 1709164800000000, 99999999.99, 4]"),
        rows(arrow(target)));
    assertFault(
        K6121,
        "\"12.505\" is no decimal(10,2)",
        () -> rows(new CsvFiles(List.of(file("p.csv", "price\n12.505\n")), decimals())));
    assertFault(
        K6121,
        "p.csv:3:1",
        () -> rows(new CsvFiles(List.of(file("p.csv", "price\n1\n123456789\n")), decimals())));
  }

  private static CsvOptions decimals() {
    return CsvOptions.DEFAULT.withTypes(Map.of("price", new CsvType.Decimal(10, 2)));
  }

  /** A later line than those that are looked at first may say that a column has another type. */
  @Test
  void aLateTextMakesAColumnOfTextsInAllFiles() throws IOException {
    var numbers = new StringBuilder("a,b\n");
    for (int i = 0; i < 7000; i++) {
      numbers.append(i).append(",2026-01-01\n");
    }
    var first = file("1.csv", numbers.toString());
    var second = file("2.csv", numbers + "x,2026-02-30\n");
    var csv = new CsvFiles(List.of(first, second), CsvOptions.DEFAULT);
    assertEquals(List.of("a: Int(64, true) not null", "b: Date(DAY)"), types(csv));
    var done = Transfer.run(csv, output("out", 2, false, ""), Progress.NONE);
    assertEquals(14_001, done.rows());
    var written =
        arrow(folder.resolve("out/part-00000.arrow"), folder.resolve("out/part-00001.arrow"));
    assertEquals(List.of("a: Utf8", "b: Utf8"), types(written));
    assertEquals("[x, 2026-02-30]", rows(written).getLast());
    assertEquals("[0, 2026-01-01]", rows(written).getFirst());
  }

  @Test
  void missingNumbersMayStayNulls() throws IOException {
    var text = "a,b\n1,true\n,\n3,false\n";
    var file = file("m.csv", text);
    assertFault(K6122, "m.csv:3:1", () -> rows(new CsvFiles(List.of(file), CsvOptions.DEFAULT)));
    var nulls = CsvOptions.DEFAULT.withMissing(CsvOptions.Missing.NULL);
    var csv = new CsvFiles(List.of(file), nulls);
    assertEquals(List.of("[1, true]", "[null, null]", "[3, false]"), rows(csv));
    var target = folder.resolve("m.arrow");
    Transfer.run(csv, RowOutput.arrowFile(target, false), Progress.NONE);
    assertEquals(rows(csv), rows(arrow(target)));
    var dropped = new ChangedSource(arrow(target), new NullNumbers(NullNumbers.Nulls.DROP));
    assertEquals(List.of("[1, true]", "[3, false]"), rows(dropped));
    assertEquals(List.of("a: Int(64, true) not null", "b: Bool not null"), types(dropped));
  }

  private List<DataFile> several() throws IOException {
    var files = new ArrayList<DataFile>();
    for (int f = 0; f < 5; f++) {
      var text = new StringBuilder("id,x,s\n");
      for (int i = 0; i < 1000 * (f + 1); i++) {
        text.append("%d,%s,n%d\n".formatted(f * 10_000 + i, i / 8.0, i % 7));
      }
      files.add(file("in" + f + ".csv", text.toString()));
    }
    return files;
  }

  private Map<String, byte[]> bytes(String name) throws IOException {
    var bytes = new TreeMap<String, byte[]>();
    try (var all = Files.list(folder.resolve(name))) {
      for (var f : all.toList()) {
        bytes.put(f.getFileName().toString(), Files.readAllBytes(f));
      }
    }
    return bytes;
  }

  private static void assertSame(Map<String, byte[]> expected, Map<String, byte[]> found) {
    assertEquals(expected.keySet(), found.keySet());
    expected.forEach((name, b) -> assertArrayEquals(b, found.get(name), name));
  }

  @Test
  void filesAreTheSameForAnyNumberOfThreads() throws IOException {
    var csv = new CsvFiles(several(), CsvOptions.DEFAULT);
    var done = Transfer.run(csv, output("one", 1, false, ""), Progress.NONE);
    assertEquals(15_000, done.rows());
    assertEquals(5, done.files());
    Transfer.run(csv, output("four", 4, false, ""), Progress.NONE);
    assertSame(bytes("one"), bytes("four"));
    var names = bytes("one").keySet().stream().filter(n -> n.endsWith(".arrow"));
    assertEquals(
        rows(csv),
        rows(arrow(names.map(n -> folder.resolve("one").resolve(n)).toArray(Path[]::new))));
    var found =
        Validation.folder(
            DatasetFolder.of(folder.resolve("one")), ArrowReader::open, Progress.NONE);
    assertEquals(new Validation.Summary(15_000, 5, true), found);
  }

  @Test
  void filesWithOtherColumnsAreRefused() throws IOException {
    var a = file("a.csv", "x,y\n1,2\n");
    var b = file("b.csv", "x,z\n1,2\n");
    assertFault(K6107, "b.csv", () -> new CsvFiles(List.of(a, b), CsvOptions.DEFAULT));
  }

  /** Each kind of damage to a folder is found, and the file is named. */
  @Test
  void whatDiffersFromTheManifestIsFound() throws IOException {
    var csv = new CsvFiles(several(), CsvOptions.DEFAULT);
    Transfer.run(csv, output("d", 2, false, ""), Progress.NONE);
    var d = folder.resolve("d");
    var part = d.resolve("part-00002.arrow");
    var good = Files.readAllBytes(part);
    var bad = good.clone();
    bad[good.length / 2] ^= 1;
    Files.write(part, bad);
    assertDamage(d, "part-00002.arrow has the checksum");
    Files.write(part, good);
    Files.write(part, new byte[1], StandardOpenOption.APPEND);
    assertDamage(d, "part-00002.arrow has");
    Files.delete(part);
    assertDamage(d, "part-00002.arrow is missing");
    Files.write(part, good);
    var other = Files.writeString(d.resolve("notes.txt"), "x");
    assertDamage(d, "notes.txt is not in the manifest");
    Files.delete(other);
    var manifest = d.resolve(Manifest.NAME);
    var said = Files.readString(manifest);
    Files.writeString(manifest, said.replace("\"i64\"", "\"i32\""));
    assertDamage(d, "has the columns");
    Files.writeString(manifest, said.replaceFirst("\"nulls\" : 0", "\"nulls\" : 9"));
    assertDamage(d, "has in column");
    Files.writeString(manifest, said.substring(0, 100));
    assertDamage(d, "is no manifest");
    Files.writeString(manifest, said);
    assertTrue(Validation.folder(DatasetFolder.of(d), ArrowReader::open, Progress.NONE).manifest());
  }

  private static void assertDamage(Path folder, String message) {
    assertFault(
        K6131,
        message,
        () -> Validation.folder(DatasetFolder.of(folder), ArrowReader::open, Progress.NONE));
  }

  /** What was complete before a fault is not done again, and the end is the same. */
  @Test
  void aResumedTransferEndsInTheSameBytes() throws IOException {
    var files = several();
    Transfer.run(new CsvFiles(files, types()), output("whole", 1, false, "a"), Progress.NONE);
    var last = files.getLast().path().orElseThrow();
    var good = Files.readString(last);
    Files.writeString(last, good.replace("40000,", "40x00,"));
    var broken = new CsvFiles(files, types());
    assertFault(
        K6121, "in4.csv", () -> Transfer.run(broken, output("out", 1, false, "a"), Progress.NONE));
    assertFalse(Files.exists(folder.resolve("out")));
    Files.writeString(last, good);
    var opened = new ArrayList<Integer>();
    var csv = new CsvFiles(files, types());
    var counting =
        new RowSource() {
          @Override
          public org.apache.arrow.vector.types.pojo.Schema schema() {
            return csv.schema();
          }

          @Override
          public int parts() {
            return csv.parts();
          }

          @Override
          public String name(int part) {
            return csv.name(part);
          }

          @Override
          public long weight(int part) {
            return csv.weight(part);
          }

          @Override
          public RowReader open(int part) {
            opened.add(part);
            return csv.open(part);
          }
        };
    renamedAsOfAnEndedProcess();
    assertFault(
        K6132,
        "other files or options",
        () -> Transfer.run(counting, output("out", 1, true, "b"), Progress.NONE));
    renamedAsOfAnEndedProcess();
    Transfer.run(counting, output("out", 1, true, "a"), Progress.NONE);
    assertEquals(List.of(4), opened);
    assertSame(bytes("whole"), bytes("out"));
  }

  private static CsvOptions types() {
    return CsvOptions.DEFAULT.withTypes(Map.of("id", new CsvType.Number(Prim.I64)));
  }

  /** The folder that is left belongs to this process, which doesn't take it over while it lives. */
  private void renamedAsOfAnEndedProcess() throws IOException {
    try (var all = Files.list(folder)) {
      var left =
          all.filter(f -> f.getFileName().toString().startsWith(".out.kept-"))
              .findFirst()
              .orElseThrow();
      var name = left.getFileName().toString().replaceFirst("-\\d+-\\d+-", "-999999999-1-");
      Files.move(left, folder.resolve(name));
    }
  }
}
