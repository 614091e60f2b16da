package dev.kenaz.pipeline;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.ir.CoreProgram;
import java.util.List;
import java.util.function.Predicate;

/**
 * This is a program that was taken through some passes.
 *
 * @param program the program as the last pass left it
 * @param passes what all passes did, in order
 * @param warnings the checker's warnings
 */
public record Compilation<B>(B program, List<PassResult> passes, List<Diagnostic> warnings) {
  public Compilation {
    passes = List.copyOf(passes);
    warnings = List.copyOf(warnings);
  }

  /** Returns what the last run of a pass of that name left. */
  public PassResult after(String pass) {
    return last(p -> p.name().equals(pass) && p.runs() > 0);
  }

  /** Returns what the last pass left whose result is a core program. */
  public PassResult lastCore() {
    return last(p -> p.program() instanceof CoreProgram);
  }

  private PassResult last(Predicate<PassResult> suits) {
    return passes.reversed().stream().filter(suits).findFirst().orElseThrow();
  }

  /** Returns the program as the last pass on core programs left it. */
  public CoreProgram core() {
    return (CoreProgram) lastCore().program();
  }
}
