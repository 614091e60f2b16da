package dev.kenaz.dataset;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.parquet.io.InputFile;

/** Bytes in memory that are read as a file, such as a resource of a program. */
public final class BytesFile implements DataFile {
  private final String name;
  private final byte[] bytes;

  private BytesFile(String name, byte[] bytes) {
    this.name = name;
    this.bytes = bytes;
  }

  /**
   * Returns a file that has these bytes.
   *
   * @param name what messages call it
   */
  public static DataFile of(String name, byte[] bytes) {
    return new BytesFile(name, bytes.clone());
  }

  /** Returns a file that has this text, in UTF-8. */
  public static DataFile of(String name, String text) {
    return new BytesFile(name, text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() {
    return bytes.length;
  }

  @Override
  public InputStream open() {
    return new ByteArrayInputStream(bytes);
  }

  @Override
  public Optional<Path> path() {
    return Optional.empty();
  }

  @Override
  public InputFile seekable() throws IOException {
    throw new IOException("it is in memory, and is read from its beginning alone");
  }
}
