package dev.kenaz.jobs.tools;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.source.DiagnosticPrinter;
import java.util.List;

/** Prints the checker's warnings about a program on standard error. */
public final class Warnings {
  private Warnings() {}

  public static void print(List<Diagnostic> warnings, ProgramSource source) {
    var printer = new DiagnosticPrinter(source::text, false);
    warnings.forEach(w -> System.err.print(printer.printWarning(w)));
  }
}
