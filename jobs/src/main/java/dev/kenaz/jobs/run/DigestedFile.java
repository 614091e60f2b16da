package dev.kenaz.jobs.run;

import static dev.kenaz.error.ErrorCode.K7103;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.train.OutputFolder.Contents;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A file of a checkpoint, which ends with the digest of the rest. */
public final class DigestedFile {
  private DigestedFile() {}

  /** Reads what a file has. */
  @FunctionalInterface
  public interface Reading<T> {
    T from(InputStream in) throws IOException;
  }

  public static void write(OutputStream out, Contents contents) throws IOException {
    var digest = sha256();
    var digested = new BufferedOutputStream(new DigestOutputStream(out, digest), 1 << 16);
    contents.write(digested);
    digested.flush();
    out.write(digest.digest());
  }

  /**
   * Reads a file.
   *
   * @throws UserError K7103 if it isn't there as it was written
   */
  public static <T> T read(Path file, Reading<T> reading) {
    try {
      requireWhole(file);
      try (var in = new BufferedInputStream(Files.newInputStream(file))) {
        return reading.from(in);
      }
    } catch (IOException e) {
      throw UserPath.cannotRead(
          file, K7103, e, "restore it, or remove the checkpoint to begin anew");
    }
  }

  private static void requireWhole(Path file) throws IOException {
    var digest = sha256();
    long left = Files.size(file) - digest.getDigestLength();
    try (var in = Files.newInputStream(file)) {
      var block = new byte[1 << 16];
      while (left > 0) {
        int n = in.read(block, 0, (int) Math.min(block.length, left));
        if (n < 0) {
          throw damaged(file);
        }
        digest.update(block, 0, n);
        left -= n;
      }
      if (!MessageDigest.isEqual(digest.digest(), in.readAllBytes())) {
        throw damaged(file);
      }
    }
  }

  public static UserError damaged(Path file) {
    return new UserError(
        K7103,
        Span.NONE,
        file + " is not a whole checkpoint",
        "restore it, or remove the checkpoint to begin anew");
  }

  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
