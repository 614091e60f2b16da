package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher of a build that was copied to a place with a space in its name, then moved. */
final class LauncherTest {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final List<String> MODULES =
      List.of("core-compiler", "arrow-io", "configs", "spark-connector", "jobs");

  @TempDir Path folder;

  private record Ended(int status, String out, String err) {}

  private Ended run(Path home, String options, String... arguments) throws Exception {
    var out = folder.resolve("out");
    var err = folder.resolve("err");
    var command = new ArrayList<>(List.of(home.resolve("kenaz").toString()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command);
    builder.environment().put("KENAZ_JAVA_OPTS", options);
    var process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    assertTrue(process.waitFor(5, TimeUnit.MINUTES), "the launcher doesn't end");
    return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  static void copy(Path home, String... names) throws IOException {
    for (var name : names) {
      try (var all = Files.walk(PROJECT.resolve(name))) {
        for (var from : all.toList()) {
          var to = home.resolve(PROJECT.relativize(from).toString());
          Files.createDirectories(to.getParent());
          if (!Files.isDirectory(from)) {
            Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
          }
        }
      }
    }
  }

  /** What the launcher needs of a build, marked as one that is up to date. */
  static void copyBuild(Path home) throws IOException {
    copy(home, "kenaz", "pom.xml", "configs/schema", "jobs/target/class-path");
    copy(home, "jobs/target/classes/dev/kenaz/jobs/spark-jvm-flags");
    copy(home, "core-compiler/target/classes/dev/kenaz/jvm/jit-flags");
    copy(home, "core-compiler/target/classes/dev/kenaz/jvm/jit-directives.json");
    for (var module : MODULES) {
      copy(home, module + "/pom.xml");
      try (var jars = Files.newDirectoryStream(PROJECT.resolve(module + "/target"), "*[0-9].jar")) {
        for (var jar : jars) {
          copy(home, PROJECT.relativize(jar).toString());
        }
      }
    }
    Files.createDirectories(home.resolve(".kenaz"));
    Files.writeString(home.resolve(".kenaz/built"), "");
  }

  @Test
  void aMovedBuildRunsItsOwnJars() throws Exception {
    var home = Files.createDirectories(folder.resolve("first place"));
    copyBuild(home);
    // Class names with their sources go to standard output, behind the result.
    var log = "-XX:AOTMode=off -Xlog:class+load=info";
    var ended = run(home, log, "eval", "1 + 1");
    assertEquals(0, ended.status(), ended.err());
    assertEquals("", ended.err());
    assertOwnJars(ended.out(), home);

    var moved = folder.resolve("second place");
    Files.move(home, moved);
    ended = run(moved, log, "eval", "1 + 1");
    assertEquals(0, ended.status(), ended.err());
    assertOwnJars(ended.out(), moved);

    // What commands and the JVM itself say arrives; what the JVM always says doesn't.
    ended = run(moved, "", "eval", "1 + true");
    assertEquals(2, ended.status());
    assertTrue(ended.err().startsWith("error[K"), ended.err());
    ended = run(moved, "-XX:NoSuchFlag", "eval", "1 + 1");
    assertEquals(1, ended.status());
    // What the JVM says before it runs passes a filter, which may end a little later.
    for (int i = 0; i < 100 && !Files.readString(folder.resolve("err")).contains("Flag"); i++) {
      Thread.sleep(100);
    }
    assertTrue(Files.readString(folder.resolve("err")).contains("NoSuchFlag"));
    ended = run(moved, "", "gpu-test", "nothing.fut");
    assertFalse(ended.err().contains("incubator"), ended.err());
  }

  /** These start without Spark's libraries, and what is no command is told by all of them. */
  @Test
  void commandsHaveTheLibrariesThatTheyNeed() throws Exception {
    var home = Files.createDirectories(folder.resolve("light"));
    copyBuild(home);
    var program = folder.resolve("one.fut");
    Files.writeString(program, "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) = x + 1\n");
    var bench = List.of("bench", "--warm-up", "0", "-r", "1", "--no-convergence-phase");
    var ended = run(home, "", add(bench, program.toString()));
    assertEquals(0, ended.status(), ended.err());
    ended = run(home, "", "test", program.toString());
    assertEquals(0, ended.status(), ended.err());
    Files.writeString(program, "entry main : i32 = 41 + 1\n");
    ended = run(home, "", "run", program.toString());
    assertEquals("42i32", ended.out().strip(), ended.err());
    for (var command : List.of("check", "run", "plan", "dev", "server", "script", "bind", "gpu")) {
      ended = run(home, "", command, "--help");
      assertTrue(ended.status() == 0 && ended.err().isEmpty(), command + ended.err());
    }
    ended = run(home, "", "tset");
    assertEquals(64, ended.status(), ended.err());
    assertTrue(ended.err().contains("Did you mean"), ended.out() + ended.err());
  }

  private static String[] add(List<String> words, String last) {
    return Stream.concat(words.stream(), Stream.of(last)).toArray(String[]::new);
  }

  /** Programs and legal texts of a GPU bundle come from the jars: there are no sources here. */
  @Test
  void aCopiedBuildMakesGpuBundles() throws Exception {
    var home = Files.createDirectories(folder.resolve("copy"));
    copyBuild(home);
    var archive = folder.resolve("bundle.tar");
    var ended = run(home, "", "gpu-bundle", "--no-kernels", "-o", archive.toString());
    assertEquals(0, ended.status(), ended.err());
    var tar = new ProcessBuilder("tar", "tf", archive.toString()).start();
    var names = new String(tar.getInputStream().readAllBytes()).lines().toList();
    assertEquals(0, tar.waitFor());
    for (var name : List.of("programs/small/hist.fut", "LICENSE", "NOTICE", "kenaz.jar")) {
      assertTrue(names.contains("kenaz-gpu/" + name), name);
    }
  }

  private static void assertOwnJars(String out, Path home) {
    assertTrue(out.contains("dev.kenaz.jobs.Main source: "), out);
    var sources =
        out.lines().filter(l -> l.contains("dev.kenaz.") && l.contains("source: file:")).toList();
    for (var line : sources) {
      assertTrue(line.contains(home.toString().replace(" ", "%20")), line);
    }
  }
}
