package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K6301;
import static dev.kenaz.error.ErrorCode.K6302;

import dev.kenaz.distribute.Plan;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;

/** Finds the sizes that a plan wants as arguments, by the shapes of what is given. */
public final class PlanArguments {
  private PlanArguments() {}

  /**
   * The values of a plan's replicated parameters: its sizes, then what is given.
   *
   * @param columns shapes of the dataset's columns; the number of rows doesn't matter
   * @param given values of the entry point's parameters that aren't the dataset, in order
   * @throws UserError K6301 if there are too few or too many, K6302 if sizes disagree
   */
  public static List<Value> of(Plan plan, List<long[]> columns, List<? extends Value> given) {
    var parameters = plan.replicated();
    int sizes = parameters.size() - given.size();
    if (sizes < 0) {
      throw new UserError(
          K6301,
          Span.NONE,
          plan.entry()
              + " takes fewer values besides the dataset than the "
              + given.size()
              + " given");
    }
    var arguments = new ArrayList<Value>();
    for (var size : parameters.subList(0, sizes)) {
      arguments.add(ScalarValue.i64(size(plan, size, sizes, columns, given)));
    }
    arguments.addAll(given);
    return arguments;
  }

  private static long size(
      Plan plan, Var size, int sizes, List<long[]> columns, List<? extends Value> given) {
    var found = new ArrayList<Long>();
    for (int i = 0; i < plan.sharded().size(); i++) {
      collect(plan.sharded().get(i).type().dims(), size, columns.get(i), found);
    }
    for (int i = 0; i < given.size(); i++) {
      collect(plan.replicated().get(sizes + i).type().dims(), size, given.get(i).shape(), found);
    }
    if (found.isEmpty()) {
      throw new UserError(
          K6301,
          Span.NONE,
          plan.entry()
              + " takes more values besides the dataset than the "
              + given.size()
              + " given",
          "no array has the size " + size.name());
    }
    if (found.stream().distinct().count() > 1) {
      throw new UserError(
          K6302, Span.NONE, "sizes disagree: " + size.name() + " is each of " + found);
    }
    return found.getFirst();
  }

  private static void collect(List<Atom> dims, Var size, long[] shape, List<Long> found) {
    for (int d = 0; d < dims.size(); d++) {
      if (dims.get(d).equals(size)) {
        found.add(shape[d]);
      }
    }
  }
}
