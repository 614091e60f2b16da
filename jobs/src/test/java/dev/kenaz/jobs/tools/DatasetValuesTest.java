package dev.kenaz.jobs.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DatasetValuesTest {
  private static byte[] run(byte[] input, String... options) {
    var out = new ByteArrayOutputStream();
    try {
      new DatasetValues(new ByteArrayInputStream(input), out).run(List.of(options));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return out.toByteArray();
  }

  private static List<Value> values(byte[] bytes) {
    try (var in = ValueReader.of(bytes, "test")) {
      return in.readAll();
    }
  }

  @Test
  void typesShapesAndBounds() {
    for (var p : Prim.values()) {
      var text = "[20][3]" + p.text();
      var v = (ArrayValue) values(run(new byte[0], "-b", "-g", text)).getFirst();
      assertEquals(p, v.elem());
      assertArrayEquals(new long[] {20, 3}, v.shape());
    }
    var bounded =
        (ArrayValue)
            values(run(new byte[0], "--i32-bounds=-2:3", "-g[500]i32", "-g", "u8")).getFirst();
    for (int i = 0; i < 500; i++) {
      assertTrue(bounded.getInt(i) >= -2 && bounded.getInt(i) <= 3);
    }
    for (int k = -2; k <= 3; k++) {
      int wanted = k;
      assertTrue(bounded.toString().contains(wanted + "i32"));
    }
  }

  @Test
  void theSameSeedGivesTheSame() {
    var once = run(new byte[0], "-s", "7", "-g", "[5]f64");
    assertArrayEquals(once, run(new byte[0], "-s7", "--generate=[5]f64"));
    assertTrue(!java.util.Arrays.equals(once, run(new byte[0], "-s", "8", "-g", "[5]f64")));
  }

  @Test
  void conversions() {
    var text = "[[1i32, 2i32], [3i32, 4i32]]\n2.5f32\ntrue\n";
    var binary = run(text.getBytes(), "-b");
    assertEquals(text, new String(run(binary, "--text")));
    var head = run(new byte[0], "--binary-only-header", "-g", "[2][2]i32");
    var whole = run(new byte[0], "-b", "-g", "[2][2]i32");
    var payload = run(new byte[0], "--binary-no-header", "-g", "[2][2]i32");
    assertEquals(whole.length, head.length + payload.length);
    assertArrayEquals(head, java.util.Arrays.copyOf(whole, head.length));
  }

  @Test
  void faults() {
    for (var options :
        List.of(
            List.of("-g", "[]i32"),
            List.of("-g"),
            List.of("--frob"),
            List.of("--i33-bounds=1:2"),
            List.of("--i32-bounds=2:1", "-g", "i32"),
            List.of("-s", "x"))) {
      assertThrows(
          UserError.class,
          () -> run(new byte[0], options.toArray(String[]::new)),
          options::toString);
    }
  }
}
