package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Reg;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recurrences over the elements of an array keep the last element in a register. */
final class CarriedElementsTest {
  private static final int[] SIZES = {0, 1, 2, 3, 8, 33};

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loop y = xs for i < n - 1 do let y[i + 1] = y[i + 1] - y[i] * 2 in y",
        "loop y = xs for j < n - 1 do let i = n - 2 - j let y[i] = y[i] - y[i + 1] in y",
        "loop y = xs for i < n - 1 do let a = y[i] let y[i + 1] = if a > 3 then a - 3 else a + 1 in y",
        "loop y = xs for i < n do let y[0] = y[0] + T.i64 i in y",
        "loop y = xs for i < n - 3 do let y[i + 3] = y[i] + y[i + 2] in y",
        "(loop (u, y) = (replicate n 1, xs) for i < n - 1 do let u[i + 1] = u[i] * 2 - u[i + 1]"
            + " let y[i + 1] = y[i] + u[i] in (u, y)).1",
      })
  void carried(String body) {
    for (var prim : List.of(Prim.F32, Prim.F64, Prim.I32, Prim.U8)) {
      var program = program(body, prim);
      if (prim == Prim.F32) {
        assertTrue(carries(program), body);
      }
      Compare.each(program, calls(prim));
    }
  }

  /** Other stores, or other loads, would see or make something else than what was stored last. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "loop y = xs for i < n - 2 do let y[i + 1] = y[i] + 1 let y[i + 2] = y[i + 1] * 2 in y",
        "loop y = xs for i < n - 1 do let y[i + 1] = y[n - 1 - i] + 1 in y",
        "loop y = xs for i < n - 1 do let y[i * i % n] = y[i] + 1 in y",
        "loop y = xs for i < n - 2 do let y[i + 2] = y[i] + 1 in y",
        "loop y = xs for i < n - 1 do let y[i] = y[i + 1] + y[i] in y",
        "loop y = xs for i < n - 1 do if y[i] > 3 then let y[i + 1] = y[i] - 1 in y else y",
      })
  void notCarried(String body) {
    for (var prim : List.of(Prim.F32, Prim.I64)) {
      var program = program(body, prim);
      assertFalse(carries(program), body);
      Compare.each(program, calls(prim));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loop y = xs for i < n / 2 - 1 do let y[2 * i + 2] = y[2 * i] + y[2 * i + 1] in y",
        "map (\\x -> (loop y = replicate 5 x for i < 4 do let y[i + 1] = y[i] + y[i + 1] in y)[4]) xs",
      })
  void eitherWay(String body) {
    Compare.each(program(body, Prim.F64), calls(Prim.F64));
  }

  /** The element to the left is carried; those above were stored long before. */
  @Test
  void tables() {
    var text =
        "entry main [n] (xs: *[n]i32): [n]i32 = (loop t = replicate n xs for i < n - 1 do"
            + " loop t for j < n - 1 do"
            + " let t[i + 1, j + 1] = i32.max t[i, j] (i32.max t[i, j + 1] t[i + 1, j] - 1) in t)"
            + " |> map i32.sum";
    var program = Optimised.text(text);
    assertTrue(carries(program));
    Compare.each(program, calls(Prim.I32));
  }

  private static CoreProgram program(String body, Prim prim) {
    var text = "entry main [n] (xs: *[n]T): [n]T = " + body;
    return Optimised.text(text.replace("T", prim.text()));
  }

  private static boolean carries(CoreProgram program) {
    return Pipelines.loops(1).apply(program).functions().stream()
        .anyMatch(
            f -> {
              var buffers = CarriedElements.buffers(f, List.of());
              var found = new ArrayList<Code>();
              CodeWalk.code(
                  f.body(),
                  c -> {
                    if (c instanceof Code.For loop
                        && CarriedElements.of(loop, Reg.index("bound"), buffers).isPresent()) {
                      found.add(c);
                    }
                  },
                  _ -> {});
              return !found.isEmpty();
            });
  }

  private static List<List<Value>> calls(Prim prim) {
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      var numbers = IntStream.range(0, n).mapToDouble(i -> i * 7 % 11).toArray();
      calls.add(List.of(ArrayValue.ofDoubles(prim, numbers)));
    }
    return calls;
  }
}
