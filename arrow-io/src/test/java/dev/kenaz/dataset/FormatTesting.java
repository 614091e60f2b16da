package dev.kenaz.dataset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.junit.jupiter.api.function.Executable;

/** Reads whole files, as lists of rows. */
final class FormatTesting {
  private FormatTesting() {}

  /** Returns all rows: a list of values for each, in which numbers are bits of their type. */
  static List<List<Object>> rows(RowReader reader) {
    var rows = new ArrayList<List<Object>>();
    try (reader) {
      for (var batch = reader.next(); batch != null; batch = reader.next()) {
        assertTrue(batch.getRowCount() > 0);
        for (int row = 0; row < batch.getRowCount(); row++) {
          var values = new ArrayList<Object>();
          for (var vector : batch.getFieldVectors()) {
            values.add(value(vector, row));
          }
          rows.add(values);
        }
        assertTrue(reader.fraction() >= 0 && reader.fraction() <= 1);
      }
    }
    return rows;
  }

  private static Object value(FieldVector vector, int row) {
    var value = vector.getObject(row);
    return switch (value) {
      case null -> null;
      case byte[] bytes -> Arrays.toString(bytes);
      case List<?> list -> List.copyOf(list.stream().map(FormatTesting::plain).toList());
      default -> plain(value);
    };
  }

  private static Object plain(Object value) {
    return value instanceof org.apache.arrow.vector.util.Text text ? text.toString() : value;
  }

  static DataFile text(String... lines) {
    return BytesFile.of("file", String.join("\n", lines));
  }

  /** Asserts that something fails with a code and at a place, and that the message has words. */
  static void assertFault(ErrorCode code, int line, String words, Executable what) {
    var e = assertThrows(UserError.class, what);
    var first = e.diagnostics().getFirst();
    assertEquals(code, first.code(), e.getMessage());
    assertTrue(first.message().contains(words), first.message());
    assertEquals(line, first.span().line(), e.getMessage());
  }

  /** Asserts that something that has no place in a text fails. */
  static void assertFault(ErrorCode code, String words, Executable what) {
    assertFault(code, 0, words, what);
  }
}
