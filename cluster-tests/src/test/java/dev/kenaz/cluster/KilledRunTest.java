package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kenaz run --spark --checkpoint} is killed again and again, at random moments, and goes on
 * each time. It is slow because each run starts Spark.
 */
@Tag("slow")
final class KilledRunTest {
  private static final int KILLS = 6;
  private static final int ROWS = 20_000;

  /** Rows that move, rows that stay, and numbers of the driver. */
  private static final String WALK =
      """
      entry walk [n] (xs: [n]f64) (ks: [n]i64) (t: i64) : ([n]f64, [n]f64, f64, i64) =
        let before = scan (+) 0 xs
        let (ys, s, c) =
          loop (ys, s, c) = (copy xs, 1f64, 0i64) for i < t do
            let zs = map (\\j -> ys[(j + i + 1) % n] * 0.5 + s / f64.i64 n) (iota n)
            let s = f64.sum zs
            let c = c + i64.sum (map2 (\\z k -> if z > 0.3 then k else 1) zs ks)
            in (map2 (\\z b -> z + b * 1e-6) zs before, s, c)
        in (ys, before, s, c)
      """;

  @TempDir Path folder;
  private Path launcher;

  private Process start(String... arguments) throws IOException {
    var command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectOutput(folder.resolve("out").toFile())
        .redirectError(folder.resolve("err").toFile())
        .start();
  }

  private String run(String... arguments) throws Exception {
    var process = start(arguments);
    assertTrue(process.waitFor(4, TimeUnit.MINUTES), "the run doesn't end");
    assertEquals(0, process.exitValue(), Files.readString(folder.resolve("err")));
    return Files.readString(folder.resolve("out"));
  }

  private static String[] walk(String out, String... more) {
    var all = "run walk.fut -e walk -i steps --data xs=d.arrow:x --data ks=d.arrow:k";
    var options = Stream.of((all + " --spark local[2] --pieces 5 --out " + out).split(" "));
    return Stream.concat(options, Stream.of(more)).toArray(String[]::new);
  }

  /** Returns the files of a folder, by their names. */
  private List<Path> files(String place) throws IOException {
    try (var all = Files.walk(folder.resolve(place))) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @Test
  void aRunThatIsKilledAgainAndAgainEndsAsIfNothingHadHappened() throws Exception {
    var home = Files.createDirectories(folder.resolve("home"));
    LauncherTest.copyBuild(home);
    launcher = home.resolve("kenaz");
    var random = new Random(1);
    var rows =
        IntStream.range(0, ROWS)
            .mapToObj(_ -> random.nextDouble() + "," + random.nextInt(9))
            .collect(Collectors.joining("\n", "x,k\n", "\n"));
    Files.writeString(folder.resolve("d.csv"), rows);
    Files.writeString(folder.resolve("walk.fut"), WALK);
    Files.writeString(folder.resolve("steps"), "60\n");
    run("dataset", "import", "d.csv", "d.arrow");

    long start = System.nanoTime();
    var whole = run(walk("whole"));
    long millis = (System.nanoTime() - start) / 1_000_000;
    long seed = System.nanoTime();
    var moments = new Random(seed);
    var kept = new String[] {"--checkpoint=kept", "--every=1", "--resume"};
    for (int i = 0; i < KILLS; i++) {
      var process = start(walk("killed", kept));
      boolean ended = process.waitFor(moments.nextLong(millis / 3, millis), TimeUnit.MILLISECONDS);
      process.destroyForcibly().waitFor();
      if (ended) {
        assertEquals(0, process.exitValue(), Files.readString(folder.resolve("err")));
        assertNotEquals(0, i, "the first run ended before it was killed");
        break;
      }
    }
    if (!Files.exists(folder.resolve("killed"))) {
      run(walk("killed", kept));
    }
    var about = "with the random numbers of " + seed;
    assertEquals(whole, Files.readString(folder.resolve("out")), about);
    var expected = files("whole");
    var given = files("killed");
    assertEquals(expected.size(), given.size(), about);
    for (int i = 0; i < given.size(); i++) {
      assertArrayEquals(Files.readAllBytes(expected.get(i)), Files.readAllBytes(given.get(i)));
    }
    assertEquals(List.of(), files("kept"), "what isn't needed any more is removed");
    try (var left = Files.list(folder)) {
      assertTrue(left.noneMatch(f -> f.getFileName().toString().startsWith(".killed")), about);
    }
  }
}
