package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static dev.kenaz.dataset.FormatTesting.text;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6110;
import static dev.kenaz.error.ErrorCode.K6141;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The four formats of ADBench. */
final class AdBenchFileTest {
  @TempDir Path folder;

  private static final String GMM = "2 1 3\n0.5\n1 2\n3 4 5\n6 7\n8 9\n10 11\n1.5 2\n";

  private static final DataFile BONES =
      text("root:-1" + ":1".repeat(32), "tip:0" + ":2".repeat(32), "");

  private static final DataFile VERTICES =
      text("1:2:3:0:0:0:0:0:2:1:0.25:0:0.75", "4:5:6:0:0:0:0:0:1:0:1");

  private static DataFile model(String name) {
    return switch (name) {
      case "bones" -> BONES;
      case "vertices" -> VERTICES;
      case "triangles" -> text("0:1:0");
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static double[] column(AdBenchFile file, String table, String column) {
    return file.tables().get(table).get(column).toDoubleArray();
  }

  @Test
  void mixtures() {
    var read = AdBenchFile.read(text(GMM));
    assertEquals(List.of("alphas", "means", "icf", "points", "wishart"), read.names());
    assertArrayEquals(new double[] {3, 4, 5}, column(read, "icf", "icf"));
    assertArrayEquals(new double[] {1.5}, column(read, "wishart", "gamma"));
    var points = AdBenchFile.open(text(GMM), FormatOptions.DEFAULT);
    assertEquals(
        List.of(
            List.of(List.of(6.0, 7.0)), List.of(List.of(8.0, 9.0)), List.of(List.of(10.0, 11.0))),
        rows(points));
    var means = FormatOptions.DEFAULT.withArrays(List.of("means"));
    assertEquals(List.of(List.of(List.of(1.0, 2.0))), rows(AdBenchFile.open(text(GMM), means)));
    var wrong = FormatOptions.DEFAULT.withArrays(List.of("mean"));
    assertFault(K6104, "no table \"mean\"", () -> AdBenchFile.open(text(GMM), wrong));
  }

  @Test
  void cameras() {
    var read = AdBenchFile.read(text("2 3 4", "1 2 3 4 5 6 7 8 9 10 11", "7 8 9", "0.5", "1 2"));
    assertEquals("observations", read.rows());
    assertEquals(2, read.tables().get("cameras").get("camera").dim(0));
    assertEquals(3, read.tables().get("points").get("point").dim(0));
    assertArrayEquals(new double[] {0, 1, 0, 1}, column(read, "observations", "camera"));
    assertArrayEquals(new double[] {0, 1, 2, 0}, column(read, "observations", "point"));
    assertArrayEquals(
        new double[] {1, 2, 1, 2, 1, 2, 1, 2}, column(read, "observations", "feature"));
  }

  @Test
  void texts() {
    var lines = "1 2 1\n\n1 2 3 4\n5 6 7 8\n\n9\n10\n11\n\n12\n13\n\n0\n1";
    var read = AdBenchFile.read(text(lines));
    assertArrayEquals(new double[] {1, 2, 3, 4, 5, 6, 7, 8}, column(read, "main", "main"));
    assertArrayEquals(new double[] {9, 10, 11}, column(read, "extra", "extra"));
    assertArrayEquals(new double[] {12, 13}, column(read, "state", "state"));
    assertArrayEquals(new double[] {0, 1}, column(read, "sequence", "x"));
  }

  @Test
  void hands() {
    var simple = AdBenchFile.read(text("1 2", "1 0.5 0.6 0.7", "8 9"), AdBenchFileTest::model);
    assertArrayEquals(new double[] {8, 9}, column(simple, "theta", "theta"));
    assertArrayEquals(new double[] {1}, column(simple, "points", "vertex"));
    assertArrayEquals(new double[] {-1, 0}, column(simple, "bones", "parent"));
    assertArrayEquals(new double[] {0.75, 0.25, 1, 0}, column(simple, "vertices", "weights"));
    assertEquals(List.of("points", "theta", "bones", "vertices"), simple.names());
    var complicated =
        AdBenchFile.read(text("1 2", "1 0.5 0.6 0.7", "3 4", "8 9"), AdBenchFileTest::model);
    assertArrayEquals(new double[] {3, 4}, column(complicated, "points", "us"));
    assertArrayEquals(new double[] {0, 1, 0}, column(complicated, "triangles", "corners"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          2 1 3;0.5;1 2;3 4 5;6 7                   | K6141 | 5 | ends where a number must follow
          2 1 1;0.5;1 2;3 4 5;6 7;1.5 2 3           | K6141 | 6 | goes on after
          2 1 1;0.5;1 2;3 x 5;6 7;1.5 2             | K6142 | 4 | "x" is no f64
          2 1 1;0.5;1 2;3 4 5;6 7;1.5 2.5           | K6142 | 6 | "2.5" is no i64
          2 300000000 1;0.5                         | K6141 | 1 | no count
          200000000 200000000 1;0.5;1               | K6141 | 3 | ends where
          1 2;1 0.5 0.6 0.7;8                       | K6141 | 3 | 1 numbers follow
          0 1 1;0.5                                 | K6141 | 1 | first lines
          a b c;0.5                                 | K6141 | 1 | first lines
          """)
  void whatIsWrongIsNamedWithItsLine(String lines, ErrorCode code, int line, String words) {
    var file = text(lines.split(";"));
    assertFault(code, line, words, () -> AdBenchFile.read(file, AdBenchFileTest::model));
  }

  @Test
  void wrongModels() {
    var hand = text("1 2", "1 0.5 0.6 0.7", "8 9");
    assertFault(K6141, 1, "too few fields", () -> AdBenchFile.read(hand, _ -> text("root:-1:3")));
    assertFault(
        K6141,
        1,
        "no bone 7",
        () ->
            AdBenchFile.read(hand, n -> n.equals("bones") ? BONES : text("1:2:3:0:0:0:0:0:1:7:1")));
  }

  /** Each table is a file of a folder, which appears as a whole. */
  @Test
  void foldersOfTables() throws IOException {
    var file = Files.writeString(folder.resolve("gmm.txt"), GMM);
    var target = folder.resolve("gmm");
    assertEquals(
        Map.of("alphas", 1L, "means", 1L, "icf", 1L, "points", 3L, "wishart", 1L),
        AdBenchFile.importTables(DataFile.of(file), target, false));
    assertEquals(
        "[[[1.0, 2.0]]]",
        rows(ArrowReader.open(DataFile.of(target.resolve("means.arrow")))).toString());
    assertFault(
        K6110, "exists already", () -> AdBenchFile.importTables(DataFile.of(file), target, false));
  }
}
