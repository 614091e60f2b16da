package dev.kenaz.arrow;

import static dev.kenaz.arrow.ArrowRoundTripTest.assertFault;
import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6110;
import static dev.kenaz.error.ErrorCode.K6120;
import static dev.kenaz.error.ErrorCode.K6121;
import static dev.kenaz.error.ErrorCode.K6122;
import static dev.kenaz.error.ErrorCode.K6123;
import static dev.kenaz.error.ErrorCode.K6124;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import dev.kenaz.dataset.ArrowReader;
import dev.kenaz.dataset.CsvFiles;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.CsvType;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.DataFormat;
import dev.kenaz.dataset.FileSource;
import dev.kenaz.dataset.FormatOptions;
import dev.kenaz.dataset.Formats;
import dev.kenaz.dataset.GroupedColumns;
import dev.kenaz.dataset.Packing;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.RowPlan;
import dev.kenaz.dataset.Transfer;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetTest {
  @TempDir Path folder;

  private ArrowDataset imported(String text, CsvOptions options, GroupedColumns.Group... groups)
      throws IOException {
    var csv = Files.writeString(folder.resolve("t.csv"), text);
    var target = folder.resolve("t.arrow");
    var plan =
        new RowPlan(List.of(), new GroupedColumns(List.of(groups)), options.columns(), Map.of());
    var source =
        plan.of(c -> new CsvFiles(List.of(DataFile.of(csv)), options.withColumns(c)), false);
    Transfer.run(source, RowOutput.arrowFile(target, true), Progress.NONE);
    return ArrowDataset.open(target.toString());
  }

  /** Imports a file with all its columns into a file, or into a folder of files. */
  private static Transfer.Summary csv(
      Path csv, Path target, long rowsPerFile, boolean overwrite, Progress progress) {
    return Transfer.run(
        new CsvFiles(List.of(DataFile.of(csv)), CsvOptions.DEFAULT),
        rowsPerFile == 0
            ? RowOutput.arrowFile(target, overwrite)
            : RowOutput.arrowFolder(target, rowsPerFile, overwrite),
        progress);
  }

  private static void exported(Path arrow, Path csv) {
    var packing = Packing.ofName(csv.toString());
    var output =
        new RowOutput(
            csv,
            false,
            0,
            ".csv",
            (file, schema) ->
                Formats.create(DataFormat.CSV, file, schema, FormatOptions.DEFAULT, packing),
            List.of(),
            0,
            false,
            false,
            1,
            "");
    var source = new FileSource(List.of(DataFile.of(arrow)), ArrowReader::open);
    Transfer.run(source, output, Progress.NONE);
  }

  private static List<String> types(ArrowDataset d) {
    return d.schema().stream().map(c -> c.name() + ": " + c.shownType()).toList();
  }

  @Test
  void typesAreInferredFromEveryLine() throws IOException {
    var d =
        imported(
            "a, b,\"c,d\",flag\n1,2,3,true\n-4 ,5, 1e3,FALSE\r\n\n7,inf,9,true\n",
            CsvOptions.DEFAULT);
    assertEquals(List.of("a: i64", "b: f64", "c,d: f64", "flag: bool"), types(d));
    assertEquals(
        ArrayValue.ofDoubles(
            new double[] {1, 2, 3, 1, -4, 5, 1000, 0, 7, Double.POSITIVE_INFINITY, 9, 1}, 3, 4),
        d.toMatrix(Prim.F64));
  }

  @Test
  void explicitTypesColumnsAndGroupsAreObeyed() throws IOException {
    var d =
        imported(
            "label,p0,p1,p2,note\n3,1,2,255,hello\n4,0,0,7,world\n",
            CsvOptions.DEFAULT
                .withColumns(List.of("p1", "label", "p0"))
                .withDefaultType(new CsvType.Number(Prim.U8))
                .withTypes(Map.of("label", new CsvType.Number(Prim.I32), "note", CsvType.TEXT)),
            new GroupedColumns.Group("pixels", "p0", "p2"));
    assertEquals(List.of("pixels: [3]u8", "label: i32"), types(d));
    assertEquals(
        ArrayValue.ofLongs(Prim.U8, new long[] {1, 2, 255, 0, 0, 7}, 2, 3),
        d.column("pixels").toMatrix(Prim.U8));
  }

  /** In a name that no column has, a star stands for any characters. */
  @Test
  void patternsOfNamesAreColumnsInTheOrderOfTheirNumbers() throws IOException {
    var d = imported("y,p10,p9,p1,q*,p01,x.2\n0,10,9,1,7,8,2\n", CsvOptions.DEFAULT);
    assertEquals("[p01, p1, p9, p10]", chosen(d, "p*"));
    assertEquals("[y, p10, p01, p1]", chosen(d, "y", "*10", "p0*", "p1"));
    assertEquals("[q*]", chosen(d, "q*"));
    assertEquals("[x.2]", chosen(d, "*.*"));
    assertEquals(7, d.withOptions(ReadOptions.columns("*")).columns().size());
    assertFault(K6104, "matches \"p?*\"", () -> chosen(d, "p?*"));
    assertFault(K6104, "\"p10\" is named twice", () -> chosen(d, "p10", "p*"));
  }

  private static String chosen(ArrowDataset d, String... names) {
    return d.withOptions(ReadOptions.columns(names)).columns().stream()
        .map(ColumnInfo::name)
        .toList()
        .toString();
  }

  @Test
  void withoutAHeaderColumnsAreNumbered() throws IOException {
    var d = imported("1;2\n3;4\n", CsvOptions.DEFAULT.withHeader(false).withSeparator(';'));
    assertEquals(List.of("c0: i64", "c1: i64"), types(d));
    assertEquals(2, d.rowCount());
  }

  @Test
  void missingFieldsAreErrorsOrNanOrDropTheRow() throws IOException {
    var text = "a,b\n1,2\n,NA\n3,4\n";
    assertFault(K6122, "t.csv:3:1: column \"a\"", () -> imported(text, CsvOptions.DEFAULT));
    var nan = imported(text, CsvOptions.DEFAULT.withMissing(CsvOptions.Missing.NAN));
    assertEquals(Map.of("a", 1L, "b", 1L), nan.nanCounts());
    var drop = imported(text, CsvOptions.DEFAULT.withMissing(CsvOptions.Missing.DROP));
    assertEquals(ArrayValue.ofLongs(new long[] {1, 2, 3, 4}, 2, 2), drop.toMatrix(Prim.I64));
    var integers =
        CsvOptions.DEFAULT
            .withMissing(CsvOptions.Missing.NAN)
            .withDefaultType(new CsvType.Number(Prim.I32));
    assertFault(K6122, "can't hold NaN", () -> imported(text, integers));
  }

  @Test
  void faultsNameTheLineAndLeaveNothing() throws IOException {
    assertFault(
        K6120, "t.csv:3:1: expected 2", () -> imported("a,b\n1,2\n3\n", CsvOptions.DEFAULT));
    assertFault(K6120, "found 3", () -> imported("a,b\n1,2,3\n", CsvOptions.DEFAULT));
    assertFault(K6120, "no CSV", () -> imported("a,b\n1,\"2\n3,4\n", CsvOptions.DEFAULT));
    assertFault(
        K6121,
        "t.csv:3:1: column \"b\": \"x\" is no i64",
        () ->
            imported(
                "a,b\n1,2\n1,x\n",
                CsvOptions.DEFAULT.withDefaultType(new CsvType.Number(Prim.I64))));
    assertFault(
        K6121,
        "\"300\" is no u8",
        () ->
            imported("a\n300\n", CsvOptions.DEFAULT.withDefaultType(new CsvType.Number(Prim.U8))));
    assertFault(K6123, "is empty", () -> imported("", CsvOptions.DEFAULT));
    assertFault(K6123, "two columns", () -> imported("a,a\n1,2\n", CsvOptions.DEFAULT));
    assertFault(K6123, "no name", () -> imported("a,\n1,2\n", CsvOptions.DEFAULT));
    var e =
        assertThrows(
            UserError.class,
            () -> imported("alpha\n1\n", CsvOptions.DEFAULT.withColumns(List.of("alhpa"))));
    assertEquals(List.of("did you mean \"alpha\"?"), e.diagnostics().getFirst().hints());
    assertFault(
        K6101,
        "no such file",
        () -> csv(folder.resolve("none.csv"), folder.resolve("x.arrow"), 0, false, Progress.NONE));
    try (var left = Files.list(folder)) {
      assertEquals(List.of("t.csv"), left.map(f -> f.getFileName().toString()).toList());
    }
  }

  @Test
  void aBigPackedFileBecomesManyFilesInOrder() throws IOException {
    int n = 200_001;
    var csv = folder.resolve("big.csv.gz");
    try (var out = new GZIPOutputStream(Files.newOutputStream(csv))) {
      var text = new StringBuilder("id,x\n");
      for (int i = 0; i < n; i++) {
        text.append(i).append(',').append(i * 0.5).append('\n');
      }
      out.write(text.toString().getBytes());
    }
    var fractions = new ArrayList<Double>();
    var target = folder.resolve("parts");
    var summary = csv(csv, target, 60_000, false, (_, f) -> fractions.add(f));
    assertEquals(4, summary.files());
    assertEquals(n, summary.rows());
    assertEquals(1, fractions.getLast());
    var d = ArrowDataset.open(target.toString());
    var ids = d.column("id").toVector(Prim.I32);
    assertTrue(IntStream.range(0, n).allMatch(i -> ids.getInt(i) == i));
    assertFault(K6110, "exists", () -> csv(csv, target, 1, false, Progress.NONE));
    Files.writeString(target.resolve("precious.txt"), "mine");
    assertFault(
        K6110, "more than files of a dataset", () -> csv(csv, target, 1, true, Progress.NONE));
  }

  @Test
  void zstandardIsUnpackedOnTheWay() throws IOException {
    var text = new StringBuilder("a,b\n");
    for (int i = 0; i < 50_000; i++) {
      text.append(i).append(',').append(i / 8.0).append('\n');
    }
    var csv = folder.resolve("z.csv.zst");
    Files.write(csv, Zstd.compress(text.toString().getBytes(StandardCharsets.UTF_8)));
    var target = folder.resolve("z.arrow");
    csv(csv, target, 0, false, Progress.NONE);
    var d = ArrowDataset.open(target.toString());
    assertEquals(50_000, d.rowCount());
    assertEquals(49_999 / 8.0, d.column("b").toVector(Prim.F64).toDoubleArray()[49_999]);
    Files.write(csv, Arrays.copyOf(Files.readAllBytes(csv), 1000));
    assertFault(K6101, "z.csv.zst", () -> csv(csv, target, 0, true, Progress.NONE));
  }

  @Test
  void exportReadsBackTheSame() throws IOException {
    var d = imported("a,b\n1,0.1\n-5,nan\n7,1e300\n", CsvOptions.DEFAULT);
    var out = folder.resolve("out.csv.gz");
    exported(folder.resolve("t.arrow"), out);
    var again = folder.resolve("again.arrow");
    csv(out, again, 0, false, Progress.NONE);
    var back = ArrowDataset.open(again.toString());
    assertEquals(types(d), types(back));
    assertEquals(d.toMatrix(Prim.F64), back.toMatrix(Prim.F64));
    assertFault(K6110, "exists", () -> exported(folder.resolve("t.arrow"), out));
  }

  @Test
  void listColumnsAreExportedElementByElement() throws IOException {
    var file = folder.resolve("l.arrow");
    ArrowOutput.write(
        file,
        ArrowRoundTripTest.columns(
            "x, y", ArrayValue.ofFloats(new float[] {1, 2.5f, 3, 4}, 2, 2),
            "b", ArrayValue.ofBooleans(new boolean[] {true, false})),
        false);
    var out = folder.resolve("l.csv");
    exported(file, out);
    assertEquals("\"x, y_0\",\"x, y_1\",b\n1.0,2.5,true\n3.0,4.0,false\n", Files.readString(out));
  }

  @Test
  void generatedDataDependsOnTheSeedButNotOnTheFiles() throws IOException {
    var blobs = new DatasetGenerate.Blobs(1000, 3, 4, 42, 0.1, Prim.F32, true);
    var one = folder.resolve("one.arrow");
    var seven = folder.resolve("seven");
    DatasetGenerate.write(blobs, one, 1, false, Progress.NONE);
    DatasetGenerate.write(blobs, seven, 7, false, Progress.NONE);
    var a = ArrowDataset.open(one.toString());
    var b = ArrowDataset.open(seven.toString());
    try (var files = Files.list(seven)) {
      assertEquals(7, files.filter(f -> f.toString().endsWith(".arrow")).count());
    }
    assertEquals(a.column("x").toMatrix(Prim.F32), b.column("x").toMatrix(Prim.F32));
    assertEquals(a.column("blob").toVector(Prim.I32), b.column("blob").toVector(Prim.I32));
    var columns = folder.resolve("columns.arrow");
    DatasetGenerate.write(
        new DatasetGenerate.Blobs(1000, 3, 4, 42, 0.1, Prim.F32, false),
        columns,
        1,
        false,
        Progress.NONE);
    var c = ArrowDataset.open(List.of(columns.toString()), ReadOptions.columns("x0", "x1", "x2"));
    assertEquals(a.column("x").toMatrix(Prim.F32), c.toMatrix(Prim.F32));
    var other = folder.resolve("other.arrow");
    DatasetGenerate.write(
        new DatasetGenerate.Blobs(1000, 3, 4, 43, 0.1, Prim.F32, true),
        other,
        1,
        false,
        Progress.NONE);
    assertNotEquals(
        a.column("x").toMatrix(Prim.F32),
        ArrowDataset.open(other.toString()).column("x").toMatrix(Prim.F32));
  }

  @Test
  void pointsLieRoundTheirCentres() {
    var blobs = new DatasetGenerate.Blobs(20_000, 2, 3, 7, 0.5, Prim.F64, true);
    var file = folder.resolve("c.arrow");
    DatasetGenerate.write(blobs, file, 1, false, Progress.NONE);
    var d = ArrowDataset.open(file.toString());
    var x = d.column("x").toMatrix(Prim.F64);
    var label = d.column("blob").toVector(Prim.I32);
    var centres = DatasetGenerate.centres(blobs);
    double squares = 0;
    var count = new int[3];
    for (int i = 0; i < 20_000; i++) {
      for (int j = 0; j < 2; j++) {
        double off = x.doubleAt(i, j) - centres.doubleAt(label.getInt(i), j);
        squares += off * off;
      }
      count[label.getInt(i)]++;
    }
    assertEquals(0.25, squares / 40_000, 0.01);
    assertTrue(Arrays.stream(count).allMatch(n -> n > 6000));
  }

  @Test
  void impossibleBlobsAreErrors() {
    assertFault(
        K6124, "0 dimensions", () -> new DatasetGenerate.Blobs(1, 0, 1, 1, 1, Prim.F32, true));
    assertFault(K6124, "type i32", () -> new DatasetGenerate.Blobs(1, 1, 1, 1, 1, Prim.I32, true));
    assertFalse(Files.exists(folder.resolve("none")));
  }
}
