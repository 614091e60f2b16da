package dev.kenaz.jobs;

import static dev.kenaz.error.ErrorCode.K1001;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {
  @TempDir Path folder;

  private record Told(int status, String text) {}

  private static Told tell(Throwable failure) {
    var out = new StringWriter();
    int status = ErrorReport.print(failure, new PrintWriter(out));
    return new Told(status, out.toString());
  }

  @Test
  void commandLinesThatMakeNoSense() {
    assertEquals(ExitStatus.USAGE, Main.run());
    assertEquals(ExitStatus.USAGE, Main.run("frobnicate"));
    assertEquals(ExitStatus.USAGE, Main.run("dataset"));
    assertEquals(ExitStatus.USAGE, Main.run("dataset", "inspect"));
    assertEquals(ExitStatus.USAGE, Main.run("bench"));
    assertEquals(ExitStatus.USER_ERROR, Main.run("bench", "kmeans-mllib", "no-such.arrow"));
    assertEquals(ExitStatus.OK, Main.run("--version"));
  }

  /** Without this the launcher goes without start-up data, and trains anew each time. */
  @Test
  void startUpDataCanBeRecorded() {
    assertEquals(ExitStatus.OK, Main.run("warm-up"));
  }

  @Test
  void faultOfTheUserHasPlaceCaretAndHint() throws IOException {
    var file = Files.writeString(folder.resolve("f.fut"), "def x =\n\tfoo + bar\n");
    var span = new Span(file.toString(), 2, 2, 2, 5);
    var told = tell(new UserError(K1001, span, "unknown name foo", "did you mean \"for\"?"));
    assertEquals(ExitStatus.USER_ERROR, told.status());
    assertEquals(
        """
        error[K1001]: unknown name foo
          --> %s:2:2
           |
         2 |  foo + bar
           |  ^^^
           = hint: did you mean "for"?
        """
            .formatted(file),
        told.text());
  }

  @Test
  void otherFailuresHaveTheirStatus() {
    assertEquals(ExitStatus.LIMITATION, tell(new Limitation(Span.NONE, "f16 scans")).status());
    assertEquals(ExitStatus.BUG, tell(new CompilerBug("lower", "oh")).status());
    assertEquals(ExitStatus.BUG, tell(new IllegalStateException("oh")).status());
    assertTrue(tell(new IllegalStateException("oh")).text().contains("not yours"));
    assertEquals(ExitStatus.USER_ERROR, tell(new OutOfMemoryError("heap")).status());
  }

  /** The launcher's flags are Spark's, but for one that newer JDKs only warn about. */
  @Test
  void launcherFlagsAreSparks() throws IOException {
    try (var in = Main.class.getResourceAsStream("spark-jvm-flags")) {
      var ours = new String(in.readAllBytes()).lines().collect(Collectors.toList());
      var theirs =
          Arrays.stream(JavaModuleOptions.defaultModuleOptionArray())
              .filter(f -> !f.contains("sun.security.action"))
              .toList();
      assertEquals(theirs, List.copyOf(ours));
    }
  }
}
