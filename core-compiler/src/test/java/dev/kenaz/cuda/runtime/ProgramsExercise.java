package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K5001;

import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;

/** What {@link CudaDeviceTest} runs in a process of its own: a program on the CUDA backend. */
final class ProgramsExercise {
  private static final String PROGRAM =
      """
      entry mean [n] (xs: [n]f64) = f64.sum xs / f64.i64 n
      entry gradient [n] (xs: [n]f64) = vjp (\\ys -> f64.sum (map (\\y -> y * y) ys)) xs 1
      entry prefix [n] (xs: [n]f64) = scan (+) 0 (map i32.f64 xs)
      entry count [n] (xs: [n]f64) : [4]i64 =
        hist (+) 0 4 (map (\\x -> i64.f64 x % 4) xs) (replicate n 1)
      entry half (x: f16) (b: bool) (xs: []f64) =
        map (\\y -> if b then x * f16.f64 y else x) xs
      entry pick [n] (xs: [n]f64) (i: i64) = map (\\k -> xs[i + k]) (iota 3)
      """;

  private ProgramsExercise() {}

  public static void main(String[] args) {
    var numbers = new double[5000];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i % 19;
    }
    var xs = ArrayValue.ofDoubles(numbers, numbers.length);
    var half = ScalarValue.ofDouble(Prim.F16, 0.5);
    try (var cuda = Compiler.compile("p.fut", PROGRAM, CompileOptions.of(Backend.CUDA));
        var other = Compiler.compile("p.fut", PROGRAM, CompileOptions.of(Backend.INTERPRET))) {
      for (var name : List.of("mean", "gradient", "prefix", "count")) {
        same(other.entry(name).call(List.of(xs)), cuda.entry(name).call(List.of(xs)));
      }
      for (boolean b : new boolean[] {true, false}) {
        List<Value> arguments = List.of(half, ScalarValue.bool(b), xs);
        same(other.entry("half").call(arguments), cuda.entry("half").call(arguments));
      }
      if (cuda.entry("mean").computeNanos().orElse(0) <= 0) {
        throw new AssertionError("no time was taken");
      }
      fails(() -> cuda.entry("pick").call(List.of(xs, ScalarValue.i64(4998))));
      same(
          other.entry("pick").call(List.of(xs, ScalarValue.i64(17))),
          cuda.entry("pick").call(List.of(xs, ScalarValue.i64(17))));
    }
    if (!NvidiaDevice.description(0).matches("GPU 0, .*: copies [1-9]\\d* GB/s .*")) {
      throw new AssertionError(NvidiaDevice.description(0));
    }
    System.out.println("all is well");
  }

  private static void same(List<Value> expected, List<Value> actual) {
    ValueComparison.difference(expected, actual)
        .ifPresent(
            d -> {
              throw new AssertionError(d);
            });
  }

  /** With the error, and the line, that any backend tells. */
  private static void fails(Runnable call) {
    try {
      call.run();
    } catch (UserError e) {
      var fault = e.diagnostics().getFirst();
      if (fault.code() == K5001 && fault.span().line() == 8) {
        return;
      }
      throw new AssertionError(fault.toString());
    }
    throw new AssertionError("an index out of bounds went unnoticed");
  }
}
