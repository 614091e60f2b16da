package dev.kenaz.jobs.bench;

import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Printer;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.simplify.InPlace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Counts the scalar operations of optimised programs, and the elements that they read and write.
 * The result is a table of how much more a derivative does than its function. The numbers are the
 * same on every machine.
 */
final class Counts {
  private final Consumer<String> out;
  private final Map<String, CompiledProgram> programs = new HashMap<>();

  private final int statements;

  /**
   * Prints to {@code out}.
   *
   * @param statements how many of a derivative's statements are listed, those that do the most work
   */
  Counts(int statements, Consumer<String> out) {
    this.statements = statements;
    this.out = out;
  }

  void table(List<BenchCase> cases) {
    out.accept(
        "| program | data | count of the function | with derivative, times | elements moved, times"
            + " | paper, time |");
    out.accept("| --- | --- | --- | --- | --- | --- |");
    for (var c : cases) {
      var program = programs.computeIfAbsent(c.program(), _ -> compile(c));
      c.counted().forEach(shape -> row(program, c, shape));
    }
  }

  static CompiledProgram compile(BenchCase c) {
    return Compiler.compile(c.source(), CompileOptions.of(Backend.JVM));
  }

  private void row(CompiledProgram program, BenchCase c, BenchCase.Shape shape) {
    var inPlace = InPlace.of(program.core());
    var primal = new Counter(inPlace);
    var derivative = statements == 0 ? new Counter(inPlace) : Counter.ofStatements(inPlace);
    run(program, c, shape, primal, derivative);
    out.accept(
        String.format(
            Locale.ROOT,
            "| %s | %s | %d | %.2f | %.2f | %s |",
            c.name(),
            shape.label(),
            primal.total(),
            (double) derivative.total() / primal.total(),
            (double) moved(derivative) / moved(primal),
            shape.paper()));
    if (statements > 0) {
      list(derivative);
    }
  }

  private static long moved(Counter c) {
    return c.reads() + c.writes();
  }

  private static void run(
      CompiledProgram program,
      BenchCase c,
      BenchCase.Shape shape,
      Counter primal,
      Counter derivative) {
    var arguments = new ArrayList<>(shape.arguments().get());
    var results = Interpreter.call(program.core(), c.primal(), arguments, primal);
    if (c.adjoints()) {
      arguments.addAll(new Draw().like(results));
    }
    Interpreter.call(program.core(), c.derivative(), arguments, derivative);
  }

  /** Returns the work of the derivative, divided by that of the function. */
  static double overhead(CompiledProgram program, BenchCase c, BenchCase.Shape shape) {
    var inPlace = InPlace.of(program.core());
    var primal = new Counter(inPlace);
    var derivative = new Counter(inPlace);
    run(program, c, shape, primal, derivative);
    return (double) derivative.total() / primal.total();
  }

  private void list(Counter derivative) {
    derivative.statements().stream()
        .limit(statements)
        .forEach(
            s -> {
              var lines = Printer.print(s.getKey()).lines().limit(6).toList();
              out.accept(
                  s.getValue() + "  " + s.getKey().span() + ": " + String.join("\n    ", lines));
            });
  }
}
