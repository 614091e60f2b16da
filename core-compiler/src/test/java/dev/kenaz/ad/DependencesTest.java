package dev.kenaz.ad;

import static dev.kenaz.error.ErrorCode.K5009;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.Scratch;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * 001 §6.2: loop nests without false dependencies keep nothing of the arrays that they update in
 * place, and others only the elements that are overwritten after having been read. The Jacobians
 * are those of {@code derivatives/dependences.fut}.
 */
class DependencesTest {
  /** The ranks of the arrays that the gradient of the loop's sum keeps, in order. */
  private static List<Integer> kept(String loop) {
    var text =
        """
        entry main [n] (is: [n]i64) (xs: [n]f64) (m: [n][n]f64) : ([n]f64, [n][n]f64) =
          let f (xs: [n]f64) (m: [n][n]f64) = f64.sum (flatten (%s))
          in vjp (uncurry f) (xs, m) 1
        """
            .formatted(loop);
    var ranks = new ArrayList<Integer>();
    new Rewriter() {
      @Override
      public Exp exp(Exp exp) {
        if (exp instanceof Scratch s) {
          ranks.add(s.shape().size());
        }
        return Rewriter.super.exp(exp);
      }
    }.program(Optimised.verified(text));
    return ranks;
  }

  /** Of a vector. */
  private static List<Integer> keptOf(String loop) {
    return kept("[" + loop + "]");
  }

  private static final List<Integer> NOTHING = List.of();

  @Test
  void recurrences() {
    assertEquals(
        NOTHING,
        keptOf("loop a = copy xs for i < n - 1 do a with [i + 1] = a[i + 1] + a[i] * a[i]"));
    assertEquals(
        NOTHING,
        keptOf(
            "loop a = copy xs for k < n - 1 do let i = n - 2 - k in a with [i] = f64.sin a[i +"
                + " 1]"));
    assertEquals(
        NOTHING,
        keptOf(
            "loop a = copy xs for i < n do if i == 0 then a else a with [i] = f64.exp a[i / 2]"));
    // a parameter that grows by a constant is an index as well
    assertEquals(
        NOTHING,
        keptOf(
            "(loop (a, j) = (copy xs, n - 1) for i < n - 1 do (a with [j] = f64.sin a[j - 1] +"
                + " a[0], j)).0"));
  }

  @Test
  void whatIsOverwrittenIsKept() {
    assertEquals(
        List.of(1),
        keptOf("loop a = copy xs for i < n - 1 do a with [i + 1] = f64.sin a[i + 1] * a[i]"));
    assertEquals(
        List.of(1), keptOf("loop a = copy xs for i < n - 1 do a with [i] = f64.sin a[i + 1]"));
    assertEquals(
        List.of(1), keptOf("loop a = copy xs for i < n do a with [n - 1 - i] = f64.sin a[i]"));
  }

  @Test
  void distances() {
    // GCD: even and odd; Banerjee: halves
    assertEquals(
        NOTHING,
        kept(
            "[loop a = replicate (2 * n + 1) 0.3 for i < n do a with [2 * i] = xs[i] * f64.sin a[2"
                + " * (n - i) - 1]]"));
    assertEquals(
        NOTHING,
        kept(
            "[loop a = replicate (2 * n) 0.3 for i < n do a with [n + i] = xs[i] * f64.sin a[n - 1"
                + " - i]]"));
    assertEquals(
        List.of(1),
        kept(
            "[loop a = replicate (3 * n) 0.3 for i < n do a with [2 * i] = xs[i] * f64.sin a[3 * i"
                + " + 1]]"));
  }

  @Test
  void timeSteps() {
    assertEquals(
        NOTHING,
        kept(
            """
            loop a = copy m for t < n - 1 do
              loop a for i < n - 2 do
                a with [t + 1, i + 1] = f64.sin a[t, i] * a[t, i + 1] + xs[i] * a[t, i + 2]\
            """));
    // in place, over and over: Gauss and Seidel
    assertEquals(
        List.of(2, 2),
        keptOf(
            """
            loop a = copy xs for t < n do
              loop a for i < n - 2 do a with [i + 1] = f64.sin (a[i] + a[i + 2])\
            """));
  }

  @Test
  void slices() {
    assertEquals(
        NOTHING,
        kept(
            "loop a = copy m for i < n - 1 do a with [i + 1] = map2 (\\x y -> f64.sin x * y) a[i]"
                + " xs"));
    assertEquals(
        NOTHING,
        kept(
            "loop a = copy m for i < n - 1 do a with [:, i + 1] = map2 (\\x y -> f64.sin x * y)"
                + " a[:, i] xs"));
    assertEquals(
        NOTHING,
        keptOf(
            """
            loop a = copy xs for i < n - 1 do
              a with [i + 1] = a[i + 1] + f64.sum (map (\\j -> a[j] * a[i]) (iota (i + 1)))\
            """));
  }

