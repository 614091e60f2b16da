package dev.kenaz.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

final class HidingStreamTest {
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private final PrintStream out = HidingStream.before(new PrintStream(shown, true, UTF_8));

  @Test
  void linesAreWithoutHiddenTexts() {
    HiddenText.hide("päss-wörd-17", "${env:HIDING}");
    out.print("opens db:päss-");
    out.println("wörd-17@host");
    out.printf("%d rows\nof päss-wörd-17\n", 3);
    out.print("  50 %\r");
    out.flush();
    assertEquals("opens db:${env:HIDING}@host\n3 rows\nof ${env:HIDING}\n  50 %\r", text());
  }

  @Test
  void bytesPassOneByOne() {
    for (byte b : "a é\n".getBytes(UTF_8)) {
      out.write(b);
    }
    assertEquals("a é\n", text());
  }

  private String text() {
    return shown.toString(UTF_8).replace(System.lineSeparator(), "\n");
  }
}
