package dev.kenaz.simplify;

import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.ir.SmallerPrograms;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pass.Pass;
import dev.kenaz.testing.Shrinking;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.Optional;

/** Checks that passes keep what random programs mean. */
public final class SamePrograms {
  private SamePrograms() {}

  /**
   * Runs the passes one after the other. Where the program fails, the result may do anything: it
   * may have dropped the failing access.
   *
   * @param tolerance relative, for passes that reassociate
   */
  public static void check(long seed, List<Pass> passes, double tolerance) {
    var sample = RandomPrograms.of(seed);
    Verifier.verify(sample.program(), "random programs");
    Shrinking.check(
        sample.program(),
        SmallerPrograms::of,
        program -> check(program, sample.arguments(), passes, tolerance));
  }

  private static void check(
      CoreProgram start, List<Value> arguments, List<Pass> passes, double tolerance) {
    var program = start;
    var expected = run(program, arguments);
    for (var pass : passes) {
      var before = program;
      program = pass.function().apply(program);
      Verifier.verify(program, pass.name());
      if (expected.isEmpty()) {
        continue;
      }
      try {
        var actual = Interpreter.call(program, "main", arguments);
        var difference = ValueComparison.difference(expected.get(), actual, tolerance);
        if (difference.isPresent()) {
          throw new AssertionError(text(pass, difference.get(), before, program));
        }
      } catch (RuntimeException e) {
        throw new AssertionError(text(pass, e.toString(), before, program), e);
      }
    }
  }

  private static Optional<List<Value>> run(CoreProgram program, List<Value> arguments) {
    try {
      return Optional.of(Interpreter.call(program, "main", arguments));
    } catch (UserError e) {
      return Optional.empty();
    }
  }

  private static String text(Pass pass, String what, CoreProgram before, CoreProgram after) {
    return "pass "
        + pass.name()
        + ": "
        + what
        + "\nbefore:\n"
        + Printer.print(before)
        + "\nafter:\n"
        + Printer.print(after);
  }
}
