package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/tutorial.md do what the page says, one after the other. */
final class TutorialTest {
  private static final Path PAGE = Path.of("../docs/tutorial.md");
  private static final Pattern COMMANDS = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

  @TempDir Path folder;

  @Test
  void theCommandsOfThePageRun() throws Exception {
    var home = Files.createDirectories(folder.resolve("kenaz"));
    LauncherTest.copyBuild(home);
    LauncherTest.copy(home, "configs/data", "configs/models", "jobs/target/jobs-0.1.0-job.jar");
    int port = StandaloneCluster.freePort();
    var script = Files.writeString(folder.resolve("page.sh"), script("" + port));
    var log = folder.resolve("log");
    var process =
        new ProcessBuilder("bash", script.toString())
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      boolean ended = process.waitFor(8, TimeUnit.MINUTES);
      assertTrue(ended, () -> "it doesn't end:\n" + said(log));
      assertEquals(0, process.exitValue(), () -> said(log));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    var said = said(log);
    assertTrue(said.contains("partitions on Spark local[*]"), said);
    assertTrue(said.contains("partitions on Spark spark://127.0.0.1:" + port), said);
    assertTrue(said.contains("mean_error"), said);
    for (var name : List.of("late.npz", "judged", "late/report.html", "wave/report.html")) {
      assertTrue(Files.exists(home.resolve("tutorial").resolve(name)), name);
    }
  }

  /** The page has a fixed port; here another test may use it. */
  private static String script(String port) throws IOException {
    var commands =
        COMMANDS
            .matcher(Files.readString(PAGE))
            .results()
            .map(m -> m.group(1))
            .collect(Collectors.joining());
    assertTrue(commands.contains("7077"), commands);
    return "set -eu\n" + commands.replace("7077", port);
  }

  private static String said(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
