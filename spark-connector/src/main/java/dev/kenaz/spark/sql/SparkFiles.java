package dev.kenaz.spark.sql;

import dev.kenaz.arrow.VectorFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.spark.SparkEnv;

/** Files in the places that Spark knows: local ones are mapped, others are copied first. */
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

  /** Opens a file in an executor. */
  static VectorFile open(org.apache.hadoop.fs.Path path, Configuration conf) throws IOException {
    if (isLocal(path, conf)) {
      return VectorFile.map(local(path));
    }
    var place = SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock()._2();
    try (var in = path.getFileSystem(conf).open(path)) {
      Files.copy(in, place.toPath());
      return VectorFile.map(place.toPath(), path.toString());
    } finally {
      Files.deleteIfExists(place.toPath()); // A mapped file stays readable without its name.
    }
  }

  /** A file of Hadoop as a channel that can be read anywhere. */
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
