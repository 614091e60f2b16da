package dev.kenaz.spark;

import dev.kenaz.arrow.RowLayout;
import dev.kenaz.distribute.Arrivals;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.distribute.RowFiles;
import dev.kenaz.distribute.StageExecutor;
import dev.kenaz.distribute.WholeTable;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Runs a plan on Spark: every stage is a job over the same shards. */
public final class SparkEngine implements StageExecutor, AutoCloseable {
  private final SparkRunner runner;
  private final ProgramText text;
  private final List<Cuts> all;

  /** The rows that are taken of all; null if these are all. */
  private DrawnRows drawn;

  /** What they are taken of; null if these are all. */
  private PlanStage.Draws draws;

  /** How the rows that are taken are cut. */
  private List<Cuts> cuts;

  private final RowSink sink;
  private final Exchanges exchanges;
  private final StoredRows stored;

  /** Whether the rows that arrive must be counted. */
  private final Map<Plan.Send, Boolean> counts = new IdentityHashMap<>();

  /** Whether pieces may be sent tables that they read by numbers. */
  private boolean sendsTables = true;

  /** The number of the stage that ran last. */
  private int at;

  /** The stages that have run, by their numbers. */
  private final Map<Integer, PlanStage> programs = new HashMap<>();

  /** For each variable that is as long as a dataset: what the sink sent to the driver. */
  private final Map<Var, Value> rows = new HashMap<>();

  /**
   * An engine for one dataset, which brings the rows that stay in pieces to the driver.
   *
   * @param rowsOfShards how many rows each shard has
   */
  public SparkEngine(SparkRunner runner, ProgramText text, long[] rowsOfShards) {
    this(runner, text, List.of(Cuts.ofRows(rowsOfShards)), RowSink.COLLECT);
  }

  /**
   * @param cuts which rows of each dataset each shard has, in the order of the plan's datasets
   * @param sink what takes results that are as long as a dataset; an executor may call it more than
   *     once for a shard
   */
  public SparkEngine(SparkRunner runner, ProgramText text, List<Cuts> cuts, RowSink sink) {
    this.runner = runner;
    this.text = text;
    this.sink = sink;
    this.all = List.copyOf(cuts);
    this.cuts = all;
    this.exchanges = new Exchanges(runner, cuts.getFirst().pieces());
    this.stored = new StoredRows(runner, exchanges);
  }

  /**
   * Takes some rows in what is run from now on, with the elements of their lists.
   *
   * @param layout the same in each call
   */
  public void take(DrawnRows rows, RowLayout layout) {
    if (drawn == null) {
      programs.clear();
    }
    drawn = rows;
    draws = new PlanStage.Draws(all.get(layout.rows()), layout);
    cuts = RowPick.cuts(runner, rows, all, layout);
  }

  /** Has pieces ask for all rows that they read by numbers, however small the table is. */
  void asksForRows() {
    sendsTables = false;
  }

  @Override
  public long rows() {
    return cuts.getFirst().rows();
  }

  @Override
  public Cuts cuts(int dataset) {
    return cuts.get(dataset);
  }

  @Override
  public long pieces() {
    return cuts.getFirst().pieces();
  }

  @Override
  public List<Value> run(
      Plan.Stage stage, List<Value> broadcast, List<Value> combineWith, List<Cuts> spaces) {
    var replicated = new ArrayList<>(broadcast);
    replicated.addAll(combineWith);
    spaces.forEach(s -> replicated.add(s.value()));
    if (drawn != null) {
      replicated.add(drawn.value());
      replicated.add(cuts.getFirst().value());
    }
    var program =
        programs.computeIfAbsent(
            stage.number(), _ -> PlanStage.of(text, stage, all.getFirst(), draws, sink));
    at = stage.number();
    var values = orCleared(() -> run(stage, program, replicated));
    int combined = stage.outputs().size() + stage.gathered().size();
    if (sink.equals(RowSink.COLLECT)) {
      for (int i = 0; i < stage.kept().size(); i++) {
        rows.put(stage.kept().get(i), values.get(combined + i));
      }
    }
    return values.subList(0, combined);
  }

