package dev.kenaz.jobs.bench;

import dev.kenaz.flatten.Flatten;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.kernels.CountingDevice;
import dev.kenaz.kernels.GpuLowering;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** What calls on a GPU come to: launches, waits, copies, memory; without a GPU. */
final class Launches {
  private final boolean kernels;
  private final Consumer<String> out;
  private final Map<String, Compiled> programs = new HashMap<>();

  private record Compiled(CoreProgram core, GpuProgram gpu) {}

  /**
   * @param kernels whether to list how often each kernel is launched
   */
  Launches(boolean kernels, Consumer<String> out) {
    this.kernels = kernels;
    this.out = out;
  }

  void table(List<BenchCase> cases, DataSize data) {
    out.accept("| program | data | kernels | launches | waits | in MB | copied MB | peak MB |");
    out.accept("| --- | --- | --- | --- | --- | --- | --- | --- |");
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

  private static Compiled compiled(BenchCase c) {
    var core = Compiler.compile(c.source(), CompileOptions.of(Backend.INTERPRET)).core();
    return new Compiled(core, GpuLowering.program(Flatten.program(core, FlattenOptions.gpu())));
  }

  private List<Value> row(
      Compiled program, String name, String data, String entry, List<Value> arguments) {
    var point = program.core().entries().stream().filter(e -> e.name().equals(entry)).findFirst();
    var definition = program.core().function(point.orElseThrow().function());
    int own = definition.params().size() - point.get().sizeParams();
    var device = new CountingDevice();
    var run = new GpuRun(program.gpu(), device);
    var results = run.call(entry, definition, arguments.subList(0, own));
    var asked = device.asked();
    out.accept(
        String.format(
            Locale.ROOT,
            "| %s | %s | %d | %d | %d | %.1f | %.1f | %.1f |",
            name,
            data,
            asked.launches().size(),
            asked.total(),
            asked.waits(),
            asked.in() / 1e6,
            asked.copied() / 1e6,
            asked.peak() / 1e6));
    if (kernels) {
      asked.launches().forEach((kernel, n) -> out.accept("    " + kernel + " " + n));
    }
    return results;
  }
}
