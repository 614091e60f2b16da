package dev.kenaz.spark;

import dev.kenaz.arrow.RowLayout;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanRunner.Caller;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs a plan over one batch after the other, all in one task, if one shard has all rows. What the
 * plan gives for a batch is the same as by {@link SparkEngine}, but a batch costs no job.
 *
 * <p>The plan takes a state and other values. It gives a number, which is collected; whether there
 * are to be no more batches; perhaps other values; and the next state.
 *
 * @param text a plan over rows, and perhaps the elements of their lists
 * @param shapes those of its columns
 * @param states how many values a state has
 * @param rows how many there are
 * @param layout which arrays have elements of lists
 */
public record BatchLoop(
    ProgramText text, ArrayList<long[]> shapes, int states, long rows, RowLayout layout)
    implements ShardProgram {
  /** A task ends after the batch in which it has taken so long. */
  private static final long NANOS = 500_000_000;

  /**
   * What came of it.
   *
   * @param numbers that of each batch that was taken, at least of one
   * @param results those of the last batch
   */
  public record Result(double[] numbers, List<Value> results) {}

  /**
   * Takes some batches.
   *
   * @param first the number of the first one
   * @param most how many there are at most
   */
  public Result run(
      SparkRunner runner,
      List<Value> state,
      List<Value> others,
      Batches batches,
      long first,
      long most) {
    var given = new ArrayList<>(state);
    given.addAll(others);
    var range = new long[] {batches.size(), batches.windows() ? 1 : 0, batches.seed(), first, most};
    given.add(ArrayValue.ofLongs(range, range.length));
    var results = runner.run(this, given).values();
    var numbers = ((ArrayValue) results.getFirst()).toDoubleArray();
    return new Result(numbers, results.subList(1, results.size()));
  }

  @Override
  public String key() {
    var columns = shapes.stream().map(Arrays::toString).toList();
    return "kenaz batches of %d %s %s %s".formatted(rows, columns, layout, text.key());
  }

  @Override
  public String title() {
    var first =
        text.plan().stages().stream()
            .flatMap(s -> s.origins().stream())
            .findFirst()
            .map(o -> PlanStage.named(o) + ", ... - ")
            .orElse("");
    return first + text.plan().entry() + " over batches";
  }

  @Override
  public boolean usesGpu() {
    return text.usesGpu();
  }

  @Override
  public ShardFunction open() {
    return new Opened(this, text.plan());
  }

  private record Opened(BatchLoop loop, Plan plan) implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      int end = replicated.size() - 1;
      var range = ((ArrayValue) replicated.get(end)).toLongArray();
      var batches = new Batches(loop.rows, range[0], range[1] != 0, range[2]);
      var others = replicated.subList(loop.states, end);
      var state = replicated.subList(0, loop.states);
      var caller = loop.text.caller(cores);
      var numbers = new ArrayList<Double>();
      long start = System.nanoTime();
      List<Value> results;
      do {
        var drawn = batches.batch(range[3] + numbers.size()).of(all(), 0);
        var rows = RowPick.rows(values, drawn, loop.layout);
        var given = new ArrayList<>(state);
        given.addAll(others);
        results = results(rows, given, caller, drawn);
        numbers.add(((ScalarValue) results.getFirst()).asDouble());
        state = results.subList(results.size() - loop.states, results.size());
      } while (!((ScalarValue) results.get(1)).asBoolean()
          && numbers.size() < range[4]
          && System.nanoTime() - start < NANOS);
      var all = new ArrayList<Value>();
      var collected = numbers.stream().mapToDouble(x -> x).toArray();
      all.add(ArrayValue.ofDoubles(collected, collected.length));
      all.addAll(results);
      return all;
    }

    private Cuts all() {
      return Cuts.even(loop.rows, 1);
    }

    /**
     * @param drawn the numbers of the rows
     */
    private List<Value> results(List<Value> rows, List<Value> given, Caller caller, long[] drawn) {
      try {
        return results(rows, given, caller);
      } catch (UserError e) {
        throw FailingRow.of(
            e, rows, r -> drawn[Math.toIntExact(r)], (_, some) -> results(some, given, caller));
      }
    }

    private List<Value> results(List<Value> rows, List<Value> given, Caller caller) {
      var cuts = new ArrayList<Cuts>();
      for (int d = 0; d < plan.pieces().datasets().size(); d++) {
        cuts.add(Cuts.even(((ArrayValue) rows.get(plan.columnOf(d))).dim(0), 1));
      }
      return new LocalPieces(LocalPieces.whole(plan, rows, cuts), cuts, caller)
          .results(plan, plan.arguments(loop.shapes, given));
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      throw new IllegalStateException("batches in more than one shard");
    }
  }
}
