package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.value.Prim;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Lines of plain numbers are what the reader of all lines says that they are. */
final class CsvNumberLinesTest {
  private static final List<String> SMALL = List.of("0", "7", "00", "12", "127", "0000123");

  private static final List<String> PLAIN =
      List.of("0", "7", "-3", "-0", "00", "12", "-128", "255", "-129", "256", "32768", "65535");

  private static final List<String> LONG =
      List.of(
          "1234567",
          "-1234567",
          "12345678",
          "2147483648",
          "4294967295",
          "-2147483649",
          "999999999999999999",
          "9223372036854775807",
          "-9223372036854775808",
          "18446744073709551615",
          "0000000000000000000001");

  private static final List<String> REAL =
      List.of(
          "1.5",
          "-0.25",
          "-0.0",
          "5.",
          ".5",
          "1234567.7654321",
          "0.000000001",
          "16777217",
          "1e5",
          "-1.5E-3",
          "16777216.1",
          "0.1",
          "nan",
          "-inf",
          "1.2345678901234567",
          "1.2.3",
          "1.-3");

  private static final List<String> OTHER =
      List.of(
          "",
          "NA",
          "-",
          "+5",
          " 7",
          "7 ",
          "\"7\"",
          "\"7,\n8\"",
          "x",
          "1-2",
          "--1",
          "\t1",
          "5\"",
          ":",
          "\u00e9",
          "1\u00e9",
          "1:",
          "1/",
          "null");

  /** Returns the fields' bits as the reader of all lines has them. */
  private static List<Object> read(CsvScanner scanner, int[] chosen, Prim[] types) {
    var row = new ArrayList<Object>();
    row.add(scanner.count());
    row.add(scanner.line());
    for (int i = 0; i < chosen.length && chosen[i] < scanner.count(); i++) {
      row.add(CsvField.parse(scanner.text(chosen[i]), types[i]));
    }
    return row;
  }

  private static List<List<Object>> expected(String text, int[] chosen, Prim[] types)
      throws IOException {
    var found = new ArrayList<List<Object>>();
    try (var scanner = scanner(text, 1 << 16)) {
      while (scanner.next()) {
        found.add(read(scanner, chosen, types));
      }
    }
    return found;
  }

  private static CsvScanner scanner(String text, int buffer) throws IOException {
    var in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    return new CsvScanner(in, ',', buffer);
  }

  /**
   * Returns the same of plain lines where there are some.
   *
   * @param counts is told how many lines were plain
   */
  private static List<List<Object>> found(
      String text, int fields, int[] chosen, Prim[] types, int buffer, int most, int[] counts)
      throws IOException {
    var found = new ArrayList<List<Object>>();
    var plain = new CsvNumberLines(',', fields, chosen, types);
    try (var scanner = scanner(text, buffer)) {
      do {
        int read = scanner.numbers(plain, most);
        counts[0] += read;
        for (int row = 0; row < read; row++) {
          var values = new ArrayList<Object>(Arrays.asList(fields, null));
          for (int i = 0; i < chosen.length; i++) {
            long bits = plain.block()[row * chosen.length + i];
            values.add(OptionalLong.of(bits));
          }
          found.add(values);
        }
        if (!scanner.next()) {
          return found;
        }
        found.add(read(scanner, chosen, types));
      } while (true);
    }
  }

  private static void assertSame(List<List<Object>> expected, List<List<Object>> found, String of) {
    assertEquals(expected.size(), found.size(), of);
    for (int i = 0; i < found.size(); i++) {
      var row = new ArrayList<>(expected.get(i));
      if (found.get(i).get(1) == null) {
        row.set(1, null); // Only the number of lines is counted of plain ones.
      }
      assertEquals(row, found.get(i), of);
    }
  }

  /**
   * @param strange how many of a hundred fields are no plain numbers
   * @param small whether the others are such as all types have
   */
  private static String field(Random random, int strange, boolean small) {
    int kind = random.nextInt(100);
    if (small && kind >= strange) {
      return SMALL.get(random.nextInt(SMALL.size()));
    }
    var from = kind < strange ? OTHER : kind < 40 ? REAL : kind < 60 ? LONG : PLAIN;
    return from.get(random.nextInt(from.size()));
  }

  @Test
  void linesAreTheSameAsThoseOfTheReaderOfAllLines() throws IOException {
    var types =
        Arrays.stream(Prim.values())
            .filter(p -> CsvNumberLines.reads(',', new Prim[] {p}))
            .toList();
    assertEquals(10, types.size());
    var plain = new int[1];
    int lines = 0;
    for (int seed = 0; seed < 4000; seed++) {
      var random = new Random(seed);
      int fields = 1 + random.nextInt(4);
      var shuffled = IntStream.range(0, fields).boxed().collect(Collectors.toList());
      Collections.shuffle(shuffled, random);
      var chosen =
          shuffled.subList(0, 1 + random.nextInt(fields)).stream().mapToInt(i -> i).toArray();
      var prims = new Prim[chosen.length];
      Arrays.setAll(prims, i -> types.get(random.nextInt(types.size())));
      int strange = List.of(0, 3, 30).get(random.nextInt(3));
      boolean small = random.nextInt(3) > 0;
      var text = new StringBuilder();
      for (int row = random.nextInt(30); row > 0; row--) {
        int width = fields + (random.nextInt(30) == 0 ? random.nextInt(-1, 2) : 0);
        text.append(
            IntStream.range(0, width)
                .mapToObj(_ -> field(random, strange, small))
                .collect(Collectors.joining(",")));
        text.append(List.of("\n", "\n", "\n", "\r\n", "\r", "\n\n").get(random.nextInt(6)));
      }
      var expected = expected(text.toString(), chosen, prims);
      lines += expected.size();
      for (int buffer : new int[] {5, 37, 1000}) {
        var found =
            found(text.toString(), fields, chosen, prims, buffer, 1 + random.nextInt(9), plain);
        assertSame(expected, found, "seed " + seed + ", " + buffer + ": " + text);
      }
    }
    assertTrue(plain[0] > lines / 4, plain[0] + " lines were plain of three times " + lines);
  }

