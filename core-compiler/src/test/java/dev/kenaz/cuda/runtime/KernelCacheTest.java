package dev.kenaz.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
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

  @Test
  void keysTellApartTextArchitectureAndOptions() {
    var key = KernelCache.key("x", 90, List.of("-a"));
    assertEquals(key, KernelCache.key("x", 90, List.of("-a")));
    assertNotEquals(key, KernelCache.key("y", 90, List.of("-a")));
    assertNotEquals(key, KernelCache.key("x", 80, List.of("-a")));
    assertNotEquals(key, KernelCache.key("x", 90, List.of()));
  }
}
