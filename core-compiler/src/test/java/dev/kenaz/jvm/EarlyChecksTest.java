package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops whose checks are made before them. */
@Execution(CONCURRENT)
final class EarlyChecksTest {
  private static final String HEAD = "entry main [n] (xs: [n]i64) (a: i64) (b: i64): []i64 = ";
  private static final long[] NUMBERS = {
    0, 1, 2, 3, 7, 20, -1, -5, 1L << 55, -(1L << 55), 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE
  };

  @ParameterizedTest
  @ValueSource(
      strings = {
        "map (\\i -> xs[2 * i] + xs[2 * i + 1]) (iota (n / 2))",
        "map (\\i -> i64.sum (xs[i : i + 3] :> [3]i64)) (iota (i64.max 0 (n - 2)))",
        "map (\\i -> xs[i + a]) (iota n)",
        "map (\\i -> xs[a - i]) (iota n)",
        "map (\\i -> xs[n - 1 - i] - xs[i]) (iota (i64.max 0 (i64.min n b)))",
        "map (\\i -> if i >= a then xs[i] + xs[i - a] else xs[i]) (iota n)",
        "map (\\i -> if i < a then 7 else xs[i - a]) (iota n)",
        "flatten (tabulate_2d 9 (n / 9) (\\i j -> xs[i * (n / 9) + j] + j))",
        "flatten (tabulate_2d 9 (i64.max 0 (i64.min a n)) (\\i j -> xs[(i + 1) * a - j - 1]))",
        "map (\\i -> xs[i * a + b]) (iota 9)",
        "map (\\i -> xs[b - a * i]) (iota 9)",
        "flatten (tabulate_2d (n / 4) 4 (\\i j -> xs[4 * i + j] * 3))",
        "map (\\i -> loop s = 0 for j < 9 do s + xs[i + j]) (iota (i64.max 0 (n - 8)))",
        "map (\\i -> i64.sum (map (\\j -> xs[i - j]) (iota (i + 1)))) (iota n)",
        "map (\\x -> assert (a >= 0) (x + 1)) xs"
      })
  void before(String body) {
    var program = Optimised.text(HEAD + body);
    var found = new boolean[1];
    for (var f : Pipelines.loops(1).apply(program).functions()) {
      CodeWalk.code(
          EarlyChecks.in(f).body(),
          c -> found[0] |= c instanceof Code.For l && !CodeWalk.has(l.body(), Code.Check.class),
          _ -> {});
    }
    assertTrue(found[0], body);
    compare(program, new Random(3), 12);
  }

  /** What depends on data stays where it is. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "map (\\x -> xs[x]) xs",
        "map (\\i -> xs[i * i]) (iota n)",
        "map (\\i -> xs[i + xs[i]]) (iota n)",
        "map (\\x -> assert (x > a) x) xs",
        "map (\\x -> x / a) xs"
      })
  void dataDecide(String body) {
    compare(Optimised.text(HEAD + body), new Random(5), 12);
  }

  /** Bounds of which some hold and some don't, at all numbers that may wrap around. */
  @Test
  void randomPrograms() {
    var random = new Random(20261201);
    for (int k = 0; k < 40; k++) {
      var body = program(random);
      try {
        compare(Optimised.text(HEAD + body), random, 6);
      } catch (AssertionError | CompilerBug e) {
        throw new AssertionError(body, e);
      }
    }
  }

  private static void compare(CoreProgram program, Random random, int calls) {
    var all = new ArrayList<List<Value>>();
    for (int k = 0; k < calls; k++) {
      int n = List.of(0, 1, 5, 16, 40, 100).get(random.nextInt(6));
      var xs = IntStream.range(0, n).mapToLong(i -> i * 7919L % 13 - 3).toArray();
      all.add(List.of(ArrayValue.ofLongs(xs), number(random, n), number(random, n)));
    }
    Compare.each(program, all);
  }

  private static Value number(Random random, int n) {
    long some = NUMBERS[random.nextInt(NUMBERS.length)];
    return new ScalarValue(Prim.I64, random.nextInt(3) == 0 ? n - some : some);
  }

  private static String program(Random random) {
    var f = "(\\i -> " + value(random, List.of("i"), 3) + ")";
    return switch (random.nextInt(3)) {
      case 0 -> "map " + f + " (iota n)";
      case 1 -> "map " + f + " (iota (n / 2))";
      default -> "[i64.sum (map " + f + " (iota n))]";
    };
  }

  private static String value(Random random, List<String> counters, int depth) {
    if (depth == 0) {
      return random.nextBoolean() ? "xs[i]" : "xs[" + index(random, counters) + "]";
    }
    return switch (random.nextInt(6)) {
      case 0 -> "(" + value(random, counters, 0) + " + " + value(random, counters, depth - 1) + ")";
      case 1 -> "xs[" + index(random, counters) + "]";
      case 2, 3 ->
          ("(if " + condition(random, counters) + " then " + value(random, counters, depth - 1))
              + (" else " + value(random, counters, depth - 1) + ")");
      case 4 -> {
        var j = "j" + depth;
        var inner = new ArrayList<>(counters);
        inner.add(j);
        var bound = random.nextBoolean() ? "3" : random.nextBoolean() ? "i" : "(n / 3)";
        yield "(loop s = 0 for "
            + j
            + " < "
            + bound
            + " do s + "
            + value(random, inner, depth - 1)
            + ")";
      }
      default -> "(xs[i] * " + value(random, counters, depth - 1) + ")";
    };
  }

  private static String condition(Random random, List<String> counters) {
    var x = index(random, counters);
    return switch (random.nextInt(5)) {
      case 0 -> x + " >= 0 && " + x + " < n";
      case 1 -> x + " < n";
      case 2 -> x + " >= 0 || xs[i] > 2";
      case 3 -> "i >= a";
      default -> "xs[i] > 1";
    };
  }

  private static String index(Random random, List<String> counters) {
    var sum = new StringBuilder(counters.get(random.nextInt(counters.size())));
    for (int k = random.nextInt(3); k > 0; k--) {
      var terms = List.of("a", "b", "n", "1", "2", "i", counters.getLast());
      var term = terms.get(random.nextInt(terms.size()));
      var times = List.of("1", "1", "1", "2", "a", "b", "(i + 1)", "4").get(random.nextInt(8));
      sum.append(random.nextBoolean() ? " + " : " - ").append(times).append(" * ").append(term);
    }
    return sum.toString();
  }

  @Test
  void sumsDoNotWrap() {
    var x = Expr.use(Reg.index("x"));
    var sum = LinearSum.of(x);
    assertEquals(Map.of(x, 64L), sum.times(64).orElseThrow().factors());
    assertTrue(sum.times(65).isEmpty());
    assertTrue(sum.times(Long.MIN_VALUE).isEmpty());
    assertTrue(sum.times(40).orElseThrow().plus(sum, 25).isEmpty());
    assertTrue(LinearSum.of(Long.MIN_VALUE).isEmpty());
    assertTrue(LinearSum.of((1L << 60) + 1).isEmpty());
    assertTrue(LinearSum.of(1L << 60).orElseThrow().times(64).isEmpty());
    assertTrue(sum.plus(sum, -1).orElseThrow().isConstant());
  }
}
