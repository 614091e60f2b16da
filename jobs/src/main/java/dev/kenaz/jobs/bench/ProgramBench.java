package dev.kenaz.jobs.bench;

import dev.kenaz.jobs.tools.ToolFault;
import dev.kenaz.jobs.tools.server.FailureText;
import dev.kenaz.jobs.tools.suite.Inputs;
import dev.kenaz.jobs.tools.suite.ProgramFiles;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Measures programs. */
public final class ProgramBench {
  private final BenchOptions options;
  private final Consumer<String> out;
  private final BenchReport report = new BenchReport();
  private boolean failed;

  public ProgramBench(BenchOptions options, Consumer<String> out) {
    this.options = options;
    this.out = out;
  }

  public BenchReport report() {
    return report;
  }

  /** Whether anything has failed. */
  public boolean failed() {
    return failed;
  }

  /** Measures the datasets of these files, and of the files in these folders. */
  public void run(List<Path> places) {
    for (var file : ProgramFiles.find(places)) {
      var specs = ProgramFiles.specs(file);
      if (specs.stream().anyMatch(s -> s.action() instanceof TestSpec.Run r && worthwhile(r))
          && specs.stream().noneMatch(s -> excluded(s.tags()))) {
        program(file, specs);
      }
    }
  }

  private boolean worthwhile(TestSpec.Run run) {
    return run.cases().stream().anyMatch(this::worthwhile)
        && (options.entry().isEmpty() || run.entries().contains(options.entry().get()));
  }

  private boolean worthwhile(TestSpec.Case test) {
    return !excluded(test.tags()) && !(test.expected() instanceof TestSpec.RunTimeError);
  }

  private boolean excluded(List<String> tags) {
    return tags.stream()
        .anyMatch(
            t ->
                options.excluded().contains(t)
                    || t.equals("nobench")
                    || t.equals("disable")
                    || t.equals("no_" + options.how().backend().text()));
  }

  private void program(Path file, List<TestSpec> specs) {
    out.accept("Compiling " + file + "...");
    try (var program = Compiler.compile(file, options.how())) {
      for (var spec : specs) {
        if (spec.action() instanceof TestSpec.Run run && worthwhile(run)) {
          entries(file, program, run);
        }
      }
    } catch (RuntimeException | Error e) {
      failed = true;
      report.fail(file.toString(), "compilation", FailureText.of(e));
      out.accept(file + ": " + FailureText.of(e));
    }
  }

  private void entries(Path file, CompiledProgram program, TestSpec.Run run) {
    for (var name : run.entries()) {
      if (options.entry().isPresent() && !options.entry().get().equals(name)) {
        continue;
      }
      var title = name.equals("main") ? file.toString() : file + ":" + name;
      out.accept("\n" + title + " (" + options.how().backend().text() + "):");
      for (int i = 0; i < run.cases().size(); i++) {
        var test = run.cases().get(i);
        if (worthwhile(test)) {
          dataset(file, program, title, program.entry(name), test, Inputs.name(test, i));
        }
      }
    }
  }

  private void dataset(
      Path file,
      CompiledProgram program,
      String title,
      CompiledEntry entry,
      TestSpec.Case test,
      String dataset) {
    try {
      var inputs = new Inputs(file);
      var arguments = inputs.arguments(program, entry, test);
      if (options.validate()) {
        validate(inputs, entry, test, entry.call(arguments));
      }
      var runtimes = measure(program, entry, arguments);
      report.add(title, dataset, runtimes);
      out.accept(shown(dataset, runtimes));
    } catch (RuntimeException | Error e) {
      failed = true;
      report.fail(title, dataset, FailureText.of(e));
      out.accept(dataset + ": " + FailureText.of(e));
    }
  }

  private static String shown(String dataset, Runtimes r) {
    return String.format(
        Locale.ROOT,
        "%-40s %12.1fμs (95%% CI: [%10.1f, %10.1f]; %d runs)",
        dataset + ":",
        r.mean(),
        r.mean() - r.margin(),
        r.mean() + r.margin(),
        r.nanos().size());
  }

  private static void validate(
      Inputs inputs, CompiledEntry entry, TestSpec.Case test, List<Value> actual) {
    var expected =
        switch (test.expected()) {
          case TestSpec.LiteralOutput(var text) -> inputs.literal(text, entry, test.line());
          case TestSpec.FileOutput(var path) -> inputs.file(path, entry);
          case TestSpec.AutoOutput _, TestSpec.Success _, TestSpec.RunTimeError _ -> actual;
        };
    ValueComparison.difference(expected, actual)
        .ifPresent(
            d -> {
              throw ToolFault.type("wrong result: " + d);
            });
  }

  private Runtimes measure(CompiledProgram program, CompiledEntry entry, List<Value> arguments) {
    long warm = System.nanoTime() + options.warmUp().toNanos();
    do {
      entry.call(arguments).forEach(program::release);
    } while (System.nanoTime() < warm);
    var nanos = new ArrayList<Long>();
    long spent = 0;
    // The statistic takes time too, so it is asked for after a tenth more runs only.
    for (int next = options.runs(); ; next += Math.ceilDiv(next, 10)) {
      while (nanos.size() < next || (spent < options.least().toNanos() && !enough(nanos))) {
        long time = time(program, entry, arguments);
        nanos.add(time);
        spent += time;
      }
      var so = new Runtimes(nanos);
      if (so.margin() <= BenchOptions.CONVERGED * so.mean()
          || spent >= options.most().toNanos()
          || enough(nanos)) {
        return so;
      }
    }
  }

  private static boolean enough(List<Long> runs) {
    return runs.size() >= BenchOptions.ENOUGH;
  }

  private static long time(CompiledProgram program, CompiledEntry entry, List<Value> arguments) {
    long start = System.nanoTime();
    var results = entry.call(arguments);
    long nanos = entry.computeNanos().orElse(System.nanoTime() - start);
    program.discard(results);
    return nanos;
  }
}
