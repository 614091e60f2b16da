package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K8001;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.distribute.StageExecutor;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs a plan on Spark: every stage is a job over the same shards. */
public final class SparkEngine implements StageExecutor {
  private final SparkRunner runner;
  private final ProgramText text;
  private final Cuts cuts;
  private final RowSink sink;

  /** The stages that have run, by their numbers. */
  private final Map<Integer, PlanStage> programs = new HashMap<>();

  /** For each variable that is as long as the dataset: what the sink sent to the driver. */
  private final Map<Var, Value> rows = new HashMap<>();

  /**
   * @param rowsOfShards how many rows each shard has
   */
  public SparkEngine(SparkRunner runner, ProgramText text, long[] rowsOfShards) {
    this(runner, text, rowsOfShards, RowSink.COLLECT);
  }

  /**
   * @param sink what takes results that are as long as the dataset; an executor may call it more
   *     than once for a shard
   */
  public SparkEngine(SparkRunner runner, ProgramText text, long[] rowsOfShards, RowSink sink) {
    this(runner, text, Cuts.ofRows(rowsOfShards), sink);
  }

  /**
   * @param cuts which rows each shard has
   */
  public SparkEngine(SparkRunner runner, ProgramText text, Cuts cuts, RowSink sink) {
    this.runner = runner;
    this.text = text;
    this.sink = sink;
    this.cuts = cuts;
    checkPlan(text.plan());
  }

  /** Refuses what this engine doesn't do: rows that are kept between stages, or moved. */
  private static void checkPlan(Plan plan) {
    if (!plan.goesOnFromDriver() || plan.pieces().datasets().size() > 1) {
      throw new Limitation(
          Diagnostic.of(
              K8001,
              Span.NONE,
              "the plan of "
                  + plan.entry()
                  + " moves rows between pieces, or keeps some for later stages, which can't be"
                  + " done on Spark",
              "run it without Spark; kenaz plan tells which rows are moved"));
    }
  }

  @Override
  public long rows() {
    return cuts.rows();
  }

  @Override
  public Cuts cuts(int dataset) {
    return cuts;
  }

  @Override
  public long pieces() {
    return cuts.pieces();
  }

  @Override
  public List<Value> run(
      Plan.Stage stage, List<Value> broadcast, List<Value> combineWith, List<Cuts> spaces) {
    var replicated = new ArrayList<>(broadcast);
    replicated.addAll(combineWith);
    var program =
        programs.computeIfAbsent(stage.number(), _ -> PlanStage.of(text, stage, cuts, sink));
    var values = runner.run(program, replicated).values();
    int combined = stage.outputs().size() + stage.gathered().size();
    if (sink.equals(RowSink.COLLECT)) {
      for (int i = 0; i < stage.kept().size(); i++) {
        rows.put(stage.kept().get(i), values.get(combined + i));
      }
    }
    return values.subList(0, combined);
  }

  @Override
  public Optional<Cuts> exchange(Plan.Exchange exchange, List<Cuts> spaces, long offset) {
    throw new CompilerBug("spark", "a plan with exchanges");
  }

  @Override
  public void bind(List<Var> to, List<Var> from) {
    if (!to.isEmpty()) {
      throw new CompilerBug("spark", "a plan that carries rows");
    }
  }

  /** Returns all rows of a result that stays in pieces, if they were brought to the driver. */
  public Value rows(Var result) {
    return rows.get(result);
  }

  /**
   * Runs the plan and collects all results, also those that are as long as the dataset.
   *
   * @param arguments the arguments that {@link PlanRunner#run} takes
   */
  public List<Value> results(Plan plan, PlanRunner.Caller caller, List<Value> arguments) {
    return new PlanRunner(plan, this, caller).results(arguments, this::rows);
  }
}
