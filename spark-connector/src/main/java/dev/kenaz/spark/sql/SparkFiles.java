package dev.kenaz.spark.sql;

import dev.kenaz.arrow.PartialCopy;
import dev.kenaz.arrow.VectorFile;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.spark.SparkEnv;

/**
 * Files in the places that Spark knows: local ones are mapped, of others what is needed is copied
 * first.
 */
final class SparkFiles {
  private SparkFiles() {}

  static boolean isLocal(org.apache.hadoop.fs.Path path, Configuration conf) throws IOException {
    return path.getFileSystem(conf) instanceof LocalFileSystem;
  }

  /** Returns what Spark calls a place; a URI with blanks as %20 would be another place to it. */
  static String place(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri()).toString();
  }

  private static Path local(org.apache.hadoop.fs.Path path) {
    return Path.of(path.toUri().getPath());
  }

  /** Returns the schema; of a file that isn't local, nothing else is read. */
  static Schema schema(org.apache.hadoop.fs.Path path, Configuration conf) throws IOException {
    if (isLocal(path, conf)) {
      return VectorFile.map(local(path)).schema();
    }
    var fs = path.getFileSystem(conf);
    try (var in = fs.open(path)) {
      return VectorFile.schema(
          new HadoopChannel(in, fs.getFileStatus(path).getLen()), path.toString());
    }
  }

  /**
   * A file that an executor reads.
   *
   * @param copy what copies it from elsewhere, as far as it is needed; null if it is here
   * @param whole whether all its batches are read, wherever they are
   */
  record Opened(VectorFile file, PartialCopy copy, boolean whole) implements Closeable {
    @Override
    public void close() throws IOException {
      if (copy != null) {
        copy.close();
      }
    }
  }

  /**
   * Opens a file in an executor to read a part of it. A stream that isn't local is read as a whole
   * with its first part, so for the others there is nothing.
   *
   * @param start where the part begins
   * @throws FileNotFoundException if the file is gone
   */
  static Optional<Opened> open(org.apache.hadoop.fs.Path path, Configuration conf, long start)
      throws IOException {
    if (isLocal(path, conf)) {
      if (Files.notExists(local(path))) {
        throw new FileNotFoundException("file " + path + " does not exist");
      }
      return Optional.of(new Opened(VectorFile.map(local(path)), null, false));
    }
    var copy = copy(path, conf);
    boolean open = false;
    try {
      boolean stream = VectorFile.isStream(copy);
      if (stream && start > 0) {
        return Optional.empty();
      }
      var opened = new Opened(VectorFile.map(copy), copy, stream);
      open = true;
      return Optional.of(opened);
    } finally {
      Files.deleteIfExists(copy.place()); // A mapped file stays readable without its name.
      if (!open) {
        copy.close();
      }
    }
  }

  private static PartialCopy copy(org.apache.hadoop.fs.Path path, Configuration conf)
      throws IOException {
    var fs = path.getFileSystem(conf);
    var place = SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock()._2();
    var in = fs.open(path);
    try {
      var source = new HadoopChannel(in, fs.getFileStatus(path).getLen());
      return new PartialCopy(place.toPath(), path.toString(), source);
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  /**
   * A file of Hadoop as a channel that can be read anywhere. What is read in order is one request
   * to most file systems.
   */
  private record HadoopChannel(FSDataInputStream in, long size) implements SeekableByteChannel {
    @Override
    public int read(ByteBuffer to) throws IOException {
      if (!to.hasRemaining()) {
        return 0;
      }
      int wanted = Math.min(to.remaining(), 1 << 16);
      var bytes = new byte[wanted];
      int n = in.read(bytes, 0, wanted);
      if (n > 0) {
        to.put(bytes, 0, n);
      }
      return n;
    }

    @Override
    public long position() throws IOException {
      return in.getPos();
    }

    @Override
    public SeekableByteChannel position(long to) throws IOException {
      if (to > size) {
        throw new EOFException("the file ends at byte " + size);
      }
      in.seek(to);
      return this;
    }

    @Override
    public int write(ByteBuffer from) {
      throw new NonWritableChannelException();
    }

    @Override
    public SeekableByteChannel truncate(long to) {
      throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
