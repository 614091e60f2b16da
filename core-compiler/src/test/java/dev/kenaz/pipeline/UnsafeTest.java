package dev.kenaz.pipeline;

import static dev.kenaz.error.ErrorCode.K5001;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.Printer;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the attribute {@code unsafe} leaves out; that the rest is right is tested by programs. */
final class UnsafeTest {
  private static final String GET = "def get [n] (xs: [n]i32) (i: i64) = assert (i != 1) xs[i]\n";

  private static String core(String entry) {
    return Printer.print(Optimised.text(GET + entry));
  }

  @Test
  void leavesOutAssertionsAndBoundsOfReads() {
    var unsafe = core("entry f [n] (xs: [n]i32) (i: i64) = #[unsafe] get xs i");
    assertFalse(unsafe.contains("assert"), unsafe);
    assertTrue(unsafe.contains("] unchecked"), unsafe);
  }

  @Test
  void hasNoEffectBesidesItsExpression() {
    for (var body : List.of("get xs i", "(#[unsafe] i + 1) |> get xs")) {
      var safe = core("entry f [n] (xs: [n]i32) (i: i64) = " + body);
      assertTrue(safe.contains("assert"), safe);
      assertFalse(safe.contains("unchecked"), safe);
    }
  }

  /** Also where the function is made in it, but called elsewhere, and the other way round. */
  @Test
  void goesByWhereCallsAre() {
    var called = core("entry f [n] (xs: [n]i32) (i: i64) = let g = get xs in #[unsafe] g i");
    assertFalse(called.contains("assert"), called);
    var made = core("entry f [n] (xs: [n]i32) (i: i64) = let g = (#[unsafe] get xs) in g i");
    assertTrue(made.contains("assert"), made);
  }

  @Test
  void interpreterChecksAllTheSame() {
    var text = GET + "entry f [n] (xs: [n]i32) (i: i64) = #[unsafe] get xs i";
    try (var p = Compiler.compile("p.fut", text, CompileOptions.of(Backend.INTERPRET))) {
      var xs = ArrayValue.ofInts(new int[] {1, 2, 3}, 3);
      var entry = p.entry("f");
      assertEquals("2i32", entry.call(List.of(xs, ScalarValue.i64(1))).getFirst().toString());
      var e = assertThrows(UserError.class, () -> entry.call(List.of(xs, ScalarValue.i64(3))));
      assertEquals(K5001, e.diagnostics().getFirst().code());
    }
  }
}
