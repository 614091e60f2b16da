package dev.kenaz.pipeline;

import dev.kenaz.cuda.CudaProgram;
import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanPrinter;
import dev.kenaz.distribute.PlanVerifier;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Verifier;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.loopir.GpuEntries;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.LoopPrinter;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.loopir.LoopVerifier;
import dev.kenaz.segir.SegPrinter;
import dev.kenaz.segir.SegProgram;
import dev.kenaz.segir.SegVerifier;

/** Knows how each form that a program has on its way is verified and printed. */
final class Forms {
  private Forms() {}

  /**
   * Verifies a program of a form whose rules are written down.
   *
   * @param pass the pass that left the program; a fault is reported as the pass's
   */
  static void verify(Object program, String pass) {
    switch (program) {
      case CoreProgram p -> Verifier.verify(p, pass);
      case SegProgram p -> SegVerifier.verify(p, pass);
      case LoopProgram p -> LoopVerifier.verify(p, pass);
      case GpuEntries p -> LoopVerifier.verify(p, pass);
      case GpuProgram p -> LoopVerifier.verify(p, pass);
      case Plan p -> PlanVerifier.verify(p, pass);
      default -> {}
    }
  }

  static String print(Object program) {
    return switch (program) {
      case CoreProgram p -> Printer.print(p);
      case SegProgram p -> SegPrinter.print(p);
      case LoopProgram p -> LoopPrinter.print(p);
      case GpuEntries p -> LoopPrinter.print(p);
      case GpuProgram p -> LoopPrinter.print(p);
      case CudaProgram p -> p.text();
      case JvmProgram p -> p.print();
      case Plan p -> PlanPrinter.print(p);
      default -> program.toString() + '\n';
    };
  }
}
