package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.testing.Seeds;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Forward and reverse mode and central differences agree on random programs: nests of all
 * constructs over vectors of one size, with free variables everywhere.
 */
class RandomProgramsTest {
  @Test
  void agree() {
    Seeds.check(100, RandomProgramsTest::check);
  }

  /** Faults found once. */
  @ParameterizedTest
  @ValueSource(longs = {2045, 4100})
  void stillAgree(long seed) {
    check(seed);
  }

  private static void check(long seed) {
    var numbers = new Random(seed);
    int n = numbers.nextInt(4) + 1;
    var at = Jacobians.at().tolerance(1e-4);
    at.vector(numbers.doubles(n, -1, 1).toArray());
    at.vector(numbers.doubles(n, -1, 1).toArray());
    at.scalar(numbers.nextDouble());
    at.indices(numbers.longs(n, 0, n).toArray());
    Jacobians.Body body = (b, p) -> new Program(new Random(seed), at.sizeOf(0, 0)).function(b, p);
    if (seed % 5 == 0) {
      at.agreeTwice(body);
    } else {
      at.agree(body);
    }
  }

  /** A random program. All indices are below the size of the vectors. */
  private record Program(Random random, Atom n) {
    private record Scope(List<Atom> scalars, List<Var> vectors, List<Atom> indices) {
      Scope copy() {
        return new Scope(
            new ArrayList<>(scalars), new ArrayList<>(vectors), new ArrayList<>(indices));
      }
    }

