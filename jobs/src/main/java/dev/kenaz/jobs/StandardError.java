package dev.kenaz.jobs;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * The user's standard error. The JVM warns there, before any code of ours runs, that the Vector API
 * is in incubation, which no user can do anything about; so the launcher starts it with a filter in
 * that place, and hands the real one over as another file descriptor.
 */
final class StandardError {
  /** Holds the number of that descriptor. */
  static final String PROPERTY = "kenaz.stderr";

  private StandardError() {}

  /** Writes to the real one from now on, without the filter's delay. */
  static void restore() {
    var number = Integer.getInteger(PROPERTY);
    if (number == null) {
      return;
    }
    try {
      // Opening /dev/fd/N instead would begin at the start of a file that others write, too.
      var constructor = FileDescriptor.class.getDeclaredConstructor(int.class);
      constructor.setAccessible(true);
      var encoding = System.getProperty("stderr.encoding");
      var charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
      var out = new FileOutputStream(constructor.newInstance((int) number));
      System.setErr(new PrintStream(out, true, charset));
    } catch (ReflectiveOperationException | RuntimeException _) {
      return; // the filter lets all pass but that warning
    }
  }
}
