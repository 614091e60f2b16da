package dev.kenaz.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Each barrier and each fence of generated kernels is left out in turn, and the simulator must
 * notice: by itself, or by a wrong result.
 */
final class MissingOrderTest {
  private static final String PROGRAM =
      """
      entry sum [n] (xs: [n]i64) : i64 = reduce (+) 0 (map (* 2) xs)
      entry last [n] (xs: [n]i64) : (i64, i64) =
        reduce (\\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\\x -> (x % 3, x)) xs)
      entry rows [n] (xs: [n]i64) : []i64 = map i64.sum (unflatten (sized (4 * (n / 4)) (take (4 * (n / 4)) xs)))
      entry prefix [n] (xs: [n]i64) : [n]i64 = scan (+) 0 xs
      entry affine [n] (xs: [n]i64) : ([n]i64, [n]i64) =
        unzip (scan (\\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\\x -> (x % 3, x)) xs))
      entry few [n] (xs: [n]i64) : [10]i64 = hist (+) 0 10 (map (% 10) xs) xs
      entry many [n] (xs: [n]i64) : [4000]i64 = hist i64.max 0 4000 (map (% 4000) xs) (map (% 17) xs)
      entry pairs [n] (xs: [n]i64) : ([5]i64, [5]i64) =
        unzip (hist (\\(a, b) (c, d) -> (a + c, b + d)) (0, 0) 5 (map (% 5) xs) (zip xs xs))
      entry product [n] (xs: [n]i64) : [][]i64 =
        let a = unflatten (sized (60 * 40) (take (60 * 40) xs)) :> [60][40]i64
        in map (\\r -> map (\\c -> i64.sum (map2 (*) r c)) a) a
      entry turned [n] (xs: [n]i64) : [][]i64 =
        copy (transpose (unflatten (sized (40 * 70) (take (40 * 70) xs)) :> [40][70]i64))
      entry evens [n] (xs: [n]i64) : []i64 = filter (\\x -> x % 2 == 0) xs
      """;

  private static final CoreProgram CORE = Optimised.text(PROGRAM);
  private static final GpuProgram GPU = Pipelines.gpu().apply(CORE);
  private static final int SEEDS = 12;

  /** Enough for several tiles of a scan. */
  private static final Value NUMBERS = numbers(20_000);

  private static Value numbers(int n) {
    var xs = new long[n];
    for (int i = 0; i < n; i++) {
      xs[i] = (i * 7919L + 13) % n;
    }
    return ArrayValue.ofLongs(xs, n);
  }

  private static boolean orders(Code c) {
    return c instanceof Code.Gpu(var g)
        && (g instanceof GpuCode.Barrier || g instanceof GpuCode.Fence);
  }

  /** Leaves out the statement that the counter comes to. */
  private static List<Code> without(List<Code> body, int[] counter) {
    var kept = new ArrayList<Code>();
    for (var c : body) {
      if (orders(c) && counter[0]-- == 0) {
        continue;
      }
      kept.add(
          switch (c) {
            case Code.If(var condition, var then, var otherwise) ->
                new Code.If(condition, without(then, counter), without(otherwise, counter));
            case Code.For(var i, var n, var inner, var independent, var more) ->
                new Code.For(i, n, without(inner, counter), independent, more);
            case Code.While(var condition, var inner) ->
                new Code.While(condition, without(inner, counter));
            case Code.Gpu(GpuCode.Attempt(var inner)) ->
                new Code.Gpu(new GpuCode.Attempt(without(inner, counter)));
            default -> c;
          });
    }
    return kept;
  }

  private static GpuProgram with(Kernel changed) {
    return new GpuProgram(
        GPU.functions(),
        GPU.kernels().stream().map(k -> k.name().equals(changed.name()) ? changed : k).toList(),
        GPU.faults());
  }

  private static Kernel with(Kernel k, List<Code> body) {
    return new Kernel(
        k.name(), k.span(), k.what(), k.params(), k.grid(), k.shared(), k.locals(), k.heap(), body);
  }

  private static List<Value> run(GpuProgram program, EntryPoint entry, long seed) {
    try (var run = new GpuRun(program, new SimulatedDevice(seed))) {
      return run.call(entry.name(), List.of(NUMBERS));
    }
  }

  /** The entry that launches the kernel. */
  private static EntryPoint user(Kernel kernel) {
    for (var f : GPU.functions()) {
      var found = new boolean[1];
      launches(f.body(), kernel.name(), found);
      if (found[0]) {
        return CORE.entries().stream()
            .filter(e -> e.name().equals(f.entry().name()))
            .findFirst()
            .orElseThrow();
      }
    }
    throw new AssertionError("nobody launches " + kernel.name());
  }

  private static void launches(List<Code> body, String name, boolean[] found) {
    for (var c : body) {
      switch (c) {
        case Code.Gpu(GpuCode.Launch l) -> found[0] |= l.kernel().equals(name);
        case Code.If(_, var then, var otherwise) -> {
          launches(then, name, found);
          launches(otherwise, name, found);
        }
        case Code.For f -> launches(f.body(), name, found);
        case Code.While w -> launches(w.body(), name, found);
        default -> {}
      }
    }
  }

  @Test
  void everyBarrierAndFenceIsMissed() {
    var unnoticed = new ArrayList<String>();
    int faults = 0;
    for (var kernel : GPU.kernels()) {
      var all = new int[] {Integer.MAX_VALUE};
      without(kernel.body(), all);
      int sites = Integer.MAX_VALUE - all[0];
      if (sites == 0) {
        continue;
      }
      var entry = user(kernel);
      var expected = run(GPU, entry, 1);
      var nowhere = new Code.Store(Prim.I64, Expr.i64(0), Expr.i64(0), Expr.i64(0));
      if (!noticed(with(with(kernel, List.of(nowhere))), entry, expected)) {
        continue; // of a version for other sizes
      }
      for (int site = 0; site < sites; site++) {
        faults++;
        var faulty = with(with(kernel, without(kernel.body(), new int[] {site})));
        if (!noticed(faulty, entry, expected)) {
          unnoticed.add(kernel.what() + ", place " + site);
        }
      }
    }
    assertTrue(faults > 20, faults + " places");
    assertEquals(List.of(), unnoticed, faults + " places");
  }

  private static boolean noticed(GpuProgram faulty, EntryPoint entry, List<Value> expected) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try {
        if (ValueComparison.difference(expected, run(faulty, entry, seed)).isPresent()) {
          return true;
        }
      } catch (CompilerBug | UserError e) {
        return true;
      }
    }
    return false;
  }
}
