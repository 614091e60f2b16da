package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Limitation;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.pipeline.StepCaller;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Folds give what the interpreter gives for all rows, and what is no fold is told apart. */
final class FoldPlanTest {
  private static final String PROGRAM =
      """
      def mean [n][d] (w: [d]f64) (x: [n][d]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\r t -> (f64.sum (map2 (*) w r) - t) ** 2) x y) / f64.i64 n
      entry loss [n][d] (w: [d]f64) (x: [n][d]f64) (y: [n]f64) : f64 = mean w x y
      entry ridge [n][d] (w: [d]f64) (x: [n][d]f64) (y: [n]f64) : f64 =
        mean w x y + 3 * f64.sum (map (** 2) w)
      entry counts [n][d] (w: [d]f64) (x: [n][d]f64) (y: [n]f64) : ([4]i64, f64) =
        (hist (+) 0 4 (map (\\v -> i64.f64 v % 4) y) (replicate n 1), f64.maximum y + x[0, 0] * 0 + w[0])
      entry onlyCounts [n][d] (w: [d]f64) (x: [n][d]f64) (y: [n]f64) : [d]i64 =
        hist (+) 0 d (map (\\v -> i64.f64 v % d) y) (map (\\r -> i64.f64 r[0]) x)
      entry number [n][d] (_w: [d]f64) (_x: [n][d]f64) (y: [n]f64) : f64 = f64.sum y * f64.i64 n
      entry slope [n][d] (w: [d]f64) (s: f64) (x: [n][d]f64) (y: [n]f64) : [d]f64 =
        vjp (\\w -> mean w x y) w s
      entry ridgeSlope [n][d] (w: [d]f64) (s: f64) (x: [n][d]f64) (y: [n]f64) : [d]f64 =
        vjp (\\w -> mean w x y + 3 * f64.sum (map (** 2) w)) w s
      entry productSlope [n][d] (w: [d]f64) (s: f64) (x: [n][d]f64) (y: [n]f64) : [d]f64 =
        vjp (\\w -> f64.exp w[0] * mean w x y / w[1] + w[1]) w s
      entry normalSlope [n][d] (w: [d]f64) (s: f64) (_x: [n][d]f64) (y: [n]f64) : [d]f64 =
        vjp (\\w -> f64.sum (map (\\v -> (v - w[0]) ** 2) y) / (2 * w[1] ** 2)
                   + f64.i64 n * f64.log (w[1] ** 2)) w s
      entry rootSlope [n][d] (w: [d]f64) (s: f64) (x: [n][d]f64) (y: [n]f64) : [d]f64 =
        vjp (\\w -> f64.sqrt (mean w x y)) w s
      entry variance [n][d] (_w: [d]f64) (_x: [n][d]f64) (y: [n]f64) : f64 =
        let m = f64.sum y / f64.i64 n in f64.sum (map (\\v -> (v - m) ** 2) y)
      entry places [n][d] (_w: [d]f64) (_x: [n][d]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\v i -> v * f64.i64 i) y (iota n))
      entry scaled [n][d] (_w: [d]f64) (_x: [n][d]f64) (y: [n]f64) : f64 =
        f64.sum (map (\\v -> f64.exp (v / f64.i64 n)) y)
      entry rows [n][d] (w: [d]f64) (x: [n][d]f64) (y: [n]f64) : [n]f64 =
        map2 (\\r t -> f64.sum (map2 (*) w r) + t) x y
      entry shares [n][d] (_w: [d]f64) (_x: [n][d]f64) (y: [n]f64) : [n]f64 =
        map (/ f64.i64 n) y
      entry centred [n][d] (_w: [d]f64) (_x: [n][d]f64) (y: [n]f64) : [n]f64 =
        let m = f64.sum y in map (\\v -> v - m) y
      entry numbered [n][d] (_w: [d]f64) (_x: [n][d]f64) (y: [n]f64) : [n]f64 =
        map2 (\\v i -> v + f64.i64 i) y (iota n)
      """;

  private static final ProgramSource SOURCE = ProgramSource.of("folds.fut", PROGRAM);
  private static final CompileOptions ON_JVM = CompileOptions.of(Backend.JVM).onCores(1);
  private static final CompiledProgram REFERENCE =
      Compiler.compile(SOURCE, CompileOptions.of(Backend.INTERPRET));

