package dev.kenaz.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.Names;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a program is compiled to doesn't depend on what the process has compiled before, so that its
 * sums are rounded alike wherever it runs. Passes go through sets of variables in the order of
 * their tags; these programs were compiled in several ways when that order was another one.
 */
final class SameCodeTest {
  private static final Path FOLDER = Path.of("src/test/resources/programs");

  /** So many tags are in use more in each turn. */
  private static final int[] TAGS = {1, 37, 700};

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ad/loop_nests.fut",
        "arrays/constant_tables.fut",
        "larger/brownian_bridge.fut",
        "larger/dp.fut",
        "larger/path_written_out.fut",
        "library/vector.fut"
      })
  void codeIsTheSame(String file) {
    var first = loops(file);
    for (int tags : TAGS) {
      for (int i = 0; i < tags; i++) {
        Names.freshTag();
      }
      assertEquals(first, loops(file));
    }
  }

  private static String loops(String file) {
    var source = ProgramSource.read(FOLDER.resolve(file));
    try (var program = Compiler.compile(source, CompileOptions.of(Backend.JVM).onCores(1))) {
      var code = program.passes().stream().filter(p -> p.name().equals("loops")).findFirst();
      // tables of constants are wherever there was memory
      return code.orElseThrow().print().replaceAll("\\b[0-9]{13,18}\\b", "address");
    }
  }
}
