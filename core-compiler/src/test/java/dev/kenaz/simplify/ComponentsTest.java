package dev.kenaz.simplify;

import static dev.kenaz.ir.TestPrograms.main;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Span;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ComponentsTest {
  private static final List<BinaryOp> OPS = List.of(BinaryOp.ADD, BinaryOp.MUL, BinaryOp.MAX);

  private static List<List<Integer>> components(Lambda op) {
    return Components.parts(op).stream().map(Components.Part::positions).toList();
  }

  private static Lambda operator(int width, Function body) {
    var types = Stream.<Type>generate(() -> Type.I64).limit(2L * width).toList();
    return new Builder(Span.NONE).lambda(types, body::apply);
  }

  private interface Function {
    List<? extends Atom> apply(Builder b, List<Var> p);
  }

  /** A branch that decides two results at once depends on what it asks, in each of them. */
  @Test
  void resultsOfOneStatementMayBelongToSeveralComponents() {
    var sorted =
        operator(
            3,
            (b, p) -> {
              var less = b.compare(CompareOp.LT, p.get(0), p.get(3));
              var both =
                  b.ifThenElse(
                      less,
                      List.of(Type.I64, Type.I64),
                      _ -> List.of(p.get(0), p.get(1)),
                      _ -> List.of(p.get(3), p.get(4)));
              return List.of(both.get(0), both.get(1), b.add(p.get(2), p.get(5)));
            });
    assertEquals(List.of(List.of(0, 1), List.of(2)), components(sorted));
  }

  @Test
  void whatIsCheckedKeepsAnOperatorTogether() {
    var checked =
        operator(
            2,
            (b, p) -> {
              b.check(b.compare(CompareOp.LT, p.get(0), p.get(2)), "not less", List.of());
              return List.of(b.add(p.get(0), p.get(2)), b.add(p.get(1), p.get(3)));
            });
    assertEquals(List.of(List.of(0, 1)), components(checked));
  }

  /** Side by side the components of random operators compute what the operators do. */
  @Test
  void componentsSideBySideAreTheOperator() {
    int several = 0;
    for (int seed = 0; seed < 500; seed++) {
      var random = new Random(seed);
      int width = 2 + random.nextInt(3);
      var op = operator(width, (b, p) -> results(random, b, p, width));
      var parts = Components.parts(op);
      several += parts.size() > 1 ? 1 : 0;
      var arguments = random.longs(2L * width, -9, 9).mapToObj(Atom::i64).toList();
      var expected = run(op, arguments);
      var actual = new Value[width];
      for (var part : parts) {
        var own = new ArrayList<Atom>(part.of(arguments.subList(0, width)));
        own.addAll(part.of(arguments.subList(width, 2 * width)));
        var results = run(part.op(), own);
        for (int k = 0; k < results.size(); k++) {
          actual[part.positions().get(k)] = results.get(k);
        }
      }
      assertEquals(expected, List.of(actual), "seed " + seed);
    }
    assertTrue(several > 100, several + " have several components");
  }

  private static List<Atom> results(Random random, Builder b, List<Var> p, int width) {
    var results = new ArrayList<Atom>();
    for (int k = 0; k < width; k++) {
      Atom x = b.binary(any(random), p.get(k), p.get(width + k));
      if (random.nextInt(3) == 0) {
        x = b.binary(any(random), x, p.get(random.nextInt(2 * width)));
      }
      if (k > 0 && random.nextInt(4) == 0) {
        x = b.binary(any(random), x, results.get(random.nextInt(k)));
      }
      results.add(x);
    }
    return results;
  }

  private static BinaryOp any(Random random) {
    return OPS.get(random.nextInt(OPS.size()));
  }

  private static List<Value> run(Lambda op, List<? extends Atom> arguments) {
    return Interpreter.call(
        main(List.of(), List.of(), (b, _) -> b.call(op, arguments)), "main", List.of());
  }
}
