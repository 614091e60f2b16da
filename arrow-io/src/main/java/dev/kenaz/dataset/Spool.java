package dev.kenaz.dataset;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Bytes that wait on disk until what stands before them is known, such as the number of rows. Their
 * file has no name, so nothing is left of it when the process is killed.
 */
final class Spool implements AutoCloseable {
  private static final int CHUNK = 1 << 20;

  private final FileChannel channel;
  private final OutputStream out;

  /**
   * @param folder where the file is
   */
  Spool(Path folder) throws IOException {
    var file = Files.createTempFile(folder, ".kenaz-", ".spool");
    this.channel =
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
    this.out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
  }

  /** Returns the stream that takes the bytes. */
  OutputStream out() {
    return out;
  }

  /** Returns how many bytes it has. */
  long size() throws IOException {
    out.flush();
    return channel.size();
  }

  /** Reads bytes from a place on. */
  void read(long at, byte[] into, int length) throws IOException {
    var bytes = ByteBuffer.wrap(into, 0, length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, at + bytes.position()) < 0) {
        throw new java.io.EOFException();
      }
    }
  }

  /** Writes all bytes. */
  void copyTo(OutputStream target) throws IOException {
    long size = size();
    var chunk = new byte[(int) Math.min(size, CHUNK)];
    for (long at = 0; at < size; at += chunk.length) {
      int n = (int) Math.min(chunk.length, size - at);
      read(at, chunk, n);
      target.write(chunk, 0, n);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