  /** Numbers next to the limits of a type are in its range or an error. */
  @ParameterizedTest
  @EnumSource(
      value = Prim.class,
      names = {"I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64"})
  void limitsOfTypes(Prim type) {
    int bits = 8 * type.byteSize();
    var most = BigInteger.ONE.shiftLeft(type.isSigned() ? bits - 1 : bits);
    var least = type.isSigned() ? most.negate() : BigInteger.ZERO;
    var one = BigInteger.ONE;
    var options = CsvOptions.DEFAULT.withDefaultType(new CsvType.Number(type));
    var good = List.of("a", least.toString(), most.subtract(one).toString(), "0", "1");
    var source = new CsvFiles(List.of(FormatTesting.text(good.toArray(String[]::new))), options);
    var read = new ArrayList<Long>();
    try (var reader = source.open(0)) {
      var numbers = NumberVector.of(reader.next().getVector(0)).orElseThrow();
      for (int i = 0; i < 4; i++) {
        read.add(numbers.get(i));
      }
    }
    assertEquals(List.of(least.longValue(), most.subtract(one).longValue(), 0L, 1L), read);
    for (var bad : List.of(least.subtract(one), most)) {
      var lines = FormatTesting.text("a,b", "1,1", "2,2", "3," + bad, "4,4");
      assertFault(
          ErrorCode.K6121,
          4,
          "column \"b\": \"" + bad + "\" is no " + type,
          () -> rows(new CsvFiles(List.of(lines), options).open(0)));
    }
  }

  /** A fault behind thousands of plain lines is named with its line and its column. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          1,2,x      | K6121 | column "c": "x" is no i32
          1,,3       | K6122 | column "b" is missing
          1,NA,3     | K6122 | column "b" is missing
          1,2        | K6120 | expected 3 fields, found 2
          1,2,3,     | K6120 | expected 3 fields, found 4
          1,2,3,4    | K6120 | expected 3 fields, found 4
          1.5,2,3    | K6121 | column "a": "1.5" is no i32
          1,"2"x,3   | K6120 | text follows a closing quotation mark
          -,2,3      | K6121 | column "a": "-" is no i32
          99999999999,2,3 | K6121 | column "a": "99999999999" is no i32
          """)
  void faultsHaveTheirPlace(String line, ErrorCode code, String words) {
    var lines = new ArrayList<>(List.of("a,b,c"));
    for (int i = 0; i < 70_000; i++) {
      lines.add(i + ",-" + i % 10 + "," + i % 7);
    }
    lines.add(line);
    var options = CsvOptions.DEFAULT.withDefaultType(new CsvType.Number(Prim.I32));
    var source = new CsvFiles(List.of(FormatTesting.text(lines.toArray(String[]::new))), options);
    assertFault(code, 70_002, words, () -> rows(source.open(0)));
  }

  /** What is missing is treated the same beside plain lines, and columns keep their order. */
  @Test
  void missingFieldsBesidePlainLines() {
    var file = FormatTesting.text("a,b,c", "1,x,2.5", "3,\"y,\",", "NA,z,-0.0", "-4,,7", "");
    var options =
        CsvOptions.DEFAULT
            .withColumns(List.of("c", "a"))
            .withTypes(
                Map.of("a", new CsvType.Number(Prim.I16), "c", new CsvType.Number(Prim.F32)));
    assertEquals(
        List.of(
            List.of(2.5f, (short) 1),
            Arrays.asList(null, (short) 3),
            Arrays.asList(-0.0f, null),
            List.of(7f, (short) -4)),
        rows(reader(file, options, CsvOptions.Missing.NULL)));
    assertEquals(
        List.of(List.of(2.5f, (short) 1), List.of(7f, (short) -4)),
        rows(reader(file, options, CsvOptions.Missing.DROP)));
  }

  private static RowReader reader(DataFile file, CsvOptions options, CsvOptions.Missing missing) {
    return new CsvFiles(List.of(file), options.withMissing(missing)).open(0);
  }

  /** A sign or a point that separates fields is no part of numbers. */
  @Test
  void separators() {
    assertFalse(CsvNumberLines.reads('-', new Prim[] {Prim.I64}));
    assertFalse(CsvNumberLines.reads('.', new Prim[] {Prim.F64}));
    assertFalse(CsvNumberLines.reads(',', new Prim[] {Prim.I64, null}));
    assertFalse(CsvNumberLines.reads(',', new Prim[] {Prim.BOOL}));
    for (char separator : new char[] {'-', '.', ';', '\t', ' ', '|', '+', '/'}) {
      var lines = "a,b\n12,3\n4,56\n7,8\n11,22".replace(',', separator).split("\n");
      var options =
          CsvOptions.DEFAULT
              .withSeparator(separator)
              .withTypes(Map.of("b", new CsvType.Number(Prim.F64)));
      assertEquals(
          List.of(List.of(12L, 3.0), List.of(4L, 56.0), List.of(7L, 8.0), List.of(11L, 22.0)),
          rows(new CsvFiles(List.of(FormatTesting.text(lines)), options).open(0)),
          () -> "separated by " + separator);
    }
  }
}
