package dev.kenaz.cuda.runtime;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.programs.ProgramChecks;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * What {@link CudaDeviceTest} runs in a process of its own: program tests on the CUDA backend, then
 * each program's calls again as a server's clients might make them, against the interpreter.
 */
final class SuiteExercise {
  private int cases;
  private int calls;
  private int failures;

  /**
   * @param args files of programs
   */
  public static void main(String[] args) throws IOException {
    var suite = new SuiteExercise();
    for (var file : args) {
      suite.program(Path.of(file));
    }
    System.out.printf("%d cases and %d calls of sessions%n", suite.cases, suite.calls);
    System.out.println(suite.failures == 0 ? "all is well" : suite.failures + " fail");
  }

  private void program(Path file) throws IOException {
    for (var check : ProgramChecks.of(file, Backend.CUDA)) {
      cases++;
      told(file + ", " + check.name(), check.body());
    }
    told(file + ", session", () -> session(file));
    System.gc(); // so that what nobody uses any more can go
  }

  private void told(String what, Runnable action) {
    try {
      action.run();
    } catch (TestAbortedException | Limitation e) {
      System.out.println(what + ": left out, " + e.getMessage());
    } catch (AssertionError | RuntimeException e) {
      failures++;
      System.out.println("FAIL " + what + ": " + e);
    }
  }

  private record Call(String entry, List<Value> arguments) {}

  private void session(Path file) {
    var planned = calls(file);
    if (planned.isEmpty()) {
      return;
    }
    try (var cuda = Compiler.compile(file, CompileOptions.of(Backend.CUDA));
        var other = Compiler.compile(file, CompileOptions.of(Backend.INTERPRET))) {
      var expected = new ArrayList<Outcome>();
      planned.forEach(c -> expected.add(outcome(other, c)));
      // results of calls in a row stay on the device, unread
      var first = new ArrayList<Outcome>();
      planned.forEach(c -> first.add(outcome(cuda, c)));
      // the same arrays are arguments again, in another order
      for (int i = planned.size() - 1; i >= 0; i--) {
        same(planned.get(i), expected.get(i), outcome(cuda, planned.get(i)));
      }
      for (int i = 0; i < planned.size(); i++) {
        same(planned.get(i), expected.get(i), first.get(i));
        passedOn(cuda, other, planned.get(i), expected.get(i), first.get(i));
        planned.get(i).arguments().forEach(cuda::release);
        first.get(i).values().forEach(cuda::release);
      }
      // released arrays are on the host still
      for (int i = 0; i < planned.size(); i++) {
        same(planned.get(i), expected.get(i), outcome(cuda, planned.get(i)));
        planned.get(i).arguments().forEach(cuda::release);
      }
    }
  }

  /** What a call gave: an argument of the same entry, where it can be one. */
  private void passedOn(
      CompiledProgram cuda, CompiledProgram other, Call call, Outcome expected, Outcome actual) {
    if (actual.values().isEmpty()) {
      return;
    }
    for (int i = 0; i < call.arguments().size(); i++) {
      var value = actual.values().getFirst();
      var before = call.arguments().get(i);
      if (before.prim() == value.prim() && before.shape().length == value.shape().length) {
        var here = new ArrayList<>(call.arguments());
        here.set(i, value);
        var there = new ArrayList<>(call.arguments());
        there.set(i, expected.values().getFirst());
        same(
            call,
            outcome(other, new Call(call.entry(), there)),
            outcome(cuda, new Call(call.entry(), here)));
      }
    }
  }

  private record Outcome(List<Value> values, String error) {}

  private Outcome outcome(CompiledProgram program, Call call) {
    calls++;
    try {
      return new Outcome(program.entry(call.entry()).call(call.arguments()), "");
    } catch (UserError e) {
      return new Outcome(List.of(), e.diagnostics().getFirst().code().name());
    }
  }

  /** Of several failures any one may be told. */
  private static void same(Call call, Outcome expected, Outcome actual) {
    Optional<String> difference =
        expected.error().isEmpty() != actual.error().isEmpty()
            ? Optional.of("ends with '" + actual.error() + "', not '" + expected.error() + "'")
            : ValueComparison.difference(expected.values(), actual.values());
    if (difference.isPresent()) {
      throw new AssertionError(call + ": " + difference.get());
    }
  }

  private static List<Call> calls(Path file) {
    var found = new ArrayList<Call>();
    try {
      for (var spec : TestSpec.parse(file.toString(), Files.readString(file))) {
        if (spec.action() instanceof TestSpec.Run(var entries, var tests)) {
          for (var test : tests) {
            if (test.input() instanceof TestSpec.Literal(var text)) {
              entries.forEach(
                  e -> found.add(new Call(e, ProgramChecks.values(text, file, test.line()))));
            }
          }
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (UserError | Limitation | CompilerBug e) {
      return List.of(); // the tests have told
    }
    return found;
  }
}
