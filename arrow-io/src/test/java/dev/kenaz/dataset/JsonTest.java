package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static dev.kenaz.dataset.FormatTesting.text;
import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K6141;
import static dev.kenaz.error.ErrorCode.K6142;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JSON lines, and files of one JSON array. */
final class JsonTest {
  private static RowSource source(String... lines) {
    return new JsonFiles(List.of(text(lines)), Map.of());
  }

  private static List<List<Object>> read(String... lines) {
    return rows(source(lines).open(0));
  }

  @Test
  void typesAreThoseOfAllRows() {
    var lines =
        new String[] {
          "\uFEFF{\"a\": 1, \"b\": [1, 2], \"c\": \"x\\u00e9\", \"d\": [1], \"e\": {\"f\": true}}",
          "",
          "{\"a\": 2.5, \"b\": [3, null], \"d\": [], \"e\": {}, \"g\": null}\r",
          "{\"c\": \"\", \"b\": null, \"a\": NaN, \"e\": null, \"d\": [1.5, -Infinity]}"
        };
    assertEquals(
        "[a: FloatingPoint(DOUBLE), b: FixedSizeList(2)<item: Int(64, true)>, c: Utf8, d:"
            + " List<item: FloatingPoint(DOUBLE)>, e: Struct<f: Bool>, g: FloatingPoint(DOUBLE)]",
        source(lines).schema().getFields().toString());
    assertEquals(
        List.of(
            Arrays.asList(1.0, List.of(1L, 2L), "xé", List.of(1.0), Map.of("f", true), null),
            Arrays.asList(2.5, Arrays.asList(3L, null), null, List.of(), Map.of(), null),
            Arrays.asList(
                Double.NaN, null, "", List.of(1.5, Double.NEGATIVE_INFINITY), null, null)),
        read(lines));
    assertEquals(read("{\"a\": 1}", "{\"a\": 2}"), read("[{\"a\": 1},", " {\"a\": 2}]"));
  }

  /**
   * No number holds large integers exactly, so they become strings; beside others they are rounded.
   */
  @Test
  void integersBeyondLongsAreStrings() {
    var large = "12345678901234567890";
    var lines =
        new String[] {
          "{\"id\": %s, \"x\": %s, \"l\": [1, %s]}".formatted(large, large, large),
          "{\"id\": -7, \"x\": 0.5, \"l\": [2, 3]}"
        };
    assertEquals(
        "[id: Utf8, x: FloatingPoint(DOUBLE), l: FixedSizeList(2)<item: Utf8>]",
        source(lines).schema().getFields().toString());
    assertEquals(
        List.of(
            List.of(large, 1.2345678901234567e19, List.of("1", large)),
            List.of("-7", 0.5, List.of("2", "3"))),
        read(lines));
    assertFault(
        K6142,
        2,
        "\"id\" is a truth value here, and an integer in rows before",
        () -> source("{\"id\": %s}".formatted(large), "{\"id\": true}"));
  }

  /** The columns of the first rows are given up when a later row has others. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"a": 1.5}               | FloatingPoint(DOUBLE)
          {"a": 12345678901234567890} | Utf8
          {"a": 1, "b": 2}         | Int(64, true)
          """)
  void laterRowsMayContradict(String line, String type) {
    var source = new JsonFiles(List.of(text("{\"a\": 1}", line)), Map.of(), 1);
    try (var reader = source.open(0)) {
      assertThrows(RowSource.Contradiction.class, reader::next);
    }
    source.settle();
    assertEquals(type, source.schema().getFields().getFirst().getType().toString());
    assertEquals(2, rows(source.open(0)).size());
  }

  @Test
  void arraysOfOtherLengthsContradict() {
    for (var line : new String[] {"{\"a\": [1]}", "{\"a\": [1, 2, 3]}", "{\"a\": [1, 2.5]}"}) {
      var source = new JsonFiles(List.of(text("{\"a\": [1, 2]}", line)), Map.of(), 1);
      try (var reader = source.open(0)) {
        assertThrows(RowSource.Contradiction.class, reader::next);
      }
      source.settle();
      assertEquals(2, rows(source.open(0)).size());
    }
  }

  @Test
  void filesHaveTheirColumnsTogether() {
    var source =
        new JsonFiles(List.of(text("{\"a\": 1}"), text("{\"b\": \"x\", \"a\": 0.5}")), Map.of());
    assertEquals(List.of(Arrays.asList(1.0, null)), rows(source.open(0)));
    assertEquals(List.of(List.of(0.5, "x")), rows(source.open(1)));
    var different = List.of(text("{\"a\": 1}"), text("{\"a\": \"x\"}"));
    assertFault(K6107, "before it", () -> new JsonFiles(different, Map.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"a": "x"}     | K6142 | 2 | "a" is a string here, and an integer in rows before
          {"a": true}    | K6142 | 2 | a truth value
          {"a": [1]}     | K6142 | 2 | an array
          {"a": 1        | K6141 | 3 | ends within a row
          {"a": }        | K6141 | 2 | no JSON
          {a: 1}         | K6141 | 2 | no JSON
          [1, 2]         | K6141 | 2 | a row is an object
          7              | K6141 | 2 | a row is an object
          {"a": 1} x     | K6141 | 2 | no JSON
          {"a": 01}      | K6141 | 2 | no JSON
          """)
  void whatIsWrongIsNamedWithItsLine(String line, ErrorCode code, int at, String words) {
    assertFault(code, at, words, () -> read("{\"a\": 1}", line, ""));
  }

  @Test
  void hostileText() {
    assertFault(K6141, 1, "stands twice", () -> read("{\"a\": 1, \"a\": 2}"));
    assertFault(K6141, 1, "goes on after", () -> read("[{\"a\": 1}] {\"a\": 2}"));
    assertFault(K6141, 1, "half of a character", () -> read("{\"a\": \"x\\ud800\"}"));
    assertFault(K6142, "no objects", () -> source(""));
    assertFault(K6142, "no objects", () -> source("{}"));
    var deep = "{\"a\": " + "[".repeat(100_000);
    assertFault(K6141, 1, "no JSON", () -> source(deep));
    var rubbish = BytesFile.of("file", new byte[] {'{', 0, 1, (byte) 0xFF});
    assertFault(K6141, 1, "no JSON", () -> new JsonFiles(List.of(rubbish), Map.of()));
    var wide = BytesFile.of("file", "{\"a\": 1}".getBytes(StandardCharsets.UTF_16LE));
    assertEquals(List.of(List.of(1L)), rows(new JsonFiles(List.of(wide), Map.of()).open(0)));
  }

  /** A late wrong type that no rows before told of is an error with its place, too. */
  @Test
  void contradictionsThatCannotBeSettledAreErrors() {
    var source = new JsonFiles(List.of(text("{\"a\": 1}", "{\"a\": \"x\"}")), Map.of(), 1);
    assertFault(K6142, 2, "\"a\" is a string here", source::settle);
  }
}
