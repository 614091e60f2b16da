package dev.kenaz.dataset;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.value.Prim;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers beyond their type's range. */
final class CsvFieldTest {
  @ParameterizedTest
  @CsvSource({
    "1e400, F64",
    "-1e400, F64",
    "1e39, F32",
    "-3.5e38, F32",
    "70000, F16",
    "1e999., F64"
  })
  void tooLarge(String text, Prim type) {
    assertEquals(OptionalLong.empty(), CsvField.parse(text, type));
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    assertEquals(CsvNumber.OTHER, CsvNumber.parse(bytes, 0, bytes.length, type));
  }

  @ParameterizedTest
  @CsvSource({
    "inf, F64",
    "-Infinity, F64",
    "+inf, F32",
    "1.7976931348623157e308, F64",
    "3.4028235e38, F32",
    "65504, F16",
    "1e-400, F64"
  })
  void allowed(String text, Prim type) {
    assertEquals(1, CsvField.parse(text, type).stream().count());
  }

  /** A column with such a number is one of numbers, with an error, and none of text. */
  @Test
  void typeOfTooLarge() {
    assertEquals(Optional.of(Prim.F64), CsvField.narrowest("1e400"));
    assertEquals(Optional.empty(), CsvField.narrowest("1e4x"));
  }
}
