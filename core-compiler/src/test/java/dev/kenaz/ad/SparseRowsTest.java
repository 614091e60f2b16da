package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.kenaz.ir.Printer;
import dev.kenaz.pipeline.Optimised;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What a derivative adds to rows of which few elements were read. */
final class SparseRowsTest {
  /**
   * Of the nearest centre, those elements are accumulated that the point reads; no row of zeros is
   * made for them. The program's results are tested with the other programs.
   */
  @Test
  void noRowOfZerosIsMadeForFewElements() {
    var file = Path.of("src/test/resources/programs/ad/sparse_rows.fut");
    var text = Printer.print(Optimised.file(file));
    assertFalse(Pattern.compile("replicate \\[d_\\d+] ").matcher(text).find(), text);
  }
}
