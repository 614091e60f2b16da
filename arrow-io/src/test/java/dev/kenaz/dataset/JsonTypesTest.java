package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static dev.kenaz.dataset.FormatTesting.text;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6106;
import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K6141;
import static dev.kenaz.error.ErrorCode.K6142;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Columns of JSON lines whose types are told. */
final class JsonTypesTest {
  /** Reads types as {@code --types} has them. */
  private static Map<String, CsvType> types(String told) {
    var types = new LinkedHashMap<String, CsvType>();
    for (var one : told.split(" ")) {
      var parts = one.split("=");
      types.put(parts[0], CsvType.named(parts[1]).orElseThrow());
    }
    return types;
  }

  private static JsonFiles source(String told, String... lines) {
    return new JsonFiles(List.of(text(lines)), types(told));
  }

  private static List<List<Object>> read(String told, String... lines) {
    return rows(source(told, lines).open(0));
  }

  @Test
  void columnsHaveTheTypesThatAreTold() {
    var told = "a=i8 b=f32 c=u64 d=string e=date f=timestamp g=decimal(10,2) h=bool";
    var lines =
        new String[] {
          "{\"x\": 1, \"a\": -128, \"b\": 0.1, \"c\": 18446744073709551615, \"d\": 7.50e1}",
          "{\"h\": true, \"g\": 12.5, \"f\": \"2026-11-24T10:30:00.25\", \"e\": \"2026-11-24\"}"
        };
    var source = source(told, lines);
    assertEquals(
        "[x: Int(64, true), a: Int(8, true), b: FloatingPoint(SINGLE), c: Int(64, false), d: Utf8,"
            + " h: Bool, g: Decimal(10, 2, 128), f: Timestamp(MICROSECOND, null), e: Date(DAY)]",
        source.schema().getFields().toString());
    assertEquals(
        List.of(
            Arrays.asList(1L, (byte) -128, 0.1f, -1L, "7.50e1", null, null, null, null),
            Arrays.asList(
                null,
                null,
                null,
                null,
                null,
                true,
                new BigDecimal("12.50"),
                LocalDateTime.of(2026, 11, 24, 10, 30, 0, 250_000_000),
                20781)),
        rows(source.open(0)));
  }

  /** Integers are exact, whether they are numbers or, as some programs write them, strings. */
  @Test
  void integersAreExact() {
    var large = "9007199254740993";
    assertEquals(
        List.of(
            List.of(9007199254740993L, Long.MAX_VALUE, large),
            List.of(-9007199254740993L, Long.MIN_VALUE, "true"),
            Arrays.asList(null, 0L, "x")),
        read(
            "a=i64 b=i64 c=string",
            "{\"a\": %s, \"b\": \"9223372036854775807\", \"c\": %s}".formatted(large, large),
            "{\"a\": \"-%s\", \"b\": -9223372036854775808, \"c\": true}".formatted(large),
            "{\"a\": null, \"b\": -0, \"c\": \"x\"}"));
  }

