package dev.kenaz.elementary;

import dev.kenaz.value.Prim;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * A function of one float or several as straight-line code. All steps have results for all
 * arguments, so that they can be done for all lanes of a vector.
 *
 * @param prim the argument's and the result's type, f64 or f32
 * @param steps the operations, each after its operands; none is superfluous
 * @param result the number of the step whose result is the function's
 * @param guard tells whether the formula holds for the argument; empty if it holds for all
 * @param shortcut another result with the same bits, if some condition holds, that takes fewer
 *     steps
 */
public record Formula(
    Prim prim, List<Step> steps, int result, OptionalInt guard, Optional<Shortcut> shortcut) {
  /**
   * A simpler result for usual arguments.
   *
   * @param usual the number of the step that tells whether the argument is one
   * @param result the number of the step with the result then
   */
  public record Shortcut(int usual, int result) {}

  public Formula {
    steps = List.copyOf(steps);
  }

  /** Returns the steps that these need, themselves included. */
  public Set<Integer> needed(int... of) {
    var all = new TreeSet<Integer>();
    var open = new ArrayDeque<Integer>();
    Arrays.stream(of).forEach(open::add);
    while (!open.isEmpty()) {
      int k = open.pop();
      if (all.add(k)) {
        open.addAll(steps.get(k).operands());
      }
    }
    return all;
  }

  /** Returns how often each step's result is used, the results and conditions included. */
  public int[] uses() {
    var uses = new int[steps.size()];
    uses[result]++;
    guard.ifPresent(k -> uses[k]++);
    shortcut.ifPresent(
        s -> {
          uses[s.usual]++;
          uses[s.result]++;
        });
    steps.forEach(s -> s.operands().forEach(k -> uses[k]++));
    return uses;
  }

  /** Whether the step's result is a float, and neither an integer nor a truth. */
  public boolean isReal(int step) {
    return switch (steps.get(step).kind()) {
      case ARGUMENT, REAL, ADD, SUBTRACT, MULTIPLY, DIVIDE, FUSE, FLOAT, CHOOSE -> true;
      case WHOLE, BITS, PLUS, MINUS, AND, OR, XOR, LEFT, RIGHT, LESS, AT_MOST, BOTH, EITHER ->
          false;
    };
  }

  /**
   * Computes the steps.
   *
   * @param arguments values of the type
   * @return the result; none if the formula doesn't hold
   */
  OptionalDouble at(double... arguments) {
    var run = new Run(arguments);
    boolean holds = guard.isEmpty() || run.whole[guard.getAsInt()] != 0;
    return holds ? OptionalDouble.of(run.real[result]) : OptionalDouble.empty();
  }

  /** The results of all steps for some arguments: floats as doubles, truths as 0 or 1. */
  private final class Run {
    final double[] real = new double[steps.size()];
    final long[] whole = new long[steps.size()];

    Run(double... arguments) {
      for (int k = 0; k < real.length; k++) {
        var s = steps.get(k);
        if (isReal(k)) {
          real[k] = real(s, arguments);
        } else {
          whole[k] = prim == Prim.F32 ? (int) whole(s) : whole(s);
        }
      }
    }

    private double real(Step s, double... arguments) {
      return switch (s.kind()) {
        case ARGUMENT -> arguments[(int) s.whole()];
        case REAL -> s.real();
        // A sum, product or quotient of f32, rounded to f64 first, is as if it were rounded once.
        case ADD -> rounded(a(s, 0) + a(s, 1));
        case SUBTRACT -> rounded(a(s, 0) - a(s, 1));
        case MULTIPLY -> rounded(a(s, 0) * a(s, 1));
        case DIVIDE -> rounded(a(s, 0) / a(s, 1));
        case FUSE ->
            prim == Prim.F32
                ? Math.fma((float) a(s, 0), (float) a(s, 1), (float) a(s, 2))
                : Math.fma(a(s, 0), a(s, 1), a(s, 2));
        case FLOAT ->
            prim == Prim.F32
                ? Float.intBitsToFloat((int) whole(s, 0))
                : Double.longBitsToDouble(whole(s, 0));
        case CHOOSE -> whole(s, 0) != 0 ? a(s, 1) : a(s, 2);
        case WHOLE, BITS, PLUS, MINUS, AND, OR, XOR, LEFT, RIGHT, LESS, AT_MOST, BOTH, EITHER ->
            throw new IllegalStateException("no float: " + s);
      };
    }

    private long whole(Step s) {
      return switch (s.kind()) {
        case WHOLE -> s.whole();
        case BITS ->
            prim == Prim.F32
                ? Float.floatToRawIntBits((float) a(s, 0))
                : Double.doubleToRawLongBits(a(s, 0));
        case PLUS -> whole(s, 0) + whole(s, 1);
        case MINUS -> whole(s, 0) - whole(s, 1);
        case AND -> whole(s, 0) & whole(s, 1);
        case OR -> whole(s, 0) | whole(s, 1);
        case XOR -> whole(s, 0) ^ whole(s, 1);
        case LEFT -> whole(s, 0) << s.whole();
        case RIGHT ->
            prim == Prim.F32 ? (int) whole(s, 0) >>> s.whole() : whole(s, 0) >>> s.whole();
        case LESS -> a(s, 0) < a(s, 1) ? 1 : 0;
        case AT_MOST -> a(s, 0) <= a(s, 1) ? 1 : 0;
        case BOTH -> whole(s, 0) & whole(s, 1);
        case EITHER -> whole(s, 0) | whole(s, 1);
        case ARGUMENT, REAL, ADD, SUBTRACT, MULTIPLY, DIVIDE, FUSE, FLOAT, CHOOSE ->
            throw new IllegalStateException("a float: " + s);
      };
    }

    private double a(Step s, int k) {
      return real[s.operand(k)];
    }

    private long whole(Step s, int k) {
      return whole[s.operand(k)];
    }

    private double rounded(double x) {
      return prim == Prim.F32 ? (float) x : x;
    }
  }
}
