package dev.kenaz.jobs.bench;

import dev.kenaz.Backend;
import dev.kenaz.CompileOptions;
import dev.kenaz.Entry;
import dev.kenaz.Kenaz;
import dev.kenaz.Program;
import dev.kenaz.value.Value;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Measures functions and their derivatives: medians of CPU time, and of wall time. */
final class SuiteRun implements AutoCloseable {
  private static final int RUNS = 5;

  private final CompileOptions options;
  private final double seconds;
  private final Consumer<String> out;
  private final Map<String, Program> programs = new HashMap<>();

  /**
   * Prints as it goes.
   *
   * @param cores threads a call may use
   * @param seconds to warm up, and to measure, each function
   */
  SuiteRun(Backend backend, int cores, double seconds, Consumer<String> out) {
    this.options = CompileOptions.of(backend).onCores(cores);
    this.seconds = seconds;
    this.out = out;
  }

  void table(List<BenchCase> cases) {
    out.accept("| program | data | function ms | GB/s | with derivative ms | times | paper |");
    out.accept("| --- | --- | --- | --- | --- | --- | --- |");
    for (var c : cases) {
      var program = programs.computeIfAbsent(c.program(), _ -> Kenaz.compile(c.source(), options));
      for (var shape : c.timed()) {
        row(program, c, shape);
      }
    }
  }

  private void row(Program program, BenchCase c, BenchCase.Shape shape) {
    var arguments = new ArrayList<>(shape.arguments().get());
    var primal = program.entry(c.primal());
    if (c.adjoints()) {
      arguments.addAll(new Draw().like(primal.call(arguments)));
    }
    int own = primal.type().params().stream().mapToInt(p -> p.type().flat().size()).sum();
    var before = measure(primal, arguments.subList(0, own));
    var after = measure(program.entry(c.derivative()), arguments);
    double s = options.cores() == 1 ? before.cpu() : before.wall();
    double t = options.cores() == 1 ? after.cpu() : after.wall();
    out.accept(
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
  }

  private Clock.Seconds measure(Entry entry, List<Value> arguments) {
    long warm = System.nanoTime() + (long) (seconds * 1e9);
    do {
      entry.call(arguments);
    } while (System.nanoTime() < warm);
    var times = new ArrayList<Clock.Seconds>();
    var threads = ManagementFactory.getThreadMXBean();
    long end = System.nanoTime() + (long) (seconds * 1e9);
    while (times.size() < RUNS || System.nanoTime() < end) {
      // on one core a call stays in its thread, whose clock is much finer than the process's
      long cpu = threads.getCurrentThreadCpuTime();
      long wall = System.nanoTime();
      entry.call(arguments);
      times.add(
          new Clock.Seconds(
              (System.nanoTime() - wall) / 1e9, (threads.getCurrentThreadCpuTime() - cpu) / 1e9));
    }
    return Clock.median(times);
  }

  @Override
  public void close() {
    programs.values().forEach(Program::close);
  }
}
