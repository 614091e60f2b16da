package dev.kenaz.jobs.tools.suite;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.WorkLimit;
import dev.kenaz.jobs.tools.server.FailureText;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Runs the test blocks of one program on one backend. */
final class ProgramTest {
  /**
   * If the interpreter needs more steps than this, which take a few seconds, another backend is the
   * reference.
   */
  private static final long MOST_INTERPRETED = 20_000_000;

  private final Path file;
  private final List<TestSpec> specs;
  private final SuiteOptions options;
  private final Backend backend;
  private final Inputs inputs;
  private final List<Outcome> outcomes = new ArrayList<>();
  private final Map<CompileOptions, CompiledProgram> programs = new HashMap<>();

  /** A note about the case that is being run. */
  private Optional<String> note = Optional.empty();

  ProgramTest(Path file, List<TestSpec> specs, SuiteOptions options, Backend backend) {
    this.file = file;
    this.specs = specs;
    this.options = options;
    this.backend = backend;
    this.inputs = new Inputs(file);
  }

  /**
   * Returns the outcomes of each block's cases, in order. A fault of the compiler is one outcome.
   */
  List<Outcome> run() {
    try {
      for (var spec : specs) {
        switch (spec.action()) {
          case TestSpec.CompileError(var regex) -> rejected(regex);
          case TestSpec.Property(var entries) -> properties(entries);
          case TestSpec.Run run -> cases(run);
        }
      }
      if (specs.isEmpty()) {
        accepted();
      }
    } finally {
      programs.values().forEach(CompiledProgram::close);
    }
    return outcomes;
  }

  private void rejected(Optional<String> regex) {
    try {
      if (options.checkOnly()) {
        Compiler.check(ProgramSource.read(file));
      } else {
        compiled(options.on(backend));
      }
      report("compilation", Optional.of("was to be rejected, but was not"));
    } catch (RuntimeException | Error e) {
      report("compilation", wrongFailure(regex, e));
    }
  }

  private boolean accepted() {
    try {
      if (options.checkOnly()) {
        Compiler.check(ProgramSource.read(file));
      } else {
        compiled(options.on(backend));
      }
      return true;
    } catch (RuntimeException | Error e) {
      report("compilation", Optional.of(FailureText.of(e)));
      return false;
    }
  }

  private void cases(TestSpec.Run run) {
    if (!outcomes.stream().allMatch(o -> o.fault().isEmpty() || !o.name().equals("compilation"))
        || !accepted()) {
      return;
    }
    if (options.checkOnly() || options.compileOnly()) {
      report("compilation", Optional.empty());
      return;
    }
    for (var entry : run.entries()) {
      if (options.entry().isPresent() && !options.entry().get().equals(entry)) {
        continue;
      }
      for (int i = 0; i < run.cases().size(); i++) {
        var test = run.cases().get(i);
        if (!options.leavesOut(test.tags(), backend)) {
          report(entry + " " + Inputs.name(test, i), outcome(entry, test));
        }
      }
    }
  }

  private void properties(List<String> entries) {
    if (!accepted()) {
      return;
    }
    if (options.checkOnly() || options.compileOnly()) {
      report("compilation", Optional.empty());
      return;
    }
    for (var entry : entries) {
      if (options.entry().isEmpty() || options.entry().get().equals(entry)) {
        report("property " + entry, property(entry));
      }
    }
  }

  private Optional<String> property(String entry) {
    try {
      var attributes = Properties.attributes(ProgramSource.read(file));
      return new Properties(compiled(options.on(backend)), attributes, options.seed()).check(entry);
    } catch (RuntimeException | Error e) {
      return Optional.of(FailureText.of(e));
    }
  }

  private void report(String name, Optional<String> fault) {
    outcomes.add(new Outcome(file, backend, name, fault, note));
    note = Optional.empty();
  }

  private CompiledProgram compiled(CompileOptions how) {
    return programs.computeIfAbsent(how, h -> Compiler.compile(file, h));
  }

  private Optional<String> outcome(String name, TestSpec.Case test) {
    try {
      var program = compiled(options.on(backend));
      var entry = program.entry(name);
      var arguments = inputs.arguments(program, entry, test);
      return switch (test.expected()) {
        case TestSpec.RunTimeError(var regex) -> failing(regex, () -> entry.call(arguments));
        case TestSpec.LiteralOutput(var text) ->
            difference(inputs.literal(text, entry, test.line()), entry, arguments);
        case TestSpec.FileOutput(var path) ->
            difference(inputs.file(path, entry), entry, arguments);
        case TestSpec.AutoOutput _ ->
            ValueComparison.difference(reference(entry, arguments), entry.call(arguments));
        case TestSpec.Success _ -> {
          var results = entry.call(arguments);
          yield options.compare()
              ? ValueComparison.difference(reference(entry, arguments), results)
              : Optional.empty();
        }
      };
    } catch (RuntimeException | Error e) {
      return Optional.of(FailureText.of(e));
    }
  }

  /**
   * Returns the interpreter's results or, if those would take too long, the results of the JVM
   * backend on one core.
   */
  private List<Value> reference(CompiledEntry entry, List<Value> arguments) {
    var interpreted = compiled(CompileOptions.of(Backend.INTERPRET)).entry(entry.name());
    try {
      return WorkLimit.within(MOST_INTERPRETED, () -> interpreted.call(arguments));
    } catch (WorkLimit.Exceeded | OutOfMemoryError e) {
      note =
          Optional.of(
              "expected is what one core of the JVM backend gives: it is too much work for the"
                  + " interpreter");
      var compiled = compiled(CompileOptions.of(Backend.JVM).onCores(1));
      return compiled.entry(entry.name()).call(arguments);
    }
  }

  private Optional<String> difference(
      List<Value> expected, CompiledEntry entry, List<Value> arguments) {
    var actual = entry.call(arguments);
    var found = ValueComparison.difference(expected, actual);
    return found.isPresent() || !options.compare()
        ? found
        : ValueComparison.difference(reference(entry, arguments), actual);
  }

  private static Optional<String> failing(Optional<String> regex, Supplier<List<Value>> call) {
    List<Value> result;
    try {
      result = call.get();
    } catch (RuntimeException | Error e) {
      return wrongFailure(regex, e);
    }
    return Optional.of("was to fail, but gave " + result);
  }

  /** Returns what is wrong with a failure that was expected. */
  private static Optional<String> wrongFailure(Optional<String> regex, Throwable failure) {
    var text = FailureText.of(failure);
    if (!(failure instanceof UserError) && !(failure instanceof Limitation)) {
      return Optional.of(text);
    }
    return regex.isEmpty() || matches(regex.get(), text)
        ? Optional.empty()
        : Optional.of("no match of " + regex.get() + " in: " + text);
  }

  private static boolean matches(String regex, String text) {
    try {
      return Pattern.compile(regex, Pattern.DOTALL).matcher(text).find();
    } catch (PatternSyntaxException _) {
      return text.contains(regex);
    }
  }
}
