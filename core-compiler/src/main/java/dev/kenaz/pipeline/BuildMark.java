package dev.kenaz.pipeline;

import dev.kenaz.cache.CacheFolder;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names the build of the compiler that runs, by the checksums of its class files, which the jar
 * lists. A compiler that runs from a folder of class files, as in tests, has no name.
 */
final class BuildMark {
  private static final Logger LOG = LoggerFactory.getLogger(BuildMark.class);
  private static final String OURS = "dev/kenaz/";

  private BuildMark() {}

  private static final class Once {
    static final Optional<String> MARK = find();
  }

  /** Returns the name of this build. */
  static Optional<String> ours() {
    return Once.MARK;
  }

  private static Optional<String> find() {
    try {
      var source = BuildMark.class.getProtectionDomain().getCodeSource();
      if (source == null) {
        return Optional.empty();
      }
      var jar = Path.of(source.getLocation().toURI());
      return Files.isRegularFile(jar) ? Optional.of(of(jar)) : Optional.empty();
    } catch (IOException | URISyntaxException | RuntimeException e) {
      LOG.debug("the build of the compiler has no name, because of {}", e.toString());
      return Optional.empty();
    }
  }

  /** Returns the name of the build in a jar. */
  static String of(Path jar) throws IOException {
    try (var file = new ZipFile(jar.toFile())) {
      var contents =
          file.stream()
              .filter(e -> e.getName().startsWith(OURS) && !e.isDirectory())
              .map(BuildMark::line)
              .sorted()
              .collect(Collectors.joining("\n"));
      return CacheFolder.hash(contents.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static String line(ZipEntry e) {
    return e.getName() + " " + e.getSize() + " " + Long.toHexString(e.getCrc());
  }
}
