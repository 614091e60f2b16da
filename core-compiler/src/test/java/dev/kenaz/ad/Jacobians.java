package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.error.Span;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Jvp;
import dev.kenaz.ir.Exp.Vjp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Verifier;
import dev.kenaz.simplify.Simplify;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/**
 * Compares full Jacobians: by forward mode, by reverse mode, both in vector mode too, and by
 * central differences of the interpreted function.
 */
final class Jacobians {
  /** The function under test, written with a builder. */
  interface Body extends BiFunction<Builder, List<Var>, List<? extends Atom>> {}

  private final List<Var> sizes = new ArrayList<>();
  private final List<Value> sizeValues = new ArrayList<>();
  private final List<Var> params = new ArrayList<>();
  private final List<Value> point = new ArrayList<>();
  private final List<FunDef> helpers = new ArrayList<>();
  private Options options = Options.DEFAULT;
  private double tolerance = 1e-5;
  private boolean differences = true;

  static Jacobians at() {
    return new Jacobians();
  }

  Jacobians general() {
    options = Options.DEFAULT.general();
    return this;
  }

  Jacobians rightFold() {
    options = Options.DEFAULT.byRightFold();
    return this;
  }

  /** With the rules for backends with many threads. */
  Jacobians manyThreads() {
    options = Options.DEFAULT.forManyThreads();
    return this;
  }

  /** Loops may keep so many bytes. */
  Jacobians within(long bytes) {
    options = options.within(bytes);
    return this;
  }

  Jacobians tolerance(double t) {
    tolerance = t;
    return this;
  }

  /** At a kink only the modes are compared with each other. */
  Jacobians withoutDifferences() {
    differences = false;
    return this;
  }

  Jacobians calling(FunDef f) {
    helpers.add(f);
    return this;
  }

  Jacobians scalar(double x) {
    params.add(Names.fresh("s", Type.scalar(Prim.F64)));
    point.add(ScalarValue.f64(x));
    return this;
  }

  Jacobians integer(long x) {
    params.add(Names.fresh("k", Type.I64));
    point.add(ScalarValue.i64(x));
    return this;
  }

  /** A vector; vectors and matrices of one size share the variable that stands for it. */
  Jacobians vector(double... xs) {
    params.add(Names.fresh("v", new Type.Array(Prim.F64, List.of(size(xs.length)))));
    point.add(ArrayValue.ofDoubles(xs, xs.length));
    return this;
  }

  Jacobians indices(long... xs) {
    params.add(Names.fresh("is", new Type.Array(Prim.I64, List.of(size(xs.length)))));
    point.add(ArrayValue.ofLongs(xs, xs.length));
    return this;
  }

  Jacobians matrix(int rows, int columns, double... xs) {
    var shape = List.<Atom>of(size(rows), size(columns));
    params.add(Names.fresh("m", new Type.Array(Prim.F64, shape)));
    point.add(ArrayValue.ofDoubles(xs, rows, columns));
    return this;
  }

  private Var size(long n) {
    for (int i = 0; i < sizes.size(); i++) {
      if (((ScalarValue) sizeValues.get(i)).asLong() == n) {
        return sizes.get(i);
      }
    }
    var v = Names.fresh("n", Type.I64);
    sizes.add(v);
    sizeValues.add(ScalarValue.i64(n));
    return v;
  }

  /** The variable for a size used by an earlier parameter. */
  Atom sizeOf(int param, int dim) {
    return params.get(param).type().dims().get(dim);
  }

  /** All ways to get the Jacobian agree. */
  void agree(Body f) {
    compare(f);
  }

  /** The Jacobian agrees, and so does that of its reverse derivative for some adjoint. */
  void agreeTwice(Body f) {
    compare(f);
    compare(gradient(f));
    compare(tangent(f));
  }

  /** The reverse derivative, for adjoints of our choice, as a function. */
  Body gradient(Body f) {
    return (b, xs) -> {
      var lambda = b.lambda(types(), f);
      var adjoints = new ArrayList<Atom>();
      for (var t : lambda.returns()) {
        adjoints.add(weights(b, t));
      }
      var exp = new Vjp(lambda, List.copyOf(xs), adjoints, Optional.empty());
      var all = b.bindAll("grad", exp);
      return all.subList(lambda.returns().size(), all.size());
    };
  }

