package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6301;
import static dev.kenaz.error.ErrorCode.K6302;
import static dev.kenaz.error.ErrorCode.K8002;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Entries over pieces of their arguments. */
final class EntryInPiecesTest {
  private static final double[] XS = {0, 1, 2, 3, 5};
  private static Program program;

  record Point(int a, double b) {}

  @BeforeAll
  static void compile() {
    program =
        Kenaz.compile(
            """
            entry cost [n] (xs: [n]f64) (w: f64): f64 = f64.sum (map (\\x -> (w * x - 1) ** 2) xs)
            entry pairs [n] (ps: [n]{a: i32, b: f64}) (k: i32): (i64, [n]i32) =
              (n, map (\\p -> p.a * k) ps)
            entry sums [n] (xs: [n]f64) : [n]f64 =
              map (\\x -> let s = scan (+) 0 (map (* x) xs) in s[n / 2]) xs
            """);
  }

  /** Some parameters have their rows as columns; another one tells which size is the rows'. */
  @Test
  void rowsMayBeColumns() {
    var text =
        """
        entry means [d][n] (xs: [d][n]f64) (ys: [n]f64) : ([d]f64, f64) =
          (map (\\c -> f64.sum (map2 (*) c ys) / f64.i64 n) xs, f64.sum ys)
        entry scaled [d][n] (ks: [n]i32) (xs: [d][n]i32) (t: [d]i32) : [d][n]i32 =
          map2 (\\c k -> map2 (\\x y -> x * y + k) c ks) xs t
        entry fit [d][n] (xs: [d][n]f64) (ys: [n]f64) (w: [d]f64) : f64 =
          f64.sum (map2 (\\x y -> (f64.sum (map2 (*) x w) - y) ** 2) (transpose xs) ys)
        entry square [n] (xs: [n][n]f64) (ys: [n]f64) : f64 = f64.sum ys + f64.sum (flatten xs)
        """;
    double[][] xs = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
    double[] ys = {1, 1, 2, 2, 3};
    try (var p = Kenaz.compile(text)) {
      for (int pieces : new int[] {1, 3, 7}) {
        var means = p.entry("means");
        assertEquals(means.call(xs, ys), means.inPieces("xs", "ys").pieces(pieces).call(xs, ys));
        var scaled = p.entry("scaled");
        var all =
            List.of(new int[] {1, 2, 3}, new int[][] {{1, 2, 3}, {4, 5, 6}}, new int[] {7, 8});
        assertEquals(scaled.callAll(all), scaled.inPieces("xs", "ks").pieces(pieces).callAll(all));
        var slope = p.entry("fit").gradient("w");
        var w = new double[] {0.5, 0.25};
        assertEquals(
            slope.call(xs, ys, w), slope.inPieces("xs", "ys").pieces(pieces).call(xs, ys, w));
      }
      fails(K6302, () -> p.entry("means").inPieces("xs", "ys").call(xs, new double[4]));
      fails(K8002, () -> p.entry("square").inPieces("xs", "ys"));
    }
  }

  @AfterAll
  static void close() {
    program.close();
  }

  @Test
  void piecesGiveWhatTheWholeGives() {
    for (int pieces : new int[] {1, 3, 9}) {
      var cost = program.entry("cost");
      assertEquals(cost.call(XS, 2), cost.inPieces("xs").pieces(pieces).call(XS, 2));
      var gradient = cost.gradient("w");
      assertEquals(gradient.call(XS, 2), gradient.inPieces("xs").pieces(pieces).call(XS, 2));
    }
    var points = new Point[] {new Point(1, 2), new Point(3, 4), new Point(5, 6)};
    var pairs = program.entry("pairs").inPieces("ps").call(points, 2);
    assertEquals(3, pairs.field(0).asLong());
    assertArrayEquals(new int[] {2, 6, 10}, pairs.field(1).as(int[].class));
    var none = program.entry("pairs").inPieces("ps").call(new Point[0], 2);
    assertEquals(0, none.field(0).asLong());
  }

  @Test
  void whatIsNotDividedIsTold() {
    var sums = program.entry("sums").inPieces("xs");
    assertEquals(program.entry("sums").call(XS), sums.call(XS));
    assertEquals(List.of(ErrorCode.K8001), sums.warnings().stream().map(d -> d.code()).toList());
    assertTrue(program.entry("cost").inPieces("xs").warnings().isEmpty());
    assertTrue(sums.plan(Map.of("n", 1000L)).contains("8.00 kB"));
  }

  @Test
  void whatMakesNoSenseIsTold() {
    var cost = program.entry("cost");
    fails(K8002, () -> cost.inPieces("ys"));
    fails(K8002, () -> cost.inPieces("xs", "xs"));
    fails(K8002, () -> cost.inPieces("w"));
    fails(K8002, () -> cost.inPieces());
    fails(K6301, () -> cost.inPieces("xs").call(XS));
    fails(K6301, () -> cost.inPieces("xs").call(new float[3], 2));
    fails(
        K6302,
        () -> {
          try (var two =
              Kenaz.compile("entry f [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum xs + ys[0]")) {
            two.entry("f").inPieces("xs", "ys").call(XS, new double[2]);
          }
        });
    assertThrows(IllegalArgumentException.class, () -> cost.inPieces("xs").pieces(0));
  }

  private static void fails(ErrorCode code, Executable call) {
    assertEquals(code, assertThrows(UserError.class, call).diagnostics().getFirst().code());
  }
}
