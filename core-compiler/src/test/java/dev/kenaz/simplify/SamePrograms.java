package dev.kenaz.simplify;

import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.RandomPrograms;
import dev.kenaz.ir.SmallerPrograms;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pass.Pass;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.pass.Runner;
import dev.kenaz.testing.Shrinking;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.Optional;

/** Checks that passes keep what random programs mean. */
public final class SamePrograms {
  private SamePrograms() {}

  /**
   * Runs the passes one after the other, and compares after each that changed something. Where the
   * program fails, the result may do anything: it may have dropped the failing access.
   *
   * @param tolerance relative, for passes that reassociate
   */
  public static void check(long seed, Pipeline<CoreProgram, CoreProgram> passes, double tolerance) {
    var sample = RandomPrograms.of(seed);
    Verifier.verify(sample.program(), "random programs");
    Shrinking.check(
        sample.program(),
        SmallerPrograms::of,
        program -> {
          var expected = run(program, sample.arguments());
          passes.run(program, new Checked(sample.arguments(), expected, tolerance));
        });
  }

  /** Compares what each pass leaves. */
  private static final class Checked extends Runner {
    private final List<Value> arguments;
    private final Optional<List<Value>> expected;
    private final double tolerance;

    Checked(List<Value> arguments, Optional<List<Value>> expected, double tolerance) {
      this.arguments = arguments;
      this.expected = expected;
      this.tolerance = tolerance;
    }

    @Override
    protected <A, B> B call(Pass.Once<A, B> pass, A program) {
      var result = super.call(pass, program);
      if (result != program) {
        compare(pass, (CoreProgram) program, (CoreProgram) result);
      }
      return result;
    }

    private void compare(Pass<?, ?> pass, CoreProgram before, CoreProgram after) {
      Verifier.verify(after, pass.name());
      if (expected.isEmpty()) {
        return;
      }
      try {
        var actual = Interpreter.call(after, "main", arguments);
        var difference = ValueComparison.difference(expected.get(), actual, tolerance);
        if (difference.isPresent()) {
          throw new AssertionError(text(pass, difference.get(), before, after));
        }
      } catch (RuntimeException e) {
        throw new AssertionError(text(pass, e.toString(), before, after), e);
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

  private static String text(Pass<?, ?> pass, String what, CoreProgram before, CoreProgram after) {
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
