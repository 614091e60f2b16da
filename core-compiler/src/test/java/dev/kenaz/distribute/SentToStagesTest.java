package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.Prim;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every piece can make by itself for less isn't sent to the pieces. */
final class SentToStagesTest {
  private static final CompileOptions OPTIONS = CompileOptions.of(Backend.INTERPRET);

  /** The derivative adds to places of a whole matrix, by the numbers of its rows and columns. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "vjp (cost xs ys) w 1",
        "loop w = copy w for _i < 3i64 do map2 (map2 (-)) w (vjp (cost xs ys) w 1)",
        "if k > 3 then loop w = copy w while w[0, 0] < 1 do"
            + " map2 (map2 (-)) w (vjp (cost xs ys) w 1) else w"
      })
  void numbersOfAnArrayAreMadeInTheStage(String step) {
    var program =
        """
        def cost [n][k][d] (xs: [n][d]f64) (ys: [n]i64) (w: [k][d]f64) : f64 =
          let row x y =
            let scores = map (\\v -> f64.sum (map2 (*) v x)) w
            in f64.log (f64.sum (map f64.exp scores)) - scores[y]
          in f64.sum (map2 row xs ys)
        entry main [n][k][d] (xs: [n][d]f64) (ys: [n]i64) (w: [k][d]f64) : [k][d]f64 = %s
        """
            .formatted(step);
    var source = ProgramSource.of("p.fut", program);
    var plan = PiecewiseEntry.plan(source, "main", List.of("xs", "ys"), OPTIONS).program().plan();
    var stages = plan.stages();
    assertFalse(stages.isEmpty());
    for (var stage : stages) {
      assertFalse(
          stage.broadcast().stream()
              .anyMatch(v -> v.type().isArray() && v.type().elemPrim() == Prim.I64),
          () -> "sent: " + stage.broadcast());
    }
  }
}
