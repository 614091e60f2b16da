package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6301;
import static dev.kenaz.error.ErrorCode.K6302;
import static dev.kenaz.error.ErrorCode.K6303;
import static dev.kenaz.error.ErrorCode.K6304;
import static dev.kenaz.error.ErrorCode.K6305;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls with objects of Java. */
final class EntryTest {
  private static final String LEAST_SQUARES =
      """
      entry cost [n] [d] (w: [d]f64) (points: [n][d]f64) (wanted: [n]f64): f64 =
        let residual (p: [d]f64) (y: f64) = f64.sum (map2 (*) w p) - y
        in f64.sum (map (\\r -> r * r) (map2 residual points wanted))
      """;

  @Test
  void scalarOfArrays() {
    try (var program = Kenaz.compile(LEAST_SQUARES)) {
      double[] w = {1, 2};
      double[][] points = {{1, 0}, {0, 1}, {1, 1}};
      double[] wanted = {1, 1, 1};
      var cost = program.entry("cost");
      assertEquals(5, cost.call(w, points, wanted).asDouble());
      assertArrayEquals(
          new double[] {4, 6}, cost.gradient("w").call(w, points, wanted).as(double[].class));
      assertArrayEquals(
          new double[][] {{4, 2}, {2, 4}},
          cost.hessian("w").call(w, points, wanted).as(double[][].class));
    }
  }

  private static String fault(ErrorCode code, Executable call) {
    var fault = assertThrows(UserError.class, call);
    assertEquals(code, fault.diagnostics().getFirst().code(), fault::getMessage);
    return fault.getMessage();
  }

  @Test
  void wrongArguments() {
    try (var program = Kenaz.compile(LEAST_SQUARES)) {
      var cost = program.entry("cost");
      double[] one = {1};
      double[][] ragged = {{1}, {1, 2}};
      assertEquals(
          "cost takes 3 arguments, not 2", fault(K6301, () -> cost.call(one, new double[1][1])));
      assertEquals(
          "argument 2 (points) of cost has rows of different lengths: 2 at [1], but 1 before;"
              + " [][]f64 is wanted, in Java double[][]",
          fault(K6301, () -> cost.call(one, ragged, one)));
      fault(K6301, () -> cost.call(null, ragged, one));
      fault(K6301, () -> cost.call(one, new double[2][], one));
      fault(K6301, () -> cost.call(one, new double[][] {one, null}, one));
      fault(K6301, () -> cost.call(one, one, one));
      fault(K6301, () -> cost.call(new float[1], new double[1][1], one));
      fault(K6301, () -> cost.call(new Double[] {1.0}, new double[1][1], one));
      fault(K6301, () -> cost.call(List.of(1.0), new double[1][1], one));
      fault(K6301, () -> cost.call(one, new double[1][1][1], one));
      fault(K6301, () -> cost.callAll(List.of()));
      fault(K6302, () -> cost.call(one, new double[1][2], one));
      fault(K6302, () -> cost.call(one, new double[2][1], one));
      fault(K6303, () -> program.entry("costs"));
      fault(K6304, () -> cost.call(one, new double[1][1], one).asLong());
      fault(K6304, () -> cost.call(one, new double[1][1], one).as(double[].class));
      fault(K6304, () -> cost.call(one, new double[1][1], one).field(0));
    }
  }

  /** Lengths that an empty array doesn't tell are those that the types ask for. */
  @Test
  void emptyArrays() {
    try (var program = Kenaz.compile(LEAST_SQUARES)) {
      var cost = program.entry("cost");
      double[] none = {};
      assertEquals(0, cost.call(new double[2], new double[0][], none).asDouble());
      assertArrayEquals(
          new double[2],
          cost.gradient("w").call(new double[2], new double[0][2], none).as(double[].class));
      assertEquals(1, cost.call(none, new double[1][0], new double[] {1}).asDouble());
      assertArrayEquals(
          new double[0][0],
          cost.hessian("w").call(none, new double[1][0], new double[1]).as(double[][].class));
    }
  }

