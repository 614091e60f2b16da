package dev.kenaz.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.jobs.bundle.ClassPlaces;
import dev.kenaz.jobs.bundle.ClassWalk;
import dev.kenaz.jobs.command.ValuesCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * The launcher starts some commands without Spark and Arrow on the class path. From these, no class
 * of Spark or Arrow can be reached.
 */
final class LightCommandsTest {
  private static final Pattern WORD = Pattern.compile("\"([a-z-]+) \"\\*");

  /** Returns the first words of such lines, as the launcher has them. */
  private static Stream<String> light() throws IOException {
    var light = new ArrayList<>(List.of("run"));
    for (var line : Files.readAllLines(Path.of("../kenaz"))) {
      if (line.contains(") weight=quick") || line.contains(") weight=light")) {
        WORD.matcher(line).results().forEach(m -> light.add(m.group(1)));
      }
    }
    light.remove("warm-up"); // It looks at descriptions of commands alone, also of run with data.
    return light.stream();
  }

  /**
   * Returns the class of a command. With {@code dataset} it is what makes values, with {@code run}
   * what runs over neither files nor pieces on Spark, with {@code bench} what compares with
   * neither.
   */
  private static Class<?> type(String word) {
    if (word.equals("dataset")) {
      return ValuesCommand.class;
    }
    var ofBundle = GpuNode.commands().get(word);
    Object command =
        ofBundle != null
            ? ofBundle.get()
            : Main.commandLine().getSubcommands().get(word).getCommand();
    return command instanceof CommandLine c ? c.getCommand().getClass() : command.getClass();
  }

  @ParameterizedTest
  @MethodSource("light")
  void theyReachNeitherSparkNorArrow(String word) throws IOException {
    assertEquals(List.of(), foreign(type(word)));
  }

  private static List<String> foreign(Class<?> from) throws IOException {
    var root = List.of(from.getName());
    var walk = ClassWalk.from(root, ClassPlaces.ofThisProcess(), ClassWalk.allModules());
    var foreign = "(org/apache/(spark|arrow)|dev/kenaz/(spark|arrow))/.*";
    return walk.classes().stream().filter(c -> c.matches(foreign)).toList();
  }

  /**
   * To describe a command, picocli asks for all methods of it and of its mixins, private ones too.
   */
  @ParameterizedTest
  @MethodSource("light")
  void theirMethodsHaveNoTypesOfOthers(String word) {
    var spec = Main.commandLine().getSubcommands().get(word).getCommandSpec();
    var objects = new ArrayList<>(List.of(spec.userObject()));
    spec.mixins().values().forEach(m -> objects.add(m.userObject()));
    for (var object : objects) {
      for (var method : object.getClass().getDeclaredMethods()) {
        var types = new ArrayList<>(List.of(method.getParameterTypes()));
        types.add(method.getReturnType());
        var foreign = types.stream().filter(t -> t.getName().startsWith("org.apache.")).toList();
        assertEquals(List.of(), foreign, method.toString());
      }
    }
  }

  @Test
  void othersReachSpark() throws IOException {
    assertTrue(foreign(type("train")).contains("org/apache/spark/SparkContext"));
  }

  @Test
  void theLauncherIsUnderstood() throws IOException {
    assertTrue(light().toList().containsAll(List.of("check", "plan", "repl", "test")));
  }
}
