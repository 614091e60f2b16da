package dev.kenaz.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps files in a folder, by keys, up to some size in all. Several processes may use the folder at
 * once.
 */
public final class KeptFiles {
  private static final Logger LOG = LoggerFactory.getLogger(KeptFiles.class);

  private final Path folder;
  private final String suffix;
  private final long limit;

  /** So many bytes were written since the folder's size was last looked at. */
  private long written = Long.MAX_VALUE;

  /**
   * @param suffix how the names of all files end
   * @param limit how many bytes are kept in all; what was not used for the longest time is deleted
   *     first
   */
  public KeptFiles(Path folder, String suffix, long limit) {
    this.folder = folder;
    this.suffix = suffix;
    this.limit = limit;
  }

  /** Returns what is kept by the key, which counts as used now. */
  public Optional<byte[]> get(String key) {
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
   * Keeps the content. If it can't be written, it isn't there later, which is no fault.
   *
   * @return why it can't be written, if so
   */
  public Optional<IOException> put(String key, byte[] content) {
    try {
      CacheFolder.write(file(key), content);
      if (due(content.length)) {
        trim();
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e);
    }
  }

  /** Whether so much was written that the folder may hold more than it should by a sixteenth. */
  private synchronized boolean due(long bytes) {
    boolean due = written > limit / 16 - bytes;
    written = due ? 0 : written + bytes;
    return due;
  }

  /** Deletes what is kept by the key. */
  public void remove(String key) {
    try {
      Files.deleteIfExists(file(key));
    } catch (IOException e) {
      LOG.warn("{} can't be deleted: {}", file(key), e.toString());
    }
  }

  private Path file(String key) {
    return folder.resolve(key + suffix);
  }

  private void trim() throws IOException {
    record Entry(Path file, long bytes, FileTime used) {}
    List<Entry> entries;
    try (var files = Files.list(folder)) {
      entries =
          files
              .filter(f -> f.toString().endsWith(suffix) || CacheFolder.abandoned(f))
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