  @Test
  void numbersOfAllTypes() {
    try (var program =
        Kenaz.compile(
            """
            entry i8 (x: i8) = x entry u8 (x: u8) = x entry i16 (x: i16) = x
            entry u16 (x: u16) = x entry i32 (x: i32) = x entry u32 (x: u32) = x
            entry i64 (x: i64) = x entry u64 (x: u64) = x entry f16 (x: f16) = x
            entry f32 (x: f32) = x entry f64 (x: f64) = x entry bool (x: bool) = x
            """)) {
      assertEquals(200, program.entry("u8").call(200).asInt());
      assertEquals(-1L, program.entry("u64").call(-1L).asLong());
      assertEquals(4_000_000_000L, program.entry("u32").call(4_000_000_000L).asLong());
      assertEquals(65535, program.entry("u16").call(65535).as(Integer.class));
      assertEquals(1.5f, program.entry("f16").call(1.5).asFloat());
      assertEquals((byte) -3, program.entry("i8").call(-3).as(byte.class));
      assertTrue(Double.isNaN(program.entry("f64").call(Float.NaN).asDouble()));
      assertTrue(program.entry("bool").call(true).asBoolean());
      fault(K6301, () -> program.entry("u8").call(256));
      fault(K6301, () -> program.entry("u8").call(-1));
      fault(K6301, () -> program.entry("u32").call(-1));
      fault(K6301, () -> program.entry("i32").call(1L << 31));
      fault(K6301, () -> program.entry("f32").call(0.5));
      fault(K6301, () -> program.entry("f32").call((1 << 24) + 1));
      fault(K6301, () -> program.entry("f64").call(Long.MIN_VALUE));
      fault(K6301, () -> program.entry("f64").call(Long.MAX_VALUE));
      fault(K6301, () -> program.entry("i32").call(1.0));
      fault(K6301, () -> program.entry("bool").call(1));
      fault(K6301, () -> program.entry("i32").call('a'));
      fault(K6301, () -> program.entry("i32").call("1"));
      fault(K6301, () -> program.entry("f64").call(BigDecimal.ONE));
      fault(K6304, () -> program.entry("u8").call(1).as(byte.class));
      fault(K6304, () -> program.entry("i64").call(1).asDouble());
      fault(K6304, () -> program.entry("f64").call(1).asFloat());
      fault(K6304, () -> program.entry("f64").call(1).as(String.class));
    }
  }

  @Test
  void arraysOfAllTypes() {
    var text = new StringBuilder();
    for (var t : ElementType.values()) {
      text.append("entry t_%1$s [n][m] (x: [n][m]%1$s): [m][n]%1$s = transpose x\n".formatted(t));
      text.append("entry r_%1$s [n] (x: [n]%1$s): [n]%1$s = reverse x\n".formatted(t));
    }
    Map<ElementType, List<Object>> arrays = new EnumMap<>(ElementType.class);
    arrays.put(ElementType.BOOL, List.of(new boolean[] {true, false, false}));
    for (var t : List.of(ElementType.I8, ElementType.U8)) {
      arrays.put(t, List.of(new byte[] {1, -2, 3}));
    }
    arrays.put(ElementType.I16, List.of(new short[] {1, -2, 3}));
    arrays.put(ElementType.U16, List.of(new short[] {1, -2, 3}, new char[] {1, '\uffff', 3}));
    arrays.put(ElementType.F16, List.of(new float[] {1, -2.5f, 3}, new short[] {1, -2, 3}));
    for (var t : List.of(ElementType.I32, ElementType.U32)) {
      arrays.put(t, List.of(new int[] {1, -2, 3}));
    }
    for (var t : List.of(ElementType.I64, ElementType.U64)) {
      arrays.put(t, List.of(new long[] {1, -2, 3}));
    }
    arrays.put(ElementType.F32, List.of(new float[] {1, Float.NaN, -0f}));
    arrays.put(ElementType.F64, List.of(new double[] {1, Double.NaN, -0d}));
    try (var program = Kenaz.compile(text.toString())) {
      arrays.forEach(
          (t, all) ->
              all.forEach(
                  a -> {
                    var r = program.entry("r_" + t);
                    var twice = r.call(r.call(a)).as(a.getClass());
                    assertTrue(Objects.deepEquals(a, twice), t::toString);
                    assertEquals(t, r.call(a).elementType());
                    var matrix = Array.newInstance(a.getClass(), 2);
                    Array.set(matrix, 0, a);
                    Array.set(matrix, 1, r.call(a).as(a.getClass()));
                    var f = program.entry("t_" + t);
                    var back = f.call(f.call(matrix)).as(matrix.getClass());
                    assertTrue(Objects.deepEquals(matrix, back), t::toString);
                    assertEquals(f.call(matrix), f.call(Value.copyOf(t, matrix)), t::toString);
                  }));
    }
  }