    List<Atom> function(Builder b, List<Var> p) {
      var scope = new Scope(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
      scope.vectors().addAll(p.subList(0, 2));
      scope.scalars().add(p.get(2));
      scope.indices().add(b.index(p.get(3), i64(0)));
      var is = p.get(3);
      scope.indices().add(b.index(is, b.sub(n, i64(1))));
      statements(b, scope, 6, 3);
      return List.of(scope.scalars().getLast(), scope.vectors().getLast());
    }

    private <T> T pick(List<T> list) {
      // later ones more often, so that programs are deep
      int at = Math.max(random.nextInt(list.size()), random.nextInt(list.size()));
      return list.get(at);
    }

    private void statements(Builder b, Scope s, int count, int depth) {
      for (int i = 0; i < count; i++) {
        statement(b, s, depth);
      }
    }

    private void statement(Builder b, Scope s, int depth) {
      int choice = random.nextInt(depth > 0 ? 13 : 5);
      switch (choice) {
        case 0, 1 -> s.scalars().add(scalar(b, s));
        case 2 -> s.scalars().add(b.index(pick(s.vectors()), pick(s.indices())));
        case 3 -> s.vectors().add(moved(b, s));
        case 4 -> {
          var own = b.bind("own", new Copy(pick(s.vectors())));
          s.vectors().add(b.update(own, List.of(pick(s.indices())), pick(s.scalars())));
        }
        case 5, 6 -> map(b, s, depth);
        case 7 -> reduce(b, s);
        case 8 -> s.vectors().add(scan(b, s));
        case 9 -> branch(b, s, depth);
        case 10, 11 -> loop(b, s, depth);
        default -> histogram(b, s);
      }
    }

    private Atom scalar(Builder b, Scope s) {
      var x = pick(s.scalars());
      var y = pick(s.scalars());
      return switch (random.nextInt(5)) {
        case 0 -> b.add(x, b.mul(y, Atom.of(Prim.F64, 0.5)));
        case 1 -> b.unary(UnaryOp.SIN, b.mul(x, y));
        case 2 -> b.mul(x, y.equals(x) ? Atom.of(Prim.F64, 0.7) : b.unary(UnaryOp.COS, y));
        case 3 -> b.unary(UnaryOp.TANH, b.sub(x, y));
        default -> b.div(x, b.add(Atom.of(Prim.F64, 2), b.mul(y, y)));
      };
    }

    private Var moved(Builder b, Scope s) {
      var x = pick(s.vectors());
      var y = pick(s.vectors());
      return switch (random.nextInt(4)) {
        case 0 -> Scans.reversed(b, x);
        case 1 -> {
          var both = b.bind("cat", new Concat(0, List.of(x, y), b.add(n, n)));
          var half = List.<DimSlice>of(new DimSlice.Range(i64(1), n, i64(1)));
          yield b.bind("part", new Slice(both, half, true));
        }
        case 2 -> b.replicate(List.of(n), pick(s.scalars()));
        default -> {
          var m = b.bind("m", new ArrayLit(List.of(x, y), x.type()));
          var tr = b.bind("tr", new Rearrange(List.of(1, 0), m));
          yield b.map(
                  n,
                  List.of(tr),
                  (in, q) ->
                      List.of(
                          in.mul(in.index(q.getFirst(), i64(0)), in.index(q.getFirst(), i64(1)))))
              .getFirst();
        }
      };
    }

    private void map(Builder b, Scope s, int depth) {
      var inputs = List.of(pick(s.vectors()), pick(s.vectors()), b.iota(n));
      var out =
          b.map(
              n,
              inputs,
              (in, q) -> {
                var inner = s.copy();
                inner.scalars().addAll(q.subList(0, 2));
                inner.indices().add(q.get(2));
                statements(in, inner, 2 + random.nextInt(2), depth - 1);
                return List.of(inner.scalars().getLast(), scalar(in, inner));
              });
      s.vectors().addAll(out);
    }

    private void reduce(Builder b, Scope s) {
      var op = pick(List.of(BinaryOp.ADD, BinaryOp.MUL, BinaryOp.MAX));
      double neutral = op == BinaryOp.ADD ? 0 : op == BinaryOp.MUL ? 1 : Double.NEGATIVE_INFINITY;
      s.scalars().add(MapRuleTest.reduce(b, op, neutral, distinct(b, pick(s.vectors()))));
    }

    /** Without ties, at which central differences are something else. */
    private Var distinct(Builder b, Var xs) {
      return b.map(
              n,
              List.of(xs, b.iota(n)),
              (in, q) -> {
                var i = in.mul(in.convert(Prim.F64, q.get(1)), Atom.of(Prim.F64, 0.0917));
                return List.of(in.add(q.get(0), i));
              })
          .getFirst();
    }

    private Var scan(Builder b, Scope s) {
      var free = pick(s.scalars());
      var t = Type.scalar(Prim.F64);
      // x + y + p x y is associative
      var op =
          b.lambda(
              List.of(t, t),
              (in, q) -> {
                var xy = in.mul(q.get(0), q.get(1));
                var sum = in.add(q.get(0), q.get(1));
                return List.of(random.nextBoolean() ? sum : in.add(sum, in.mul(free, xy)));
              });
      return ScanRuleTest.scan(b, List.of(pick(s.vectors())), op, 0).getFirst();
    }

    private void branch(Builder b, Scope s, int depth) {
      var c = b.compare(CompareOp.LT, pick(s.indices()), pick(s.indices()));
      var types = List.of(Type.scalar(Prim.F64), pick(s.vectors()).type());
      var out = b.ifThenElse(c, types, in -> inside(in, s, depth), in -> inside(in, s, depth));
      s.scalars().add(out.get(0));
      s.vectors().add(out.get(1));
    }

    private List<Atom> inside(Builder b, Scope s, int depth) {
      var inner = s.copy();
      statements(b, inner, 2, depth - 1);
      return List.of(inner.scalars().getLast(), pick(inner.vectors()));
    }

    private void loop(Builder b, Scope s, int depth) {
      var start = b.bind("own", new Copy(pick(s.vectors())));
      var out =
          b.forLoop(
              random.nextBoolean() ? i64(3) : n,
              List.of(pick(s.scalars()), start, pick(s.vectors())),
              (i, acc) ->
                  in -> {
                    var inner = s.copy();
                    inner.scalars().add(acc.get(0));
                    inner.vectors().addAll(acc.subList(1, 3));
                    var at = in.binary(BinaryOp.MOD, i, n);
                    inner.indices().add(at);
                    statements(in, inner, 2, depth - 1);
                    var x = in.unary(UnaryOp.SIN, inner.scalars().getLast());
                    var last = in.bind("own", new Copy(pick(inner.vectors())));
                    var updated = in.update(acc.get(1), List.of(pick(inner.indices())), x);
                    return List.of(x, updated, last);
                  });
      s.scalars().add(out.get(0));
      s.vectors().addAll(out.subList(1, 3));
    }

    private void histogram(Builder b, Scope s) {
      var sum = random.nextBoolean();
      var op = b.operator(sum ? BinaryOp.ADD : BinaryOp.MUL, Prim.F64);
      var dest = b.bind("own", new Copy(pick(s.vectors())));
      var k = pick(s.indices());
      var keys =
          b.map(
                  n,
                  List.of(b.iota(n)),
                  (in, q) -> {
                    var product = in.mul(q.getFirst(), in.add(k, i64(1)));
                    return List.of(in.binary(BinaryOp.MOD, product, in.add(n, i64(1))));
                  })
              .getFirst();
      var inputs = List.of(keys, pick(s.vectors()));
      var hist = new HistOp(List.of(n), List.of(dest), List.of(Atom.of(Prim.F64, sum ? 0 : 1)), op);
      var identity = b.identity(inputs);
      s.vectors().add(b.bind("hist", new Hist(n, inputs, List.of(hist), identity)));
    }
  }
}
