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

  /** Spark prints such traces when it stops on a busy machine; others are the user's to see. */
  @Test
  void tracesOfStoppedExecutorsAreLeftOut() {
    out.println("before");
    out.println(
        "java.util.concurrent.RejectedExecutionException: Task Future(<not completed>) rejected"
            + " from java.util.concurrent.ThreadPoolExecutor@62b4450[Shutting down, pool size ="
            + " 8]");
    out.println("\tat scala.concurrent.impl.Promise.submitWithValue(Promise.scala:462)");
    out.println("\tat java.base/java.lang.Thread.run(Thread.java:1474)");
    out.println("java.lang.IllegalStateException: another");
    out.println("\tat java.base/java.lang.Thread.run(Thread.java:1474)");
    var other = "java.lang.IllegalStateException: another\n";
    assertEquals(
        "before\n" + other + "\tat java.base/java.lang.Thread.run(Thread.java:1474)\n", text());
  }

  private String text() {
    return shown.toString(UTF_8).replace(System.lineSeparator(), "\n");
  }
}
