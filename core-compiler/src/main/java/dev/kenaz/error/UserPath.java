package dev.kenaz.error;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipException;

/**
 * Paths as users write them: in command lines, configurations, imports and test blocks. All of them
 * are parsed here, and what keeps a file from being read or written is put into words here.
 */
public final class UserPath {
  /** The first words of what Git leaves in place of a file whose contents are kept elsewhere. */
  private static final byte[] LFS_POINTER =
      "version https://git-lfs.github.com/spec/".getBytes(StandardCharsets.US_ASCII);

  private UserPath() {}

  /**
   * The path that a text names.
   *
   * @param code of the fault if it can't be a path
   * @throws UserError if it is empty or holds what no path can
   */
  public static Path of(String written, ErrorCode code, Span span) {
    if (written.isEmpty()) {
      throw new UserError(code, span, "a path is empty", "name a file or a folder");
    }
    try {
      return Path.of(written);
    } catch (InvalidPathException e) {
      var shown = written.replace("\0", "\\0");
      var why = written.indexOf('\0') >= 0 ? "it holds a NUL character" : e.getReason();
      throw new UserError(code, span, "\"" + shown + "\" can't be a path: " + why);
    }
  }

  /** Does the same for a text that has no place in a file. */
  public static Path of(String written, ErrorCode code) {
    return of(written, code, Span.NONE);
  }

  /** The path that a text names, where relative ones start from a folder. */
  public static Path in(Path folder, String written, ErrorCode code) {
    return folder.resolve(of(written, code)).normalize();
  }

  /** The name in its folder; the root, which has none, is called by its path. */
  public static String name(Path path) {
    var name = path.getFileName();
    return name == null ? path.toString() : name.toString();
  }

  /**
   * Refuses what can't be read as a file, before anything is made of it.
   *
   * @throws UserError if it doesn't exist, is a link that leads nowhere or a folder, or mustn't be
   *     read
   */
  public static Path requireFile(Path file, ErrorCode code) {
    if (!Files.exists(file)) {
      throw cannotRead(file, code, new NoSuchFileException(file.toString()));
    }
    if (Files.isDirectory(file)) {
      throw new UserError(code, "can't read " + file + ": it is a folder", "name a file in it");
    }
    if (!Files.isReadable(file)) {
      throw cannotRead(file, code, new AccessDeniedException(file.toString()));
    }
    return file;
  }

  /** The fault of a file that can't be read. */
  public static UserError cannotRead(Path file, ErrorCode code, IOException e, String... hints) {
    return new UserError(
        code, "can't read " + file + ": " + reason(file, e), hints.length > 0 ? hints : remedy(e));
  }

  /** What helps where neither the path nor the permissions are wrong. */
  private static String[] remedy(IOException e) {
    return switch (e) {
      case CharacterCodingException _ -> new String[] {"store the file as UTF-8"};
      case EOFException _ -> new String[] {"make the file again"};
      case ZipException _ -> new String[] {"compress the file with gzip, or change its name"};
      default -> new String[0];
    };
  }

  /** Why a file can't be read or written, for whom Java's own message is often just its path. */
  public static String reason(Path file, IOException e) {
    return switch (e) {
      case NoSuchFileException _ when Files.isSymbolicLink(file) ->
          "it is a link to " + target(file) + ", which doesn't exist";
      case NoSuchFileException _ -> "no such file or folder";
      case AccessDeniedException _ -> "permission denied";
      case FileAlreadyExistsException _ -> "there is a file in its place";
      case NotDirectoryException _ -> "it is no folder";
      case CharacterCodingException _ -> "it is not UTF-8 text";
      case EOFException _ -> "it was cut off";
      case FileSystemException f when f.getReason() != null -> f.getReason();
      default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    };
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException _) {
      return "something";
    }
  }

  /** Whether a file with these first bytes only says where Git keeps the real one. */
  public static boolean isLfsPointer(byte[] start) {
    int n = LFS_POINTER.length;
    return start.length >= n && Arrays.equals(start, 0, n, LFS_POINTER, 0, n);
  }

  /** What to tell of a file for which {@link #isLfsPointer} holds. */
  public static UserError lfsPointer(Path file, ErrorCode code) {
    return new UserError(
        code,
        file + " is a pointer of Git LFS, not the file itself",
        "fetch the contents: git lfs pull");
  }
}
