package dev.kenaz.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.ResultTypes;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Sizes;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What is said of integers holds: random statements are computed for many values of what they are
 * made from, where small types and numbers near the ends of large ones wrap around.
 */
final class IntegersTest {
  private static final List<Prim> PRIMS =
      List.of(Prim.I8, Prim.U8, Prim.I16, Prim.I32, Prim.U32, Prim.I64, Prim.I64, Prim.U64);

  private static final List<BinaryOp> OPS =
      List.of(
          BinaryOp.ADD,
          BinaryOp.ADD,
          BinaryOp.SUB,
          BinaryOp.SUB,
          BinaryOp.MUL,
          BinaryOp.MIN,
          BinaryOp.MAX,
          BinaryOp.MOD,
          BinaryOp.DIV,
          BinaryOp.QUOT,
          BinaryOp.REM,
          BinaryOp.AND,
          BinaryOp.OR);

  private Random random;
  private final Map<Var, Exp> statements = new LinkedHashMap<>();
  private final List<Var> inputs = new ArrayList<>();
  private final List<Atom> atoms = new ArrayList<>();
  private final Var size = Names.fresh("n", Type.I64);

  /** An index below the size. */
  private final Var index = Names.fresh("i", Type.I64);

  private final Integers known =
      new Integers() {
        @Override
        protected Exp exp(Var v) {
          return statements.get(v);
        }

        @Override
        protected boolean isSize(Var v) {
          return v.equals(size) || v.equals(index);
        }

        @Override
        protected List<Affine> noted(Var v) {
          return v.equals(index)
              ? List.of(Affine.of(size).minus(Affine.of(index)).plus(-1))
              : List.of();
        }

        @Override
        protected Affine form(Var v, int steps) {
          return formOfStatement(v, steps);
        }

        @Override
        protected boolean isNotNegative(Affine form) {
          return end(form, false).orElse(-1) >= 0;
        }
      };

  @Test
  void whatIsSaidOfIntegersHolds() {
    int formed = 0;
    int bounded = 0;
    int compared = 0;
    for (int seed = 0; seed < 400; seed++) {
      var test = new IntegersTest();
      test.random = new Random(seed);
      test.program();
      for (var v : test.statements.keySet()) {
        boolean bool = v.type().equals(Type.BOOL);
        formed += bool || test.known.form(v).equals(Affine.of(v)) ? 0 : 1;
        bounded += bool || test.known.inequalities(v).isEmpty() ? 0 : 1;
        compared += bool && !test.known.where(v, true).isEmpty() ? 1 : 0;
      }
      for (int k = 0; k < 40; k++) {
        test.check("seed " + seed);
      }
    }
    assertTrue(formed > 400 && bounded > 100 && compared > 200, "too little is known");
  }

  private void program() {
    for (var prim : PRIMS) {
      inputs.add(Names.fresh("x", Type.scalar(prim)));
    }
    inputs.add(Names.fresh("b", Type.BOOL));
    atoms.addAll(inputs);
    atoms.addAll(List.of(size, index));
    for (int k = 0; k < 25; k++) {
      var statement = statement();
      var v = Names.fresh("v", ResultTypes.of(statement).getFirst());
      statements.put(v, statement);
      atoms.add(v);
    }
  }

  private Exp statement() {
    var x = any();
    var prim = x.type().elemPrim();
    if (prim == Prim.BOOL) {
      return switch (random.nextInt(4)) {
        case 0 -> new Convert(Prim.I32, x);
        case 1 -> new Unary(UnaryOp.NOT, x);
        default -> new Binary(random.nextBoolean() ? BinaryOp.AND : BinaryOp.OR, x, like(prim));
      };
    }
    return switch (random.nextInt(6)) {
      case 0 -> new Alias(x);
      case 1 -> new Convert(PRIMS.get(random.nextInt(PRIMS.size())), x);
      case 2 -> new Compare(CompareOp.values()[random.nextInt(3)], x, like(prim));
      default -> new Binary(OPS.get(random.nextInt(OPS.size())), x, like(prim));
    };
  }

  private Atom any() {
    // the last are made of many statements
    int from = random.nextBoolean() ? 0 : atoms.size() / 2;
    return atoms.get(random.nextInt(from, atoms.size()));
  }

  private Atom like(Prim prim) {
    var same = atoms.stream().filter(a -> a.type().elemPrim() == prim).toList();
    return prim == Prim.BOOL || random.nextBoolean()
        ? same.get(random.nextInt(same.size()))
        : new Const(new ScalarValue(prim, prim.normalise(random.nextInt(-5, 20))));
  }

  private void check(String at) {
    var values = new HashMap<Var, ScalarValue>();
    for (var v : inputs) {
      values.put(v, value(v.type().elemPrim()));
    }
    long n = 1 + (random.nextBoolean() ? random.nextInt(5) : random.nextLong(Sizes.LONGEST));
    values.put(size, ScalarValue.i64(n));
    values.put(index, ScalarValue.i64(random.nextLong(n)));
    try {
      statements.forEach((v, e) -> values.put(v, compute(e, values)));
    } catch (ScalarOps.Fault divisionByZero) {
      return;
    }
    for (var v : statements.keySet()) {
      var said = at + ": " + v + " in " + statements;
      if (v.type().equals(Type.BOOL)) {
        known
            .where(v, values.get(v).asBoolean())
            .forEach(f -> assertTrue(of(f, values).signum() >= 0, said));
      } else if (v.type().elemPrim() != Prim.U64) {
        var form = known.form(v);
        assertEquals(BigInteger.valueOf(values.get(v).asLong()), of(form, values), said);
        known.inequalities(v).forEach(f -> assertTrue(of(f, values).signum() >= 0, said));
        long value = values.get(v).asLong();
        assertTrue(value >= known.end(form, false).orElse(value), said);
        assertTrue(value <= known.end(form, true).orElse(value), said);
      }
    }
  }

  private ScalarValue value(Prim prim) {
    long bits =
        switch (random.nextInt(3)) {
          case 0 -> random.nextLong();
          case 1 -> random.nextInt(-4, 12);
          default -> Long.MAX_VALUE - random.nextInt(4);
        };
    return new ScalarValue(prim, prim.normalise(bits));
  }

  private static BigInteger of(Affine form, Map<Var, ScalarValue> values) {
    var sum = BigInteger.valueOf(form.constant());
    for (var t : form.terms().entrySet()) {
      var value = BigInteger.valueOf(values.get(t.getKey()).asLong());
      sum = sum.add(value.multiply(BigInteger.valueOf(t.getValue())));
    }
    return sum;
  }

  private static ScalarValue compute(Exp exp, Map<Var, ScalarValue> values) {
    return switch (exp) {
      case Alias(var x) -> value(x, values);
      case Unary(var op, var x) -> ScalarOps.unary(op, value(x, values));
      case Binary(var op, var x, var y) -> ScalarOps.binary(op, value(x, values), value(y, values));
      case Compare(var op, var x, var y) ->
          ScalarValue.bool(ScalarOps.compare(op, value(x, values), value(y, values)));
      case Convert(var to, var x) -> ScalarOps.convert(to, value(x, values));
      default -> throw new AssertionError(exp);
    };
  }

  private static ScalarValue value(Atom x, Map<Var, ScalarValue> values) {
    return switch (x) {
      case Const(var c) -> c;
      case Var v -> values.get(v);
    };
  }
}
