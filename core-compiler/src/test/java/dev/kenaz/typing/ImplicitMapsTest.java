package dev.kenaz.typing;

import static dev.kenaz.typing.Programs.rejects;
import static dev.kenaz.typing.Programs.typeOf;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ImplicitMapsTest {
  @Test
  void operators() {
    assertEquals("[n] [n]i32 -> *[n]i32", typeOf("f", "#[automap] def f (xs: []i32) = xs + 1"));
    assertEquals("[n] [n]i32 -> *[n]i32", typeOf("f", "#[automap] def f (xs: []i32) = -(2 * xs)"));
    assertEquals(
        "[n] [m] [n][m]f32 -> [m]f32 -> *[n][m]f32",
        typeOf("f", "#[automap] def f [n][m] (xss: [n][m]f32) (ys: [m]f32) = xss + ys"));
  }

  @Test
  void functions() {
    assertEquals(
        "[n] [n]f32 -> *[n]f32", typeOf("f", "#[automap] def f (xs: []f32) = f32.sqrt xs"));
    assertEquals(
        "[n] [m] [n][m]i32 -> *[n]i32",
        typeOf("f", "#[automap] def f [n][m] (a: [n][m]i32) = i32.sum a"));
    assertEquals(
        "[n] [n]i64 -> *[n]i32", typeOf("f", "#[automap] def f (xs: []i64) = xs |> i32.i64"));
  }

  @Test
  void lambdasKnowWhatTheyAreAppliedTo() {
    assertEquals(
        "[n] [m] [n][m]f32 -> *[n]f32",
        typeOf("f", "#[automap] def f [n][m] (a: [n][m]f32) = map (\\r -> f32.sum (r * r)) a"));
    assertEquals(
        "[n] [m] [n][m]f32 -> *[n]f32",
        typeOf("f", "#[automap] def f [n][m] (a: [n][m]f32) = a |> map (\\r -> f32.sum (r * r))"));
  }

  @Test
  void onlyWhereAskedFor() {
    rejects("K2001", "`map`", "def f (xs: []i32) = xs + 1");
    rejects("K2001", "`map`", "def f (xs: []f32) = f32.sqrt xs");
    rejects("K2001", "is not", "#[automap] def f (xs: []i32) = xs + 1 def g (xs: []bool) = !xs");
  }

  @Test
  void irregularOrUnequal() {
    rejects("K3001", "would leave its scope", "#[automap] def f (xs: []i64) = iota xs");
    rejects("K3001", "differ", "#[automap] def f (xs: [3]i64) (ys: [4]i64) = xs + ys");
  }
}
