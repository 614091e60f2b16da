package dev.kenaz.interpret;

import dev.kenaz.interpret.Datum.Level;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.interpret.Datum.Taped;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What a reverse derivative records: for each number how it depends on earlier ones. */
final class Tape {
  /** The adjoints by node; none stands for zero. */
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
      add(x.node(), x.value().prim(), adjoint);
    }

    private void add(int node, Prim prim, Num adjoint) {
      var term = Arithmetic.convert(prim, adjoint);
      byNode[node] = byNode[node] == null ? term : Arithmetic.add(byNode[node], term);
    }
  }

  /** How a number depends on one of its operands; without a slope it is that number converted. */
  private record Edge(int node, Prim prim, Optional<Num> slope) {}

  private sealed interface Entry {}

  private record Number(List<Edge> edges) implements Entry {}

  /** A return sweep of the program's own. */
  private record Custom(Consumer<Adjoints> sweep) implements Entry {}

  private final Level level;
  private final List<Entry> entries = new ArrayList<>();

  Tape(Level level) {
    this.level = level;
  }

  Level level() {
    return level;
  }

  /** A number that depends on nothing before. */
  Taped start(Num primal) {
    return number(primal, List.of());
  }

  private Taped number(Num primal, List<Edge> edges) {
    entries.add(new Number(edges));
    return new Taped(this, primal, entries.size() - 1);
  }

  /** The number converted. */
  Taped converted(Num primal, Taped x) {
    return number(primal, List.of(new Edge(x.node(), x.value().prim(), Optional.empty())));
  }

  Taped unary(Num primal, Taped x, Num slope) {
    return number(primal, List.of(edge(x, slope)));
  }

  Taped binary(Num primal, Taped x, Num slopeX, Taped y, Num slopeY) {
    return number(primal, List.of(edge(x, slopeX), edge(y, slopeY)));
  }

  private static Edge edge(Taped x, Num slope) {
    return new Edge(x.node(), x.value().prim(), Optional.of(slope));
  }

  /** Later numbers' adjoints are complete when the sweep is called. */
  void custom(Consumer<Adjoints> sweep) {
    entries.add(new Custom(sweep));
  }

  /** The return sweep, from results' adjoints. */
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
              var term = e.slope().map(s -> Arithmetic.mul(s, adjoint)).orElse(adjoint);
              adjoints.add(e.node(), e.prim(), term);
            }
          }
        }
      }
    }
    return adjoints;
  }
}
