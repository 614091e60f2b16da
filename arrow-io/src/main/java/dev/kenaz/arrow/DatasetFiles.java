package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6101;

import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/** Turns what the user names into files: a file, a folder of {@code *.arrow}, or a glob. */
public final class DatasetFiles {
  private DatasetFiles() {}

  /**
   * Returns the files in the order in which they are named; those of a folder or a glob in the
   * order of their names.
   */
  public static List<Path> resolve(List<String> names) {
    if (names.isEmpty()) {
      throw fault(K6101, "no data file is named");
    }
    var files = new ArrayList<Path>();
    names.forEach(name -> files.addAll(resolve(name)));
    return List.copyOf(files);
  }

  private static List<Path> resolve(String name) {
    var path = UserPath.of(name, K6101);
    if (Files.isDirectory(path)) {
      return list(path, "*.{arrow,arrows,feather}", name);
    }
    if (Files.exists(path) || !isGlob(name)) {
      return List.of(path);
    }
    int slash = lastPlainSlash(name);
    var root = slash < 0 ? Path.of("") : UserPath.of(name.substring(0, slash + 1), K6101);
    return list(root, name.substring(slash + 1), name);
  }

  private static boolean isGlob(String name) {
    return name.chars().anyMatch(c -> "*?[{".indexOf(c) >= 0);
  }

  /** Returns the place of the last slash before the first wildcard. */
  private static int lastPlainSlash(String name) {
    int first = 0;
    while ("*?[{".indexOf(name.charAt(first)) < 0) {
      first++;
    }
    return name.lastIndexOf('/', first);
  }

  private static List<Path> list(Path root, String glob, String name) {
    PathMatcher matcher;
    try {
      matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
    } catch (PatternSyntaxException e) {
      throw fault(K6101, name + " is neither a file nor a pattern of names: " + e.getDescription());
    }
    int depth = glob.contains("**") ? Integer.MAX_VALUE : Path.of(glob).getNameCount();
    // Hidden files are temporary files of writers, so they are never part of a dataset.
    try (var all = Files.walk(root, depth)) {
      var found =
          all.filter(f -> !UserPath.name(f).startsWith("."))
              .filter(f -> !UserPath.name(f).equals("_manifest.json"))
              .filter(f -> matcher.matches(root.relativize(f)))
              .filter(Files::isRegularFile)
              .sorted()
              .toList();
      if (found.isEmpty()) {
        throw name.endsWith(glob)
            ? fault(K6101, "no file matches " + name)
            : fault(K6101, "no .arrow file is in the folder " + name);
      }
      return found;
    } catch (UncheckedIOException e) {
      throw Faults.cannotRead(root, e.getCause());
    } catch (IOException e) {
      throw Faults.cannotRead(root, e);
    }
  }
}
