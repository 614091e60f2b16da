package dev.kenaz.cuda;

import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.programs.ProgramChecks;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;

/**
 * The program tests through the CUDA C text, compiled by g++ and run on the CPU: every fourth
 * program, and all of them among the slow tests. With {@code -Dkenaz.long=true} the longest as
 * well; with {@code -Dkenaz.contracted=true} with fused multiply-adds, as on a GPU, whose results
 * no test may mind.
 */
@Execution(CONCURRENT)
final class CudaTextTest {
  private static final Path ROOT = Path.of("src/test/resources/programs");
  @TempDir static Path folder;

  private record Compiled(Path file, CoreProgram core, GpuProgram gpu, RuntimeException error) {
    /** g++ would take as long as for all others; the simulator runs it. */
    boolean isLong() {
      return kernels() > 250 && !Boolean.getBoolean("kenaz.long");
    }

    int kernels() {
      return error == null ? gpu.kernels().size() : 0;
    }
  }

  @TestFactory
  Stream<DynamicNode> everyFourthProgram() throws IOException {
    var all = files();
    return programs(IntStream.range(0, all.size()).filter(i -> i % 4 == 0).mapToObj(all::get));
  }

  @TestFactory
  @Tag("slow")
  Stream<DynamicNode> otherPrograms() throws IOException {
    var all = files();
    return programs(IntStream.range(0, all.size()).filter(i -> i % 4 != 0).mapToObj(all::get));
  }

  private static List<Path> files() throws IOException {
    var only = System.getProperty("program", "");
    try (var all = Files.walk(ROOT)) {
      return all.filter(f -> f.toString().endsWith(".fut"))
          .filter(f -> f.toString().contains(only))
          .sorted()
          .toList();
    }
  }

  private static Stream<DynamicNode> programs(Stream<Path> of) throws IOException {
    assumeTrue(CpuDevice.available(), "there is no g++ here");
    var files = of.toList();
    var compiled = files.stream().map(CudaTextTest::compile).toList();
    long kernels = compiled.stream().mapToLong(Compiled::kernels).sum();
    System.out.printf("%d programs, %d kernels%n", files.size(), kernels);
    var good = compiled.stream().filter(c -> c.error == null && !c.isLong()).toList();
    var devices =
        CpuDevice.compile(
            good.stream().map(Compiled::gpu).toList(),
            Files.createTempDirectory(
                Path.of(System.getProperty("keep", folder.toString())), "programs"));
    var nodes = new ArrayList<DynamicNode>();
    for (var c : compiled) {
      if (c.isLong()) {
        continue;
      }
      var device = c.error == null ? devices.get(good.indexOf(c)) : null;
      var tests =
          ProgramChecks.of(c.file, () -> subject(c, device)).stream()
              .map(check -> dynamicTest(check.name(), check.body()::run))
              .toList();
      nodes.add(dynamicContainer(ROOT.relativize(c.file).toString(), tests));
    }
    return nodes.stream();
  }

  private static Compiled compile(Path file) {
    try {
      var core = Optimised.file(file);
      var options = Boolean.getBoolean("outer") ? FlattenOptions.jvm(2) : FlattenOptions.gpu();
      // either version of what has two
      long enough = file.getFileName().toString().length() % 2 == 0 ? 2 : 1 << 16;
      return new Compiled(file, core, Pipelines.gpu(options, enough).apply(core), null);
    } catch (UserError | Limitation e) {
      // either version of what has two
      long enough = file.getFileName().toString().length() % 2 == 0 ? 2 : 1 << 16;
      return new Compiled(file, null, null, e);
    }
  }

  private static ProgramChecks.Subject subject(Compiled c, CpuDevice device) {
    if (c.error != null) {
      throw c.error;
    }
    var run = new GpuRun(c.gpu, device);
    return new ProgramChecks.Subject() {
      @Override
      public List<Value> call(String entry, List<Value> arguments) {
        return run.call(entry, arguments);
      }

      @Override
      public CoreProgram core() {
        return c.core;
      }
    };
  }
}
