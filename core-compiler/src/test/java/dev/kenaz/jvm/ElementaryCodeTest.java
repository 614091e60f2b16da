package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.elementary.Elementary;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Emitted code computes the elementary functions to the same bits as their definition, in vectors
 * of both lengths and for single numbers, before HotSpot has compiled it and afterwards.
 */
final class ElementaryCodeTest {
  private static final int COUNT = 1003;

  private static final String FUNCTION =
      """
      entry all_F [n] (xs: [n]T) = map T.F xs
      entry beside_F [n] (xs: [n]T) = map (\\x -> (T.F x, f64.T x)) xs
      entry one_F (x: T) = T.F x
      """;

  /** Returns usual numbers, then any, some of which no formula holds for, then special ones. */
  private static double[] arguments(boolean single) {
    var random = new SplittableRandom(3);
    var xs = random.doubles(COUNT, -2, 4).toArray();
    for (int k = COUNT / 2; k < COUNT; k++) {
      xs[k] =
          single
              ? Float.intBitsToFloat(random.nextInt())
              : Double.longBitsToDouble(random.nextLong());
    }
    double[] special = {
      0.0,
      -0.0,
      1,
      -1,
      Double.NaN,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.MIN_VALUE,
      Float.MIN_VALUE,
      Double.MIN_NORMAL / 2,
      1e300,
      -745,
      -710,
      -100,
      100,
      709.5,
      -40,
      1e6,
      -1e-9
    };
    System.arraycopy(special, 0, xs, COUNT - special.length, special.length);
    return xs;
  }

  /** Rounds a function's result to the type, and makes all NaN the same. */
  private static long bits(Prim prim, double y) {
    return ScalarValue.ofDouble(prim, Double.isNaN(y) ? Double.NaN : y).bits();
  }

  @ParameterizedTest
  @EnumSource(names = {"F64", "F32"})
  void functionsAreTheSameEverywhere(Prim prim) {
    var text = new StringBuilder();
    for (var f : ofOne()) {
      text.append(FUNCTION.replace("F", name(f)).replace("T", name(prim)));
    }
    var options = CompileOptions.of(Backend.JVM).onCores(1);
    try (var program = Compiler.compile("functions.fut", text.toString(), options)) {
      for (var f : ofOne()) {
        check(f, prim, program);
      }
    }
  }

  private static List<Elementary> ofOne() {
    return Stream.of(Elementary.values()).filter(f -> f.arity() == 1).toList();
  }

  /** Powers in place, called because there is much else, and of one number. */
  @ParameterizedTest
  @EnumSource(names = {"F64", "F32"})
  void powersAreTheSameEverywhere(Prim prim) {
    var text =
        """
        entry all [n] (xs: [n]T) (ys: [n]T) = map2 (\\x y -> x ** y) xs ys
        entry much [n] (xs: [n]T) (ys: [n]T) =
          map2 (\\x y -> x ** y + T.sin x - T.exp y + T.log1p x + y ** x - T.tanh y) xs ys
        entry loops [n] (xs: [n]T) (ys: [n]T) =
          map2 (\\x y -> loop s = x for _i < n do s ** 0.5 + y ** 0.25) xs ys
        entry one (x: T) (y: T) = x ** y
        """
            .replace("T", name(prim));
    var xs = arguments(prim == Prim.F32);
    var ys = new double[COUNT];
    for (int k = 0; k < COUNT; k++) {
      ys[k] = xs[k * 7 % COUNT];
      xs[k] = k % 3 == 0 ? xs[k] : Math.abs(xs[k]);
    }
    var a = ArrayValue.ofDoubles(prim, xs, COUNT);
    var b = ArrayValue.ofDoubles(prim, ys, COUNT);
    var jvm = CompileOptions.of(Backend.JVM).onCores(1);
    try (var program = Compiler.compile("powers.fut", text, jvm);
        var judge = Compiler.compile("powers.fut", text, CompileOptions.of(Backend.INTERPRET))) {
      for (var entry : List.of("all", "much", "loops")) {
        int n = entry.equals("loops") ? 20 : COUNT;
        var arguments = List.<Value>of(first(a, n), first(b, n));
        var expected = judge.entry(entry).call(arguments);
        for (int k = 0; k < 400; k++) {
          var actual = program.entry(entry).call(arguments);
          if (k % 399 == 0) {
            assertSameBits((ArrayValue) expected.getFirst(), (ArrayValue) actual.getFirst(), entry);
          }
        }
      }
      for (int k = 0; k < COUNT; k += 7) {
        var arguments = List.<Value>of(a.scalar(k), b.scalar(k));
        var expected = (ScalarValue) judge.entry("one").call(arguments).getFirst();
        var actual = (ScalarValue) program.entry("one").call(arguments).getFirst();
        assertEquals(
            bits(prim, expected.asDouble()), bits(prim, actual.asDouble()), "" + arguments);
      }
    }
  }

