package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.pipeline.StepCaller;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that goes on from a state of another run, of another compilation, ends as that one did. */
final class PlanStateTest {
  private static final CompileOptions OPTIONS = CompileOptions.of(Backend.INTERPRET);

  private static List<Value> run(String program, TakesStates observer) {
    var entry =
        PiecewiseEntry.plan(
                ProgramSource.of("p.fut", program), "main", List.of("xs", "ys"), OPTIONS)
            .program();
    var arguments = ValueReader.parse("[[1,2],[3,4],[5,6],[7,8],[9,1]] [1,2,3,4,5] [2,-1]");
    return entry.call(arguments, n -> Cuts.even(n, 3), new StepCaller(OPTIONS), observer);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "let w = loop w for i < 4i64 do map (\\a -> (a + i32.i64 i + cost xs ys w) % 17) w"
            + " in (w, n, map2 (\\x y -> dot w x - y) xs ys)",
        // The rows of the first stage stay in pieces, so it runs again.
        "let m = i32.sum ys"
            + " let before = map (\\y -> y * m) ys"
            + " let w = loop w for _i < 3i64 do map (\\a -> (a + m + cost xs ys w) % 17) w"
            + " in (w, i64.i32 m, before)",
        "let (w, _) = loop (w, c) = (w, 0i32) while w[0] % 4 + c % 4 < 6 && c < 99 do"
            + " let d = cost xs ys w in (map (\\a -> (a + d) % 17) w, c + d % 2 + 1)"
            + " in (w, n, ys)",
        // Loops in loops, and values between them.
        "let w = loop w for i < 3i64 do"
            + " (let c = cost xs ys w let k = (c + i32.i64 i) % 5"
            + " let v = loop v = map (+ k) w for j < 2 + i do"
            + "   map (\\a -> (a + i32.i64 j + k + cost xs ys v) % 13) v"
            + " let e = cost xs ys v in map2 (\\a b -> (a + b * e) % 19) v w)"
            + " let w = loop w for _i < 2i64 do map (\\a -> (a * cost xs ys w) % 17) w"
            + " in (w, n, map (\\x -> dot w x) xs)",
        // Rows that move in each iteration, and rows that stay as they are.
        "let before = scan (+) 0 ys"
            + " let zs = loop zs = copy ys for i < 4i64 do"
            + "   map (\\j -> zs[(j + i) % n] + before[j]) (iota n)"
            + " in (w, n, map2 (+) zs before)",
        // Rows in loops in loops, and between them.
        "let zs = loop zs = copy ys for i < 2i64 do"
            + " (let m = i32.sum zs"
            + " let as = map (\\j -> zs[n - 1 - j]) (iota n)"
            + " let bs = loop bs = zs for _j < 3i64 do"
            + "   map2 (\\a j -> (a + m + bs[(j + 1) % n]) % 31) as (iota n)"
            + " in map3 (\\a b c -> a + b * c) as bs zs)"
            + " in (w, i64.i32 (i32.sum zs), zs)",
        // A loop in the branch that is taken, one in the other, and rows that only one needs.
        "let as = scan (+) 0 ys"
            + " let zs = if i32.sum ys > 3 then"
            + "   (loop zs = copy ys for i < 3i64 do map (\\j -> zs[(j + i) % n] + as[j]) (iota n))"
            + " else loop zs = copy ys for _i < 3i64 do scan (+) 1 zs"
            + " in (w, n, zs)",
        // So many rows as a filter leaves.
        "let zs = filter (> 2) (map (\\x -> dot w x) xs)"
            + " let zs = loop zs = copy zs for i < 3i64 do"
            + "   map (\\j -> zs[(j + i) % length zs] * 2) (indices zs)"
            + " in (w, i64.i32 (i32.sum zs), ys)",
        // Each piece hands a state to the next.
        "let zs = loop zs = copy ys for _i < 3i64 do"
            + " (let (_, zs) = loop (s, zs) = (1i32, zs) for j < n do"
            + "   (let s = (s * zs[j] + 1) % 7 in (s, zs with [j] = s))"
            + " in zs)"
            + " in (w, n, zs)"
      })
  void aRunGoesOnFromAnyStateOfAnother(String body) {
    var program =
        """
        def dot [d] (w: [d]i32) (x: [d]i32) : i32 = i32.sum (map2 (*) w x)
        def cost [n][d] (xs: [n][d]i32) (ys: [n]i32) (w: [d]i32) : i32 =
          i32.sum (map2 (\\x y -> let e = dot w x - y in e * e) xs ys)
        entry main [n][d] (xs: [n][d]i32) (ys: [n]i32) (w: [d]i32) : ([d]i32, i64, [n]i32) =
        """
            + body;
    var whole = TakesStates.beginning();
    var results = run(program, whole);
    assertTrue(whole.states().size() > 1, "the plan has a loop");
    for (var state : whole.states()) {
      var rest = TakesStates.goingOn(state);
      assertEquals(results, run(program, rest), "from " + state.position());
      int skipped = whole.stages().size() - rest.stages().size();
      assertTrue(skipped > 0, "what was done isn't done again");
      assertTrue(
          new HashSet<>(whole.stages()).containsAll(rest.stages()), rest.stages().toString());
    }
  }
}
