package dev.kenaz.interpret;

import dev.kenaz.interpret.Datum.Level;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.interpret.Datum.Taped;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Records, for a reverse derivative, how each number depends on earlier ones. */
final class Tape {
  /** The adjoints by node; a missing one is zero. */
  static final class Adjoints {
    private final Num[] byNode;

    private Adjoints(int nodes) {
      this.byNode = new Num[nodes];
    }

    Num get(Taped x) {
      var sum = byNode[x.node()];
      return sum == null ? Datum.of(ScalarValue.ofLong(x.value().prim(), 0)) : sum;
    }

    void add(Taped x, Num adjoint) {
      add(x.node(), adjoint);
    }

    private void add(int node, Num term) {
      byNode[node] = byNode[node] == null ? term : Arithmetic.add(byNode[node], term);
    }
  }

  /**
   * Says how a number depends on one of its operands: what the number's adjoint adds to the
   * operand's.
   */
  private record Edge(int node, UnaryOperator<Num> back) {}

  private sealed interface Entry {}

  private record Number(List<Edge> edges) implements Entry {}

  /** A part of the return sweep that the program defines itself. */
  private record Custom(Consumer<Adjoints> sweep) implements Entry {}

  private final Level level;
  private final List<Entry> entries = new ArrayList<>();

  Tape(Level level) {
    this.level = level;
  }

  Level level() {
    return level;
  }

  /** Records a number that depends on nothing before. */
  Taped start(Num primal) {
    return number(primal, List.of());
  }

  private Taped number(Num primal, List<Edge> edges) {
    entries.add(new Number(edges));
    return new Taped(this, primal, entries.size() - 1);
  }

  /** Records a number that depends on one other, which may be of another type. */
  Taped linear(Num primal, Taped x, UnaryOperator<Num> back) {
    return number(primal, List.of(new Edge(x.node(), back)));
  }

  Taped unary(Num primal, Taped x, Num slope) {
    return number(primal, List.of(edge(x, slope)));
  }

  Taped binary(Num primal, Taped x, Num slopeX, Taped y, Num slopeY) {
    return number(primal, List.of(edge(x, slopeX), edge(y, slopeY)));
  }

  private static Edge edge(Taped x, Num slope) {
    return new Edge(x.node(), adjoint -> Arithmetic.mul(slope, adjoint));
  }

  /**
   * Records a part of the return sweep that the program defines itself. When it is called, the
   * adjoints of later numbers are complete.
   */
  void custom(Consumer<Adjoints> sweep) {
    entries.add(new Custom(sweep));
  }

  /** Does the return sweep, given the adjoints of the results. */
  Adjoints sweep(List<Taped> results, List<Num> seeds) {
    var adjoints = new Adjoints(entries.size());
    for (int i = 0; i < results.size(); i++) {
      adjoints.add(results.get(i), seeds.get(i));
    }
    for (int i = entries.size() - 1; i >= 0; i--) {
      switch (entries.get(i)) {
        case Custom(var sweep) -> sweep.accept(adjoints);
        case Number(var edges) -> {
          var adjoint = adjoints.byNode[i];
          if (adjoint != null && !Arithmetic.isZero(adjoint)) {
            for (var e : edges) {
              adjoints.add(e.node(), e.back().apply(adjoint));
            }
          }
        }
      }
    }
    return adjoints;
  }
}
