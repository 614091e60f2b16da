package dev.kenaz.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Output that can't be written. */
final class StandardOutputTest {
  private final StringWriter errors = new StringWriter();

  private int status(OutputStream to, int before) throws IOException {
    var out = new StandardOutput(to);
    try {
      out.write("results".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      assertTrue(to instanceof Full);
    }
    return out.status(before, new PrintWriter(errors, true));
  }

  private static final class Full extends OutputStream {
    private final String message;

    Full(String message) {
      this.message = message;
    }

    @Override
    public void write(int b) throws IOException {
      throw new IOException(message);
    }
  }

  @Test
  void whatIsWrittenIsFine() throws IOException {
    var to = new ByteArrayOutputStream();
    assertEquals(ExitStatus.OK, status(to, ExitStatus.OK));
    assertEquals("results", to.toString(StandardCharsets.UTF_8));
    assertEquals("", errors.toString());
  }

  @Test
  void fullDiskIsReported() throws IOException {
    var full = new Full("No space left on device");
    assertEquals(ExitStatus.USER_ERROR, status(full, ExitStatus.OK));
    assertTrue(errors.toString().contains("K6111"), errors.toString());
    assertTrue(
        errors.toString().contains("can't write to standard output: No space left on device"));
  }

  /** An error of the command itself is reported already. */
  @Test
  void otherErrorsStay() throws IOException {
    assertEquals(ExitStatus.LIMITATION, status(new Full("No space"), ExitStatus.LIMITATION));
    assertEquals("", errors.toString());
  }

  @Test
  void nothingIsSaidWhereNobodyReads() throws IOException {
    assertEquals(ExitStatus.BROKEN_PIPE, status(new Full("Broken pipe"), ExitStatus.OK));
    assertEquals("", errors.toString());
  }

  @Test
  void failuresArePassedOn() {
    var out = new StandardOutput(new Full("No space left on device"));
    assertThrows(IOException.class, () -> out.write(1));
  }
}
