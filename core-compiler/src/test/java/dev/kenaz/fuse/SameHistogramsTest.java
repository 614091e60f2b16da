package dev.kenaz.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.Printer;
import dev.kenaz.pipeline.Optimised;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A histogram that a statement makes twice is made once. */
final class SameHistogramsTest {
  private static final String MAIN = "entry main [n] (is: [n]i64) (xs: [n]f64) = ";

  /** Counts the histograms of a program, each of which says where it is made. */
  private static long histograms(String body) {
    var text = Printer.print(Optimised.text(MAIN + body));
    return Pattern.compile("\\binto \\(").matcher(text).results().count();
  }

  @Test
  void sameHistogramsAreMadeOnce() {
    assertEquals(1, histograms("(hist (*) 1 9 is xs, hist (*) 1 9 is xs, hist (*) 1 9 is xs)"));
  }

  /**
   * Besides the products of all elements there are those with exponents of their own, and numbers
   * of zeros and infinite elements.
   */
  @Test
  void derivativesOfMapsMakeThemOnce() {
    var rows = "\\xss -> hist (map2 (*)) (replicate 9 1) 9 is xss";
    var at = "(map (replicate 9) xs) (replicate 9 (replicate 9 1))";
    assertEquals(4, histograms("vjp2 (" + rows + ") " + at));
  }

  @Test
  void othersAreNot() {
    assertEquals(2, histograms("(hist (*) 1 9 is xs, hist (*) 1 8 is xs)"));
    assertEquals(2, histograms("(hist (*) 1 9 is xs, hist f64.max 1 9 is xs)"));
    assertEquals(2, histograms("(hist (*) 1 9 is xs, hist (*) 1 9 is (map f64.exp xs))"));
    assertEquals(2, histograms("(hist (*) 1 9 is xs, hist (*) 1 9 (map (+ 1) is) xs)"));
    assertEquals(
        2, histograms("(hist (*) 1 9 is xs, reduce_by_index (replicate 9 2) (*) 1 is xs)"));
  }
}
