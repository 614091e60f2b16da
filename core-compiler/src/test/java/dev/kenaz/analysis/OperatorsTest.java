package dev.kenaz.analysis;

import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.main;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Span;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class OperatorsTest {
  private static final Type I64 = Type.scalar(Prim.I64);
  private static final Atom TWO = Atom.i64(2);
  private static final Type MATRIX = I64.under(TWO).under(TWO);
  private final Builder b = new Builder(Span.NONE);

  private static Atom swapped(Builder b, BinaryOp op, Atom x, Atom y) {
    return x.type().isScalar()
        ? b.binary(op, y, x)
        : b.map(
                TWO,
                List.of((Var) y, (Var) x),
                (c, p) -> List.of(swapped(c, op, p.get(0), p.get(1))))
            .getFirst();
  }

  /** LDEXP has operands of two types, so it is no operator of a reduction. */
  @ParameterizedTest
  @EnumSource(value = BinaryOp.class, mode = EnumSource.Mode.EXCLUDE, names = "LDEXP")
  void operatorsThatCommuteAreRecognisedAtAnyRankInAnyOrder(BinaryOp op) {
    var elem = Type.scalar(op.takes(Prim.I64) ? Prim.I64 : Prim.F64);
    for (var type : List.of(elem, elem.under(TWO), elem.under(TWO).under(TWO))) {
      var lambda =
          b.lambda(List.of(type, type), (c, p) -> List.of(swapped(c, op, p.get(0), p.get(1))));
      var expected = op.isCommutativeMonoid() ? Optional.of(op) : Optional.<BinaryOp>empty();
      assertEquals(expected, Operators.elementwise(lambda), type + " " + op);
      assertEquals(expected.isPresent(), Operators.commutes(new Reduce(lambda, List.of(), false)));
      assertEquals(expected.filter(_ -> type.isScalar()), Operators.scalar(lambda));
      assertEquals(op == BinaryOp.ADD, Operators.isSum(lambda));
      boolean extremum = type.isScalar() && Set.of(BinaryOp.MIN, BinaryOp.MAX).contains(op);
      assertEquals(extremum, Operators.isExtremum(lambda));
    }
  }

  /** The operator on tuples of rows may use some parameters only; it has them all, in order. */
  @Test
  void anOperatorOnRowsHasAllParameters() {
    var row = I64.under(TWO);
    var lambda =
        b.lambda(
            List.of(row, row, row, row),
            (c, p) ->
                c.map(
                    TWO,
                    List.of(p.get(3), p.get(0), p.get(1)),
                    (d, e) -> List.of(d.sub(e.get(1), e.get(0)), e.get(2))));
    var onRows = Operators.ofRows(lambda).orElseThrow();
    assertEquals(List.of(I64, I64, I64, I64), onRows.params().stream().map(Var::type).toList());
    assertEquals(lambda.returns(), onRows.returns().stream().map(t -> t.under(TWO)).toList());
    var xs = List.of(7L, 5L, 3L, 1L).stream().map(Atom::i64).toList();
    var p = main(List.of(), List.of(), (c, _) -> c.call(onRows, xs));
    assertEquals(
        List.of(ScalarValue.i64(6), ScalarValue.i64(5)), Interpreter.call(p, "main", List.of()));
  }

  @Test
  void whatElseTheFunctionUsesKeepsItFromBeingAnOperatorOnRows() {
    var row = I64.under(TWO);
    var whole =
        b.lambda(
            List.of(row, row),
            (c, p) ->
                c.map(
                    TWO,
                    List.of(p.get(0)),
                    (d, e) -> List.of(d.add(e.getFirst(), d.index(p.get(1), Atom.i64(0))))));
    assertFalse(Operators.ofRows(whole).isPresent());
    var twice =
        b.lambda(
            List.of(row, row),
            (c, p) ->
                c.map(
                    TWO,
                    List.of(p.get(0), p.get(0)),
                    (d, e) -> List.of(d.add(e.get(0), e.get(1)))));
    assertFalse(Operators.elementwise(twice).isPresent());
  }

  /** Whatever is recognised in random functions is what running them gives. */
  @Test
  void recognisedOperatorsAreWhatTheyCompute() {
    int recognised = 0;
    for (int seed = 0; seed < 3000; seed++) {
      var random = new Random(seed);
      var type = List.of(I64, I64.under(TWO), MATRIX).get(random.nextInt(3));
      var lambda = b.lambda(List.of(type, type), (c, p) -> List.of(any(random, c, p)));
      var op = Operators.elementwise(lambda);
      if (op.isPresent()) {
        recognised++;
        check(random, lambda, op.get(), "seed " + seed);
      }
    }
    assertTrue(recognised > 300, recognised + " recognised");
  }

  private static Atom any(Random random, Builder b, List<Var> p) {
    var inputs = new ArrayList<>(p);
    if (random.nextInt(4) == 0) {
      inputs.set(random.nextInt(2), p.get(random.nextInt(2)));
    }
    if (random.nextBoolean()) {
      inputs.add(inputs.removeFirst());
    }
    if (!p.getFirst().type().isScalar()) {
      return b.map(TWO, inputs, (c, e) -> List.of(any(random, c, e))).getFirst();
    }
    var ops = BinaryOp.values();
    var op = random.nextBoolean() ? BinaryOp.MAX : ops[random.nextInt(BinaryOp.ATAN2.ordinal())];
    var y = random.nextInt(6) == 0 ? TWO : inputs.get(1);
    var result = b.binary(op, inputs.get(0), y);
    return random.nextInt(6) == 0 ? b.binary(op, result, inputs.get(0)) : result;
  }

  private static void check(Random random, Lambda lambda, BinaryOp op, String what) {
    int rank = lambda.params().getFirst().type().dims().size();
    var shape = new long[Math.max(rank, 1)];
    Arrays.fill(shape, 2);
    int n = 1 << shape.length;
    var x = random.longs(n, -9, 9).toArray();
    var y = random.longs(n, -9, 9).toArray();
    var dims = Collections.nCopies(shape.length, TWO).toArray(Atom[]::new);
    var params = List.of(array("x", Prim.I64, dims), array("y", Prim.I64, dims));
    var p =
        main(
            List.of(),
            params,
            (c, v) -> rank > 0 ? c.call(lambda, v) : c.map(TWO, v, (d, e) -> d.call(lambda, e)));
    var expected = new long[n];
    for (int k = 0; k < n; k++) {
      expected[k] = ScalarOps.binary(op, ScalarValue.i64(x[k]), ScalarValue.i64(y[k])).asLong();
    }
    var arguments = List.of(ArrayValue.ofLongs(x, shape), ArrayValue.ofLongs(y, shape));
    assertEquals(
        List.of(ArrayValue.ofLongs(expected, shape)), Interpreter.call(p, "main", arguments), what);
  }
}
