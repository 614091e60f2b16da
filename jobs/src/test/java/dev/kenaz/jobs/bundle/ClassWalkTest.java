package dev.kenaz.jobs.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.jobs.GpuNode;
import dev.kenaz.jobs.Main;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ClassWalkTest {
  private static ClassWalk walk(Class<?> from, ClassPlaces places, List<String> modules) {
    return ClassWalk.from(List.of(from.getName()), places, modules);
  }

  private static ClassPlaces without(String part) throws IOException {
    var all = System.getProperty("java.class.path").split(File.pathSeparator);
    return new ClassPlaces(Stream.of(all).filter(p -> !p.contains(part)).map(Path::of).toList());
  }

  /** Spark and Arrow aren't reached, so that a bundle works without. */
  @Test
  void commandOfBundleNeedsNeitherSparkNorArrow() throws IOException {
    var walk = walk(GpuNode.class, ClassPlaces.ofThisProcess(), ClassWalk.allModules());
    assertEquals(Map.of(), walk.missing());
    var foreign =
        walk.classes().stream()
            .filter(c -> !c.matches("(dev/kenaz|picocli|org/slf4j|jcuda)/.*"))
            .toList();
    assertEquals(List.of(), foreign);
    assertFalse(walk.classes().stream().anyMatch(c -> c.matches("dev/kenaz/(spark|arrow)/.*")));
    // what is only named in annotations, and what generated code calls, is seen
    assertTrue(walk.classes().contains("dev/kenaz/jobs/command/PaperSuiteCommands$SuiteCommand"));
    assertTrue(walk.classes().contains("dev/kenaz/jvm/NativeMemory"));
    assertTrue(walk.modules().contains("java.management"), walk.modules().toString());
  }

  @Test
  void tellsWhatIsMissing() throws IOException {
    var core = walk(GpuNode.class, without("core-compiler"), ClassWalk.allModules());
    assertTrue(
        core.missing().containsKey("dev/kenaz/pipeline/Compiler"), core.missing().toString());
    var modules = walk(GpuNode.class, ClassPlaces.ofThisProcess(), List.of("java.base"));
    var names = modules.missing().keySet();
    assertTrue(names.contains("java/lang/management/ManagementFactory"), names.toString());
    assertFalse(names.contains("java/lang/String"), names.toString());
  }

  /** As a jar alone, the job jar's command would end in the error that a bundle once ended in. */
  @Test
  void commandOfSparkNeedsSpark() throws IOException {
    var walk = walk(Main.class, without("spark"), ClassWalk.allModules());
    assertTrue(walk.missing().containsKey("dev/kenaz/spark/ProgramText"), "" + walk.missing());
  }
}
