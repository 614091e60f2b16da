package dev.kenaz.jobs.train;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.BatchLoop;
import dev.kenaz.spark.Batches;
import dev.kenaz.spark.DrawnRows;
import dev.kenaz.spark.RowSink;
import dev.kenaz.spark.SourceText;
import dev.kenaz.spark.SparkEngine;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The entry points of a job, compiled when they are needed. Those that are closed are kept for a
 * while, since pipelines, cross-validations and sweeps train by the same program again and again.
 *
 * @param source the program with the entry points that {@link JobText} has put behind it
 * @param program the same, for calls on the driver
 * @param columns the names of the parameters that are data
 * @param backend what runs stages in executors
 * @param plans those that were made
 */
record JobEntries(
    ProgramSource source,
    CompiledProgram program,
    List<String> columns,
    Backend backend,
    Map<PlanOf, Planned> plans)
    implements AutoCloseable {
  /** A program over some data; values of parameters have no part in it. */
  private record Key(ProgramSource source, List<String> columns, Backend backend) {}

  /** An entry point, and whether rows may be brought to one place for it. */
  record PlanOf(String entry, boolean gathers) {}

  /** Programs that nobody uses now; the one that was closed first comes first. */
  private static final LinkedHashMap<Key, JobEntries> CLOSED = new LinkedHashMap<>();

  /** How many of them are kept. */
  private static final int KEPT = 16;

  /**
   * On so many threads the driver computes its part, however many processors it has: the threads
   * decide in which order numbers are summed, and a driver on another machine must find the same
   * model.
   */
  private static final int DRIVER_THREADS = 4;

  /**
   * Compiles generated entry points.
   *
   * @throws UserError K7402 if the program's functions don't fit each other
   */
  static JobEntries of(JobProgram program, ProgramSource generated, Backend backend) {
    synchronized (CLOSED) {
      var there = CLOSED.remove(new Key(generated, program.columns(), backend));
      if (there != null) {
        return there;
      }
    }
    try {
      JobProgram.lowered(program.written(), generated);
    } catch (UserError e) {
      if (!e.isInterruption()) {
        program.requireSameTypes();
      }
      throw e;
    }
    var options = CompileOptions.of(Backend.JVM).onCores(DRIVER_THREADS);
    var compiled = Compiler.open(generated, options);
    return new JobEntries(
        generated, compiled, program.columns(), backend, new ConcurrentHashMap<>());
  }

  /** An entry point over the data, before there is any. */
  record Planned(PiecewiseEntry entry, SourceText text) {
    /** Returns what calls it over data. */
    OverData on(JobData data) {
      return new OverData(
          this, data, new SparkEngine(data.runner(), text, data.cuts(), RowSink.COLLECT));
    }
  }

  /**
   * Plans an entry point over the data.
   *
   * @param gathers whether rows may be brought to one place
   * @throws dev.kenaz.error.Limitation K8001 if it can't be computed in pieces
   */
  Planned plan(String name, boolean gathers) {
    return plans.computeIfAbsent(new PlanOf(name, gathers), _ -> planned(name, gathers));
  }

  private Planned planned(String name, boolean gathers) {
    var options = CompileOptions.of(backend);
    var planned = PiecewiseEntry.plan(program.lowered(), name, columns, options, gathers).program();
    return new Planned(
        planned, SourceText.of(source, List.of(), planned, columns, options, gathers));
  }

  /** Calls an entry point in this process. */
  List<Value> call(String name, List<Value> arguments) {
    return program.entry(name).call(arguments);
  }

  @Override
  public void close() {
    synchronized (CLOSED) {
      var other = CLOSED.putLast(new Key(source, columns, backend), this);
      if (other != null && other != this) {
        other.program.close();
      }
      if (CLOSED.size() > KEPT) {
        CLOSED.pollFirstEntry().getValue().program.close();
      }
    }
  }

  /** Computes something; a fault names no entry point and no parameter that are generated. */
  static <T> T explained(Supplier<T> work) {
    try {
      return work.get();
    } catch (UserError e) {
      throw new UserError(
          e.diagnostics().stream()
              .map(d -> new Diagnostic(d.code(), d.span(), readable(d.message()), d.hints()))
              .toList());
    }
  }

  private static String readable(String message) {
    return message
        .replaceAll("parameter (" + JobFunction.MODEL + "|kenaz_state)", "the model")
        .replaceAll(" of kenaz_[a-z_]+", "");
  }

  /** An entry point over data. */
  record OverData(Planned planned, JobData data, SparkEngine engine) {
    /**
     * Calls it.
     *
     * @param others the arguments that are not data
     */
    List<Value> call(List<Value> others) {
      var entry = planned.entry();
      var rows = IntStream.range(0, data.cuts().size()).mapToObj(d -> engine.cuts(d).rows());
      var given = explained(() -> entry.replicated(rows.toList(), data.shapes(), others));
      var caller = planned.text().caller(DRIVER_THREADS);
      return engine.results(entry.plan(), caller, given);
    }

    /** Calls it over some of the rows. */
    List<Value> call(List<Value> others, DrawnRows rows) {
      engine.take(rows, data.layout());
      return call(others);
    }

    /** Calls it over one batch after the other, in which the results of one are of the next. */
    BatchLoop.Result overBatches(
        List<Value> state, List<Value> others, Batches batches, long first, long most) {
      var shapes = new ArrayList<>(data.shapes());
      return new BatchLoop(planned.text(), shapes, state.size(), data.rows(), data.layout())
          .run(data.runner(), state, others, batches, first, most);
    }
  }
}
