package dev.kenaz.dataset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import dev.kenaz.value.Prim;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CsvScannerTest {
  private static List<List<String>> scanned(String text, int buffer) throws IOException {
    var in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    var rows = new ArrayList<List<String>>();
    try (var scanner = new CsvScanner(in, ',', buffer)) {
      while (scanner.next()) {
        var row = new ArrayList<String>();
        for (int i = 0; i < scanner.count(); i++) {
          row.add(scanner.text(i));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static List<List<String>> readByJackson(String text) throws IOException {
    var factory =
        CsvFactory.builder()
            .enable(CsvParser.Feature.TRIM_SPACES)
            .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
            .build();
    var rows = new ArrayList<List<String>>();
    try (var parser = factory.createParser(text)) {
      parser.setSchema(CsvSchema.emptySchema().withoutHeader());
      while (parser.nextToken() == JsonToken.START_ARRAY) {
        var row = new ArrayList<String>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          row.add(parser.getText());
        }
        rows.add(row);
      }
    }
    return rows;
  }

  /** Makes a field as programs write it: plain, or between quotation marks with anything in it. */
  private static String field(Random random) {
    var pieces = List.of("a", "12.5", "-3", "ü€", " ", "x y", "");
    var inside = List.of("a", "\"\"", ",", "\n", "\r\n", " ", "ü", "7");
    var text = new StringBuilder();
    if (random.nextInt(3) > 0) {
      return text.append(pieces.get(random.nextInt(pieces.size())))
          .append(random.nextInt(4) == 0 ? "z" : "")
          .toString();
    }
    text.append(" ".repeat(random.nextInt(2))).append('"');
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(inside.get(random.nextInt(inside.size())));
    }
    return text.append('"').append(" ".repeat(random.nextInt(2))).toString();
  }

  @Test
  void rowsAreThoseThatJacksonReadsWhereverTheBufferEnds() throws IOException {
    for (int seed = 0; seed < 3000; seed++) {
      var random = new Random(seed);
      var text = new StringBuilder();
      for (int i = random.nextInt(6); i > 0; i--) {
        text.append('k'); // A row with nothing in it would be no row.
        for (int f = random.nextInt(4); f > 0; f--) {
          text.append(',').append(field(random));
        }
        text.append(i == 1 && random.nextBoolean() ? "" : random.nextBoolean() ? "\n" : "\r\n");
        text.append(random.nextInt(5) == 0 ? "  \n" : "");
      }
      var expected = readByJackson(text.toString());
      for (int buffer : new int[] {4, 7, 64, 4096}) {
        assertEquals(expected, scanned(text.toString(), buffer), "seed " + seed + ": " + text);
      }
    }
  }

  @Test
  void linesAreCountedAndAByteOrderMarkIsNoText() throws IOException {
    var text = "\ufeffa,b\n\n\"x\ny\",2\n\r\n3,4";
    try (var scanner =
        new CsvScanner(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), ',', 5)) {
      var lines = new ArrayList<Long>();
      var first = new ArrayList<String>();
      while (scanner.next()) {
        lines.add(scanner.line());
        first.add(scanner.text(0));
      }
      assertEquals(List.of(1L, 3L, 6L), lines);
      assertEquals(List.of("a", "x\ny", "3"), first);
    }
  }

  @Test
  void tabsMaySeparateAndLoneCarriageReturnsEndLines() throws IOException {
    var in = new ByteArrayInputStream("a\t b \tc\r1\t\t3".getBytes(StandardCharsets.UTF_8));
    try (var scanner = new CsvScanner(in, '\t', 4)) {
      assertTrue(scanner.next());
      assertEquals(
          List.of("a", "b", "c"), List.of(scanner.text(0), scanner.text(1), scanner.text(2)));
      assertTrue(scanner.next());
      assertEquals("", scanner.text(1));
      assertEquals(3, scanner.count());
      assertFalse(scanner.next());
    }
  }

  @Test
  void quotationMarksInWrongPlacesAreFaults() {
    assertThrows(CsvScanner.Malformed.class, () -> scanned("a,\"b\n1,2\n", 4));
    assertThrows(CsvScanner.Malformed.class, () -> scanned("a,\"b\"c\n", 64));
  }

  private static String decimal(Random random) {
    var text = new StringBuilder(random.nextInt(3) == 0 ? "-" : "");
    int digits = random.nextInt(22);
    for (int i = 0; i < digits; i++) {
      text.append(random.nextInt(10));
    }
    if (random.nextInt(4) > 0) {
      text.append('.');
      for (int i = random.nextInt(20); i > 0; i--) {
        text.append(random.nextInt(10));
      }
    }
    if (random.nextInt(3) == 0) {
      text.append(random.nextBoolean() ? 'e' : 'E');
      text.append(List.of("", "+", "-").get(random.nextInt(3)));
      text.append(random.nextInt(40));
    }
    return text.toString();
  }

  /** Returns a number that lies between two neighbouring doubles, or next to such a number. */
  private static String between(Random random) {
    double x = Math.scalb(1 + random.nextDouble(), random.nextInt(-6, 62));
    var middle = new BigDecimal(x).add(new BigDecimal(Math.ulp(x) / 2));
    var text = middle.round(new MathContext(random.nextInt(16, 20))).toPlainString();
    return random.nextBoolean() ? text : "-" + text;
  }

  @Test
  void numbersThatAreReadSimplyAreThoseOfJava() {
    var random = new Random(3);
    int simple = 0;
    for (int i = 0; i < 300_000; i++) {
      var text =
          switch (i % 8) {
            case 0, 1 -> Double.toString(random.nextGaussian());
            case 2 -> between(random);
            default -> decimal(random);
          };
      var bytes = text.getBytes(StandardCharsets.UTF_8);
      long wide = CsvNumber.parse(bytes, 0, bytes.length, Prim.F64);
      long narrow = CsvNumber.parse(bytes, 0, bytes.length, Prim.F32);
      long integer = CsvNumber.parse(bytes, 0, bytes.length, Prim.I16);
      if (wide != CsvNumber.OTHER) {
        simple++;
        assertEquals(Double.doubleToRawLongBits(Double.parseDouble(text)), wide, text);
      }
      if (narrow != CsvNumber.OTHER) {
        assertEquals(Float.floatToRawIntBits(Float.parseFloat(text)) & 0xFFFF_FFFFL, narrow, text);
      }
      if (integer != CsvNumber.OTHER) {
        assertEquals(Short.parseShort(text), integer, text);
      }
      // The slower way must round as Java does, too.
      var slow = CsvField.parse(text, Prim.F64);
      if (slow.isPresent()) {
        assertEquals(Double.doubleToRawLongBits(Double.parseDouble(text)), slow.getAsLong(), text);
      }
    }
    assertTrue(simple > 150_000, "only " + simple);
  }

  /** Whatever bytes a field has, it is the integer that its digits say, or no integer. */
  @Test
  void integersAreReadEightBytesAtOnce() {
    var alphabet = "0123456789012345678901234567890123456789-+/:. \u0000\u0080\u00ad\u00b0\u00ff";
    var random = new Random(7);
    int numbers = 0;
    for (int i = 0; i < 100_000; i++) {
      var text = new StringBuilder();
      for (int n = random.nextInt(11); n > 0; n--) {
        int limit = random.nextInt(8) == 0 ? alphabet.length() : 40;
        text.append(alphabet.charAt(random.nextInt(limit)));
      }
      if (random.nextBoolean()) {
        text.insert(0, '-');
      }
      var bytes = ("12345678" + text + "9").getBytes(StandardCharsets.ISO_8859_1);
      long read = CsvNumber.parse(bytes, 8, bytes.length - 1, Prim.I64);
      boolean number = text.toString().matches("-?[0-9]+");
      assertEquals(
          number ? Long.parseLong(text.toString()) : CsvNumber.OTHER, read, text::toString);
      numbers += number ? 1 : 0;
    }
    assertTrue(numbers > 10_000 && numbers < 90_000);
  }
}