  private Body tangent(Body f) {
    return (b, xs) -> {
      var lambda = b.lambda(types(), f);
      var tangents = new ArrayList<Atom>();
      xs.forEach(x -> tangents.add(weights(b, x.type())));
      var exp = new Jvp(lambda, List.copyOf(xs), tangents, Optional.empty());
      var all = b.bindAll("tan", exp);
      return all.subList(lambda.returns().size(), all.size());
    };
  }

  /** 1, 1.5, 2, … along the innermost dimension, so that every element counts differently. */
  private static Atom weights(Builder b, Type t) {
    if (!t.elemPrim().isFloat()) {
      return b.zero(t);
    }
    if (t.isScalar()) {
      return Atom.of(t.elemPrim(), 1.25);
    }
    var n = t.dims().getFirst();
    return b.map(
            n,
            List.of(b.iota(n)),
            (in, p) -> {
              var x = in.convert(t.elemPrim(), p.getFirst());
              var half = in.add(Atom.of(t.elemPrim(), 1), in.mul(Atom.of(t.elemPrim(), 0.5), x));
              return t.dims().size() == 1
                  ? List.of(half)
                  : List.of(in.replicate(t.dims().subList(1, t.dims().size()), half));
            })
        .getFirst();
  }

  private List<Type> types() {
    return params.stream().map(Var::type).toList();
  }

  private void compare(Body body) {
    var program = program(body);
    var primal = run(program, "primal", point);
    var forward = forward(program, primal);
    var reverse = reverse(program, primal);
    equal("forward and reverse", forward, reverse, 1e-9);
    if (forward.length > 0 && forward[0].length > 0) {
      var up = lanes(program, "jmp", primal, units(point));
      equal("forward mode and its vector mode", forward, up, 1e-12);
      var down = lanes(program, "mjp", primal, units(primal));
      equal("reverse mode and its vector mode", transposed(reverse), down, 1e-12);
    }
    if (differences) {
      equal("forward and central differences", forward, central(program, primal), tolerance);
    }
  }

  private static void equal(String what, double[][] x, double[][] y, double tolerance) {
    for (int i = 0; i < x.length; i++) {
      for (int j = 0; j < x[i].length; j++) {
        double scale = Math.max(1, Math.max(Math.abs(x[i][j]), Math.abs(y[i][j])));
        assertEquals(x[i][j] / scale, y[i][j] / scale, tolerance, what + " at " + i + ", " + j);
      }
    }
  }

  /** The program with its derivatives expanded, well-formed before and after. */
  CoreProgram program(Body body) {
    var functions = new ArrayList<>(helpers);
    functions.add(function("primal", List.of(), body));
    functions.add(
        function(
            "forward",
            types(),
            (b, all) -> {
              var lambda = b.lambda(types(), body);
              var xs = all.subList(0, params.size());
              var ts = all.subList(params.size(), all.size());
              return b.bindAll(
                  "jvp", new Jvp(lambda, List.copyOf(xs), List.copyOf(ts), Optional.empty()));
            }));
    var returns = new Builder(Span.NONE).lambda(types(), body).returns();
    functions.add(
        function(
            "reverse",
            returns,
            (b, all) -> {
              var lambda = b.lambda(types(), body);
              var xs = all.subList(0, params.size());
              var as = all.subList(params.size(), all.size());
              return b.bindAll(
                  "vjp", new Vjp(lambda, List.copyOf(xs), List.copyOf(as), Optional.empty()));
            }));
    var w = Names.fresh("w", Type.I64);
    functions.add(vector(w, "jmp", types(), body));
    functions.add(vector(w, "mjp", returns, body));
    var program = new CoreProgram(functions, List.of());
    Verifier.verify(program, "test");
    var expanded = new Differentiate(options).program(program);
    Verifier.verify(expanded, "ad");
    return expanded;
  }

