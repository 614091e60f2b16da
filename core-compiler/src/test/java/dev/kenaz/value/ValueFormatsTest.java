package dev.kenaz.value;

import static dev.kenaz.error.ErrorCode.K6005;
import static dev.kenaz.error.ErrorCode.K6006;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.testing.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueFormatsTest {
  /** Of each type in turn and of up to four dimensions, each of at most 3. */
  private static Value value(long seed) {
    var random = new SplittableRandom(seed);
    var prims = Prim.values();
    var shape = random.longs(random.nextInt(5), 0, 4).toArray();
    return random(prims[(int) (seed % prims.length)], shape, random);
  }

  /** Full of special numbers, as random bits of floats are often NaN or huge. */
  private static Value random(Prim p, long[] shape, SplittableRandom random) {
    double[] special = {0, -0.0, 1, 0.1, -1e-7, 1e20, 1.0 / 0, -1.0 / 0, 0.0 / 0, 4.9e-324};
    long[] bits = new long[(int) ArrayValue.count(shape)];
    for (int i = 0; i < bits.length; i++) {
      boolean pick = p.isFloat() && random.nextBoolean();
      bits[i] = pick ? p.fromDouble(special[random.nextInt(special.length)]) : random.nextLong();
      bits[i] = p.normalise(bits[i]);
    }
    if (shape.length == 0) {
      return new ScalarValue(p, bits[0]);
    }
    var data = ArrayValue.allocate(p, shape);
    for (int i = 0; i < bits.length; i++) {
      Elements.setBits(data, p, i, bits[i]);
    }
    return ArrayValue.of(p, data, shape);
  }

  @Test
  void textReadsBack() {
    Seeds.check(500, seed -> readsBackAsText(value(seed)));
  }

  private static void readsBackAsText(Value v) throws IOException {
    var out = new ByteArrayOutputStream();
    ValueWriter.writeText(v, out);
    ValueWriter.writeText(v, out);
    var back = ValueReader.parse(out.toString(StandardCharsets.UTF_8));
    assertEquals(List.of(v, v), back);
  }

  @Test
  void binaryReadsBack() {
    Seeds.check(500, seed -> readsBackAsBinary(value(seed)));
  }

  private static void readsBackAsBinary(Value v) throws IOException {
    var out = new ByteArrayOutputStream();
    ValueWriter.writeBinary(v, out);
    ValueWriter.writeText(v, out);
    ValueWriter.writeBinary(v, out);
    assertEquals(List.of(v, v, v), ValueReader.of(out.toByteArray(), "x").readAll());
  }

  @Test
  void everyTruncationOfABinaryValueIsAnError() {
    Seeds.check(100, seed -> allTruncationsAreErrors(value(seed)));
  }

  private static void allTruncationsAreErrors(Value v) throws IOException {
    var out = new ByteArrayOutputStream();
    ValueWriter.writeBinary(v, out);
    var bytes = out.toByteArray();
    for (int n = 1; n < bytes.length; n++) {
      var reader = ValueReader.of(Arrays.copyOf(bytes, n), "cut.bin");
      var e = assertThrows(UserError.class, reader::next);
      assertEquals(K6006, e.diagnostics().getFirst().code());
    }
  }

  @Test
  void shortestDecimalsAndManyDigitsAreReadExactly() {
    for (double d : new double[] {0, 1, Double.MIN_VALUE, Double.MIN_NORMAL, 0x1p1023}) {
      isReadExactly(d, 1);
      isReadExactly(Math.nextDown(d), 1);
    }
    for (float f : new float[] {-0.0f, Float.MIN_VALUE, Float.MIN_NORMAL, Float.MAX_VALUE}) {
      isReadExactly(Double.MAX_VALUE, f);
    }
    Seeds.check(
        300,
        seed -> {
          var random = new SplittableRandom(seed);
          boolean anyBits = seed % 2 == 0;
          double d =
              anyBits ? Double.longBitsToDouble(random.nextLong()) : random.nextDouble(-1e9, 1e9);
          float f =
              anyBits ? Float.intBitsToFloat(random.nextInt()) : random.nextFloat(-1e9f, 1e9f);
          if (Double.isFinite(d) && Float.isFinite(f)) {
            isReadExactly(d, f);
          }
        });
  }

  private static void isReadExactly(double d, float f) {
    assertEquals(d, scalar(d + "").asDouble());
    assertEquals(d, scalar(new java.math.BigDecimal(d).toPlainString() + "f64").asDouble());
    assertEquals(f, (float) scalar(f + "f32").asDouble());
    assertEquals((float) d, (float) scalar(d + "f32").asDouble());
  }

  @Test
  void decimalsOfAnyLengthAndExponentRoundLikeJava() {
    var random = new Random(5);
    for (int i = 0; i < 200_000; i++) {
      int digits = 1 + random.nextInt(19);
      long w = random.nextLong() >>> 1;
      for (int d = 19; d > digits; d--) {
        w /= 10;
      }
      int q = random.nextBoolean() ? random.nextInt(690) - 345 : random.nextInt(60) - 40;
      var text = w + "e" + q;
      assertEquals(Double.parseDouble(text), scalar(text).asDouble(), text);
      assertEquals(Float.parseFloat(text), (float) scalar(text + "f32").asDouble(), text);
    }
    for (var text : List.of("9007199254740993", "9007199254740991.5", "0.500000000000000166533")) {
      assertEquals(Double.parseDouble(text), scalar(text + "f64").asDouble(), text);
      assertEquals(-Double.parseDouble(text), scalar("-" + text + "f64").asDouble(), text);
    }
    for (var text : List.of("16777217", "16777219", "1.1754943e-38", "3.4028236e38", "1e-46")) {
      assertEquals(Float.parseFloat(text), (float) scalar(text + "f32").asDouble(), text);
    }
  }

  @Test
  void halvesAreRoundedOnce() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      isRoundedOnce((short) bits, false);
      isRoundedOnce((short) bits, true);
    }
  }

  private static void isRoundedOnce(short bits, boolean up) {
    double x = Float.float16ToFloat(bits);
    double y = Float.float16ToFloat((short) (bits + 1));
    if (Double.isFinite(x) && Double.isFinite(y)) {
      double middle = (x + y) / 2;
      double beside = up ? Math.nextUp(middle) : Math.nextDown(middle);
      double nearest = Math.abs(beside - x) < Math.abs(beside - y) ? x : y;
      assertEquals(nearest, Prim.F16.toDouble(Prim.F16.fromDouble(beside)));
    }
  }

  private static ScalarValue scalar(String text) {
    return (ScalarValue) ValueReader.parse(text).getFirst();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1i32",
    "-5i8, -5i8",
    "0xFFu8, 255u8",
    "0xFFFFFFFFi32, -1i32",
    "0b101i64, 5i64",
    "1_000_000, 1000000i32",
    "18446744073709551615u64, 18446744073709551615u64",
    "-9223372036854775808i64, -9223372036854775808i64",
    "1.5, 1.5f64",
    "1f32, 1.0f32",
    "1e3, 1000.0f64",
    "1.5e-3f32, 0.0015f32",
    "0x1.8p3f32, 12.0f32",
    "0x10p-1, 8.0f64",
    "1e100, 1.0e100f64",
    "f32.nan, f32.nan",
    "-f64.inf, -f64.inf",
    "f16.inf, f16.inf",
    "1.0f16, 1.0f16",
    "true, true",
  })
  void scalarsPrintLikeFuthark(String text, String printed) {
    assertEquals(printed, TextPrinter.print(scalar(text)));
  }

  @Test
  void arraysPrintLikeFuthark() {
    assertEquals(
        "[[1i32, 2i32], [3i32, 4i32]]",
        TextPrinter.print(ArrayValue.ofInts(new int[] {1, 2, 3, 4}, 2, 2)));
    assertEquals("empty([0][2]i32)", TextPrinter.print(ArrayValue.ofInts(new int[0], 0, 2)));
    assertEquals("[1.0f32, 2.0f32]", TextPrinter.print(ArrayValue.ofFloats(new float[] {1, 2})));
  }

  @Test
  void readsStringsCommentsAndManyValues() {
    var vs = ValueReader.parse("-- two\n[ 1 , 2 ] -- there\n \"a\\n\\x41\\\"é\" -1\n-- end");
    assertEquals(3, vs.size());
    assertEquals(ArrayValue.ofInts(new int[] {1, 2}), vs.get(0));
    assertArrayEquals(
        "a\nA\"é".getBytes(StandardCharsets.UTF_8), ((ArrayValue) vs.get(1)).toByteArray());
    assertEquals(ScalarValue.i32(-1), vs.get(2));
  }

  @Test
  void unsuffixedNumbersTakeTheExpectedType() {
    var reader = ValueReader.ofText("[1, 2] 3 4.5 6 7i8", new Span("t", 1, 1, 1, 1));
    assertEquals(ArrayValue.ofFloats(new float[] {1, 2}), reader.nextAs(Prim.F32));
    assertEquals(ScalarValue.i64(3), reader.nextAs(Prim.I64));
    assertEquals(ScalarValue.f64(4.5), reader.nextAs(Prim.I64));
    assertEquals(ScalarValue.i32(6), reader.next());
    assertEquals(ScalarValue.i8((byte) 7), reader.nextAs(Prim.F64));
    assertFalse(reader.hasNext());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[1, 2.0]|K6004|1:5",
        "[[1, 2], [3]]|K6003|1:12",
        "[[1, 2], 3]|K6003|1:10",
        "[1, [2]]|K6003|1:5",
        "[1, 2|K6006|1:6",
        "[1 2]|K6001|1:4",
        "[1,]|K6001|1:4",
        "[]|K6001|1:2",
        "300u8|K6002|1:1",
        "128i8|K6002|1:1",
        "2147483648|K6002|1:1",
        "99999999999999999999999|K6002|1:1",
        "0x1FFu8|K6002|1:1",
        "1i33|K6001|1:1",
        "1.0i32|K6001|1:1",
        "1e|K6001|1:1",
        "0x|K6001|1:1",
        "-|K6001|1:1",
        "maybe|K6001|1:1",
        "-true|K6001|1:1",
        "'\"abc'|K6006|1:1",
        "empty([2]i32)|K6001|1:10",
        "empty([0]foo)|K6001|1:10",
        "empt([0]i32)|K6001|1:1",
        "(1, 2)|K6001|1:1",
        "]|K6001|1:1",
      })
  void faultsInTextNameThePlace(String text, ErrorCode code, String place) {
    var e = assertThrows(UserError.class, () -> ValueReader.parse(text));
    var d = e.diagnostics().getFirst();
    assertEquals(code, d.code(), e.getMessage());
    assertEquals("<text>:" + place, d.span().toString());
  }

  /** What helps against a fault is about that fault, not about another one of the same code. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      delimiter = '|',
      value = {
        "12x|numbers are written",
        "maybe|numbers are written",
        "(1, 2)|empty arrays are written",
        "empty([0]i23)|did you mean",
        "empty([2]i32)|that has elements",
        "empty([x]i32)|a size is a number",
        "[1 2]|commas",
        "[1, 2|close each bracket",
        "'\"abc'|close it with",
        "'\"\\q\"'|code points",
        "'\"\\x110000\"'|the last is",
        "[[1, 2], 3]|equally many dimensions",
        "[1, [2]]|equally many dimensions",
        "[[1, 2], [3]]|equally many elements",
        "'[[1i32], \"a\"]'|as strings",
        "[1, 2.0]|the same suffix",
        "300u8|a wider type",
      })
  void remediesFitTheFault(String text, String remedy) {
    var e = assertThrows(UserError.class, () -> ValueReader.parse(text));
    var d = e.diagnostics().getFirst();
    var told = d.hints() + " " + ErrorCode.remedy(d).orElse("");
    assertTrue(told.contains(remedy), told);
  }

  @Test
  void placesCountFromTheSurroundingFile() {
    var reader = ValueReader.ofText("1\n  oops", new Span("t.fut", 10, 7, 10, 7));
    reader.next();
    var e = assertThrows(UserError.class, reader::next);
    assertEquals("t.fut:11:3", e.diagnostics().getFirst().span().toString());
  }

  @Test
  void liesInBinaryHeadersAreErrors() {
    var head = new byte[] {'b', 2, 1, ' ', 'i', '3', '2', 0, 0, 0, 0, 0, 0, 0, 0x10};
    assertCode(K6005, patched(head, 1, 3));
    assertCode(K6005, patched(head, 3, 'x'));
    assertCode(K6005, patched(head, 14, 0x90));
    assertCode(K6005, patched(head, 14, 0x7F));
    assertCode(K6005, patched(head, 14, 0x10));
    assertCode(K6006, patched(patched(head, 14, 0), 12, 0x10));
    assertCode(K6005, new byte[] {'b', 2, 0, 'b', 'o', 'o', 'l', 7});
  }

  private static byte[] patched(byte[] bytes, int at, int to) {
    var copy = bytes.clone();
    copy[at] = (byte) to;
    return copy;
  }

  private static void assertCode(ErrorCode code, byte[] bytes) {
    var e = assertThrows(UserError.class, () -> ValueReader.of(bytes, "x").readAll());
    assertEquals(code, e.diagnostics().getFirst().code(), e.getMessage());
  }

  @Test
  void bigArraysAndDeepNestingNeedNoStack() throws IOException {
    var xs = new double[300_000];
    var random = new Random(1);
    Arrays.setAll(xs, i -> random.nextGaussian());
    var a = ArrayValue.ofDoubles(xs, 100, 3000);
    var out = new ByteArrayOutputStream();
    ValueWriter.writeText(a, out);
    assertEquals(a, ValueReader.of(out.toByteArray(), "x").next());
    var deep = ValueReader.parse("[".repeat(40) + "1" + "]".repeat(40)).getFirst();
    assertEquals(40, deep.rank());
    assertThrows(UserError.class, () -> ValueReader.parse("[".repeat(100_000)));
  }

  @Test
  void aMissingFileIsTheUsersFault() {
    var e =
        assertThrows(
            UserError.class, () -> ValueReader.readAll(java.nio.file.Path.of("no-such-file")));
    assertTrue(e.getMessage().contains("no-such-file"));
  }
}
