package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static dev.kenaz.dataset.FormatTesting.text;
import static dev.kenaz.error.ErrorCode.K6141;
import static dev.kenaz.error.ErrorCode.K6142;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.value.Prim;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sparse rows of LIBSVM and SVMlight. */
final class LibsvmTest {
  private static final FormatOptions DEFAULT = FormatOptions.DEFAULT;

  private static RowReader open(DataFile file, FormatOptions options) {
    return Formats.source(DataFormat.LIBSVM, List.of(file), options).open(0);
  }

  /** Files that are read together have columns that hold the rows of all. */
  @Test
  void severalFilesHaveTheSameColumns() {
    var files = List.of(text("1 1:1"), text("0.5 7:2"));
    var source = Formats.source(DataFormat.LIBSVM, files, DEFAULT);
    assertEquals("7", source.schema().getCustomMetadata().get("features"));
    assertEquals(List.of(List.of(1.0, List.of(0L), List.of(1.0))), rows(source.open(0)));
    assertEquals(List.of(List.of(0.5, List.of(6L), List.of(2.0))), rows(source.open(1)));
  }

  @Test
  void labelsFeaturesAndComments() {
    var file =
        text("# a comment", "+1 1:0.5 3:-2e-3 # why", "", "-1", "  0\t2:1\r", "2 10:nan 11:-inf");
    try (var reader = open(file, DEFAULT)) {
      assertEquals("11", reader.schema().getCustomMetadata().get("features"));
      assertEquals(
          "[label: Int(64, true) not null, indices: List<item: Int(64, true) not null> not null,"
              + " values: List<item: FloatingPoint(DOUBLE) not null> not null]",
          reader.schema().getFields().toString());
    }
    assertEquals(
        List.of(
            List.of(1L, List.of(0L, 2L), List.of(0.5, -2e-3)),
            List.of(-1L, List.of(), List.of()),
            List.of(0L, List.of(1L), List.of(1.0)),
            List.of(2L, List.of(9L, 10L), List.of(Double.NaN, Double.NEGATIVE_INFINITY))),
        rows(open(file, DEFAULT)));
  }

  @Test
  void queriesRealLabelsAndOptions() {
    var file = text("\uFEFF1.5 qid:7 0:0.1 4:3", "2 qid:8 1:1");
    var options = DEFAULT.withIndexBase(0).withValues(Prim.F32).withFeatures(6);
    try (var reader = open(file, options)) {
      assertEquals("6", reader.schema().getCustomMetadata().get("features"));
    }
    assertEquals(
        List.of(
            List.of(1.5, 7L, List.of(0L, 4L), List.of(0.1f, 3f)),
            List.of(2.0, 8L, List.of(1L), List.of(1f))),
        rows(open(file, options)));
  }

  @Test
  void manyRowsComeInSeveralBatches() {
    int n = RowReader.BATCH_ROWS + 10;
    var lines = new String[n];
    for (int i = 0; i < n; i++) {
      lines[i] = i + " " + (i % 5 + 1) + ":" + i;
    }
    var rows = rows(open(text(lines), DEFAULT));
    assertEquals(n, rows.size());
    assertEquals(List.of(65_540L, List.of(0L), List.of(65540.0)), rows.get(65_540));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 2:1 2:3           | K6141 | stands twice
          1 3:1 2:3           | K6141 | don't increase
          1 0:1               | K6141 | begin with 1
          1 -4:1              | K6141 | negative
          1 99999999999999999999:1 | K6142 | is no i64
          1 1:x               | K6142 | "x" is no f64
          1 1:                | K6141 | expected index:value
          1 :1                | K6141 | expected index:value
          1 5                 | K6141 | expected index:value
          1:5                 | K6141 | begins with its label
          1,2 1:5             | K6141 | several labels
          x 1:5               | K6142 | "x" is no f64
          1 1:5 qid:3         | K6141 | qid stands once
          1 qid:1 qid:2       | K6141 | qid stands once
          1 qid:1 1:1         | K6142 | no qid
          """)
  void whatIsWrongIsNamedWithItsLine(String line, ErrorCode code, String words) {
    // The last line has no qid, which is wrong if another one has.
    int at = words.contains("no qid") ? 3 : 2;
    var file = text("0 1:1 2:2", line, "1 1:2");
    var in = words.contains("qid") ? text("0 qid:0 1:1 2:2", line, "1 1:2") : file;
    assertFault(code, at, words, () -> rows(open(in, DEFAULT)));
  }

  @Test
  void unusualText() {
    assertEquals(List.of(), rows(open(text(""), DEFAULT)));
    assertEquals(List.of(), rows(open(text("#only", "  ", "\t"), DEFAULT)));
    var utf16 = BytesFile.of("file", "1 1:2".getBytes(java.nio.charset.StandardCharsets.UTF_16));
    assertFault(K6141, 1, "UTF-16", () -> rows(open(utf16, DEFAULT)));
    var told = DEFAULT.withFeatures(3);
    assertFault(K6141, 1, "beyond the 3", () -> open(text("1 4:1"), told));
    var rubbish = BytesFile.of("file", new byte[] {0, 1, 2, (byte) 200, 7, 10, 3});
    assertFault(K6142, 1, "is no f64", () -> rows(open(rubbish, DEFAULT)));
    var wide = new StringBuilder("1");
    for (int i = 1; i <= 100_000; i++) {
      wide.append(' ').append(i).append(":1");
    }
    var rows = rows(open(text("0 1:1", wide.toString()), DEFAULT));
    assertEquals(100_000, ((List<?>) rows.get(1).get(1)).size());
  }
}
