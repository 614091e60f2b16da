package dev.kenaz.programs;

import static org.junit.jupiter.api.Assertions.fail;

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

/**
 * Integers at the ends of their types mean the same on the JVM, on the simulated GPU and in the
 * interpreter, which runs programs as they were written.
 */
final class RandomIntegersTest {
  private static final int ENTRIES = Integer.getInteger("random.entries", 8);
  private static final int INPUTS = Integer.getInteger("random.inputs", 6);

  @Test
  void meanTheSameEverywhere() {
    Seeds.check(11, RandomIntegersTest::check);
  }

  private static void check(long seed) {
    var source = new RandomIntegers(seed);
    var text = source.program(ENTRIES);
    try (var oracle = compile(text, Backend.INTERPRET);
        var jvm = compile(text, Backend.JVM);
        var gpu = compile(text, Backend.SIMULATE)) {
      for (int i = 0; i < ENTRIES; i++) {
        for (int k = 0; k < INPUTS; k++) {
          var entry = "e" + i;
          var input = source.input();
          var expected = call(oracle, entry, input);
          for (var other : List.of(jvm, gpu)) {
            var name = (other == jvm ? "jvm " : "gpu ") + entry;
            // what nobody uses isn't computed, and then doesn't fail either: the converse is open
            if (expected.isPresent()) {
              var actual = call(other, entry, input);
              var difference =
                  actual.isEmpty()
                      ? Optional.of("fails")
                      : ValueComparison.difference(expected.get(), actual.get());
              if (difference.isPresent()) {
                fail(name + " of " + input + ": " + difference.get() + "\n" + entry(text, entry));
              }
            }
          }
        }
      }
    }
  }

  private static String entry(String text, String name) {
    int start = text.indexOf("entry " + name + " ");
    return text.substring(start, text.indexOf("\n\n", start));
  }

  private static CompiledProgram compile(String text, Backend backend) {
    return Compiler.compile("random.fut", text, CompileOptions.of(backend).verified());
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