  /** Floats are rounded once, and not through another type. */
  @Test
  void floatsAreRoundedOnce() {
    var between = "1.00000005960464477540"; // It is nearer to the upper one of two floats.
    assertEquals(
        List.of(
            List.of(Float.parseFloat(between), 16777216f, -0.0),
            List.of(Float.NaN, Float.POSITIVE_INFINITY, -0.0)),
        read(
            "a=f32 b=f32 c=f64",
            "{\"a\": %s, \"b\": 16777217, \"c\": -0}".formatted(between),
            "{\"a\": NaN, \"b\": \"inf\", \"c\": \"-0\"}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          a=i64 | "x"       | column "a": "x" is no i64
          a=i64 | ""        | column "a": "" is no i64
          a=i64 | "NA"      | column "a": "NA" is no i64
          a=i64 | 1.0       | column "a": 1.0 is no i64
          a=i64 | 1e3       | column "a": 1e3 is no i64
          a=i64 | true      | column "a": true is no i64
          a=i64 | NaN       | column "a": NaN is no i64
          a=i64 | 9223372036854775808 | column "a": 9223372036854775808 is no i64
          a=i8  | 128       | column "a": 128 is no i8
          a=i8  | -129      | column "a": -129 is no i8
          a=u8  | -1        | column "a": -1 is no u8
          a=u8  | 256       | column "a": 256 is no u8
          a=u32 | 4294967296 | column "a": 4294967296 is no u32
          a=u64 | -1        | column "a": -1 is no u64
          a=u64 | 18446744073709551616 | column "a": 18446744073709551616 is no u64
          a=f32 | "1,5"     | column "a": "1,5" is no f32
          a=f64 | false     | column "a": false is no f64
          a=bool | 2        | column "a": 2 is no bool
          a=date | 20261124 | column "a": 20261124 is no date
          a=date | "2026-02-30" | column "a": "2026-02-30" is no date
          a=timestamp(utc) | "2026-11-24T10:30:00" | is no timestamp(utc)
          a=decimal(3,1) | 1.25 | column "a": 1.25 is no decimal(3,1)
          a=decimal(3,1) | 100  | column "a": 100 is no decimal(3,1)
          a=decimal(3,1) | 1e999999999 | column "a": 1e999999999 is no decimal(3,1)
          a=decimal(3,1) | 1e-999999999 | column "a": 1e-999999999 is no decimal(3,1)
          a=i64 | {"b": 1}  | "a" is an object, which is no i64
          a=i64 | [{}]      | "a" is an object, which is no i64
          a=i64 | [1, "x"]  | an array of i64 here, and i64 in rows before
          """)
  void whatIsNotOfItsTypeIsNamedWithItsLine(String told, String value, String words) {
    var good = told.contains("date") || told.contains("timestamp") ? "null" : "1";
    var first = "{\"a\": %s}".formatted(good);
    assertFault(
        K6142, 4, words, () -> read(told, first, "", "{\"b\": 7,", " \"a\": " + value + "}"));
  }

  /** A type that is told of arrays is that of their elements, however deep they are. */
  @Test
  void elementsOfArraysHaveTheType() {
    var lines =
        new String[] {
          "{\"a\": [1, null, \"3\"], \"b\": [[1, 2], [3, 4]], \"c\": [], \"d\": []}",
          "{\"a\": [4, 5, 6], \"b\": [[5, 6], [7, 8.5]], \"c\": [1], \"d\": []}"
        };
    var source = source("a=i16 b=f32 c=u8 d=i32", lines);
    assertEquals(
        "[a: FixedSizeList(3)<item: Int(16, true)>,"
            + " b: FixedSizeList(2)<item: FixedSizeList(2)<item: FloatingPoint(SINGLE)>>,"
            + " c: List<item: Int(8, false)>, d: List<item: Int(32, true)>]",
        source.schema().getFields().toString());
    assertEquals(
        List.of(
            List.of(
                Arrays.asList((short) 1, null, (short) 3),
                List.of(List.of(1f, 2f), List.of(3f, 4f)),
                List.of(),
                List.of()),
            List.of(
                List.of((short) 4, (short) 5, (short) 6),
                List.of(List.of(5f, 6f), List.of(7f, 8.5f)),
                List.of((byte) 1),
                List.of())),
        rows(source.open(0)));
    assertFault(
        K6142,
        2,
        "column \"b\": 300 is no u8",
        () -> read("b=u8", "{\"b\": [[1]]}", "{\"b\": [[2], [300]]}"));
    assertFault(K6142, 2, "an array of", () -> read("b=u8", "{\"b\": [[1]]}", "{\"b\": [1]}"));
  }

  /** A column that the first rows lack, or have no values of, has its type, too. */
  @Test
  void laterRowsMayBringTheColumn() {
    for (var first : new String[] {"{\"b\": 1}", "{\"b\": 1, \"a\": null}"}) {
      var lines = text(first, "{\"b\": 2, \"a\": 3}");
      var source = new JsonFiles(List.of(lines), types("a=i16"), 1);
      assertEquals(List.of(Arrays.asList(1L, null), List.of(2L, (short) 3)), rows(source.open(0)));
    }
    var arrays = text("{\"a\": null}", "{\"a\": [1]}", "{\"a\": [2]}");
    var source = new JsonFiles(List.of(arrays), types("a=i16"), 1);
    try (var reader = source.open(0)) {
      assertThrows(RowSource.Contradiction.class, reader::next);
    }
    source.settle();
    assertEquals(
        List.of(
            Arrays.asList((Object) null), List.of(List.of((short) 1)), List.of(List.of((short) 2))),
        rows(source.open(0)));
  }

  @Test
  void filesHaveTheirColumnsTogether() {
    var files = List.of(text("{\"a\": 1}"), text("{\"b\": \"x\", \"a\": \"2\"}"));
    var source = new JsonFiles(files, types("a=u16"));
    assertEquals(List.of(Arrays.asList('\u0001', null)), rows(source.open(0)));
    assertEquals(List.of(List.of('\u0002', "x")), rows(source.open(1)));
    var arrays = List.of(text("{\"a\": 1}"), text("{\"a\": [2]}"));
    assertFault(K6107, "before it have", () -> new JsonFiles(arrays, types("a=u16")));
  }

  @Test
  void hostileRows() {
    assertFault(K6104, "file has no column \"lenght\"", () -> read("lenght=i8", "{\"length\": 1}"));
    assertFault(K6141, 2, "stands twice", () -> read("a=i8", "", "{\"a\": 1, \"a\": 1}"));
    assertFault(K6141, 1, "half of a character", () -> read("a=string", "{\"a\": \"\\ud800\"}"));
    assertFault(K6141, 2, "ends within a row", () -> read("a=i8", "{\"a\": 1}", "{\"a\": 2"));
    assertFault(
        K6142,
        1,
        "\"" + "x".repeat(40) + "...\" is no i8",
        () -> read("a=i8", "{\"a\": \"" + "x".repeat(1000) + "\"}"));
    assertFault(K6142, 1, "is no i8", () -> read("a=i8", "{\"a\": " + "9".repeat(900) + "}"));
  }

  /** A column of numbers may be null if the user says so, and otherwise is an error or left out. */
  @Test
  void missingNumbersAreNulls() {
    var lines = new String[] {"{\"a\": 1}", "{}", "{\"a\": null}", "{\"a\": 4}"};
    var source = source("a=i8", lines);
    assertEquals("a: Int(8, true)", source.schema().getFields().getFirst().toString());
    assertEquals(
        Arrays.asList((byte) 1, null, null, (byte) 4),
        rows(source.open(0)).stream().map(List::getFirst).toList());
    var error = new ChangedSource(source, new NullNumbers(NullNumbers.Nulls.ERROR));
    assertEquals("a: Int(8, true) not null", error.schema().getFields().getFirst().toString());
    assertFault(K6106, "column \"a\" is null in row 1", () -> rows(error.open(0)));
    var drop = new ChangedSource(source, new NullNumbers(NullNumbers.Nulls.DROP));
    assertEquals(List.of(List.of((byte) 1), List.of((byte) 4)), rows(drop.open(0)));
  }
}
