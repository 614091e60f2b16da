package dev.kenaz.jvm;

import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.main;
import static dev.kenaz.ir.TestPrograms.size;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Convert;
import dev.kenaz.ir.Exp.Fma;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every operation that has vectors, on arrays around the number of lanes and well above. */
final class VectorLoopTest {
  private static final int[] SIZES = {0, 1, 7, 8, 9, 16, 33, 64, 129, 1000};

  private static double[] numbers(int n, boolean nan) {
    return IntStream.range(0, n)
        .mapToDouble(
            i ->
                nan && i % 11 == 5
                    ? Double.NaN
                    : i % 17 == 3
                        ? 40000.5 * (i % 5 - 2)
                        : i % 29 == 7 ? 3e9 * (i % 3 - 1) : (i * 37 % 23) / 4.0 - 2)
        .toArray();
  }

  private static void check(CoreProgram p, Prim prim) {
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      var ys = IntStream.range(0, n).mapToDouble(i -> i % 7 + 1).toArray();
      var xs = numbers(n, prim.isFloat());
      calls.add(List.of(ArrayValue.ofDoubles(prim, xs), ArrayValue.ofDoubles(prim, ys)));
    }
    Compare.each(p, calls);
  }

  @ParameterizedTest
  @EnumSource
  void maps(Prim prim) {
    var n = size("n");
    var xs = array("xs", prim, n);
    var ys = array("ys", prim, n);
    // one map an operation: a map with an operation that has no vectors is scalar as a whole
    var p =
        main(
            List.of(n),
            List.of(xs, ys),
            (b, _) -> {
              var results = new ArrayList<Atom>();
              for (var op : BinaryOp.values()) {
                if (VectorOperations.of(op, prim) != null && Operators.defined(op, prim)) {
                  results.addAll(
                      b.map(
                          n,
                          List.of(xs, ys),
                          (lb, v) -> List.of(lb.binary(op, v.get(0), v.get(1)))));
                }
              }
              for (var op : UnaryOp.values()) {
                if (VectorOperations.of(op, prim) != null && Operators.defined(op, prim)) {
                  results.addAll(b.map(n, List.of(xs), (lb, v) -> List.of(lb.unary(op, v.get(0)))));
                }
              }
              for (var to : Prim.values()) {
                results.addAll(
                    b.map(
                        n,
                        List.of(xs),
                        (lb, v) -> List.of(lb.bind("c", new Convert(to, v.get(0))))));
              }
              return results;
            });
    check(p, prim);
  }

  @ParameterizedTest
  @EnumSource(names = {"F64", "F32", "I64", "I32"})
  void selections(Prim prim) {
    var n = size("n");
    var xs = array("xs", prim, n);
    var ys = array("ys", prim, n);
    var p =
        main(
            List.of(n),
            List.of(xs, ys),
            (b, _) ->
                b.map(
                    n,
                    List.of(xs, ys, b.iota(n)),
                    (lb, v) -> {
                      var x = v.get(0);
                      var less = lb.compare(CompareOp.LT, x, v.get(1));
                      var even =
                          lb.compare(
                              CompareOp.EQ,
                              lb.binary(BinaryOp.AND, v.get(2), Atom.i64(1)),
                              Atom.i64(0));
                      var both = lb.and(less, lb.not(even));
                      var t = Type.scalar(prim);
                      var first =
                          lb.ifThenElse(
                              both, List.of(t), y -> List.of(y.add(x, x)), z -> List.of(v.get(1)));
                      var second =
                          lb.ifThenElse(
                              less,
                              List.of(Type.I64),
                              y -> List.of(v.get(2)),
                              z -> {
                                return List.of(z.add(v.get(2), Atom.i64(5)));
                              });
                      return List.of(first.getFirst(), second.getFirst());
                    }));
    check(p, prim);
  }

  @ParameterizedTest
  @EnumSource(names = {"F64", "F32", "I64", "I32", "U64", "U32"})
  void reductions(Prim prim) {
    var n = size("n");
    var xs = array("xs", prim, n);
    var ys = array("ys", prim, n);
    var t = Type.scalar(prim);
    var p =
        main(
            List.of(n),
            List.of(xs, ys),
            (b, _) -> {
              var results = new ArrayList<Atom>();
              for (var op :
                  List.of(BinaryOp.ADD, BinaryOp.MIN, BinaryOp.MAX, BinaryOp.AND, BinaryOp.XOR)) {
                if (Operators.defined(op, prim)) {
                  results.addAll(reduce(b, op, prim, n, xs, ys, t));
                }
              }
              return results;
            });
    check(p, prim);
  }

  private static List<Var> reduce(
      Builder b, BinaryOp op, Prim prim, Var n, Var xs, Var ys, Type t) {
    var neutral = Atom.of(prim, op == BinaryOp.MIN ? 100 : op == BinaryOp.MAX ? -100 : 0);
    var reduce = new Reduce(b.operator(op, prim), List.of(neutral), true);
    var map =
        b.lambda(
            List.of(t, t),
            (lb, v) ->
                List.of(
                    prim.isFloat()
                        ? lb.bind("f", new Fma(v.get(1), Atom.of(prim, 2), v.get(0)))
                        : lb.add(v.get(0), v.get(1))));
    // the mapped element is stored as well
    var both =
        b.lambdaOf(
            map.params(),
            (lb, v) -> {
              var x = lb.inline(map.body()).getFirst();
              return List.of(op == BinaryOp.ADD && prim.isFloat() ? v.get(1) : x, x);
            });
    return b.screma(n, List.of(xs, ys), List.of(), List.of(reduce), both);
  }
}
