package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K4001;
import static dev.kenaz.error.ErrorCode.K4002;
import static dev.kenaz.error.ErrorCode.K4003;
import static dev.kenaz.error.ErrorCode.K4004;
import static dev.kenaz.error.ErrorCode.K4005;
import static dev.kenaz.error.ErrorCode.K4006;
import static dev.kenaz.typing.Programs.check;
import static dev.kenaz.typing.Programs.rejects;
import static dev.kenaz.typing.Programs.typeOf;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UniquenessTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "def f (xs: *[]i32) = let ys = copy xs let ys[0] = 1 in (xs, ys)",
        "def f (xs: []i32) : *[]i32 = copy xs",
        "def f (n: i64) = let xs = iota n in loop xs for i < n do xs with [i] = 2",
        "def f (xs: *[][]i64) = xs with [0] = copy xs[1]",
        "def f (n: i64) = let t = (iota n, iota n) let (a, b) = t let a[0] = 1 in (a, b)",
        "def f (n: i64) = let r = {a = iota n, b = 1i32} let r.a[2] = 3 in r",
        "def f (b: bool) (n: i64) = let xs = iota n in if b then xs with [0] = 1 else xs",
        "def f [n] (is: [n]i64) = reduce_by_index_stream (replicate 5 0i32) (+) 0"
            + " (\\acc i -> write acc i 1) is"
      })
  void keepsItsPromises(String text) {
    check(text);
  }

  @Test
  void useAfterConsumption() {
    rejects(
        K4001,
        "Using \"xs\", but this was consumed",
        "def f (xs: *[]i32) = let ys = xs with [0] = 1 in xs");
    rejects(
        K4001,
        "Using \"xs\", but this was consumed",
        "def f (xs: *[]i32) = let ys = xs let zs = ys with [0] = 1 in xs");
    rejects(
        K4001,
        "Using \"g\", but this was consumed",
        "def f (xs: *[]i32) = let g () = xs[0] let ys = xs with [0] = 1 in g ()");
    rejects(
        K4001,
        "Using \"xs\", but this was consumed",
        "def f (b: bool) (xs: *[]i32) = let ys = if b then xs with [0] = 1 else xs in xs");
  }

  @Test
  void consumingWhatIsNotOnesOwn() {
    rejects(K4002, "not marked", "def f (xs: []i32) = xs with [0] = 1");
    rejects(K4002, "global", "def t = [1i32, 2] def f = t with [0] = 2");
    rejects(
        K4002,
        "outside this function",
        "def f (n: i64) = let xs = iota n in map (\\i -> (xs with [0] = i)[0]) (iota n)");
    rejects(
        K4004,
        "in each iteration",
        "def f (n: i64) = let xs = iota n in"
            + " loop s = 0 for i < n do let ys = xs with [i] = 2 in s + ys[0]");
  }

  @Test
  void sharedMemory() {
    rejects(K4003, "Fresh-declared", "def f (xs: []i32) : *[]i32 = xs");
    rejects(K4005, "new value", "def f (xs: *[][]i64) = xs with [0] = xs[1]");
    rejects(
        K4006,
        "same call",
        "def g (a: *[]i64) (b: []i64) = scatter a b b" + " def f (a: *[]i64) = g a a");
  }

  @Test
  void freshResultsNeedNoMark() {
    assertEquals("[n] [n]i32 -> *[n]i32", typeOf("f", "def f [n] (xs: [n]i32) = map (+ 1) xs"));
    check("def f (n: i64) = let xs = iota n in xs def g (n: i64) = f n with [0] = 1");
  }
}
