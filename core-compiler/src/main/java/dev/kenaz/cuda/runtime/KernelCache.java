package dev.kenaz.cuda.runtime;

import dev.kenaz.cache.CacheFolder;
import dev.kenaz.cache.KeptFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps compiled kernels on disk, by their text, options and architecture. */
final class KernelCache {
  private static final Logger LOG = LoggerFactory.getLogger(KernelCache.class);

  private final KeptFiles files;

  /**
   * @param limit how many bytes are kept in all; what was not used for the longest time is deleted
   *     first
   */
  KernelCache(Path folder, long limit) {
    this.files = new KeptFiles(folder, ".cubin", limit);
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
    return files.get(key);
  }

  /** Keeps a kernel; if it can't be written, it is compiled again next time. */
  void put(String key, byte[] content) {
    files
        .put(key, content)
        .ifPresent(e -> LOG.warn("a compiled kernel can't be kept: {}", e.toString()));
  }

  void remove(String key) {
    files.remove(key);
  }
}