  private static ArrayValue first(ArrayValue xs, int n) {
    var doubles = IntStream.range(0, n).mapToDouble(k -> xs.scalar(k).asDouble()).toArray();
    return ArrayValue.ofDoubles(xs.prim(), doubles, n);
  }

  private static void assertSameBits(ArrayValue expected, ArrayValue actual, String entry) {
    for (int k = 0; k < expected.dim(0); k++) {
      long bits = bits(expected.prim(), expected.scalar(k).asDouble());
      assertEquals(bits, bits(actual.prim(), actual.scalar(k).asDouble()), entry + " at " + k);
    }
  }

  private static String name(Enum<?> of) {
    return of.name().toLowerCase(Locale.ROOT);
  }

  private static void check(Elementary function, Prim prim, CompiledProgram program) {
    var xs = ArrayValue.ofDoubles(prim, arguments(prim == Prim.F32), COUNT);
    for (var entry : List.of("all_" + name(function), "beside_" + name(function))) {
      var e = program.entry(entry);
      assertSame(function, xs, (ArrayValue) e.call(List.of(xs)).getFirst(), entry);
      for (int k = 0; k < 400; k++) {
        e.call(List.of(xs));
      }
      assertSame(function, xs, (ArrayValue) e.call(List.of(xs)).getFirst(), entry + " compiled");
    }
    var one = program.entry("one_" + name(function));
    for (int k = 0; k < COUNT; k += 7) {
      var y = (ScalarValue) one.call(List.of(xs.scalar(k))).getFirst();
      double x = xs.scalar(k).asDouble();
      assertEquals(bits(prim, function.of(prim, x)), bits(prim, y.asDouble()), "one of " + x);
    }
  }

  /** A loop with so many functions that not all are part of it. */
  @ParameterizedTest
  @EnumSource(names = {"F64", "F32"})
  void calledFunctionsAreTheSame(Prim prim) {
    var text =
        """
        entry main [n] (xs: [n]T) =
          map (\\x -> T.exp x - T.tanh x + T.log x - T.sin x + T.log1p x - T.cos x + T.atan x) xs
        """
            .replace("T", name(prim));
    var random = new SplittableRandom(4);
    var xs = ArrayValue.ofDoubles(prim, random.doubles(COUNT, 0.1, 4).toArray(), COUNT);
    var jvm = CompileOptions.of(Backend.JVM).onCores(1);
    try (var program = Compiler.compile("many.fut", text, jvm);
        var judge = Compiler.compile("many.fut", text, CompileOptions.of(Backend.INTERPRET))) {
      var expected = judge.entry("main").call(List.of(xs));
      assertEquals(expected, program.entry("main").call(List.of(xs)));
      for (int k = 0; k < 400; k++) {
        program.entry("main").call(List.of(xs));
      }
      assertEquals(expected, program.entry("main").call(List.of(xs)));
    }
  }

  private static void assertSame(Elementary function, ArrayValue xs, ArrayValue ys, String entry) {
    for (int k = 0; k < ys.dim(0); k++) {
      double x = xs.scalar(k).asDouble();
      long expected = bits(xs.prim(), function.of(xs.prim(), x));
      assertEquals(expected, bits(xs.prim(), ys.scalar(k).asDouble()), entry + " of " + x);
    }
  }
}
