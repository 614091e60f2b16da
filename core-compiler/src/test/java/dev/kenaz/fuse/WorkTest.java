package dev.kenaz.fuse;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.analysis.Effects;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.ir.SmallerPrograms;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compilation;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.programs.ProgramChecks;
import dev.kenaz.simplify.Simplify;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.testing.Seeds;
import dev.kenaz.testing.Shrinking;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;

/** Fusion never makes a program do more: counted, not estimated. */
@Execution(CONCURRENT)
final class WorkTest {
  private static final Path ROOT = Path.of("src/test/resources/programs");

  private record WorkEstimate(long ops, long reads, long writes) {
    /** A cheap function of an index may be computed again instead of written and read. */
    long all() {
      return ops + reads + writes;
    }
  }

  private static Optional<WorkEstimate> work(
      CoreProgram program, String entry, List<Value> arguments) {
    var counter = new Counter();
    try {
      Interpreter.call(program, entry, arguments, counter);
    } catch (RuntimeException e) {
      return Optional.empty();
    }
    return Optional.of(new WorkEstimate(counter.scalarOps(), counter.reads(), counter.writes()));
  }

  private static void compare(
      CoreProgram before, CoreProgram after, String entry, List<Value> arguments, int inVain) {
    var b = work(before, entry, arguments);
    var a = work(after, entry, arguments);
    if (b.isPresent() && a.isPresent()) {
      boolean less = a.get().all() <= b.get().all() + inVain;
      assertTrue(
          less,
          () ->
              entry
                  + ": "
                  + b.get()
                  + " became "
                  + a.get()
                  + "\nbefore:\n"
                  + Printer.print(before)
                  + "\nafter:\n"
                  + Printer.print(after));
    }
  }

  /** What is hoisted out of an operator runs once even if the operator runs no time at all. */
  @Test
  void randomPrograms() {
    Seeds.check(150, WorkTest::randomProgram);
  }

  private static void randomProgram(long seed) {
    var sample = RandomPrograms.of(seed);
    Shrinking.check(
        sample.program(),
        SmallerPrograms::of,
        program -> {
          var before = Simplify.SIMPLIFY.apply(program);
          var after = Pipelines.FUSED.apply(before);
          int inVain = Effects.size(after.functions().getFirst().body());
          compare(before, after, "main", sample.arguments(), inVain);
        });
  }

  @TestFactory
  Stream<DynamicTest> programs() throws IOException {
    List<Path> files;
    try (var all = Files.walk(ROOT)) {
      files = all.filter(f -> f.toString().endsWith(".fut")).sorted().toList();
    }
    return files.stream().map(f -> dynamicTest(ROOT.relativize(f).toString(), () -> file(f)));
  }

  private static void file(Path file) throws IOException {
    Compilation<CoreProgram> optimised;
    try {
      var options = CompileOptions.of(Backend.JVM);
      optimised = Compiler.run(ProgramSource.read(file), Pipelines.optimised(options), options);
    } catch (UserError | Limitation e) {
      return;
    }
    var before = (CoreProgram) optimised.after("ad").program();
    for (var spec : TestSpec.parse(file.toString(), Files.readString(file))) {
      if (spec.action() instanceof TestSpec.Run(var entries, var cases)) {
        for (var entry : entries) {
          for (var c : cases) {
            if (c.input() instanceof TestSpec.Literal(var text)) {
              var arguments = ProgramChecks.arguments(before, entry, text, file, c.line());
              compare(before, optimised.program(), entry, arguments, 0);
            }
          }
        }
      }
    }
  }
}
