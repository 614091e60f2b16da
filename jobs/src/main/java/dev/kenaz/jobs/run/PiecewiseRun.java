package dev.kenaz.jobs.run;

import dev.kenaz.arrow.ArrowPieces;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.distribute.StageExecutor;
import dev.kenaz.ir.Var;
import dev.kenaz.jobs.OwnProcess;
import dev.kenaz.jobs.Screen;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.pipeline.StepCaller;
import dev.kenaz.spark.ArrowParts;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.spark.RowSink;
import dev.kenaz.spark.SourceText;
import dev.kenaz.spark.SparkData;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A run of an entry point over a dataset in pieces. The results of each method are those of the
 * plan, without those that are in files alone.
 *
 * @param rows the names of the parameters that are the dataset
 * @param out where results go, if they go into files
 * @param checkpoints whether the state of loops is kept
 */
public record PiecewiseRun(
    ProgramSource source,
    PiecewiseEntry entry,
    List<String> rows,
    CompileOptions options,
    Optional<ResultsFolder.Place> out,
    Optional<LoopCheckpoints.Choice> checkpoints) {

  private static final Screen SCREEN = Screen.error();

  private Plan plan() {
    return entry.plan();
  }

  /** Runs over arguments that are in memory. */
  public List<Optional<Value>> overValues(List<Value> arguments, LongFunction<Cuts> cuts) {
    var given = entry.given(arguments);
    var data = LoopCheckpoints.digest(given.columns()) + " " + given.rows();
    var all = entry.cuts(given, cuts);
    return run(
        data,
        List.of(),
        given.replicated(),
        results -> local(LocalPieces.whole(plan(), given.columns(), all), all, results));
  }

  /** Runs over files, in this process. */
  public List<Optional<Value>> here(ParameterData data, List<Value> arguments, OptionalInt pieces) {
    var given = entry.replicated(data.kept(), data.shapes(), arguments);
    var source = new ArrowPieces(data, data.pieces(pieces, 1));
    var cuts = source.cuts();
    return run(data.identity(), data.files(), given, results -> local(source, cuts, results));
  }

  /** Runs over files, on Spark. */
  public List<Optional<Value>> onSpark(
      ParameterData data, List<Value> arguments, OptionalInt pieces, Optional<String> master) {
    return onSpark(_ -> OpenedData.ofFiles(data), arguments, pieces, master);
  }

  /**
   * Runs over what Spark reads, and over files.
   *
   * @param opening opens the data
   */
  public List<Optional<Value>> onSpark(
      Function<JavaSparkContext, OpenedData> opening,
      List<Value> arguments,
      OptionalInt pieces,
      Optional<String> master) {
    var text = SourceText.of(source, entry, rows, options);
    try (var spark = SparkStart.open("kenaz run", master, options.backend())) {
      var opened = opening.apply(spark);
      var data = opened.columns();
      var given = entry.replicated(data.kept(), data.shapes(), arguments);
      return run(
          data.identity(),
          data.files(),
          given,
          results -> {
            var sink =
                results.isPresent() ? new ArrowParts(results.get().parts()) : RowSink.COLLECT;
            var engine = SparkData.engine(spark, text, opened, pieces, sink);
            var caller = text.caller(Runtime.getRuntime().availableProcessors());
            return new Engine(engine, caller, engine::rows);
          });
    }
  }

  /** What runs stages, and has the rows that stay in pieces if they are not in files. */
  private record Engine(
      StageExecutor stages, PlanRunner.Caller caller, Function<Var, Value> rows) {}

  private Engine local(
      LocalPieces.Source source, List<Cuts> cuts, Optional<ResultsFolder> results) {
    var caller = new StepCaller(options);
    if (results.isEmpty()) {
      var engine = new LocalPieces(source, cuts, caller);
      return new Engine(engine, caller, engine::rows);
    }
    var parts = results.get().parts();
    LocalPieces.Taker taker = (stage, piece, rows) -> parts.write(stage.number(), piece, rows);
    return new Engine(new LocalPieces(source, cuts, caller, taker), caller, _ -> null);
  }

  private List<Optional<Value>> run(
      String data,
      List<Path> inputs,
      List<Value> arguments,
      Function<Optional<ResultsFolder>, Engine> engines) {
    try (var folder = out.map(place -> ResultsFolder.open(plan(), place, inputs)).orElse(null)) {
      var results = Optional.ofNullable(folder);
      return run(engines.apply(results), results, data, arguments);
    }
  }

  private List<Optional<Value>> run(
      Engine engine, Optional<ResultsFolder> results, String data, List<Value> arguments) {
    try (var kept =
        checkpoints.map(c -> checkpoints(c, data, arguments, engine.stages())).orElse(null)) {
      var progress = new RunProgress(plan(), Optional.ofNullable(kept), SCREEN);
      var runner = new PlanRunner(plan(), engine.stages(), engine.caller(), progress);
      List<Optional<Value>> values;
      if (results.isPresent()) {
        values = runner.run(arguments);
        SCREEN.clear();
        results.get().complete(values, PiecewiseRun::say);
      } else {
        values = runner.results(arguments, engine.rows()).stream().map(Optional::of).toList();
      }
      if (kept != null) {
        kept.discard();
      }
      return values;
    } finally {
      SCREEN.clear();
    }
  }

  private LoopCheckpoints checkpoints(
      LoopCheckpoints.Choice choice, String data, List<Value> arguments, StageExecutor engine) {
    if (plan().steps().stream().noneMatch(PiecewiseRun::hasLoop)) {
      say("warning: no loop of " + entry.type().name() + " has stages; there is nothing to keep");
    }
    var subject = new TreeMap<String, String>();
    subject.put("version of kenaz", OwnProcess.version());
    subject.put("program", LoopCheckpoints.digest(new TreeMap<>(source.files()).toString()));
    subject.put("entry point", entry.type().name());
    subject.put("dataset", rows.stream().sorted().toList() + " " + data);
    subject.put("argument", LoopCheckpoints.digest(arguments));
    if (!plan().goesOnFromDriver()) {
      int datasets = plan().pieces().datasets().size();
      var cuts = IntStream.range(0, datasets).mapToObj(engine::cuts).toList();
      subject.put("number of pieces", Long.toString(engine.pieces()));
      subject.put("division into pieces", LoopCheckpoints.digest(cuts.toString()));
    }
    subject.put("--checkpoint-memory", Long.toString(options.loopMemory()));
    var checkpoints = LoopCheckpoints.open(choice, subject);
    checkpoints
        .found()
        .ifPresent(s -> say("resuming after iteration " + s.position().getLast() + " of a loop"));
    return checkpoints;
  }

  private static boolean hasLoop(Plan.Step step) {
    return switch (step) {
      case Plan.Compute _, Plan.Stage _, Plan.Exchange _ -> false;
      case Plan.Repeat _ -> true;
      case Plan.Choose c ->
          Stream.of(c.then(), c.otherwise())
              .flatMap(branch -> branch.steps().stream())
              .anyMatch(PiecewiseRun::hasLoop);
    };
  }

  private static void say(String line) {
    SCREEN.say(line);
  }
}