  private static Optional<Plan> plan(String entry) {
    try {
      var rows = List.of("x", "y");
      var names = REFERENCE.entry(entry).type().params().stream().map(p -> p.name()).toList();
      var there = rows.stream().map(r -> names.contains(r) ? r : "_" + r).toList();
      return Optional.of(
          PiecewiseEntry.plan(REFERENCE.lowered(), entry, there, ON_JVM, false).program().plan());
    } catch (Limitation e) {
      return Optional.empty();
    }
  }

  private static Optional<FoldPlan> fold(String entry, boolean adjoint) {
    return plan(entry).flatMap(p -> FoldPlan.of(p, adjoint));
  }

  @ParameterizedTest
  @ValueSource(strings = {"loss", "ridge", "onlyCounts", "number"})
  void foldsGiveTheSame(String entry) {
    check(entry, false, List.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"slope", "ridgeSlope", "productSlope", "normalSlope"})
  void derivativesOfMeansAreFolds(String entry) {
    check(entry, true, List.of(ScalarValue.f64(1)));
    check(entry, true, List.of(ScalarValue.f64(-2.5)));
    assertTrue(
        fold(entry, false).isEmpty(),
        "what depends on s is sent, and nothing is said to be linear");
  }

  private static void check(String entry, boolean adjoint, List<Value> more) {
    var given = new ArrayList<Value>(List.of(ArrayValue.ofDoubles(new double[] {1, -2}, 2)));
    given.addAll(more);
    var fold =
        fold(entry, adjoint)
            .orElseThrow()
            .fold(List.of(new long[] {0, 2}, new long[] {0}), given, new StepCaller(ON_JVM));
    List<Value> partial = null;
    var all = new ArrayList<List<ArrayValue>>(List.of(new ArrayList<>(), new ArrayList<>()));
    long rows = 0;
    for (int n : new int[] {3, 1, 10}) {
      var x = new double[2 * n];
      var y = new double[n];
      for (int i = 0; i < n; i++) {
        x[2 * i] = rows + i;
        x[2 * i + 1] = (rows + i) * 7 % 5;
        y[i] = (rows + i) * 3 % 11;
      }
      var columns = List.of(ArrayValue.ofDoubles(x, n, 2), ArrayValue.ofDoubles(y, n));
      all.get(0).add(columns.get(0));
      all.get(1).add(columns.get(1));
      var next = fold.partial(columns);
      partial = partial == null ? next : fold.combined(partial, next);
      rows += n;
    }
    given.add(ArrayValue.joined(all.get(0)));
    given.add(ArrayValue.joined(all.get(1)));
    var expected = REFERENCE.entry(entry).call(given);
    var results = fold.results(rows, partial);
    assertEquals(expected.size(), results.size());
    for (int i = 0; i < expected.size(); i++) {
      assertAlike(expected.get(i), results.get(i));
    }
  }

  private static void assertAlike(Value expected, Value is) {
    if (expected instanceof ArrayValue a) {
      var b = (ArrayValue) is;
      assertEquals(List.of(a.dim(0)), List.of(b.dim(0)));
      for (int i = 0; i < a.count(); i++) {
        assertEquals(a.getDouble(i), b.getDouble(i), 1e-9 * Math.abs(a.getDouble(i)));
      }
    } else {
      double one = ((ScalarValue) expected).asDouble();
      assertEquals(one, ((ScalarValue) is).asDouble(), 1e-9 * Math.abs(one));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "variance",
        "places",
        "scaled",
        "rows",
        "shares",
        "centred",
        "rootSlope",
        "counts"
      })
  void whatIsNoFoldIsToldApart(String entry) {
    assertTrue(fold(entry, entry.equals("rootSlope")).isEmpty());
  }

  @Test
  void whatIsRowByRowIsToldApart() {
    assertTrue(plan("rows").filter(RowwisePlan::is).isPresent());
    for (var entry : List.of("shares", "centred", "numbered", "loss")) {
      assertTrue(plan(entry).filter(RowwisePlan::is).isEmpty(), entry);
    }
  }
}
