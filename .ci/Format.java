import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Checks or applies google-java-format over every module's {@code src}. Run by the build with the
 * toolchain's JDK, because the formatter parses with the JDK it runs on and Maven's own may be too
 * old for the language level.
 *
 * <p>Usage: {@code Format (check|apply) ROOT VERSION}, with the version of the formatter. Exit
 * status 1 if {@code check} finds a difference. What was found to be formatted is not looked at
 * again until its text or the version changes.
 */
final class Format {
  private static final Formatter FORMATTER =
      new Formatter(
          JavaFormatterOptions.builder().style(JavaFormatterOptions.Style.GOOGLE).build());

  /** Hashes of texts that an earlier run found to be formatted, and of those of this run. */
  private static final Set<String> FORMATTED = new HashSet<>();

  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

  void main(String[] args) throws IOException {
    var apply = args[0].equals("apply");
    var root = Path.of(args[1]);
    var known = root.resolve("target/tools/formatted-" + args[2]);
    if (Files.exists(known)) {
      FORMATTED.addAll(Files.readAllLines(known));
    }
    List<String> changed;
    try (var files = sources(root)) {
      changed =
          files
              .parallel()
              .map(f -> visit(root, f, apply))
              .filter(Objects::nonNull)
              .sorted()
              .toList();
    }
    Files.createDirectories(known.getParent());
    Files.write(known, new TreeSet<>(SEEN));
    changed.forEach(f -> System.out.println((apply ? "formatted " : "not formatted: ") + f));
    if (!apply && !changed.isEmpty()) {
      System.out.println("To format: mvn -N verify -Dformat=apply");
      System.exit(1);
    }
  }

  private static Stream<Path> sources(Path root) throws IOException {
    var own = root.resolve(".ci/Format.java");
    var modules = Files.list(root).map(m -> m.resolve("src")).filter(Files::isDirectory).toList();
    return Stream.concat(Stream.of(own), modules.stream().flatMap(Format::javaFiles));
  }

  private static Stream<Path> javaFiles(Path folder) {
    try (var files = Files.walk(folder)) {
      return files.filter(f -> f.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String hash(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** The file's name if its text is not what the formatter makes of it, else null. */
  private static String visit(Path root, Path file, boolean apply) {
    try {
      var text = Files.readString(file);
      if (FORMATTED.contains(hash(text))) {
        SEEN.add(hash(text));
        return null;
      }
      var ordered =
          ImportOrderer.reorderImports(
              RemoveUnusedImports.removeUnusedImports(text), JavaFormatterOptions.Style.GOOGLE);
      var formatted = FORMATTER.formatSource(ordered);
      if (apply || formatted.equals(text)) {
        SEEN.add(hash(formatted));
      }
      if (formatted.equals(text)) {
        return null;
      }
      if (apply) {
        Files.writeString(file, formatted);
      }
      return root.relativize(file).toString();
    } catch (IOException | FormatterException e) {
      return root.relativize(file) + ": " + e.getMessage();
    }
  }
}
