package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kenaz.cuda.runtime.DriverProbe;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bundle works with nothing of the machine but a shell: no Java, no PATH, no home. */
final class GpuBundleTest {
  @TempDir private Path folder;

  @Test
  void testsOnABareMachine() throws IOException, InterruptedException {
    assumeTrue(
        Files.exists(Path.of(System.getProperty("java.home"), "bin", "jlink")),
        "this Java has no jlink: no bundle is made");
    var before = System.setProperty("kenaz.home", "..");
    try {
      var archive = folder.resolve("bundle.tar.gz");
      assertEquals(ExitStatus.OK, Main.run("gpu-bundle", "-o", archive.toString()));
      assertTrue(Files.size(archive) < 40_000_000, Files.size(archive) + " bytes");
      new ProcessBuilder("tar", "xzf", archive.toString(), "-C", folder.toString())
          .inheritIO()
          .start()
          .waitFor();
    } finally {
      if (before == null) {
        System.clearProperty("kenaz.home");
      } else {
        System.setProperty("kenaz.home", before);
      }
    }
    if (!DriverProbe.report().usable()) {
      for (var script : new String[] {"run-tests", "run-bench"}) {
        var said = new StringBuilder();
        assertEquals(ExitStatus.USER_ERROR, bare(said, script), said.toString());
        assertTrue(said.toString().contains("--backend cuda can't be used: "), said.toString());
      }
    }
    var said = new StringBuilder();
    var programs = folder.resolve("kenaz-gpu/programs/small");
    int status = bare(said, "kenaz", "gpu-test", "--backend", "simulate", programs.toString());
    assertEquals(ExitStatus.OK, status, said.toString());
    assertTrue(said.toString().contains("cases passed"), said.toString());
  }

  /** With an empty environment. */
  private int bare(StringBuilder said, String script, String... arguments)
      throws IOException, InterruptedException {
    var command = new java.util.ArrayList<String>();
    command.add(folder.resolve("kenaz-gpu").resolve(script).toString());
    command.addAll(java.util.List.of(arguments));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().put("PATH", "/nonexistent");
    builder.environment().put("KENAZ_CACHE", folder.resolve("cache").toString());
    var process = builder.start();
    said.append(new String(process.getInputStream().readAllBytes()));
    return process.waitFor();
  }
}