  /** In vector mode: the tangents or adjoints have an outer dimension of size w. */
  private FunDef vector(Var w, String name, List<Type> directions, Body body) {
    sizes.add(w);
    try {
      return function(
          name,
          directions.stream().map(t -> t.under(w)).toList(),
          (b, all) -> {
            var lambda = b.lambda(types(), body);
            var xs = List.<Atom>copyOf(all.subList(0, params.size()));
            var ds = List.<Atom>copyOf(all.subList(params.size(), all.size()));
            return b.bindAll(
                name,
                name.equals("jmp")
                    ? new Jvp(lambda, xs, ds, Optional.of(w))
                    : new Vjp(lambda, xs, ds, Optional.of(w)));
          });
    } finally {
      sizes.removeLast();
    }
  }

  /** All unit vectors at once in vector mode: a row of derivatives each. */
  private double[][] lanes(
      CoreProgram program, String name, List<Value> primal, List<List<Value>> units) {
    var all = new ArrayList<>(sizeValues);
    all.add(ScalarValue.i64(units.size()));
    all.addAll(point);
    for (int i = 0; i < units.getFirst().size(); i++) {
      int i0 = i;
      all.add(ArrayValue.stack(units.stream().map(u -> u.get(i0)).toList()));
    }
    var results = Interpreter.function(program, name, all, new Counter());
    var rows = new double[units.size()][];
    for (int k = 0; k < rows.length; k++) {
      var lane = new ArrayList<Value>();
      for (var r : results.subList(primal.size(), results.size())) {
        lane.add(((ArrayValue) r).at(k));
      }
      rows[k] = doubles(lane);
    }
    return rows;
  }

  /**
   * From directions to the function's results and their tangents, or the arguments' adjoints.
   *
   * @param mode {@code forward} or {@code reverse}
   */
  Function<List<Value>, List<Value>> derivative(Body f, String mode) {
    var program = Simplify.SIMPLIFY.apply(program(f));
    return directions -> {
      var all = new ArrayList<>(point);
      all.addAll(directions);
      return run(program, mode, all);
    };
  }

  /** The work of a reverse derivative after simplification, over that of the function. */
  double overhead(Body f) {
    var program = Simplify.SIMPLIFY.apply(program(f));
    Verifier.verify(program, "simplify");
    var args = new ArrayList<>(sizeValues);
    args.addAll(point);
    var before = new Counter();
    var results = Interpreter.function(program, "primal", args, before);
    args.addAll(units(results).getFirst());
    var after = new Counter();
    Interpreter.function(program, "reverse", args, after);
    return (double) work(after) / work(before);
  }

  private static long work(Counter c) {
    return c.scalarOps() + c.reads() + c.writes();
  }

  private static double[][] transposed(double[][] x) {
    var result = new double[x[0].length][x.length];
    for (int i = 0; i < x.length; i++) {
      for (int j = 0; j < x[i].length; j++) {
        result[j][i] = x[i][j];
      }
    }
    return result;
  }

  private FunDef function(String name, List<Type> extra, Body body) {
    var b = new Builder(Span.NONE);
    var all = new ArrayList<>(sizes);
    var own = new ArrayList<Var>();
    params.forEach(p -> own.add(Names.like(p)));
    extra.forEach(t -> own.add(Names.fresh("d", t)));
    all.addAll(own);
    var renamed = new Renaming();
    var results = body.apply(b, own);
    var lambda = new Lambda(all, b.body(results), results.stream().map(Atom::type).toList());
    var copy = renamed.lambda(lambda);
    var sizesOf = copy.returns().stream().map(t -> Names.fresh("r", t)).toList();
    return new FunDef(name, copy.params(), copy.returns(), sizesOf, copy.body());
  }

  private List<Value> run(CoreProgram program, String name, List<Value> arguments) {
    var all = new ArrayList<>(sizeValues);
    all.addAll(arguments);
    return Interpreter.function(program, name, all, new Counter());
  }

