package dev.kenaz.dataset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.Text;
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
        rows.addAll(rows(batch));
        assertTrue(reader.fraction() >= 0 && reader.fraction() <= 1);
      }
    }
    return rows;
  }

  /** Returns the rows of a batch. */
  static List<List<Object>> rows(VectorSchemaRoot batch) {
    var rows = new ArrayList<List<Object>>();
    for (int row = 0; row < batch.getRowCount(); row++) {
      var values = new ArrayList<Object>();
      for (var vector : batch.getFieldVectors()) {
        values.add(plain(vector.getObject(row)));
      }
      rows.add(values);
    }
    return rows;
  }

  private static Object plain(Object value) {
    return switch (value) {
      case null -> null;
      case byte[] bytes -> Arrays.toString(bytes);
      case List<?> list -> Arrays.asList(list.stream().map(FormatTesting::plain).toArray());
      case Map<?, ?> map -> {
        // A struct with a null in place of a member has it like one that lacks it.
        var members = new TreeMap<String, Object>();
        map.forEach((k, v) -> members.put(k.toString(), plain(v)));
        members.values().removeIf(Objects::isNull);
        yield members;
      }
      case Text text -> text.toString();
      default -> value;
    };
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