  record Inner(int[] xs, boolean b) {}

  record Outer(float y, Inner inner) {}

  record Misnamed(float z, Inner inner) {}

  record Innermost(int[] xs, int b) {}

  record Wrong(float y, Innermost inner) {}

  @Test
  void recordsAndArraysOfThem() {
    try (var program =
        Kenaz.compile(
            """
            type inner = {b: bool, xs: [2]i32}
            type outer = {inner: inner, y: f32}
            entry same (o: outer) = o
            entry all [n][m] (os: [n][m]outer) = transpose os
            entry pair (p: (i32, (f64, bool))) = (p.1, p.0)
            """)) {
      var outer = new Outer(1.5f, new Inner(new int[] {1, 2}, true));
      var same = program.entry("same");
      assertEquals(1.5f, same.call(outer).as(Outer.class).y());
      assertArrayEquals(new int[] {1, 2}, same.call(outer).as(Outer.class).inner().xs());
      assertEquals("{inner = {b = true, xs = [1i32, 2i32]}, y = 1.5f32}", "" + same.call(outer));
      assertEquals(2, same.call(outer).field("inner").field("xs").as(int[].class)[1]);
      fault(K6301, () -> same.call(new Misnamed(1, outer.inner())));
      fault(K6301, () -> same.call(new Outer(1, null)));
      fault(K6302, () -> same.call(new Outer(1, new Inner(new int[3], true))));
      fault(K6304, () -> same.call(outer).as(Misnamed.class));

      var all = program.entry("all");
      Outer[][] row = {{outer, outer, outer}};
      assertEquals(3, all.call(row).as(Outer[][].class).length);
      assertArrayEquals(new long[] {3, 1}, all.call(row).shape());
      assertEquals(0, all.call(new Outer[0][0]).as(Outer[][].class).length);
      assertEquals(2, all.call(new Outer[2][0]).shape()[1]);
      // What a class can hold doesn't depend on the values.
      fault(K6304, () -> all.call(new Outer[0][0]).as(Misnamed[][].class));
      fault(K6304, () -> all.call(new Outer[0][0]).as(String[][].class));
      fault(K6304, () -> all.call(new Outer[0][0]).as(Outer[][][].class));
      assertEquals(
          "at [][].inner.b, a value of type bool is no int",
          fault(K6304, () -> all.call(new Outer[0][0]).as(Wrong[][].class)));
      fault(K6301, () -> all.call(new Outer[][] {{outer}, {null}}));
      fault(K6301, () -> all.call(new Outer[][] {{outer}, {outer, outer}}));
      fault(K6301, () -> all.call(new Outer[2][]));
      var other = new Outer(1, new Inner(new int[1], true));
      fault(K6301, () -> all.call(new Outer[][] {{outer, other}}));
      fault(K6301, () -> program.entry("pair").call(new Outer(1, outer.inner())));
    }
  }

  @Test
  void hiddenValues() {
    try (var program =
        Kenaz.compile(
            """
            module m : { type t  val make : f64 -> t  val get : t -> f64 } =
              { type t = f64  def make (x: f64) = x  def get (x: t) = x }
            type shape = #circle f64 | #none
            entry make (x: f64): m.t = m.make x
            entry get (x: m.t): f64 = m.get x
            entry circle (r: f64): shape = #circle r
            entry radius (s: shape): f64 = match s case #circle r -> r case #none -> 0
            entry radii [n] (ss: [n]shape): [n]f64 =
              map (\\s -> match s case #circle r -> r case #none -> 0) ss
            """)) {
      var hidden = program.entry("make").call(2);
      assertEquals(2, program.entry("get").call(hidden).asDouble());
      assertEquals("<m.t>", hidden.toString());
      fault(K6301, () -> program.entry("get").call(2));
      fault(K6304, hidden::asDouble);
      fault(K6304, hidden::elementType);
      var circle = program.entry("circle").call(3);
      assertEquals(3, program.entry("radius").call(circle).asDouble());
      assertArrayEquals(
          new double[] {3, 3},
          program.entry("radii").call(new Value[] {circle, circle}).as(double[].class));
      fault(K6301, () -> program.entry("get").call(circle));
      fault(K6305, () -> program.entry("radius").gradient());
      fault(K6305, () -> program.entry("circle").vjp());
      assertEquals(1, program.entry("get").gradient().call(hidden).flat().size());
    }
  }

