package dev.kenaz.arrow;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6110;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What killed processes leave is removed by the next one, and nothing else is. */
final class AtomicOutputTest {
  @TempDir Path folder;

  private static ProcessOwner ended() throws IOException, InterruptedException {
    var process = new ProcessBuilder("true").start();
    process.waitFor();
    return new ProcessOwner(ProcessOwner.self().place(), process.pid(), 1);
  }

  private Path left(String name, String kind, ProcessOwner owner) throws IOException {
    return Files.writeString(
        folder.resolve("." + name + "." + kind + "-" + owner.text() + "-0123abcd"), "part");
  }

  @Test
  void leftoversOfDeadProcessesAreSwept() throws Exception {
    var dead = left("a.arrow", "tmp", ended());
    var deadFolder = folder.resolve(".b.tmp-" + ended().text() + "-00000000");
    Files.createDirectory(deadFolder);
    Files.writeString(deadFolder.resolve("part-0.arrow"), "part");
    var reused = left("c", "tmp", new ProcessOwner(ProcessOwner.self().place(), 1, 7));
    var mine = left("a.arrow", "tmp", ProcessOwner.self());
    var elsewhere = left("a.arrow", "tmp", new ProcessOwner("00000000", 1, 1));
    var other = Files.writeString(folder.resolve(".a.arrow.tmp-notes"), "dear");
    AtomicOutput.to(folder.resolve("new.arrow"), false).close();
    for (var gone : List.of(dead, deadFolder, reused)) {
      assertFalse(Files.exists(gone), gone.toString());
    }
    for (var kept : List.of(mine, elsewhere, other)) {
      assertTrue(Files.exists(kept), kept.toString());
    }
  }

  /** Killed between the two renames that replace a folder. */
  @Test
  void aReplacedFolderComesBack() throws Exception {
    var old = left("data", "old", ended());
    AtomicOutput.to(folder.resolve("new.arrow"), false).close();
    assertFalse(Files.exists(old));
    assertEquals("part", Files.readString(folder.resolve("data")));
  }

  @Test
  void theRootIsNoOutput() {
    for (var path : List.of("/", "/.", "/..")) {
      var e = assertThrows(UserError.class, () -> AtomicOutput.to(Path.of(path), true));
      assertTrue(e.diagnostics().getFirst().code().name().matches("K611[01]"), e.getMessage());
    }
  }

  /** A device is never replaced by a file. */
  @Test
  void aDeviceIsNoOutput() {
    var device = Path.of("/dev/null");
    assumeTrue(Files.exists(device));
    var e = assertThrows(UserError.class, () -> AtomicOutput.to(device, true));
    assertEquals(K6110, e.diagnostics().getFirst().code(), e.getMessage());
  }

  @Test
  void pathsThatCannotBe() {
    for (var path : List.of("", "a\0b", "/", folder.toString())) {
      var e = assertThrows(UserError.class, () -> ArrowDataset.open(path));
      assertEquals(K6101, e.diagnostics().getFirst().code(), e.getMessage());
    }
    var twice = List.of("x", "x");
    assertThrows(UserError.class, () -> new ReadOptions(twice, ReadOptions.Nulls.ERROR));
    assertThrows(UserError.class, () -> CsvOptions.DEFAULT.withColumns(twice));
  }
}
