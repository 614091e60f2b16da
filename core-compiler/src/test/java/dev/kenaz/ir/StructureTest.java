package dev.kenaz.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Flat;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StructureTest {
  private static ExternalType type(String declarations, String written) {
    var text = declarations + "\nentry main (x: " + written + ") = 0i32";
    try (var program = Compiler.compile("test.fut", text, CompileOptions.of(Backend.INTERPRET))) {
      return program.entry("main").type().params().getFirst().type();
    }
  }

  /** Lines such as {@code layers[].w [][]f32}. */
  private static String components(ExternalType type) {
    var all = Structure.components(type);
    assertEquals(type.flat(), all.stream().map(c -> new Flat(c.prim(), c.rank())).toList());
    return all.stream()
        .map(c -> c.path() + " " + "[]".repeat(c.rank()) + c.prim())
        .collect(Collectors.joining("\n"));
  }

  private static void check(String declarations, String written, String text, String... parts) {
    var type = type(declarations, written);
    assertEquals(text, Structure.text(type));
    assertEquals(Arrays.stream(parts).collect(Collectors.joining("\n")), components(type));
    if (!SameType.hidden(type)) {
      var again = type("", text);
      assertTrue(SameType.same(type, again), again.toString());
    }
  }

  @Test
  void numbersAndArrays() {
    check("", "f32", "f32", " f32");
    check("type m [n] = [n][n]f64", "m []", "[][]f64", " [][]f64");
  }

  @Test
  void records() {
    check(
        "type layer [n] = { w: [n]f32, bias: f32 } type model [k] [n] = { layers: [k](layer [n]),"
            + " steps: i64 }",
        "model [] []",
        "{layers: []{bias: f32, w: []f32}, steps: i64}",
        "layers[].bias []f32",
        "layers[].w [][]f32",
        "steps i64");
  }

  @Test
  void tuples() {
    check(
        "type t = (f64, (i32, [2](bool, ())))",
        "t",
        "(f64, (i32, [](bool, ())))",
        "0 f64",
        "1.0 i32",
        "1.1[].0 []bool",
        "1.1[].1 []bool");
    check("", "()", "()", " bool");
  }

  @Test
  void sums() {
    check(
        "type kind = #none | #scaled f64 | #shifted f64 (f64, i32) type m = { kind: kind, all:"
            + " [2][3]kind }",
        "m",
        "{all: [][](#none | #scaled f64 | #shifted f64 (f64, i32)), kind: #none | #scaled f64 |"
            + " #shifted f64 (f64, i32)}",
        "all[][]# [][]i8",
        "all[][]#scaled.0|#shifted.0 [][]f64",
        "all[][]#shifted.1.0 [][]f64",
        "all[][]#shifted.1.1 [][]i32",
        "kind# i8",
        "kind#scaled.0|#shifted.0 f64",
        "kind#shifted.1.0 f64",
        "kind#shifted.1.1 i32");
    check(
        "type s [n] = #some ([n]f64) | #two (#a f32 | #b) ([2](i32, [n]f64))",
        "s []",
        "#some []f64 | #two (#a f32 | #b) [](i32, []f64)",
        "# i8",
        "#some.0 []f64",
        "#two.0# i8",
        "#two.0#a.0 f32",
        "#two.1[].0 []i32",
        "#two.1[].1 [][]f64");
  }

  @Test
  void abstractTypes() {
    var hidden =
        "module m: { type t } = { type t = { a: [2]f32, b: i64 } } type model = { x: f64, t: [3]m.t"
            + " }";
    check(hidden, "model", "{t: []t, x: f64}", "t[].0 [][]f32", "t[].1 []i64", "x f64");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"f16", "[]bool", "(f32, f64)", "{a: f32}", "#a | #b", "[](#a | #b [][]u8)"})
  void textsAreTypes(String written) {
    assertEquals(written, Structure.text(type("", written)));
  }
}