  @Test
  void annotated() {
    var loop =
        "loop a = replicate (2 * n) 0.3 for i < n do a with [n + is[i]] = xs[i] * f64.sin a[is[i]]";
    assertEquals(List.of(1), kept("[" + loop + "]"));
    assertEquals(NOTHING, kept("[#[true_dep] " + loop + "]"));
    // what is done to the array can't be left out
    assertThrows(
        Limitation.class,
        () -> keptOf("#[true_dep] loop a = copy xs for i < n do scatter a is (map f64.sin a)"));
  }

  @Test
  void brokenPromises() {
    var text =
        """
        entry main [n] (is: [n]i64) (xs: [n]f64) : [n]f64 =
          vjp (\\xs -> f64.sum (#[true_dep] loop a = copy xs for i < n - 1 do a with [is[i]] = f64.sin a[i])) xs 1
        """;
    try (var p = Compiler.compile("test.fut", text, CompileOptions.of(Backend.INTERPRET))) {
      var xs = ArrayValue.ofDoubles(new double[] {1, 2, 3}, 3);
      p.entry("main").call(List.of(ArrayValue.ofLongs(new long[] {1, 2, 2}, 3), xs));
      var e =
          assertThrows(
              UserError.class,
              () -> p.entry("main").call(List.of(ArrayValue.ofLongs(new long[] {1, 0, 2}, 3), xs)));
      assertEquals(K5009, e.diagnostics().getFirst().code());
      assertTrue(e.getMessage().contains("overwrites element 0"), e.getMessage());
    }
  }

  /** Scalar operations, reads and writes of the gradient over those of the function. */
  private static double overhead(String f, String argument) {
    var text =
        """
        %s
        entry value (n: i64) = f (%s)
        entry gradient (n: i64) = vjp f (%s) 1
        """
            .formatted(f, argument, argument);
    var program = Optimised.text(text);
    return work(program, "gradient") / work(program, "value");
  }

  private static double work(CoreProgram program, String entry) {
    var c = new Counter();
    Interpreter.function(program, entry, List.of(ScalarValue.i64(40)), c);
    return c.scalarOps() + c.reads() + c.writes();
  }

  @Test
  void workStaysLinear() {
    var vector = "tabulate n (\\i -> 0.5 + 0.4 * f64.sin (f64.i64 i))";
    var lu =
        """
        def f [n] (m: [n][n]f64) : f64 =
          f64.sum (flatten (loop a = copy m for k < n do
            loop a for i' < n - k - 1 do
              let i = i' + k + 1
              let l = a[i, k] / a[k, k]
              let a = a with [i, k] = l
              in loop a for j' < n - k - 1 do
                   let j = j' + k + 1
                   in a with [i, j] = a[i, j] - l * a[k, j]))
        """;
    var matrix = "tabulate_2d n n (\\i j -> if i == j then 30 else f64.sin (f64.i64 (i + 2 * j)))";
    assertTrue(overhead(lu, matrix) < 3.4);
    var whiles =
        """
        def f [n] (xs: [n]f64) : f64 =
          f64.sum (loop a = copy xs for i < n do
            (loop (a, j) = (a, i) while j >= 0 && a[j] > 0.1 do
               (a with [j] = a[j] * f64.sin a[i] * 0.7, j - 1)).0)
        """;
    assertTrue(overhead(whiles, vector) < 4.6);
    var ragged =
        """
        def f [n] (xs: [n]f64) : f64 =
          let rows = tabulate n (\\i -> (i * 7) % 4)
          in f64.sum (loop a = copy xs for i < n do
               loop a for j < rows[i] do
                 let k = (i + j) % n
                 in a with [k] = a[k] * f64.cos a[i] + xs[k])
        """;
    assertTrue(overhead(ragged, vector) < 3.3);
  }

  @Test
  void byTheGeneralRule() {
    // nothing kept but whole arrays and logs of what is overwritten
    for (long n : new long[] {0, 1, 4}) {
      for (boolean general : new boolean[] {false, true}) {
        var at = Jacobians.at();
        (general ? at.general() : at)
            .vector(0.3, 0.9, -0.4, 1.7, 0.5)
            .integer(n)
            .agreeTwice(
                (b, p) ->
                    b.forLoop(
                        p.get(1),
                        List.of(b.bind("copy", new Copy(p.getFirst()))),
                        (i, outer) ->
                            out ->
                                out.forLoop(
                                    i,
                                    outer,
                                    (j, acc) ->
                                        in -> {
                                          var x = in.index(acc.getFirst(), i);
                                          var y = in.index(acc.getFirst(), j);
                                          var z = in.mul(in.unary(UnaryOp.SIN, x), y);
                                          return List.of(in.update(acc.getFirst(), List.of(j), z));
                                        })));
      }
    }
  }
}
