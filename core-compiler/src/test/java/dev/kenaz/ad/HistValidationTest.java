package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The validation of 000 §5.1 on its sizes: indices from -1 to the number of bins, which is out of
 * range too; the special rule, the general rule and forward mode give the same.
 */
class HistValidationTest {
  @ParameterizedTest
  @CsvSource({
    "ADD, 0, 100, 5, 10000, 1",
    "ADD, 0, 1000, 15, 10000, 2",
    "ADD, 0, 1000, 15, 10000, 3",
    "MIN, Infinity, 10000, 50, 10000, 4",
    "MIN, Infinity, 10000, 50, 10000, 5",
    "MAX, -Infinity, 10000, 50, 10000, 6",
    "MAX, -Infinity, 10000, 50, 10000, 7",
    "MUL, 1, 100, 10, 5, 8",
    "MUL, 1, 1000, 15, 5, 9",
    "MUL, 1, 1000, 15, 5, 10"
  })
  void validation(BinaryOp op, double neutral, int n, int bins, double bound, long seed) {
    var random = new Random(seed);
    var is = random.longs(n, -1, bins + 1).toArray();
    var dest = random.doubles(bins, -bound, bound).toArray();
    boolean extremum = op == BinaryOp.MIN || op == BinaryOp.MAX;
    // values of extrema are integers, so that there are ties
    var xs = random.doubles(n, -bound, bound).map(x -> extremum ? Math.rint(x) : x).toArray();
    var adjoint = random.doubles(bins, -1, 1).toArray();
    Jacobians.Body f =
        (b, p) ->
            HistRuleTest.hist(
                b, p, 1, b.operator(op, Prim.F64), List.of(Atom.of(Prim.F64, neutral)));
    var special = reverse(Jacobians.at().vector(dest).vector(xs).indices(is), f, adjoint);
    var general = reverse(Jacobians.at().general().vector(dest).vector(xs).indices(is), f, adjoint);
    var forward = new double[n];
    var left = is.clone();
    var tangents = Jacobians.at().vector(dest).vector(xs).indices(is).derivative(f, "forward");
    while (Arrays.stream(left).anyMatch(i -> i >= 0 && i < bins)) {
      probe(tangents, left, adjoint, forward);
    }
    for (int i = 0; i < n; i++) {
      assertEquals(special[i], general[i], 1e-9 * Math.abs(special[i]), "element " + i);
      assertEquals(special[i], forward[i], 1e-9 * Math.abs(special[i]), "element " + i);
    }
  }

  private static double[] reverse(Jacobians at, Jacobians.Body f, double[] adjoint) {
    var all =
        at.derivative(f, "reverse").apply(List.of(ArrayValue.ofDoubles(adjoint, adjoint.length)));
    return doubles(all.get(2));
  }

  /** Forward mode for one element of every bin at once, as bins don't depend on each other. */
  private static void probe(
      Function<List<Value>, List<Value>> forward, long[] left, double[] adjoint, double[] result) {
    int n = left.length;
    var chosen = new int[adjoint.length];
    Arrays.fill(chosen, -1);
    var tangent = new double[n];
    for (int i = 0; i < n; i++) {
      if (left[i] >= 0 && left[i] < chosen.length && chosen[(int) left[i]] < 0) {
        chosen[(int) left[i]] = i;
        tangent[i] = 1;
        left[i] = -1;
      }
    }
    List<Value> directions =
        List.of(
            ArrayValue.ofDoubles(new double[adjoint.length], adjoint.length),
            ArrayValue.ofDoubles(tangent, n),
            ArrayValue.ofLongs(new long[n], n));
    var tangents = doubles(forward.apply(directions).get(1));
    for (int k = 0; k < chosen.length; k++) {
      if (chosen[k] >= 0) {
        result[chosen[k]] = tangents[k] * adjoint[k];
      }
    }
  }

  private static double[] doubles(Value v) {
    var a = (ArrayValue) v;
    var xs = new double[Math.toIntExact(a.count())];
    for (int i = 0; i < xs.length; i++) {
      xs[i] = ((ScalarValue) a.at(i)).asDouble();
    }
    return xs;
  }
}
