package dev.kenaz.cuda.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps compiled kernels on disk, by their text, options and architecture. */
final class KernelCache {
  private static final Logger LOG = LoggerFactory.getLogger(KernelCache.class);

  private final Path folder;
  private final long limit;

  /**
   * @param limit how many bytes are kept in all; what was not used for the longest time is deleted
   *     first
   */
  KernelCache(Path folder, long limit) {
    this.folder = folder;
    this.limit = limit;
  }

  /** Returns the cache in the user's cache folder. */
  static KernelCache standard() throws IOException {
    return new KernelCache(CacheFolder.of("kernels"), 256L << 20);
  }

  /**
   * Returns the key of a compilation. Comments make no difference, because they tell where a
   * program lies.
   *
   * @param capability the device's compute capability, 90 for 9.0
   */
  static String key(String source, int capability, List<String> options) {
    var code = source.lines().filter(l -> !l.startsWith("//")).collect(Collectors.joining("\n"));
    return CacheFolder.hash(
        code.getBytes(StandardCharsets.UTF_8),
        Integer.toString(capability).getBytes(StandardCharsets.UTF_8),
        String.join("\n", options).getBytes(StandardCharsets.UTF_8));
  }

  Optional<byte[]> get(String key) {
    var file = file(key);
    byte[] content;
    try {
      content = Files.readAllBytes(file);
    } catch (IOException e) {
      return Optional.empty();
    }
    try {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    } catch (IOException e) {
      LOG.debug("{} may only be read: {}", folder, e.toString());
    }
    return Optional.of(content);
  }

  /**
   * Keeps the content. If it can't be written, the cache doesn't have it later, which is no fault.
   */
  void put(String key, byte[] content) {
    try {
      CacheFolder.write(file(key), content);
      trim();
    } catch (IOException e) {
      LOG.warn("a compiled kernel can't be kept in {}: {}", folder, e.toString());
    }
  }

  void remove(String key) {
    try {
      Files.deleteIfExists(file(key));
    } catch (IOException e) {
      LOG.warn("{} can't be deleted: {}", file(key), e.toString());
    }
  }

  private Path file(String key) {
    return folder.resolve(key + ".cubin");
  }

  private void trim() throws IOException {
    record Entry(Path file, long bytes, FileTime used) {}
    List<Entry> entries;
    try (var files = Files.list(folder)) {
      entries =
          files
              .filter(f -> f.toString().endsWith(".cubin") || CacheFolder.abandoned(f))
              .flatMap(
                  f -> {
                    try {
                      return Stream.of(new Entry(f, Files.size(f), Files.getLastModifiedTime(f)));
                    } catch (IOException e) {
                      return Stream.empty(); // Another process has deleted it.
                    }
                  })
              .sorted(Comparator.comparing(Entry::used))
              .toList();
    }
    long total = entries.stream().mapToLong(Entry::bytes).sum();
    for (var e : entries) {
      if (total > limit || CacheFolder.abandoned(e.file())) {
        Files.deleteIfExists(e.file());
        total -= e.bytes();
      }
    }
  }
}