  private List<Value> run(Plan.Stage stage, PlanStage program, List<Value> replicated) {
    if (stage.reads().isEmpty() && stage.stored().isEmpty() && stage.states() == 0) {
      return runner.run(program, replicated).values();
    }
    var reads = Piece.Reads.of(stored.all(stage.reads()));
    var made = runner.runPieces(program, stage, replicated, reads);
    titled(
        "rows that pieces keep",
        () -> {
          stored.storeOfStage(stage.stored(), made.pieces());
          return null;
        });
    return made.values();
  }

  @Override
  public void end() {
    titled(
        "rows that nothing reads",
        () -> {
          stored.end();
          return null;
        });
  }

  @Override
  public Optional<Cuts> exchange(Plan.Exchange exchange, List<Cuts> spaces, long offset) {
    return titled(title(exchange), () -> exchanged(exchange, spaces.get(0), spaces.get(1), offset));
  }

  private Optional<Cuts> exchanged(Plan.Exchange exchange, Cuts of, Cuts into, long offset) {
    switch (exchange) {
      case Plan.Recut r when offset == 0 && of.equals(into) -> stored.bind(r.to(), r.reads());
      case Plan.Recut r -> {
        var move = new RowsMoved.Stretch(of, offset, into);
        stored.store(r.to(), exchanges.moved(stored.all(r.reads()), move));
      }
      case Plan.Fetch f -> {
        var from = stored.get(f.from());
        var numbers = stored.get(f.index());
        boolean whole = sendsTables && WholeTable.isSent(f, of.rows(), into.rows(), pieces());
        stored.store(
            f.to(),
            whole ? exchanges.sent(from, of, numbers) : exchanges.fetched(from, of, numbers));
      }
      case Plan.Send s -> {
        var arrived = exchanges.moved(stored.all(s.reads()), new RowsMoved.ByNumber(into));
        stored.store(s.to(), arrived);
        boolean counted = counts.computeIfAbsent(s, _ -> Arrivals.mustBeCounted(text.plan(), s));
        // No step looks at the counts otherwise.
        return Optional.of(counted ? stored.compute(arrived) : Cuts.even(0, cuts(0).pieces()));
      }
    }
    return Optional.empty();
  }

  private static String title(Plan.Exchange exchange) {
    var what =
        switch (exchange) {
          case Plan.Recut r -> "rows of " + r.from().name() + " to other pieces";
          case Plan.Fetch f -> "rows of " + f.from().name() + " by number";
          case Plan.Send s ->
              s.values().stream().map(Var::name).collect(Collectors.joining(", ", "rows of ", ""))
                  + " to the pieces of their numbers";
        };
    return PlanStage.named(new Plan.Origin(what, exchange.span()));
  }

  @Override
  public void bind(List<Var> to, List<Var> from) {
    orCleared(
        () -> {
          stored.bind(to, from);
          return null;
        });
  }

  @Override
  public boolean holds(Var rows) {
    return stored.has(rows);
  }

  @Override
  public Object held(Var rows) {
    return stored.get(rows);
  }

  @Override
  public void write(Var rows, RowFiles to) {
    titled("rows of " + rows.name() + " into a checkpoint", () -> stored.write(rows, to));
  }

  @Override
  public void read(Var rows, RowFiles from) {
    titled("rows of " + rows.name() + " from a checkpoint", () -> stored.read(rows, from));
  }

  private <T> T titled(String title, Supplier<T> jobs) {
    var all = "%s - after stage %d of %s".formatted(title, at, text.plan().entry());
    return orCleared(() -> JobTitle.during(runner.context(), all, jobs));
  }

  /** Executors keep nothing of a plan that fails. */
  private <T> T orCleared(Supplier<T> work) {
    try {
      return work.get();
    } catch (Throwable e) {
      stored.clear();
      throw e;
    }
  }

  /** Drops what executors keep between stages. The next run of the plan begins without it. */
  @Override
  public void close() {
    stored.clear();
  }

  /** Returns all rows of a result that stays in pieces, if they were brought to the driver. */
  public Value rows(Var result) {
    return rows.get(result);
  }

  /**
   * Runs the plan and collects all results, also those that are as long as a dataset.
   *
   * @param arguments the arguments that {@link PlanRunner#run} takes
   */
  public List<Value> results(Plan plan, PlanRunner.Caller caller, List<Value> arguments) {
    try {
      return new PlanRunner(plan, this, caller).results(arguments, this::rows);
    } finally {
      close();
    }
  }
}
