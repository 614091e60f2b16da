package dev.kenaz.arrow;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Tells files from others by their sizes and some of their bytes: those of blocks that are spread
 * evenly, the first and the last among them. Small files are read whole. A few changed bytes of a
 * large file may lie between the blocks.
 */
final class FileSample {
  private static final int BLOCK = 1 << 12;

  /** So many blocks are read of all files together, and some of each. */
  private static final int BLOCKS = 1 << 10;

  private static final int LEAST = 4;

  private FileSample() {}

  /** Returns a text for each file, in their order. */
  static List<String> of(List<Path> files) {
    int blocks = Math.max(LEAST, BLOCKS / Math.max(1, files.size()));
    return files.stream().map(f -> of(f, blocks)).toList();
  }

  private static String of(Path file, int blocks) {
    try (var channel = FileChannel.open(file)) {
      long size = channel.size();
      var sum = new CRC32C();
      long last = Math.max(0, size - BLOCK);
      long step = Math.max(BLOCK, last / (blocks - 1));
      for (long at = 0; at < last; at += step) {
        sum.update(block(channel, at));
      }
      sum.update(block(channel, last));
      return size + " " + Long.toHexString(sum.getValue());
    } catch (IOException e) {
      throw Faults.cannotRead(file, e);
    }
  }

  private static ByteBuffer block(FileChannel channel, long at) throws IOException {
    var block = ByteBuffer.allocate(BLOCK);
    while (block.hasRemaining() && channel.read(block, at + block.position()) >= 0) {
      // until the block is full, or the file ends
    }
    return block.flip();
  }
}
