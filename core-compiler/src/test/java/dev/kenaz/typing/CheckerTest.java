package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1001;
import static dev.kenaz.error.ErrorCode.K2001;
import static dev.kenaz.error.ErrorCode.K2003;
import static dev.kenaz.error.ErrorCode.K2040;
import static dev.kenaz.error.ErrorCode.K3001;
import static dev.kenaz.typing.Programs.check;
import static dev.kenaz.typing.Programs.rejects;
import static dev.kenaz.typing.Programs.typeOf;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CheckerTest {
  @Test
  void kmeans() {
    var text =
        """
        def sq (x: f32) = x * x
        def dist [d] (a: [d]f32) (b: [d]f32) : f32 = f32.sum (map2 (\\x y -> sq (x - y)) a b)
        def cost [n][k][d] (points: [n][d]f32) (centres: [k][d]f32) : f32 =
          points |> map (\\p -> map (dist p) centres |> f32.minimum) |> f32.sum
        entry step [n][k][d] (points: [n][d]f32) (centres: [k][d]f32) =
          let ones = replicate k (replicate d 1)
          in jvp2 (\\c -> vjp (cost points) c 1) centres ones
        """;
    assertEquals(
        "[n] [k] [d] [n][d]f32 -> [k][d]f32 -> (*[k][d]f32, *[k][d]f32)", typeOf("step", text));
    assertEquals(1, check(text).entries().size());
  }

  @Test
  void sizesThatOnlyTheValueDecides() {
    assertEquals(
        "[n] [n]i32 -> ?[m].*[m]i32", typeOf("f", "def f xs = filter (\\(x: i32) -> x > 0) xs"));
    assertEquals(
        "i64 -> ?[n].*[n]i64", typeOf("f", "def f (n: i64) = if n > 3 then iota n else iota 3"));
    rejects(K3001, "do not match", "def f [n] (xs: [n]i32) = zip xs (filter (> 0) xs)");
    rejects(K3001, "would leave its scope", "def f (xs: []i64) = map (\\n -> iota n) xs");
  }

  @Test
  void loopsFindOutWhichSizesChange() {
    assertEquals(
        "[n] [n]i32 -> ?[n].[n]i32",
        typeOf("f", "def f [n] (xs: [n]i32) = loop ys = xs for i < 3i32 do concat ys ys"));
    assertEquals(
        "[n] [n]i32 -> [n]i32",
        typeOf("f", "def f [n] (xs: [n]i32) = loop ys = xs for i < 3i32 do map2 (+) xs ys"));
  }

  @Test
  void functorsAreElaboratedAtEachApplication() {
    var text =
        """
        module type monoid = { type t val zero : t val add : t -> t -> t }
        module sum (M: monoid) = { def sum [n] (xs: [n]M.t) : M.t = reduce M.add M.zero xs }
        module a = sum { type t = i32 def zero = 0i32 def add (x: t) (y: t) = x + y }
        module b = sum { type t = f32 def zero = 0f32 def add (x: t) (y: t) = x + y }
        def main (xs: []i32) (ys: []f32) = (a.sum xs, b.sum ys)
        """;
    assertEquals("[n] [n] [n]i32 -> [n]f32 -> (i32, f32)", typeOf("main", text));
  }

  @Test
  void simpleErrors() {
    rejects(K1001, "did you mean \"reduce\"", "def f (xs: []i32) = reduc (+) 0 xs");
    rejects(K2001, "Types \"i32\" and \"bool\" do not match", "def f (x: i32) = x + true");
    rejects(K2003, "as function", "def f (x: i32) = x 1");
    rejects(K2040, "not covered: #b", "def f (x: #a | #b) = match x case #a -> 1i32");
  }
}
