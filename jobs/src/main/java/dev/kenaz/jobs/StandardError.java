package dev.kenaz.jobs;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * This is the user's standard error. Before any code of Kenaz runs, the JVM prints a warning there
 * that the Vector API is in incubation, and no option suppresses it. So the launcher starts the JVM
 * with a filter in that place, and passes the real standard error as another file descriptor.
 */
final class StandardError {
  /** Names the property with the number of that descriptor. */
  static final String PROPERTY = "kenaz.stderr";

  private StandardError() {}

  /** Makes standard error the real one from now on, without the filter's delay. */
  static void restore() {
    var number = Integer.getInteger(PROPERTY);
    if (number == null) {
      return;
    }
    try {
      // If /dev/fd/N were opened instead, writing would begin at the start of a file that other
      // processes write too.
      var constructor = FileDescriptor.class.getDeclaredConstructor(int.class);
      constructor.setAccessible(true);
      var encoding = System.getProperty("stderr.encoding");
      var charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
      var out = new FileOutputStream(constructor.newInstance((int) number));
      System.setErr(new PrintStream(out, true, charset));
    } catch (ReflectiveOperationException | RuntimeException _) {
      return; // The filter lets everything pass but that warning.
    }
  }
}
