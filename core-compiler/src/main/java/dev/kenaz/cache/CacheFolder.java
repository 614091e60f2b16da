package dev.kenaz.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This is a private folder for what is worth keeping between runs. It is {@code KENAZ_CACHE}, else
 * {@code kenaz} in {@code XDG_CACHE_HOME} or {@code ~/.cache}; where none of them can be written,
 * or {@code KENAZ_CACHE} is {@code none}, it is a temporary folder of this process.
 */
public final class CacheFolder {
  /** Names the property with the folder, before the variable of the environment. */
  public static final String PROPERTY = "kenaz.cache";

  private static final Logger LOG = LoggerFactory.getLogger(CacheFolder.class);

  /** Stands for no folder that outlasts the process. */
  private static final String NONE = "none";

  private static final UnaryOperator<Path> OURS = folder -> folder.resolve("kenaz");
  private static final FileAttribute<Set<PosixFilePermission>> OWNER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final long DAY = 24L * 60 * 60 * 1000;

  private CacheFolder() {}

  private static final class Temporary {
    static final Path ROOT = make();
  }

  /** Returns the subfolder of that name, which it makes if there is none. */
  public static Path of(String name) throws IOException {
    return Files.createDirectories(lasting().orElseGet(() -> Temporary.ROOT).resolve(name));
  }

  /**
   * Returns the subfolder of that name for what runs in this process, if it outlasts the process.
   * It is made for this user alone. One that others may write, or that is another user's, is not
   * used.
   */
  public static Optional<Path> trusted(String name) {
    return lasting().flatMap(root -> trusted(root.resolve(name)));
  }

  static Optional<Path> trusted(Path folder) {
    try {
      if (!Files.isDirectory(folder)) {
        Files.createDirectories(folder.getParent());
        Files.createDirectory(folder, OWNER);
      }
      var others = Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
      if (Collections.disjoint(Files.getPosixFilePermissions(folder), others) && own(folder)) {
        return Optional.of(folder);
      }
      LOG.warn("nothing is kept in {}, as others may write to it", folder);
    } catch (FileAlreadyExistsException _) {
      return trusted(folder); // Another process was quicker.
    } catch (IOException | UnsupportedOperationException e) {
      LOG.debug("nothing is kept in {}, because of {}", folder, e.toString());
    }
    return Optional.empty();
  }

  /** Whether the folder belongs to the user of this process, or to the system's. */
  private static boolean own(Path folder) throws IOException {
    var self = Path.of("/proc/self");
    var user = (Integer) Files.getAttribute(Files.exists(self) ? self : folder, "unix:uid");
    var owner = (Integer) Files.getAttribute(folder, "unix:uid");
    return owner.equals(user) || owner == 0;
  }

  /** Returns the folder that outlasts the process, if one can be used. */
  private static Optional<Path> lasting() {
    var named = System.getProperty(PROPERTY, System.getenv("KENAZ_CACHE"));
    var xdg = System.getenv("XDG_CACHE_HOME");
    var home = System.getProperty("user.home", "");
    if (NONE.equals(named)) {
      return Optional.empty();
    }
    try {
      // The home of a user without one is "?", and a relative XDG_CACHE_HOME must be ignored.
      var wanted =
          named != null && !named.isBlank()
              ? Optional.of(Path.of(named))
              : absolute(xdg).or(() -> absolute(home).map(h -> h.resolve(".cache"))).map(OURS);
      if (wanted.isPresent() && usable(wanted.get())) {
        return wanted;
      }
    } catch (IOException | InvalidPathException e) {
      LOG.debug("the next best folder for compiled code, because of {}", e.toString());
    }
    return Optional.empty();
  }

  private static Path make() {
    try {
      return Files.createTempDirectory("kenaz", OWNER);
    } catch (IOException e) {
      throw new UncheckedIOException("no folder can be written for compiled kernels", e);
    }
  }

  /**
   * Whether the folder can be read: what is in it can then be used, even if nothing can be written.
   */
  private static boolean usable(Path folder) throws IOException {
    Files.createDirectories(folder);
    return Files.isWritable(folder)
        || Files.isDirectory(folder.resolve("kernels"))
        || Files.isDirectory(folder.resolve("classes"));
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
  public static void write(Path file, byte[] content) throws IOException {
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
  public static String hash(byte[]... parts) {
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
