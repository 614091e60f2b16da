package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.LocalInputFile;

/** A file that data is read from, on this machine or in a file system of Hadoop. */
public interface DataFile {

  /** Returns what messages call it: the path or address as the user wrote it. */
  String name();

  /** Returns its size in bytes, as it is stored. */
  long size() throws IOException;

  /** Opens its bytes, as they are stored. The caller closes the stream. */
  InputStream open() throws IOException;

  /** Returns where it is on this machine; nothing if it is elsewhere. */
  Optional<Path> path();

  /** Returns the file for those who read it from the end, or here and there. */
  InputFile seekable() throws IOException;

  /** Returns the fault of a file that can't be read. */
  default UserError cannotRead(IOException e) {
    return path()
        .map(p -> Faults.cannotRead(p, e))
        .orElseGet(
            () -> Faults.fault(ErrorCode.K6101, "can't read " + name() + ": " + e.getMessage()));
  }

  /** Returns a file on this machine. */
  static DataFile of(Path path) {
    return new Local(path);
  }

  /**
   * A file on this machine.
   *
   * @param file where it is
   */
  record Local(Path file) implements DataFile {
    @Override
    public String name() {
      return file.toString();
    }

    @Override
    public long size() throws IOException {
      return Files.size(file);
    }

    @Override
    public InputStream open() throws IOException {
      return Files.newInputStream(file);
    }

    @Override
    public InputFile seekable() {
      return new LocalInputFile(file);
    }

    @Override
    public Optional<Path> path() {
      return Optional.of(file);
    }
  }
}
