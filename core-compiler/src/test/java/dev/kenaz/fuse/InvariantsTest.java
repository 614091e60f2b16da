package dev.kenaz.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Unary;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.pipeline.Optimised;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests what leaves a map because it is the same for all rows: where reductions, loops and sines
 * are afterwards. The program of the tests of all backends, {@code optimise/invariants.fut}, has
 * the same cases with results.
 */
final class InvariantsTest {
  private static final String SUM = "(f64.sum (map (\\x -> f64.sin x) xs))";

  /** What is expensive, with the number of maps of constant width around it. */
  private static List<String> places(String text) {
    return words(Optimised.verified(text).functions().getLast().body(), 0).sorted().toList();
  }

  private static Stream<String> words(Body body, int depth) {
    return body.stms().stream().flatMap(s -> words(s, depth));
  }

  private static Stream<String> words(Stm stm, int depth) {
    boolean rows = stm.exp() instanceof Screma s && s.width() instanceof Const;
    var inside =
        Effects.bodies(stm.exp()).flatMap(b -> words(b, rows ? depth + 1 : depth)).toList();
    var word =
        switch (stm.exp()) {
          case Screma s when !s.isMap() -> "red " + depth;
          case Loop _ -> "loop " + depth;
          case Unary u when u.op() == UnaryOp.SIN -> "sin " + depth;
          default -> "";
        };
    return Stream.concat(inside.stream(), word.isEmpty() ? Stream.of() : Stream.of(word));
  }

  private static String entry(String body) {
    return "entry main [n] (xs: [n]f64) (k: i64) = " + body.replace("SUM", SUM);
  }

  @Test
  void anOperatorLeavesTheMap() {
    assertEquals(List.of("red 0", "sin 0"), places(entry("map (\\i -> f64.i64 i * SUM) (iota 3)")));
  }

  @Test
  void soDoesOneResultOfSeveral() {
    assertEquals(
        List.of("red 0", "red 1", "sin 0"),
        places(
            entry(
                "map (\\i -> let (a, b) = unzip (map (\\x -> (f64.sin x, x ** f64.i64 i)) xs)"
                    + " in f64.sum a * f64.sum b) (iota 3)")));
  }

  @Test
  void whatRowsNeedIsKept() {
    assertEquals(
        List.of("sin 0"),
        places(entry("map (\\i -> map (\\x -> f64.sin x * f64.i64 i) xs) (iota 3)")));
  }

  @Test
  void theValuesOfALoopAreToldFromWhatVaries() {
    assertEquals(
        List.of("loop 0", "loop 1", "sin 0"),
        places(
            entry(
                "map (\\i -> (loop (a, b) = (0, 0) for x in xs do"
                    + " (f64.sin (a + x), b * x + f64.i64 i)) |> \\(a, b) -> a * b) (iota 3)")));
  }

  @Test
  void itStaysWhereThereMayBeNoRow() {
    assertEquals(List.of("red 0", "sin 0"), places(entry("map (\\i -> f64.i64 i * SUM) (iota k)")));
    assertEquals(1, count(entry("map (\\i -> f64.i64 i * SUM) (iota k)")));
    assertEquals(0, count(entry("map (\\i -> f64.i64 i * SUM) (iota 3)")));
  }

  @Test
  void itStaysAfterAnAssertion() {
    assertEquals(
        List.of("red 1", "sin 1"),
        places(entry("map (\\i -> assert (i < k) (f64.i64 i * SUM)) (iota 3)")));
  }

  @Test
  void itStaysInABranchThatVaries() {
    assertEquals(
        List.of("red 1", "sin 1"),
        places(entry("map (\\i -> if i < k then f64.i64 i * SUM else 1) (iota 3)")));
  }

  /** How many reductions are inside maps. */
  private static long count(String text) {
    return Optimised.verified(text).functions().getLast().body().stms().stream()
        .filter(s -> s.exp() instanceof Screma m && m.isMap())
        .flatMap(s -> Effects.bodies(s.exp()))
        .flatMap(b -> words(b, 0))
        .filter(w -> w.startsWith("red"))
        .count();
  }
}
