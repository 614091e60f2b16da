package dev.kenaz.interpret;

import dev.kenaz.interpret.Datum.Dual;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Derivatives by dual numbers. A reverse derivative is made of one forward derivative an argument's
 * element, so it is for small arguments; rules of one's own are not used by it.
 */
final class Derivatives {
  private final Machine machine;
  private int level;

  Derivatives(Machine machine) {
    this.machine = machine;
  }

  Datum[] jvp(Jvp j) {
    var arguments = machine.get(j.arguments());
    var tangents = machine.get(j.tangents());
    if (j.width().isEmpty()) {
      var results = forward(j.function(), arguments, tangents);
      return join(results.primals, results.tangents);
    }
    int width = (int) machine.i64(j.width().get());
    var primals = forward(j.function(), arguments, zeros(arguments)).primals;
    var rows = new ArrayList<Datum[]>();
    for (int i = 0; i < width; i++) {
      rows.add(forward(j.function(), arguments, rows(tangents, i)).tangents);
    }
    return join(primals, stack(width, primals, rows));
  }

  Datum[] vjp(Vjp v) {
    var arguments = machine.get(v.arguments());
    var seeds = machine.get(v.adjoints());
    var columns = new ArrayList<Datum[]>();
    var primals = forward(v.function(), arguments, zeros(arguments)).primals;
    for (int k = 0; k < arguments.length; k++) {
      for (int i = 0; prim(arguments[k]).isFloat() && i < size(arguments[k]); i++) {
        var basis = zeros(arguments);
        var one = Datum.of(ScalarValue.ofLong(prim(arguments[k]), 1));
        if (basis[k] instanceof Arr a) {
          a.set(i, one);
        } else {
          basis[k] = one;
        }
        columns.add(forward(v.function(), arguments, basis).tangents);
      }
    }
    if (v.width().isEmpty()) {
      return join(primals, adjoints(arguments, seeds, columns));
    }
    int width = (int) machine.i64(v.width().get());
    var rows = new ArrayList<Datum[]>();
    for (int i = 0; i < width; i++) {
      rows.add(adjoints(arguments, rows(seeds, i), columns));
    }
    return join(primals, stack(width, arguments, rows));
  }

  Datum[] withVjp(WithVjp w) {
    var results = machine.call(w.function(), copies(machine.get(w.arguments())));
    return Arrays.copyOf(results, results.length - w.tape());
  }

  // Forward

  private record Pair(Datum[] primals, Datum[] tangents) {}

  private Pair forward(Lambda function, Datum[] arguments, Datum[] tangents) {
    int mine = ++level;
    var duals = new Datum[arguments.length];
    for (int i = 0; i < duals.length; i++) {
      duals[i] =
          prim(arguments[i]).isFloat()
              ? map(arguments[i], tangents[i], (x, t) -> new Dual(mine, x, t))
              : copy(arguments[i]);
    }
    var results = machine.call(function, duals);
    level--;
    var primals = new Datum[results.length];
    var outTangents = new Datum[results.length];
    for (int i = 0; i < results.length; i++) {
      primals[i] = map(results[i], results[i], (x, _) -> Arithmetic.primal(mine, x));
      outTangents[i] = map(results[i], results[i], (x, _) -> Arithmetic.tangent(mine, x));
    }
    return new Pair(primals, outTangents);
  }

  // Reverse

  private static Datum[] adjoints(Datum[] arguments, Datum[] seeds, List<Datum[]> columns) {
    var result = zeros(arguments);
    int column = 0;
    for (int k = 0; k < arguments.length; k++) {
      for (int i = 0; prim(arguments[k]).isFloat() && i < size(arguments[k]); i++) {
        var sum = dot(prim(arguments[k]), columns.get(column++), seeds);
        if (result[k] instanceof Arr a) {
          a.set(i, sum);
        } else {
          result[k] = sum;
        }
      }
    }
    return result;
  }

  private static Num dot(Prim prim, Datum[] tangents, Datum[] seeds) {
    var sum = Datum.of(ScalarValue.ofLong(prim, 0));
    for (int r = 0; r < tangents.length; r++) {
      for (int i = 0; prim(seeds[r]).isFloat() && i < size(seeds[r]); i++) {
        var t = element(tangents[r], i);
        if (!Arithmetic.isZero(t)) {
          var product = Arithmetic.mul(t, element(seeds[r], i));
          sum = Arithmetic.add(sum, Arithmetic.convert(prim, product));
        }
      }
    }
    return sum;
  }

  // Data

  private static Datum map(Datum x, Datum y, BiFunction<Num, Num, Num> f) {
    if (!(x instanceof Arr a)) {
      return f.apply((Num) x, (Num) y);
    }
    var out = Arr.zeros(a.elem(), a.shape());
    for (int i = 0; i < a.size(); i++) {
      out.set(i, f.apply(a.get(i), ((Arr) y).get(i)));
    }
    return out;
  }

  private static Num element(Datum x, int i) {
    return x instanceof Arr a ? a.get(i) : (Num) x;
  }

  private static int size(Datum x) {
    return x instanceof Arr a ? a.size() : 1;
  }

  private static Prim prim(Datum x) {
    return x instanceof Arr a ? a.elem() : ((Num) x).value().prim();
  }

  private static Datum zero(Datum x) {
    return x instanceof Arr a
        ? Arr.zeros(a.elem(), a.shape())
        : Datum.of(ScalarValue.ofLong(prim(x), 0));
  }

  private static Datum[] zeros(Datum[] xs) {
    return Arrays.stream(xs).map(Derivatives::zero).toArray(Datum[]::new);
  }

  private static Datum copy(Datum x) {
    return x instanceof Arr a ? a.copy() : x;
  }

  private static Datum[] copies(Datum[] xs) {
    return Arrays.stream(xs).map(Derivatives::copy).toArray(Datum[]::new);
  }

  private static Datum[] rows(Datum[] xs, int i) {
    return Arrays.stream(xs).map(x -> ((Arr) x).at(1, i)).toArray(Datum[]::new);
  }

  /** Rows of results stacked; {@code like} has their shapes for when there are none. */
  private static Datum[] stack(int width, Datum[] like, List<Datum[]> rows) {
    var out = new Datum[like.length];
    for (int k = 0; k < out.length; k++) {
      var inner = like[k] instanceof Arr a ? a.shape() : new long[0];
      var shape = new long[inner.length + 1];
      shape[0] = width;
      System.arraycopy(inner, 0, shape, 1, inner.length);
      var all = Arr.zeros(prim(like[k]), shape);
      for (int i = 0; i < width; i++) {
        all.setAt(1, i, rows.get(i)[k]);
      }
      out[k] = all;
    }
    return out;
  }

  private static Datum[] join(Datum[] a, Datum[] b) {
    var out = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, out, a.length, b.length);
    return out;
  }
}
