package dev.kenaz.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import dev.kenaz.value.ValueReader;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random programs mean the same on the JVM, also with its accesses checked. */
final class RandomProgramsTest {
  private static final int PROGRAMS = Integer.getInteger("random.programs", 12);
  private static final int ENTRIES = 6;
  private static final List<String> INPUTS =
      List.of("[3i32, -1i32, 2i32] [0.5f64, -2f64, 4f64] 2i32", "empty([0]i32) empty([0]f64) 1i32");

  static List<Long> seeds() {
    long first = Long.getLong("random.seed", 1L);
    return java.util.stream.LongStream.range(first, first + PROGRAMS).boxed().toList();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void meanTheSameEverywhere(long seed) {
    check(seed);
  }

  static void check(long seed) {
    var text = new RandomSource(seed).program(ENTRIES);
    try (var oracle = compile(text, CompileOptions.of(Backend.INTERPRET));
        var jvm = compile(text, CompileOptions.of(Backend.JVM));
        var checked = compile(text, CompileOptions.of(Backend.JVM).checked())) {
      for (int i = 0; i < ENTRIES; i++) {
        for (var input : INPUTS) {
          var expected = call(oracle, "e" + i, input);
          for (var other : List.of(jvm, checked)) {
            var actual = call(other, "e" + i, input);
            var message = "e" + i + "\nseed " + seed + "\n" + text;
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
