package dev.kenaz.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.testing.Seeds;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import dev.kenaz.value.ValueReader;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Random programs mean the same on the JVM, also with its accesses checked. */
final class RandomProgramsTest {
  private static final int ENTRIES = 6;
  private static final List<String> INPUTS =
      List.of("[3i32, -1i32, 2i32] [0.5f64, -2f64, 4f64] 2i32", "empty([0]i32) empty([0]f64) 1i32");

  @Test
  void meanTheSameEverywhere() {
    Seeds.check(12, RandomProgramsTest::check);
  }

  private static void check(long seed) {
    var text = new RandomSource(seed).program(ENTRIES);
    try (var oracle = compile(text, CompileOptions.of(Backend.INTERPRET));
        var jvm = compile(text, CompileOptions.of(Backend.JVM));
        var checked = compile(text, CompileOptions.of(Backend.JVM).checked())) {
      for (int i = 0; i < ENTRIES; i++) {
        for (var input : INPUTS) {
          var expected = call(oracle, "e" + i, input);
          for (var other : List.of(jvm, checked)) {
            var actual = call(other, "e" + i, input);
            var message = "e" + i + "\n" + text;
            // what nobody uses isn't computed, and then doesn't fail either: the converse is open
            if (expected.isPresent()) {
              assertTrue(actual.isPresent(), message);
              var difference = ValueComparison.difference(expected.get(), actual.get());
              assertEquals(Optional.empty(), difference, message);
            }
          }
        }
      }
    }
  }

  private static CompiledProgram compile(String text, CompileOptions options) {
    return Compiler.compile("random.fut", text, options.verified());
  }

  /** Empty if the program fails, as an index out of bounds does. */
  private static Optional<List<Value>> call(CompiledProgram program, String entry, String input) {
    try {
      return Optional.of(program.entry(entry).call(ValueReader.parse(input)));
    } catch (UserError e) {
      return Optional.empty();
    }
  }
}
