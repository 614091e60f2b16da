package dev.kenaz.cuda.runtime;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This is a private folder for what is worth keeping between runs. It is {@code KENAZ_CACHE}, else
 * {@code kenaz} in {@code XDG_CACHE_HOME} or {@code ~/.cache}; where none of them can be written,
 * it is a temporary folder of this process.
 */
public final class CacheFolder {
  /** Names the property with the folder; it must be set before anything is compiled. */
  public static final String PROPERTY = "kenaz.cache";

  private static final Logger LOG = LoggerFactory.getLogger(CacheFolder.class);
  private static final UnaryOperator<Path> OURS = folder -> folder.resolve("kenaz");
  private static final long DAY = 24L * 60 * 60 * 1000;

  private CacheFolder() {}

  private static final class Once {
    static final Path ROOT = find();
  }

  /** Returns the subfolder of that name, which it makes if there is none. */
  public static Path of(String name) throws IOException {
    return Files.createDirectories(Once.ROOT.resolve(name));
  }

  private static Path find() {
    var named = System.getProperty(PROPERTY, System.getenv("KENAZ_CACHE"));
    var xdg = System.getenv("XDG_CACHE_HOME");
    var home = System.getProperty("user.home", "");
    try {
      // The home of a user without one is "?", and a relative XDG_CACHE_HOME must be ignored.
      var wanted =
          named != null && !named.isBlank()
              ? Optional.of(Path.of(named))
              : absolute(xdg).or(() -> absolute(home).map(h -> h.resolve(".cache"))).map(OURS);
      if (wanted.isPresent() && usable(wanted.get())) {
        return wanted.get();
      }
    } catch (IOException | InvalidPathException e) {
      LOG.debug("the next best folder for compiled kernels, because of {}", e.toString());
    }
    try {
      return Files.createTempDirectory(
          "kenaz",
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException("no folder can be written for compiled kernels", e);
    }
  }

  /**
   * Whether the folder can be read: what is in it can then be used, even if nothing can be written.
   */
  private static boolean usable(Path folder) throws IOException {
    Files.createDirectories(folder);
    return Files.isWritable(folder) || Files.isDirectory(folder.resolve("kernels"));
  }

  private static Optional<Path> absolute(String name) {
    return Optional.ofNullable(name)
        .filter(n -> !n.isBlank())
        .map(Path::of)
        .filter(Path::isAbsolute);
  }

  /** Whether the file is a draft whose writer must have died. */
  static boolean abandoned(Path file) {
    try {
      return file.getFileName().toString().startsWith("draft")
          && Files.getLastModifiedTime(file).toMillis() < System.currentTimeMillis() - DAY;
    } catch (IOException e) {
      return false; // The file is gone.
    }
  }

  /** Writes the file whole or not at all, even if another process writes it at the same time. */
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

  /** Returns the SHA-256 of all parts in hexadecimal. */
  static String hash(byte[]... parts) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      for (var part : parts) {
        digest.update(part);
        digest.update((byte) 0);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java has SHA-256.
    }
  }
}
