package dev.kenaz.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.kenaz.cuda.CudaProgram;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.loopir.Reg;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pass;
import dev.kenaz.pass.Runner;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What all passes promise, see {@link Pass}. */
final class PassContractTest {
  private static ProgramSource program(String name) {
    return ProgramSource.read(Path.of("src/test/resources", name));
  }

  /** A pass that changes nothing returns its argument itself, which only then ends a group. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "programs/functions/uses.fut",
        "programs/small/ad.fut",
        "programs/soacs/counted_filters.fut"
      })
  void whatStaysEqualStaysItself(String name) {
    for (var backend : List.of(Backend.JVM, Backend.SIMULATE)) {
      var options = CompileOptions.of(backend).verified();
      var lowered = Compiler.run(program(name), Pipelines.lowered(), options).program();
      Route.ofLowered(options).passes().run(lowered, new Watch());
    }
  }

  /**
   * In these programs, a branch consumed what the earlier one returned, and a loop's kernel hung.
   */
  @ParameterizedTest
  @ValueSource(strings = {"derivatives/dependences.fut", "derivatives/edges.fut"})
  void allPassesLeaveWellFormedPrograms(String name) {
    var options = CompileOptions.of(Backend.SIMULATE).verified();
    Compiler.run(program(name), Pipelines.of(options), options);
  }

  private static final class Watch extends Runner {
    @Override
    protected <A, B> B call(Pass.Once<A, B> pass, A program) {
      var result = super.call(pass, program);
      if ((Object) result != program && result.getClass() == program.getClass()) {
        assertNotEquals(text(program), text(result), pass.name());
      }
      return result;
    }

    private static String text(Object program) {
      return program instanceof CoreProgram p ? Printer.printRenumbered(p) : Forms.print(program);
    }
  }

  /** Compiled kernels are kept by their text, which must not depend on what came before. */
  @Test
  void theSameProgramBecomesTheSameText() {
    var options = CompileOptions.of(Backend.CUDA);
    var first = cuda(options);
    Reg.index("other");
    assertEquals(first.text(), cuda(options).text());
  }

  private static CudaProgram cuda(CompileOptions options) {
    var passes = Pipelines.optimised(options).then(Pipelines.cuda());
    return Compiler.run(program("programs/larger/sorts.fut"), passes, options).program();
  }
}
