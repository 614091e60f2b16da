package dev.kenaz.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KernelCacheTest {
  @TempDir private Path folder;

  @Test
  void keepsWhatWasCompiled() {
    var cache = new KernelCache(folder, 1000);
    assertTrue(cache.get("a").isEmpty());
    cache.put("a", new byte[] {1, 2});
    assertArrayEquals(new byte[] {1, 2}, new KernelCache(folder, 1000).get("a").orElseThrow());
    cache.remove("a");
    assertTrue(cache.get("a").isEmpty());
  }

  @Test
  void theLongestUnusedGoFirst() throws IOException {
    var cache = new KernelCache(folder, 250);
    for (var key : List.of("a", "b")) {
      cache.put(key, new byte[100]);
      Files.setLastModifiedTime(folder.resolve(key + ".cubin"), FileTime.fromMillis(key.charAt(0)));
    }
    assertTrue(cache.get("a").isPresent()); // now used later than b
    cache.put("c", new byte[100]);
    assertTrue(cache.get("a").isPresent());
    assertTrue(cache.get("b").isEmpty());
    assertTrue(cache.get("c").isPresent());
  }

  @Test
  void folderThatCannotBeWrittenIsAnEmptyCache() {
    var cache = new KernelCache(folder.resolve("missing"), 1000);
    cache.put("a", new byte[1]);
    assertTrue(cache.get("a").isEmpty());
  }

  /** Another process's write is whole, or not there yet; what may only be read is read. */
  @Test
  void severalWriteAndReadAtOnce() throws Exception {
    try (var threads = Executors.newFixedThreadPool(8)) {
      var work = new ArrayList<Future<?>>();
      for (int t = 0; t < 8; t++) {
        var content = new byte[50_000];
        Arrays.fill(content, (byte) t);
        var cache = new KernelCache(folder, 10_000_000);
        work.add(
            threads.submit(
                () -> {
                  for (int k = 0; k < 20; k++) {
                    cache.put("a", content);
                    var found = cache.get("a").orElseThrow();
                    assertEquals(50_000, found.length);
                    for (byte b : found) {
                      assertEquals(found[0], b);
                    }
                  }
                }));
      }
      for (var w : work) {
        w.get();
      }
    }
    try (var files = Files.list(folder)) {
      assertEquals(List.of("a.cubin"), files.map(f -> f.getFileName().toString()).toList());
    }
  }

  @Test
  void keysTellApartTextArchitectureAndOptions() {
    var key = KernelCache.key("x", 90, List.of("-a"));
    assertEquals(key, KernelCache.key("x", 90, List.of("-a")));
    assertNotEquals(key, KernelCache.key("y", 90, List.of("-a")));
    assertNotEquals(key, KernelCache.key("x", 80, List.of("-a")));
    assertNotEquals(key, KernelCache.key("x", 90, List.of()));
  }
}
