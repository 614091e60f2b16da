package dev.kenaz.jobs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * Passes on what is written, line by line, without {@link HiddenText}. Spark's log and the messages
 * of other libraries reach the user in this way. It also leaves out the traces that Spark prints
 * when it stops while messages between its parts are on their way, as on a busy machine: they tell
 * of nothing that went wrong.
 */
final class HidingStream extends OutputStream {
  private final OutputStream to;
  private final Charset charset;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean inTrace;

  private HidingStream(OutputStream to, Charset charset) {
    this.to = to;
    this.charset = charset;
  }

  /** Returns a stream that writes to another one. */
  static PrintStream before(PrintStream other) {
    return new PrintStream(new HidingStream(other, other.charset()), false, other.charset());
  }

  @Override
  public synchronized void write(int b) throws IOException {
    line.write(b);
    if (b == '\n') {
      pass();
    }
  }

  @Override
  public synchronized void write(byte[] bytes, int from, int count) throws IOException {
    int rest = from;
    for (int i = from; i < from + count; i++) {
      if (bytes[i] == '\n') {
        line.write(bytes, rest, i + 1 - rest);
        pass();
        rest = i + 1;
      }
    }
    line.write(bytes, rest, from + count - rest);
  }

  /** Passes on a part of a line: one that is rewritten, or a question. */
  @Override
  public synchronized void flush() throws IOException {
    pass();
    to.flush();
  }

  private void pass() throws IOException {
    if (line.size() == 0) {
      return;
    }
    var text = line.toString(charset);
    inTrace = beginsTrace(text) || inTrace && text.startsWith("\tat ");
    if (!inTrace) {
      write(text);
    }
    line.reset();
  }

  private void write(String text) throws IOException {
    if (HiddenText.isEmpty()) {
      line.writeTo(to);
    } else {
      to.write(HiddenText.without(text).getBytes(charset));
    }
  }

  /** Whether an executor that is shut down has refused to pass on a message. */
  private static boolean beginsTrace(String line) {
    return line.startsWith("java.util.concurrent.RejectedExecutionException: Task Future(")
        && (line.contains("[Shutting down,") || line.contains("[Terminated,"));
  }
}
