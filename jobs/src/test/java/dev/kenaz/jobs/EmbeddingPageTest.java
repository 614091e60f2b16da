package dev.kenaz.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The programs of docs/embedding.md print what the page says. */
final class EmbeddingPageTest {
  private static final Path PAGE = Path.of("../docs/embedding.md");
  private static final Pattern PROGRAM =
      Pattern.compile("```java\n(.*?)```\n+```text\n(.*?)```", Pattern.DOTALL);

  static Stream<Arguments> programs() throws IOException {
    var page = Files.readString(PAGE);
    long blocks = Pattern.compile("```java").matcher(page).results().count();
    var programs = PROGRAM.matcher(page).results().toList();
    assertEquals(blocks, programs.size(), "each program is followed by what it prints");
    return programs.stream().map(m -> Arguments.of(m.group(1), m.group(2)));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void printsWhatThePageSays(String program, String printed, @TempDir Path folder)
      throws Exception {
    var file = Files.writeString(folder.resolve("Page.java"), program);
    if (program.contains("import fit.")) {
      bind(folder);
      JavaSources.compile(folder, folder.resolve("fit/LineFit.java"));
    }
    JavaSources.compile(folder, file);
    assertEquals(printed, run(folder));
  }

  /** Does with the page's file what the page says. */
  private static void bind(Path folder) throws IOException {
    var block = Pattern.compile("```futhark\n-- (\\S+)\n(.*?)```", Pattern.DOTALL);
    var found = block.matcher(Files.readString(PAGE));
    assertTrue(found.find());
    var file = Files.writeString(folder.resolve(found.group(1)), found.group(2));
    var args = new String[] {"bind", file.toString(), "--package", "fit", "-o", folder.toString()};
    assertEquals(0, Main.run(args));
  }

  private static String run(Path classes) throws Exception {
    var before = System.out;
    var printed = new ByteArrayOutputStream();
    try (var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      var page = loader.loadClass("Page");
      var constructor = page.getDeclaredConstructor();
      constructor.setAccessible(true);
      var main = page.getDeclaredMethod("main");
      main.setAccessible(true);
      main.invoke(constructor.newInstance());
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }
}
