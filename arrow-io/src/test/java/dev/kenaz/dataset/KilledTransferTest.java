package dev.kenaz.dataset;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.Progress;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Imports are killed at random moments, and go on. It is slow because each of them starts a Java
 * process.
 */
@Tag("slow")
final class KilledTransferTest {
  private static final int KILLS = 20;
  private static final int FILES = 12;
  private static final int ROWS = 60_000;

  @TempDir private Path folder;

  /** The process that is killed. Its arguments are the folder and the name of the target. */
  static final class Import {
    private Import() {}

    public static void main(String[] args) {
      run(Path.of(args[0]), args[1]);
    }
  }

  private static void run(Path folder, String target) {
    var files = SourceFiles.resolve(List.of(folder.resolve("in").toString()));
    var output =
        new RowOutput(
            folder.resolve("out").resolve(target),
            true,
            20_000,
            ".arrow",
            ArrowFile::new,
            List.of(),
            0,
            false,
            true,
            2,
            "");
    Transfer.run(new CsvFiles(files, CsvOptions.DEFAULT), output, Progress.NONE);
  }

  private Process start(String target) throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.removeIf(a -> a.startsWith("-javaagent") || a.startsWith("-agentlib"));
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            Import.class.getName(),
            folder.toString(),
            target));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("log").toFile())
        .start();
  }

  private void prepare() throws IOException {
    Files.createDirectories(folder.resolve("in"));
    for (int f = 0; f < FILES; f++) {
      var text = new StringBuilder("id,x,s\n");
      for (int i = 0; i < ROWS; i++) {
        text.append("%d,%s,n%d%n".formatted(f * ROWS + i, i / 7.0, i % 11));
      }
      // The last file contradicts the types that the first lines have, so the import begins anew.
      text.append(f == FILES - 1 ? "1,2.5,3\n-,1,s\n" : "");
      Files.writeString(folder.resolve("in/f%02d.csv".formatted(f)), text);
    }
  }

  private Map<String, byte[]> bytes(String target) throws IOException {
    var bytes = new TreeMap<String, byte[]>();
    try (var all = Files.list(folder.resolve("out").resolve(target))) {
      for (var f : all.toList()) {
        bytes.put(f.getFileName().toString(), Files.readAllBytes(f));
      }
    }
    return bytes;
  }

  private void assertWhole(Map<String, byte[]> expected, String target) throws IOException {
    var found = bytes(target);
    assertEquals(expected.keySet(), found.keySet());
    expected.forEach((name, b) -> assertArrayEquals(b, found.get(name), name));
  }

  @Test
  void importsThatAreKilledEndInTheSameBytes() throws Exception {
    prepare();
    long begin = System.nanoTime();
    assertEquals(0, start("first").waitFor(), Files.readString(folder.resolve("log")));
    long millis = (System.nanoTime() - begin) / 1_000_000;
    var expected = bytes("first");
    long seed = System.nanoTime();
    var moments = new Random(seed);
    int kills = 0;
    for (int round = 0; kills < KILLS; round++) {
      var target = "out" + round;
      boolean ended = false;
      while (!ended) {
        var process = start(target);
        ended =
            kills >= KILLS
                ? process.waitFor() == 0
                : process.waitFor(moments.nextLong(millis / 4, millis), TimeUnit.MILLISECONDS);
        if (!ended) {
          process.destroyForcibly().waitFor();
          kills++;
        } else {
          assertEquals(0, process.exitValue(), Files.readString(folder.resolve("log")));
        }
        if (Files.exists(folder.resolve("out").resolve(target))) {
          assertWhole(expected, target); // It may have been killed after its last step.
          ended = true;
        }
      }
      assertWhole(expected, target);
    }
    assertTrue(kills >= KILLS, "seed " + seed);
    try (var all = Files.list(folder.resolve("out"))) {
      var left = all.map(p -> p.getFileName().toString()).filter(n -> n.startsWith(".")).toList();
      assertEquals(List.of(), left, "seed " + seed);
    }
  }
}
