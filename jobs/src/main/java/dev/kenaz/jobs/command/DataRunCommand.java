package dev.kenaz.jobs.command;

import dev.kenaz.ir.ExternalForm;
import dev.kenaz.jobs.run.PiecewiseRun;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs an entry point on values and on data in Arrow files, in this process or on Spark. */
@Command(
    name = "run",
    description =
        "Runs a program: it reads arguments from standard input, and prints results"
            + " to standard output. Arrays may also be columns of Arrow files.",
    mixinStandardHelpOptions = true)
public final class DataRunCommand implements Callable<Integer> {
  @Mixin private RunOptions options;
  @Mixin private PieceOptions pieces;
  @Mixin private DataOptions data;
  @Mixin private SparkOptions spark;
  @Mixin private CheckpointOptions checkpoints;

  @Override
  public Integer call() throws IOException {
    data.check(pieces);
    boolean inPieces = pieces.given(data.given());
    spark.check(pieces, data.given(), data.hasTables());
    checkpoints.check(inPieces);
    data.checkOutput(inPieces);
    if (data.given() || spark.given()) {
      runInPieces(true);
    } else if (inPieces && (data.out().isPresent() || checkpoints.given())) {
      runInPieces(false);
    } else {
      options.run(pieces);
    }
    return 0;
  }

  /**
   * @param overFiles whether the rows of arrays are in files
   */
  private void runInPieces(boolean overFiles) throws IOException {
    var names = Stream.concat(data.names().stream(), pieces.rows().stream()).toList();
    var compiler = options.compiler();
    var source = ProgramSource.read(compiler.file());
    var planned = compiler.plan(source, options.entry(), names);
    var run =
        new PiecewiseRun(
            source, planned, names, compiler.options(), data.out(), checkpoints.chosen());
    if (overFiles) {
      data.requireNumbers(planned.type(), pieces.rows());
    }
    var arguments = options.arguments(planned.type(), data.names());
    List<Optional<Value>> results;
    if (!overFiles) {
      results = run.overValues(arguments, pieces::cuts);
    } else if (data.hasTables()) {
      results =
          run.onSpark(data.onSpark(planned, arguments), arguments, pieces.number(), spark.master());
    } else if (spark.given()) {
      var opened = data.open(planned, arguments);
      results = run.onSpark(opened, arguments, pieces.number(), spark.master());
    } else {
      results = run.here(data.open(planned, arguments), arguments, pieces.number());
    }
    print(planned, results);
  }

  /** Prints the results that are not in files alone. */
  private void print(PiecewiseEntry planned, List<Optional<Value>> results) throws IOException {
    var written = ExternalForm.results(planned.type()).values();
    var printed = new ArrayList<Value>();
    for (int i = 0; i < results.size(); i++) {
      if (written.get(i).isPresent()) {
        results.get(i).ifPresent(printed::add);
      }
    }
    options.write(printed);
  }
}
