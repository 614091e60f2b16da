package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the stages of a plan compute, keep for later ones, and give to the driver. */
final class StageWorkTest {
  private static Plan plan(String expression) {
    var text = "entry main [n][d] (xs: [n]f64) (rows: [n][d]f64) (w: [d]f64) = " + expression;
    return PiecewiseEntry.plan(
            ProgramSource.of("p.fut", text),
            "main",
            List.of("xs", "rows"),
            CompileOptions.of(Backend.INTERPRET))
        .program()
        .plan();
  }

  private static final String TWICE =
      "let ys = %s let m = f64.maximum ys in f64.sum (map (\\y -> (y - m) ** 2) ys)";

  /** A value of a row that the first stage computes and the second one uses. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "map (+ 1) xs | 0",
        "map (\\x -> if x > 0 then x else 0) xs | 0",
        "map (\\x -> f64.exp (f64.sin x) + f64.cos (x ** 1.5)) xs | 1",
        "map (\\r -> f64.sum (map2 (*) r w)) rows | 1",
        "map (\\r -> r[0]) rows | 1",
        "map2 (\\x r -> x + f64.sum r) xs rows | 1",
        "scan (+) 0 xs | 1"
      })
  void whatTakesLongerToComputeAgainIsKept(String value, int kept) {
    var plan = plan(TWICE.formatted(value));
    assertEquals(kept, plan.stages().stream().mapToLong(s -> s.stored().size()).max().orElse(0));
  }

  @Test
  void ofAChainTheNarrowValueIsKept() {
    var plan =
        plan(
            "let ys = map (\\r -> f64.sum (map2 (*) r w)) rows"
                + " let wide = map (\\y -> map (* y) w) ys"
                + " let m = f64.sum (map f64.sum wide)"
                + " in f64.sum (map (\\r -> f64.maximum r - m) wide)");
    var stored = plan.stages().getFirst().stored();
    assertEquals(List.of(1), stored.stream().map(v -> v.type().dims().size()).toList());
  }

  @Test
  void aScanReadsTheDatasetOnce() {
    var stages = plan("scan (+) 0 (map f64.exp xs)").stages();
    assertEquals(2, stages.size());
    assertEquals(List.of(0), stages.getFirst().sharded());
    assertEquals(List.of(), stages.getLast().sharded());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reverse (scan f64.max f64.lowest (reverse xs))",
        "vjp (\\v -> f64.sum (map (\\s -> s * s) (scan (+) 0 v))) xs 1"
      })
  void aScanFromTheLastRowToTheFirstMovesNoRows(String expression) {
    assertEquals(
        List.of(),
        plan(expression).steps().stream().filter(s -> s instanceof Plan.Exchange).toList());
  }

  @Test
  void whatALoopWouldComputeInEachIterationIsKept() {
    var loop = "loop s = 1 for _i < 9i64 do f64.sum (map (\\y -> y / s) (%s))";
    assertEquals(1, plan(loop.formatted("map f64.tanh xs")).stages().size(), "in the loop");
    var hoisted = "let ys = map (\\x -> f64.tanh x) xs in " + loop.formatted("ys");
    assertEquals(1, plan(hoisted).stages().getFirst().stored().size());
  }

  @Test
  void eachPieceGivesOneNumberForAFilterOrAScan() {
    for (var expression : List.of("filter (> 0) xs", "scan (+) 0 xs")) {
      var plan = plan(expression);
      var first = plan.stages().getFirst();
      assertEquals(List.of(), first.outputs(), expression);
      var given = first.gathered().getFirst().type().dims();
      assertEquals(List.of(plan.pieces().pieces()), given, expression);
      assertTrue(first.local().toString().contains("[1i64]"), first.local().toString());
    }
  }

  @Test
  void whatIsAResultAndUsedLaterIsMadeOnce() {
    var plan = plan("let p = filter (> 0) xs let m = f64.maximum p in (p, map (\\x -> x - m) p)");
    var first = plan.stages().getFirst();
    assertEquals(first.kept(), first.stored());
    var results = first.local().body().results();
    assertEquals(1, results.stream().filter(first.kept().getFirst()::equals).count());
  }

  @Test
  void whatNoStepUsesIsNotGiven() {
    var stages = plan("f64.sum (filter (> 0) xs)").stages();
    assertEquals(1, stages.size());
    assertEquals(List.of(), stages.getFirst().gathered());
    assertEquals(1, stages.getFirst().outputs().size());
  }

  /**
   * Three sums with work of the driver behind each, and three filters whose sums use their means.
   */
  @Test
  void independentWorkOfALevelIsOneStage() {
    var sums =
        "let a = f64.sum xs let a = loop a for _i < 9i64 do f64.sqrt (a + 1)"
            + " let b = f64.maximum xs let b = if b > a then f64.log b else 0"
            + " let c = f64.sum (filter (> 0) xs)"
            + " in (a, b, c)";
    assertEquals(1, plan(sums).stages().size());
    var filters =
        "let mean (ys: []f64) = f64.sum ys / f64.i64 (length ys)"
            + " let rest (ys: []f64) = let m = mean ys in f64.sum (map (\\y -> (y - m) ** 2) ys)"
            + " in (rest (filter (> 0) xs), rest (filter (< 1) xs), rest (map f64.sum rows))";
    assertEquals(2, plan(filters).stages().size());
  }

  /** What is left of the longer one has a stage of its own. */
  @ParameterizedTest
  @CsvSource({"4, 4, 1", "4, 7, 2", "7, 4, 2"})
  void loopsThatDoNotDependOnEachOtherShareStages(int one, int other, int stages) {
    var fit = "loop s = 1 for _i < %di64 do f64.sum (map (\\x -> x / s) xs)";
    var fits = "let a = %s let b = %s in (a, b)";
    var plan = plan(fits.formatted(fit.formatted(one), fit.formatted(other)));
    assertEquals(stages, plan.stages().size());
    var chain = "let a = %s let b = %s + a in (a, b)";
    var second = "(loop s = a for _i < %di64 do f64.sum (map (\\x -> x / s) xs))".formatted(other);
    assertEquals(2, plan(chain.formatted(fit.formatted(one), second)).stages().size());
  }
}
