package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.error.Limitation;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Var;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;

/**
 * Executors make the plan again that the driver has made, and find values by their places: so a
 * plan must not depend on what its process has compiled before.
 */
@Execution(CONCURRENT)
final class SamePlansTest {
  private static final Path FOLDER = Path.of("src/test/resources/distribute/programs");

  private static final CompileOptions OPTIONS = CompileOptions.of(Backend.JVM);

  /** So many tags are in use more in each turn: sets go through variables in another order. */
  private static final int[] TAGS = {1, 30, 700};

  @TestFactory
  Stream<DynamicTest> plansAreTheSame() throws IOException {
    return Stream.of("derivatives", "recurrences", "records", "scatter", "pairwise", "joins")
        .flatMap(SamePlansTest::programs);
  }

  private static Stream<DynamicTest> programs(String file) {
    try {
      var text = Files.readString(FOLDER.resolve(file + ".txt"));
      return Arrays.stream(text.split("(?m)^== ")).skip(1).map(SamePlansTest::program);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static DynamicTest program(String block) {
    var head = block.lines().findFirst().orElseThrow();
    return DynamicTest.dynamicTest(head, () -> check(block.substring(head.length() + 1)));
  }

  private static void check(String text) {
    var first = plan(text);
    for (int tags : TAGS) {
      for (int i = 0; i < tags; i++) {
        Names.freshTag();
      }
      assertEquals(first, plan(text));
    }
  }

  private static String plan(String text) {
    var source = ProgramSource.of("same.fut", text);
    var lowered = Compiler.run(source, Pipelines.lowered(), OPTIONS).program();
    var entry = lowered.entries().getFirst();
    try {
      var plan = PiecewiseEntry.plan(lowered, entry.name(), rows(lowered, entry), OPTIONS);
      return plan.program().plan().steps().toString();
    } catch (Limitation e) {
      return e.getMessage();
    }
  }

  private static List<String> rows(CoreProgram lowered, EntryPoint entry) {
    var columns =
        lowered.function(entry.function()).params().stream()
            .filter(v -> v.type().isArray())
            .filter(
                v ->
                    v.type().dims().getFirst() instanceof Var size
                        && Set.of("n", "m").contains(size.name()))
            .map(Var::name)
            .toList();
    return entry.params().stream().map(EntryPoint.Param::name).filter(columns::contains).toList();
  }
}
