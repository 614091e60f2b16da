package dev.kenaz.interpret;

import dev.kenaz.interpret.Datum.Dual;
import dev.kenaz.interpret.Datum.Level;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.interpret.Datum.Taped;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Computes forward derivatives by dual numbers, and reverse derivatives by a tape of all numbers'
 * dependencies.
 */
final class Derivatives {
  private final Machine machine;

  /**
   * The derivatives that are being taken, the innermost first; a forward derivative has no tape.
   */
  private final Deque<Optional<Tape>> taken = new ArrayDeque<>();

  private int depth;

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
    var tape = new Tape(level());
    var started = lifted(arguments, tape::start);
    taken.push(Optional.of(tape));
    var results = machine.call(v.function(), started);
    taken.pop();
    depth--;
    var primals = primals(tape.level(), results);
    if (v.width().isEmpty()) {
      return join(primals, adjoints(tape, started, results, seeds));
    }
    int width = (int) machine.i64(v.width().get());
    var rows = new ArrayList<Datum[]>();
    for (int i = 0; i < width; i++) {
      rows.add(adjoints(tape, started, results, rows(seeds, i)));
    }
    return join(primals, stack(width, arguments, rows));
  }

  /**
   * Runs a function with a rule for its derivative. The rule is used by the innermost derivative by
   * the function's argument, if that is a reverse one. Outer derivatives differentiate the code of
   * the function and of the rule.
   */
  Datum[] withVjp(WithVjp w) {
    var arguments = copies(machine.get(w.arguments()));
    var found = tape(w);
    if (found.isEmpty()) {
      var results = machine.call(w.function(), arguments);
      return Arrays.copyOf(results, results.length - w.tape());
    }
    var tape = found.get();
    var given = primals(tape.level(), arguments);
    var mine = new ArrayDeque<Optional<Tape>>();
    do {
      mine.push(taken.pop());
    } while (!mine.peek().equals(found));
    var all = primals(tape.level(), machine.call(w.function(), copies(given)));
    mine.forEach(taken::push);
    int k = all.length - w.tape();
    // Everything else that the rule uses has its present value, and is constant.
    var free = List.copyOf(FreeVars.of(w.rule()));
    var captured = primals(tape.level(), copies(machine.get(free)));
    var outputs = new ArrayList<Taped>();
    tape.custom(
        adjoints -> {
          var values = new ArrayList<>(List.of(copies(given)));
          values.addAll(List.of(copies(all)));
          int next = 0;
          for (int i = 0; i < k; i++) {
            int at = next;
            next += size(all[i]);
            values.add(adjoint(all[i], outputs.subList(at, next), adjoints));
          }
          var kept = machine.get(free);
          set(free, captured);
          var back = machine.call(w.rule(), values.toArray(Datum[]::new));
          set(free, kept);
          for (int i = 0; i < arguments.length; i++) {
            for (int j = 0; j < size(arguments[i]); j++) {
              if (element(arguments[i], j) instanceof Taped x && x.tape() == tape) {
                adjoints.add(x, element(back[i], j));
              }
            }
          }
        });
    return lifted(
        Arrays.copyOf(all, k),
        x -> {
          outputs.add(tape.start(x));
          return outputs.getLast();
        });
  }

  /** Returns the tape of the reverse derivative that uses the rule. */
  private Optional<Tape> tape(WithVjp w) {
    var involved = machine.get(List.copyOf(FreeVars.of(w)));
    for (var t : taken) {
      if (t.isEmpty() || Arrays.stream(involved).anyMatch(x -> isOn(t.get(), x))) {
        return t;
      }
    }
    return Optional.empty();
  }

  private static boolean isOn(Tape tape, Datum x) {
    for (int i = 0; i < size(x); i++) {
      if (Arithmetic.primal(tape.level(), element(x, i)) != element(x, i)) {
        return true;
      }
    }
    return false;
  }

  private void set(List<Var> vars, Datum[] xs) {
    for (int i = 0; i < xs.length; i++) {
      machine.set(vars.get(i), xs[i]);
    }
  }

  private Level level() {
    return new Level(++depth);
  }

  // Forward

  private record Pair(Datum[] primals, Datum[] tangents) {}

  private Pair forward(Lambda function, Datum[] arguments, Datum[] tangents) {
    var level = level();
    var duals = new Datum[arguments.length];
    for (int i = 0; i < duals.length; i++) {
      duals[i] = map(arguments[i], tangents[i], (x, t) -> new Dual(level, x, t));
    }
    taken.push(Optional.empty());
    var results = machine.call(function, duals);
    taken.pop();
    depth--;
    var outTangents = new Datum[results.length];
    for (int i = 0; i < results.length; i++) {
      outTangents[i] = map(results[i], results[i], (x, _) -> Arithmetic.tangent(level, x));
    }
    return new Pair(primals(level, results), outTangents);
  }

  // Reverse

  private static Datum[] adjoints(Tape tape, Datum[] started, Datum[] results, Datum[] seeds) {
    var ends = new ArrayList<Taped>();
    var weights = new ArrayList<Num>();
    for (int k = 0; k < results.length; k++) {
      for (int i = 0; i < size(results[k]); i++) {
        if (element(results[k], i) instanceof Taped x && x.tape() == tape) {
          ends.add(x);
          weights.add(element(seeds[k], i));
        }
      }
    }
    var adjoints = tape.sweep(ends, weights);
    var out = new Datum[started.length];
    for (int k = 0; k < out.length; k++) {
      out[k] = map(started[k], started[k], (x, _) -> adjoints.get((Taped) x));
    }
    return out;
  }

  /** Returns the adjoint of a datum; these are its numbers on the tape, if they are on it. */
  private static Datum adjoint(Datum like, List<Taped> numbers, Tape.Adjoints adjoints) {
    var next = numbers.iterator();
    return next.hasNext() ? map(like, like, (_, _) -> adjoints.get(next.next())) : zero(like);
  }

  private static Datum[] lifted(Datum[] xs, UnaryOperator<Num> f) {
    return Arrays.stream(xs).map(x -> map(x, x, (e, _) -> f.apply(e))).toArray(Datum[]::new);
  }

  private static Datum[] primals(Level level, Datum[] xs) {
    return Arrays.stream(xs)
        .map(x -> map(x, x, (e, _) -> Arithmetic.primal(level, e)))
        .toArray(Datum[]::new);
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

  /** Stacks rows of results; {@code like} has their shapes, for the case that there are no rows. */
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