  private double[][] forward(CoreProgram program, List<Value> primal) {
    var jacobian = new ArrayList<double[]>();
    for (var unit : units(point)) {
      var all = new ArrayList<>(point);
      all.addAll(unit);
      var results = run(program, "forward", all);
      same(primal, results, "jvp's results");
      jacobian.add(doubles(results.subList(primal.size(), results.size())));
    }
    return jacobian.toArray(double[][]::new);
  }

  private double[][] reverse(CoreProgram program, List<Value> primal) {
    var rows = new ArrayList<double[]>();
    for (var unit : units(primal)) {
      var all = new ArrayList<>(point);
      all.addAll(unit);
      var results = run(program, "reverse", all);
      same(primal, results, "vjp's results");
      rows.add(doubles(results.subList(primal.size(), results.size())));
    }
    int inputs = doubles(point).length;
    var jacobian = new double[inputs][rows.size()];
    for (int i = 0; i < inputs; i++) {
      for (int j = 0; j < rows.size(); j++) {
        jacobian[i][j] = rows.get(j)[i];
      }
    }
    return jacobian;
  }

  private double[][] central(CoreProgram program, List<Value> primal) {
    double h = 1e-5;
    var jacobian = new ArrayList<double[]>();
    for (var unit : units(point)) {
      var up = doubles(run(program, "primal", moved(unit, h)));
      var down = doubles(run(program, "primal", moved(unit, -h)));
      for (int j = 0; j < up.length; j++) {
        up[j] = (up[j] - down[j]) / (2 * h);
      }
      jacobian.add(up);
    }
    return jacobian.toArray(double[][]::new);
  }

  private List<Value> moved(List<Value> unit, double h) {
    var result = new ArrayList<Value>();
    for (int i = 0; i < point.size(); i++) {
      result.add(
          switch (point.get(i)) {
            case ScalarValue s when s.prim().isFloat() ->
                ScalarValue.f64(s.asDouble() + h * ((ScalarValue) unit.get(i)).asDouble());
            case ArrayValue a when a.prim().isFloat() -> {
              var xs = a.toDoubleArray();
              var ds = ((ArrayValue) unit.get(i)).toDoubleArray();
              for (int k = 0; k < xs.length; k++) {
                xs[k] += h * ds[k];
              }
              yield ArrayValue.ofDoubles(xs, a.shape());
            }
            default -> point.get(i);
          });
    }
    return result;
  }

  /** All unit vectors of the float components; other components are zero. */
  private static List<List<Value>> units(List<Value> like) {
    var result = new ArrayList<List<Value>>();
    for (int i = 0; i < like.size(); i++) {
      long n = like.get(i).prim().isFloat() ? count(like.get(i)) : 0;
      for (int k = 0; k < n; k++) {
        var unit = new ArrayList<Value>();
        for (int j = 0; j < like.size(); j++) {
          unit.add(unit(like.get(j), i == j ? k : -1));
        }
        result.add(unit);
      }
    }
    return result;
  }

  private static Value unit(Value like, int at) {
    return switch (like) {
      case ScalarValue s -> ScalarValue.ofDouble(s.prim(), at == 0 ? 1 : 0);
      case ArrayValue a -> {
        var xs = new double[(int) a.count()];
        if (at >= 0) {
          xs[at] = 1;
        }
        yield a.prim().isFloat()
            ? ArrayValue.ofDoubles(xs, a.shape())
            : ArrayValue.ofLongs(a.prim(), new long[xs.length], a.shape());
      }
    };
  }

  private static long count(Value v) {
    return v instanceof ArrayValue a ? a.count() : 1;
  }

  /** A derivative's first results are the function's, up to rounding. */
  private static void same(List<Value> primal, List<Value> results, String what) {
    var x = doubles(primal);
    var y = doubles(results.subList(0, primal.size()));
    equal(what, new double[][] {x}, new double[][] {y}, 1e-12);
  }

  private static double[] doubles(List<Value> values) {
    return values.stream()
        .filter(v -> v.prim().isFloat())
        .flatMapToDouble(
            v ->
                v instanceof ArrayValue a
                    ? Arrays.stream(a.toDoubleArray())
                    : DoubleStream.of(((ScalarValue) v).asDouble()))
        .toArray();
  }
}
