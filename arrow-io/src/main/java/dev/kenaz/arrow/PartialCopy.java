package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6101;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A file of this machine with those bytes of a file from elsewhere that were needed so far, at
 * their places. The rest of it is a hole. So a reader who maps it can pass over what it doesn't
 * need, without waiting for it or having room for it.
 */
public final class PartialCopy implements Closeable {
  /** So many bytes are copied at a time: asking for fewer takes as long. */
  private static final int CHUNK = 1 << 18;

  private final Path place;
  private final String name;
  private final long size;
  private final SeekableByteChannel source;
  private final FileChannel channel;
  private final BitSet there = new BitSet();

  /**
   * Makes a copy of which nothing is there yet. It closes the source with itself.
   *
   * @param place where it lies; an existing file is overwritten
   * @param name what errors call it
   * @param source the whole file
   */
  public PartialCopy(Path place, String name, SeekableByteChannel source) throws IOException {
    this.place = place;
    this.name = name;
    this.size = source.size();
    this.source = source;
    this.channel =
        FileChannel.open(
            place,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    if (size > 0) {
      channel.write(ByteBuffer.allocate(1), size - 1);
    }
  }

  /** Returns where it lies. */
  public Path place() {
    return place;
  }

  String name() {
    return name;
  }

  /**
   * Has the bytes between two places copied, as far as the file has so many.
   *
   * @throws dev.kenaz.error.UserError K6101 if they can't be read, or there is no room for them
   */
  synchronized void need(long from, long to) {
    long first = Math.clamp(from, 0, size) / CHUNK;
    long end = Math.ceilDiv(Math.clamp(to, 0, size), CHUNK);
    try {
      for (long c = first; c < end; c++) {
        if (!there.get(Math.toIntExact(c))) {
          copy(c);
        }
      }
    } catch (IOException e) {
      throw fault(K6101, "can't read " + name + ": " + e.getMessage());
    }
  }

  private void copy(long chunk) throws IOException {
    long at = chunk * CHUNK;
    var left = VectorFile.read(source, at, (int) Math.min(CHUNK, size - at));
    while (left.hasRemaining()) {
      channel.write(left, at + left.position());
    }
    there.set((int) chunk);
  }

  /** Whether the file begins with these bytes. */
  boolean begins(byte[] with) {
    need(0, with.length);
    var start = ByteBuffer.allocate(with.length);
    try {
      channel.read(start, 0);
    } catch (IOException e) {
      throw fault(K6101, "can't read " + place + ": " + e.getMessage());
    }
    return Arrays.equals(start.array(), with);
  }

  /** Ends the copying; what is there can be read on. */
  @Override
  public void close() throws IOException {
    try (source) {
      channel.close();
    }
  }
}