  @Test
  void derivativesThatThereAreNot() {
    try (var program =
        Kenaz.compile(
            """
            entry f (n: i64) (_: f64) (x: f64): f64 = f64.i64 n * x
            entry count [n] (xs: [n]f64): i64 = n
            entry pair (x: f64): (f64, f64) = (x, x)
            entry whole (n: i64): f64 = f64.i64 n
            entry many (a: f64) (b: f64): f64 = a * b
            entry constant : f64 = 1
            """)) {
      var f = program.entry("f");
      fault(K6305, () -> f.gradient("n"));
      fault(K6305, () -> f.gradient("_"));
      assertEquals(2, f.gradient("x").call(2, 0, 5).asDouble());
      fault(K6305, () -> f.gradient("y"));
      fault(K6305, () -> f.gradient("3"));
      fault(K6305, () -> f.gradient("1", "1"));
      assertEquals(2, f.gradient("2").call(2, 0, 5).asDouble());
      assertEquals("(f64, f64)", f.gradient().resultType());
      fault(K6305, () -> program.entry("count").gradient());
      fault(K6305, () -> program.entry("count").vjp());
      fault(K6305, () -> program.entry("pair").gradient());
      fault(K6305, () -> program.entry("pair").jacobian());
      fault(K6305, () -> program.entry("whole").gradient());
      fault(K6305, () -> program.entry("many").hessian());
      fault(K6305, () -> program.entry("constant").gradient());
      assertEquals(1, program.entry("constant").call().asDouble());
    }
  }

  /** Derivatives of entries whose results have sizes that no argument tells. */
  @ParameterizedTest
  @EnumSource(names = "CUDA", mode = EnumSource.Mode.EXCLUDE)
  void derivativesOnBackends(Backend backend) {
    var text =
        """
        entry squares [n] (xs: [n]f64): []f64 = map (** 2) (filter (> 0) xs)
        entry consume [n] (xs: *[n]f64): f64 = let ys = xs with [0] = 2 * xs[0] in f64.product ys
        entry grid [n][m] (x: [n][m]f64): f64 = f64.sum (map f64.product x)
        entry same [n] (xs: [n]f64): [n]f64 = xs
        """;
    try (var program = Kenaz.compile(text, CompileOptions.of(backend))) {
      double[] xs = {3, -1, 2};
      var squares = program.entry("squares");
      assertEquals("[6.0f64, 0.0f64, 4.0f64]", text(squares.vjp().call(xs, new double[] {1, 1})));
      assertEquals(
          "[[6.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 4.0f64]]",
          text(squares.jacobian().call(xs)));
      assertThrows(UserError.class, () -> squares.vjp().call(xs, new double[3]));
      assertEquals(
          "[-4.0f64, 12.0f64, -6.0f64]", text(program.entry("consume").gradient().call(xs)));
      assertArrayEquals(new double[] {3, -1, 2}, xs);
      var hessian = program.entry("grid").hessian().call(new double[][] {{2, 3}, {5, 7}});
      assertArrayEquals(new long[] {2, 2, 2, 2}, hessian.shape());
      var h = hessian.as(double[][][][].class);
      assertEquals(1, h[0][0][0][1]);
      assertEquals(0, h[0][0][1][1]);
      assertEquals(1, h[1][1][1][0]);
      assertEquals(0, h[1][1][1][1]);
      var third = program.entry("grid").gradient().jvp();
      assertArrayEquals(
          new double[][] {{3, 2}, {0, 0}},
          third
              .call(new double[][] {{2, 3}, {5, 7}}, new double[][] {{2, 3}, {0, 0}})
              .as(double[][].class));
      xs[0] = 8;
      var same = program.entry("same").call(xs);
      xs[0] = 9;
      assertEquals(8, same.as(double[].class)[0]);
    }
  }

  private static String text(Value value) {
    return value.toString();
  }
}
