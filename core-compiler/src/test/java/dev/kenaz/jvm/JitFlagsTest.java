package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Names of generated methods and options of Java that mention them. */
final class JitFlagsTest {
  private static final Path FLAGS = Path.of("src/main/resources/dev/kenaz/jvm/jit-flags");

  private static final String GENERATED = ",.*Entry_\\*::([a-z_]+)\\*,.*";

  /** Callers of these wait until they are compiled. */
  private static final Set<String> WITH_VECTORS = Set.of("vector_", "fun_");

  /** A method of the printed classes, with its instructions. */
  private static final Pattern METHOD = Pattern.compile("\n  (\\w+)\\(.*((?:\n    .*)*)");

  /** A loop over steps with parallel loops, tasks with operators inside, and a loop of its own. */
  private static final String PROGRAM =
      """
      def sum [n] (xs: [n]f64) = f64.sum (map f64.exp xs)
      entry steps [n] (k: i64) (xs: [n]f64) = loop ys = xs for i < k do map (\\y -> y * sum ys) ys
      entry nest [n] [m] (ws: [m][8]f64) (xs: [n][8]f64) =
        vjp (\\ws -> f64.sum (map (\\x -> f64.log (f64.sum (map (\\w ->
          f64.exp (f64.sum (map2 (*) w x))) ws))) xs)) ws 1
      entry counts [n] (ks: [n]i64) = hist (+) 0i64 10 ks (map (const 1) ks)
      entry first [n] (xs: [n]f64) = loop i = 0 while i < n && xs[i] < 0 do i + 1
      """;

  @Test
  void methodsAreMentionedUnlessTheyStartParallelLoops() throws IOException {
    var options = CompileOptions.of(Backend.JVM);
    var text = ProgramSource.of("names.fut", PROGRAM);
    var printed = Compiler.run(text, Pipelines.of(options), options).after("classes").print();
    var kinds = new HashSet<String>();
    var methods = METHOD.matcher(printed);
    while (methods.find()) {
      var name = methods.group(1);
      boolean outer = name.startsWith("outer_");
      assertTrue(outer || !methods.group(2).contains("Context.parallel"), name);
      boolean vectors = methods.group(2).contains("Vector");
      assertTrue(outer || !vectors || WITH_VECTORS.contains(kind(name)), name);
      kinds.add(outer ? "outer" : kind(name));
    }
    var found = Set.of("outer", "task", "block", "region", "vector_", "fun_");
    assertTrue(kinds.containsAll(found), kinds.toString());
    assertTrue(kinds.remove("outer") && kinds.remove("run"), "what no option mentions");
    assertTrue(mentioned("CompileThresholdScaling").containsAll(kinds), kinds.toString());
    assertEquals(WITH_VECTORS, mentioned("BackgroundCompilation"));
  }

  private static String kind(String name) {
    return WITH_VECTORS.stream()
        .filter(name::startsWith)
        .findFirst()
        .orElseGet(() -> name.replaceAll("[0-9]+", ""));
  }

  private static Set<String> mentioned(String option) throws IOException {
    var kinds = new HashSet<String>();
    for (var flag : Files.readAllLines(FLAGS)) {
      var generated = Pattern.compile(".*" + option + GENERATED).matcher(flag);
      if (generated.matches()) {
        kinds.add(generated.group(1));
      }
    }
    return kinds;
  }

  @Test
  void javaTakesTheOptionsInSilence() throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + FLAGS);
    command.add("--list-modules");
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    assertFalse(printed.contains("Command"), printed);
    assertTrue(printed.startsWith("java."), printed);
  }
}
