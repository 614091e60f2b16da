package dev.kenaz.jobs.bench;

import dev.kenaz.kernels.CountingDevice;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compilation;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Counts launches, waits, copies and memory of calls on a GPU, without a GPU. */
final class Launches {
  /** For so many nanoseconds the host's code of a call is measured. */
  private static final long MEASURED = 1_000_000_000L;

  private final boolean kernels;
  private final Consumer<String> out;
  private final Map<String, Compilation<GpuProgram>> programs = new HashMap<>();

  /**
   * @param kernels whether to list how often each kernel is launched
   */
  Launches(boolean kernels, Consumer<String> out) {
    this.kernels = kernels;
    this.out = out;
  }

  void table(List<BenchCase> cases, DataSize data) {
    out.accept(
        "| program | data | kernels | launches | waits | in MB | copies | copied MB | peak MB"
            + " | host ms |");
    out.accept("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (var c : cases) {
      var program = programs.computeIfAbsent(c.program(), _ -> compiled(c));
      for (var shape : c.shapes(data)) {
        var arguments = new ArrayList<>(shape.arguments().get());
        var results = row(program, c.name(), shape.label(), c.primal(), arguments);
        if (c.adjoints()) {
          results.forEach(r -> arguments.add(r));
        }
        row(program, c.name() + ", derivative", shape.label(), c.derivative(), arguments);
      }
    }
  }

  private static Compilation<GpuProgram> compiled(BenchCase c) {
    var options = CompileOptions.of(Backend.SIMULATE);
    return Compiler.run(c.source(), Pipelines.optimised(options).then(Pipelines.gpu()), options);
  }

  private List<Value> row(
      Compilation<GpuProgram> program,
      String name,
      String data,
      String entry,
      List<Value> arguments) {
    var point = program.core().entryPoint(entry);
    int own = program.core().function(point.function()).params().size() - point.sizeParams();
    var device = new CountingDevice();
    var run = new GpuRun(program.program(), device);
    var given = List.copyOf(arguments.subList(0, own));
    var results = run.call(entry, given);
    var asked = device.asked();
    out.accept(
        String.format(
            Locale.ROOT,
            "| %s | %s | %d | %d | %d | %.1f | %d | %.1f | %.1f | %.3f |",
            name,
            data,
            asked.launches().size(),
            asked.total(),
            asked.waits(),
            asked.in() / 1e6,
            asked.copies(),
            asked.copied() / 1e6,
            asked.peak() / 1e6,
            hostSeconds(run, () -> run.call(entry, given)) * 1e3));
    if (kernels) {
      asked.launches().forEach((kernel, n) -> out.accept("    " + kernel + " " + n));
    }
    return results;
  }

  /**
   * Returns how long the host's code takes for a call, once it is warm: the median of the last half
   * of the calls of a second. No GPU can be faster than its host asks it.
   */
  private static double hostSeconds(GpuRun run, Runnable call) {
    var nanos = new ArrayList<Long>();
    long start = System.nanoTime();
    while (System.nanoTime() - start < MEASURED) {
      call.run();
      nanos.add(run.nanos());
    }
    var late = nanos.subList(nanos.size() / 2, nanos.size()).stream().sorted().toList();
    return late.get(late.size() / 2) * 1e-9;
  }
}
