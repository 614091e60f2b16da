package dev.kenaz.jobs.bench;

import dev.kenaz.cuda.runtime.KernelTimes;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.Value;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures functions and their derivatives. */
final class SuiteRun implements AutoCloseable {
  private static final int RUNS = 5;

  private final CompileOptions options;
  private final double seconds;
  private final int runs;
  private final SuiteRows rows;
  private final boolean kernels;
  private final Map<String, CompiledProgram> programs = new HashMap<>();

  /**
   * Makes a run that prints each row when it is measured.
   *
   * @param seconds how long each function is warmed up, and how long it is measured; 0 to call it
   *     once
   * @param kernels whether to list how long each kernel of a call takes, on a GPU
   */
  SuiteRun(CompileOptions options, double seconds, boolean kernels, SuiteRows rows) {
    this.options = options;
    this.seconds = seconds;
    this.runs = seconds == 0 ? 1 : RUNS;
    this.kernels = kernels;
    this.rows = rows;
  }

  void table(List<BenchCase> cases, DataSize data) {
    if (rows.beginning()) {
      rows.print("| program | data | function ms | GB/s | with derivative ms | times | paper |");
      rows.print("| --- | --- | --- | --- | --- | --- | --- |");
    }
    for (var c : cases) {
      c.shapes(data).forEach(shape -> rows.row(c.name(), shape.label(), () -> row(c, shape)));
    }
  }

  private void row(BenchCase c, BenchCase.Shape shape) {
    var program = programs.computeIfAbsent(c.program(), _ -> Compiler.compile(c.source(), options));
    var arguments = new ArrayList<>(shape.arguments().get());
    var primal = program.entry(c.primal());
    if (c.adjoints()) {
      arguments.addAll(new Draw().like(primal.call(arguments)));
    }
    int own = primal.type().params().stream().mapToInt(p -> p.type().flat().size()).sum();
    var derivative = program.entry(c.derivative());
    double s = measure(program, primal, arguments.subList(0, own));
    double t = measure(program, derivative, arguments);
    var times = new ArrayList<String>();
    if (kernels) {
      times.addAll(kernelTimes(program, primal, arguments.subList(0, own)));
      times.addAll(kernelTimes(program, derivative, arguments));
    }
    arguments.forEach(program::release);
    rows.print(
        String.format(
            Locale.ROOT,
            "| %s | %s | %.3f | %s | %.3f | %.2f | %s |",
            c.name(),
            shape.label(),
            s * 1e3,
            shape.bytes() == 0 ? "" : "%.2f".formatted(shape.bytes() / s / 1e9),
            t * 1e3,
            t / s,
            shape.paper()));
    times.forEach(rows::print);
  }

  /** Returns a line for each kernel of a call, the longest first. */
  private static List<String> kernelTimes(
      CompiledProgram program, CompiledEntry entry, List<Value> arguments) {
    KernelTimes.start();
    entry.call(arguments).forEach(program::release);
    return KernelTimes.stop().stream()
        .map(
            t ->
                String.format(
                    Locale.ROOT,
                    "    %.3f ms, %d launches of %s",
                    t.seconds() * 1e3,
                    t.launches(),
                    t.kernel()))
        .toList();
  }

  /**
   * Measures a call. On one core of the JVM this is the mean CPU time of the calling thread, since
   * clocks may be coarse. Otherwise it is the median wall time or, if a device tells that, the time
   * of its computation.
   */
  private double measure(CompiledProgram program, CompiledEntry entry, List<Value> arguments) {
    for (double start = now(); now() - start < seconds; ) {
      program.discard(entry.call(arguments));
    }
    var times = new ArrayList<Double>();
    double start = now();
    while (times.size() < runs || now() - start < seconds) {
      double before = now();
      var results = entry.call(arguments);
      double all = now() - before;
      program.discard(results);
      var computed = entry.computeNanos();
      times.add(computed.isPresent() ? computed.getAsLong() / 1e9 : all);
    }
    times.sort(null);
    return oneCore() ? (now() - start) / times.size() : times.get(times.size() / 2);
  }

  private boolean oneCore() {
    return options.cores() == 1 && options.backend() == Backend.JVM;
  }

  private double now() {
    long nanos =
        oneCore()
            ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
            : System.nanoTime();
    return nanos / 1e9;
  }

  @Override
  public void close() {
    programs.values().forEach(CompiledProgram::close);
  }
}
