package dev.kenaz.spark;

import dev.kenaz.arrow.RowLayout;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.Plan;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;

/**
 * A stage of a plan, as executors run it. Its values are the combined ones, then the gathered ones,
 * then what the sink made of the rows that stay in pieces.
 *
 * @param number the number of the stage in the plan of {@code text}
 * @param places where the driver's plan has which value
 * @param cuts which rows of the first dataset each shard has
 * @param draws what each run takes rows of its own of; then the last replicated values are these
 *     rows, and how the first dataset is cut that they give. Null if it takes all rows: Spark can't
 *     send an {@code Optional}
 * @param sink what takes the rows that stay in pieces
 * @param title what Spark calls it
 * @param key holds the whole text, so it is made once; with it, executors keep what they opened
 */
record PlanStage(
    ProgramText text,
    int number,
    String places,
    Cuts cuts,
    Draws draws,
    RowSink sink,
    String title,
    String key)
    implements ShardProgram {
  /**
   * What rows are drawn of.
   *
   * @param rows how all rows are cut
   * @param layout which arrays have elements of their lists
   */
  record Draws(Cuts rows, RowLayout layout) implements Serializable {}

  /** The number of operators that a title names at most. */
  private static final int NAMED = 3;

  static PlanStage of(ProgramText text, Plan.Stage stage, Cuts cuts, Draws draws, RowSink sink) {
    var key =
        String.join(
            " ",
            text.key(),
            "stage",
            stage.number() + "",
            stage.places(),
            "of",
            cuts.toString(),
            draws == null ? "" : "drawn of " + draws,
            sink.key());
    var title = title(text.plan(), stage);
    return new PlanStage(text, stage.number(), stage.places(), cuts, draws, sink, title, key);
  }

  /** Returns for example {@code kmeans.fut:12 reduce - stage 1 of gradient}. */
  private static String title(Plan plan, Plan.Stage stage) {
    var operators =
        stage.origins().stream().map(PlanStage::named).distinct().collect(Collectors.toList());
    if (operators.isEmpty()) {
      var rows = stage.kept().isEmpty() ? stage.gathered() : stage.kept();
      (rows.isEmpty() ? stage.stored() : rows).forEach(v -> operators.add("rows of " + v.name()));
    }
    var named = String.join(", ", operators.subList(0, Math.min(NAMED, operators.size())));
    var more = operators.size() > NAMED ? ", ..." : "";
    return "%s%s - stage %d of %s".formatted(named, more, stage.number(), plan.entry());
  }

  /** Returns for example {@code kmeans.fut:12 reduce}. */
  static String named(Plan.Origin origin) {
    var span = origin.span();
    var file = span.file().substring(span.file().lastIndexOf('/') + 1);
    return (span.known() ? file + ":" + span.line() + " " : "") + origin.operator();
  }

  @Override
  public boolean usesGpu() {
    return text.usesGpu();
  }

  @Override
  public ShardFunction open() {
    var stage =
        text.plan().stages().stream().filter(s -> s.number() == number).findFirst().orElseThrow();
    Plan.checkPlaces(places, stage.places());
    return new Opened(text, stage, cuts, draws, sink);
  }

  /**
   * A compiled stage. The replicated values are those that the stage needs, those that only its
   * combination needs, and how the rows of its spaces are cut. The values of a piece are its
   * columns, then what else the stage reads; what the stage stores is behind its other results.
   */
  private record Opened(ProgramText text, Plan.Stage stage, Cuts cuts, Draws draws, RowSink sink)
      implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var reads = values.subList(values.size() - stage.reads().size(), values.size());
      int spaces = replicated.size() - (draws == null ? 0 : 2);
      var rows = this.cuts;
      List<Value> columns;
      if (draws == null) {
        columns = stage.sharded().stream().map(values::get).toList();
      } else {
        var drawn = DrawnRows.of((ArrayValue) replicated.get(spaces)).of(draws.rows(), shard);
        columns = RowPick.rows(values, stage.sharded(), drawn, draws.layout());
        rows = Cuts.of((ArrayValue) replicated.get(spaces + 1));
      }
      var arguments = new ArrayList<>(rows.numbers(shard));
      var cuts =
          replicated.subList(spaces(), spaces).stream()
              .map(cut -> Cuts.of((ArrayValue) cut))
              .toList();
      arguments.addAll(stage.numbers(shard, cuts, reads));
      arguments.addAll(replicated.subList(0, stage.broadcast().size()));
      arguments.addAll(columns);
      arguments.addAll(reads);
      try {
        return ordered(shard, stage.delivered(text.caller(cores).call(stage.local(), arguments)));
      } catch (UserError e) {
        boolean others = !reads.isEmpty() || !stage.spaces().isEmpty();
        throw others ? e : failed(e, shard, replicated, columns, arguments, cores);
      }
    }

    /**
     * @param columns of the rows that the stage took
     * @param arguments those with which it failed
     */
    private RuntimeException failed(
        UserError e,
        int shard,
        List<Value> replicated,
        List<Value> columns,
        List<Value> arguments,
        int cores) {
      LongUnaryOperator numbers = r -> r;
      if (draws != null) {
        int at = replicated.size() - 2;
        var drawn = DrawnRows.of((ArrayValue) replicated.get(at)).of(draws.rows(), shard);
        numbers = r -> drawn[Math.toIntExact(r)];
      }
      int first = arguments.size() - columns.size();
      return FailingRow.of(
          e,
          columns,
          numbers,
          (from, some) -> {
            var given = new ArrayList<>(arguments.subList(0, first));
            given.addAll(some);
            Cuts.narrow(given, from, ((ArrayValue) some.getFirst()).dim(0));
            text.caller(cores).call(stage.local(), given);
          });
    }

    private int spaces() {
      return stage.broadcast().size() + stage.combineWith().size();
    }

    private List<Value> ordered(int shard, List<Value> results) {
      if (stage.kept().isEmpty()) {
        return results;
      }
      int combined = stage.outputs().size();
      int kept = combined + stage.kept().size();
      int stored = kept + stage.gathered().size();
      var all = new ArrayList<>(results.subList(0, combined));
      all.addAll(results.subList(kept, stored));
      all.addAll(sink.take(stage.number(), shard, results.subList(combined, kept)));
      all.addAll(results.subList(stored, results.size()));
      return all;
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      int combined = stage.outputs().size();
      var all = new ArrayList<Value>();
      if (combined > 0) {
        var arguments = new ArrayList<>(replicated.subList(stage.broadcast().size(), spaces()));
        arguments.addAll(left.subList(0, combined));
        arguments.addAll(right.subList(0, combined));
        all.addAll(text.caller(1).call(stage.combine(), arguments));
      }
      for (int i = combined; i < left.size(); i++) {
        all.add(ArrayValue.joined(List.of((ArrayValue) left.get(i), (ArrayValue) right.get(i))));
      }
      return all;
    }
  }
}
