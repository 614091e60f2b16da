package dev.kenaz.cuda.runtime;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A private folder for what is worth keeping between runs: {@code KENAZ_CACHE}, else {@code kenaz}
 * in {@code XDG_CACHE_HOME} or {@code ~/.cache}; where none of them can be written, a folder of
 * this process alone.
 */
public final class CacheFolder {
  private CacheFolder() {}

  private static final class Once {
    static final Path ROOT = find();
  }

  /** Its subfolder of that name, which exists. */
  public static Path of(String name) throws IOException {
    return Files.createDirectories(Once.ROOT.resolve(name));
  }

  private static Path find() {
    var named =
        Optional.ofNullable(System.getProperty("kenaz.cache", System.getenv("KENAZ_CACHE")));
    var xdg = Optional.ofNullable(System.getenv("XDG_CACHE_HOME"));
    var home = Path.of(System.getProperty("user.home", "/nonexistent"), ".cache");
    var wanted =
        named.map(Path::of).orElseGet(() -> xdg.map(Path::of).orElse(home).resolve("kenaz"));
    try {
      Files.createDirectories(wanted);
      if (Files.isWritable(wanted)) {
        return wanted;
      }
    } catch (IOException | SecurityException e) {
      // the next best
    }
    try {
      return Files.createTempDirectory(
          "kenaz",
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException("no folder can be written for compiled kernels", e);
    }
  }

  /** Writes the file whole or not at all, whoever else writes it at the same time. */
  static void write(Path file, byte[] content) throws IOException {
    var draft = Files.createTempFile(file.getParent(), "draft", "");
    try {
      Files.write(draft, content);
      try {
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
      } catch (AtomicMoveNotSupportedException e) {
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  /** SHA-256 in hexadecimal. */
  static String hash(byte[]... parts) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      for (var part : parts) {
        digest.update(part);
        digest.update((byte) 0);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
