package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static dev.kenaz.dataset.FormatTesting.text;
import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6141;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Matrices in the Matrix Market format. */
final class MatrixMarketTest {
  private static final FormatOptions CSR = FormatOptions.DEFAULT.withCsr(true);

  private static List<List<Object>> entries(String... lines) {
    return rows(Formats.matrix(text(lines), FormatOptions.DEFAULT));
  }

  private static List<List<Object>> byRows(String... lines) {
    return rows(Formats.matrix(text(lines), CSR));
  }

  private static String head(String kind) {
    return "%%MatrixMarket matrix " + kind;
  }

  @Test
  void entriesOfSparseMatrices() {
    assertEquals(
        List.of(List.of(0L, 0L, 1.5), List.of(2L, 1L, -2.0)),
        entries(head("coordinate real general"), "% comment", "", "3 2 2", "1 1 1.5", "3 2 -2"));
    assertEquals(
        List.of(List.of(1L, 0L), List.of(0L, 1L), List.of(1L, 1L)),
        entries(head("COORDINATE Pattern Symmetric"), "2 2 2\r", "2 1\r", "2 2\r"));
    assertEquals(
        List.of(List.of(1L, 0L, 5L), List.of(0L, 1L, -5L)),
        entries(head("coordinate integer skew-symmetric"), "2 2 1", "2 1 5"));
    try (var reader = Formats.matrix(text(head("coordinate real general"), "3 2 0"), CSR)) {
      assertEquals("3", reader.schema().getCustomMetadata().get("rows"));
      assertEquals("2", reader.schema().getCustomMetadata().get("columns"));
    }
  }

  @Test
  void rowsOfSparseMatrices() {
    assertEquals(
        List.of(
            List.of(List.of(0L, 1L), List.of(1.0, 4.0)),
            List.of(List.of(), List.of()),
            List.of(List.of(0L, 2L), List.of(3.0, 2.0))),
        byRows(head("coordinate real general"), "3 3 4", "3 3 2", "1 1 1", "3 1 3", "1 2 4"));
    assertEquals(
        List.of(List.of(List.of(0L, 1L)), List.of(List.of(0L))),
        byRows(head("coordinate pattern symmetric"), "2 2 2", "1 1", "2 1"));
  }

  @Test
  void rowsOfDenseMatrices() {
    assertEquals(
        List.of(List.of(List.of(1L, 3L)), List.of(List.of(2L, 4L))),
        entries(head("array integer general"), "2 2", "1", "2", "3", "4"));
    assertEquals(
        List.of(List.of(List.of(1.0, 2.0)), List.of(List.of(2.0, 3.0))),
        entries(head("array real symmetric"), "2 2", "1 2 3"));
    assertEquals(
        List.of(
            List.of(List.of(0L, -1L, -2L)),
            List.of(List.of(1L, 0L, -3L)),
            List.of(List.of(2L, 3L, 0L))),
        entries(head("array integer skew-symmetric"), "3 3", "1", "2", "3"));
  }

  /** A window of few entries makes many passes, and gives the same rows. */
  @Test
  void windowsMakeNoDifference() {
    var random = new SplittableRandom(3);
    var lines = new ArrayList<String>();
    for (int i = 1; i <= 40; i++) {
      for (int j = 1; j <= 25; j++) {
        if (random.nextInt(4) == 0) {
          lines.add(random.nextInt(lines.size() + 1), i + " " + j + " " + random.nextDouble());
        }
      }
    }
    lines.addFirst("40 25 " + lines.size());
    lines.addFirst(head("coordinate real general"));
    var file = text(lines.toArray(new String[0]));
    var whole = rows(Formats.matrix(file, CSR));
    for (int window : new int[] {1, 7, 100}) {
      try (var in = new MatrixMarketFile(file)) {
        assertEquals(whole, rows(MatrixRowsReader.open(file, in.header(), CSR, window)));
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          coordinate complex general  | 2 2 1;1 1 1 0     | K6105 | 1 | "complex" stands
          coordinate real hermitian   | 2 2 1;1 1 1       | K6105 | 1 | "hermitian" stands
          vector real general         | 2 2 1;1 1 1       | K6105 | 1 | "vector" stands
          array pattern general       | 2 2;1             | K6141 | 1 | a pattern is
          coordinate real symmetric   | 2 3 1;1 1 1       | K6141 | 2 | as many rows
          coordinate real symmetric   | 2 2 1;1 2 1       | K6141 | 3 | lower triangle
          coordinate real skew-symmetric | 2 2 1;1 1 1    | K6141 | 3 | lower triangle
          coordinate real general     | 2 2 2;1 1 1       | K6141 | 3 | after 1 of 2
          coordinate real general     | 2 2 1;1 1 1;2 2 1 | K6141 | 4 | goes on
          coordinate real general     | 2 2 1;0 1 1       | K6141 | 3 | no row 0
          coordinate real general     | 2 2 1;1 3 1       | K6141 | 3 | no column 3
          coordinate real general     | 2 2 1;1 -1 1      | K6141 | 3 | no column -1
          coordinate real general     | 2 2 1;1 1         | K6142 | 3 | "" is no f64
          coordinate real general     | 2 2 1;1 1 1 1     | K6141 | 3 | behind the end
          coordinate integer general  | 2 2 1;1 1 1.5     | K6142 | 3 | "1.5" is no i64
          coordinate real general     | 2 2               | K6142 | 2 | is no i64
          coordinate real general     | 2 -2 1            | K6141 | 2 | negative
          coordinate real general     |                   | K6141 | 1 | size of the matrix is missing
          array real general          | 2 2;1;2;3         | K6141 | 5 | after 3 of 4
          array real general          | 9999999999 9999999999 | K6141 | 2 | too large
          """)
  void whatIsWrongIsNamedWithItsLine(
      String kind, String rest, ErrorCode code, int line, String words) {
    var lines = (head(kind) + (rest == null ? "" : ";" + rest)).split(";");
    // The file's first fault is found whether it is read by entries or by rows.
    assertFault(code, line, words, () -> entries(lines));
    assertFault(code, line, words, () -> byRows(lines));
  }

  @Test
  void hostileSizes() {
    assertFault(K6141, 1, "begins with", () -> entries("1 2 3"));
    assertFault(K6141, 1, "begins with", () -> entries(""));
    var huge = text(head("coordinate real general"), "2000000000 2000000000 0");
    assertFault(K6105, "too large to be read by rows", () -> Formats.matrix(huge, CSR));
    assertEquals(List.of(), rows(Formats.matrix(huge, FormatOptions.DEFAULT)));
    var twice = text(head("coordinate real general"), "2 2 2", "1 2 1", "1 2 1");
    assertFault(K6141, "two entries in row 1, column 2", () -> rows(Formats.matrix(twice, CSR)));
    assertFault(K6105, "without columns", () -> entries(head("array real general"), "2 0"));
  }
}
