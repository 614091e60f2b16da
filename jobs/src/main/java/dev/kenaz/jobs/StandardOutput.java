package dev.kenaz.jobs;

import static dev.kenaz.error.ErrorCode.K6111;

import dev.kenaz.error.UserError;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;

/**
 * This is the user's standard output, which remembers that it couldn't be written: {@link
 * System#out} itself says nothing when a disk is full, and a file would be cut off unnoticed.
 */
final class StandardOutput extends OutputStream {
  private static final int BUFFER = 1 << 13;

  private final OutputStream to;
  private IOException failure;

  StandardOutput(OutputStream to) {
    this.to = to;
  }

  /** Makes it that of the process. */
  static StandardOutput replace() {
    var out = new StandardOutput(new FileOutputStream(FileDescriptor.out));
    var buffered = new BufferedOutputStream(out, BUFFER);
    System.setOut(new PrintStream(buffered, true, System.out.charset()));
    return out;
  }

  /**
   * Returns the status of a command that has written to it, and reports what couldn't be written.
   * If nobody reads any more, as after {@code | head}, nothing is reported, as is usual.
   *
   * @param status that of the command otherwise
   */
  int status(int status, PrintWriter errors) {
    System.out.flush();
    if (failure == null || status != ExitStatus.OK) {
      return status;
    }
    if (String.valueOf(failure.getMessage()).contains("Broken pipe")) {
      return ExitStatus.BROKEN_PIPE;
    }
    var message = "can't write to standard output: " + failure.getMessage();
    return ErrorReport.print(new UserError(K6111, message), errors);
  }

  private synchronized void write(Write write) throws IOException {
    try {
      write.run();
    } catch (IOException e) {
      failure = failure == null ? e : failure;
      throw e;
    }
  }

  private interface Write {
    void run() throws IOException;
  }

  @Override
  public void write(int b) throws IOException {
    write(() -> to.write(b));
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    write(() -> to.write(bytes, from, count));
  }

  @Override
  public void flush() throws IOException {
    write(to::flush);
  }

  @Override
  public void close() throws IOException {
    write(to::close);
  }
}
