package dev.kenaz.dataset;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;

/** The bytes of a file, which are unpacked on the way if they are packed by gzip or Zstandard. */
public final class Unpacked implements AutoCloseable {
  private final Counting counting;
  private final Packing packing;
  private final InputStream stream;
  private final long size;

  private Unpacked(Counting counting, Packing packing, InputStream stream, long size) {
    this.counting = counting;
    this.packing = packing;
    this.stream = stream;
    this.size = Math.max(1, size);
  }

  /**
   * Opens a file. Its first bytes tell whether it is packed.
   *
   * @throws IOException if it can't be read, or is damaged
   */
  public static Unpacked open(DataFile file) throws IOException {
    var counting = new Counting(file.open());
    try {
      var start = counting.readNBytes(Packing.START);
      var whole = new PushbackInputStream(counting, Packing.START);
      whole.unread(start);
      var packing = Packing.of(start);
      return new Unpacked(counting, packing, packing.unpacked(whole), file.size());
    } catch (IOException | RuntimeException e) {
      counting.close();
      throw e;
    }
  }

  /** Returns the bytes, without a buffer of their own. */
  public InputStream stream() {
    return stream;
  }

  /** Whether the file is packed. */
  public boolean packed() {
    return packing != Packing.NONE;
  }

  /** Returns which part of the stored bytes was read, from 0 to 1. */
  public double fraction() {
    return Math.min(1, (double) counting.bytes / size);
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }

  /** Counts the bytes that were read. */
  private static final class Counting extends FilterInputStream {
    private long bytes;

    Counting(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      bytes += b < 0 ? 0 : 1;
      return b;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int n = super.read(into, offset, length);
      bytes += Math.max(0, n);
      return n;
    }
  }
}
