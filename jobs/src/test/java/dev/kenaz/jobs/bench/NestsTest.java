package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs whose rows have lengths of their own compute what those do that are flat by hand. */
final class NestsTest {
  @ParameterizedTest
  @EnumSource(names = {"JVM", "SIMULATE"})
  void nestsAreWhatIsFlatByHand(Backend backend) {
    try (var program =
        Compiler.compile(
            BenchCase.source("nests/nests"), CompileOptions.of(backend).onCores(2).verified())) {
      var values = make(program, "values", 500);
      for (var begins :
          List.of(
              make(program, "rows", 40, 10),
              make(program, "skewed", 60, 100),
              make(program, "rows", 1, 300))) {
        same(program, "sums", List.of(begins, values));
        var columns = make(program, "columns", 500);
        var vector = make(program, "values", 100_000);
        same(program, "sparse", List.of(begins, columns, values, vector));
      }
      for (int n : new int[] {1, 2, 300}) {
        same(program, "quicksort", List.of(make(program, "values", n)));
      }
      var row = List.of(make(program, "rows", 1, 40_000), make(program, "values", 40_000));
      same(program, "sums", row);
      same(program, "quickhull", List.of(values, make(program, "values", 503)));
    }
  }

  private static Value make(CompiledProgram program, String entry, long... sizes) {
    var arguments = Arrays.stream(sizes).<Value>mapToObj(ScalarValue::i64).toList();
    return program.entry(entry).call(arguments).getFirst();
  }

  private static void same(CompiledProgram program, String entry, List<Value> arguments) {
    var expected = program.entry(entry + "_by_hand").call(arguments);
    var actual = program.entry(entry).call(arguments);
    assertEquals(Optional.empty(), ValueComparison.difference(expected, actual, 1e-9), entry);
  }
}
