package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K1100;
import static dev.kenaz.error.ErrorCode.K7011;

import dev.kenaz.cuda.CudaProgram;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.ExternalForm;
import dev.kenaz.ir.Printer;
import dev.kenaz.options.Backend;
import dev.kenaz.pass.Pass;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.PassResult;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.simplify.InPlace;
import dev.kenaz.source.Parser;
import dev.kenaz.source.PrettyPrinter;
import dev.kenaz.typing.TypedProgram;
import dev.kenaz.value.ValueReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what the passes of the compiler do, for people who work on it. */
@Command(name = "dev", description = "Prints a program as a pass of the compiler leaves it.")
public final class DevCommand implements Callable<Integer> {
  @Spec private CommandSpec command;
  @Mixin private CompilerOptions compiler;

  @Option(
      names = "--after",
      description =
          "Print the program as this pass leaves it when it has run for the last time:"
              + " parse, or a pass that --passes lists. Without this option it is the last"
              + " pass on core programs.")
  private String after;

  @Option(
      names = "--passes",
      description = "List the backend's passes, and below each group the passes that it repeats.")
  private boolean passes;

  @Option(
      names = "--time",
      description = "List how often each pass has run, and how long it has taken.")
  private boolean time;

  @Option(
      names = "--cuda",
      description =
          "Print the program's kernels as one file of CUDA C++, which nvcc compiles as it is.")
  private boolean cuda;

  @Option(
      names = "--count",
      description =
          "Run an entry point in the interpreter, as the pass leaves it, on arguments"
              + " from standard input, and count scalar operations and elements read and"
              + " written.")
  private boolean count;

  @Option(
      names = {"-e", "--entry"},
      defaultValue = "main",
      description = "Count or plan this entry point (${DEFAULT-VALUE}).")
  private String entry;

  @Option(
      names = "--rows",
      paramLabel = "PARAMETER",
      split = ",",
      description =
          "Instead of a backend's passes, take those that plan an entry point over these"
              + " parameters in pieces.")
  private List<String> rows = List.of();

  @Option(
      names = "--statements",
      defaultValue = "0",
      description = "Also list this many statements, those that do the most work.")
  @InRange(from = 0, to = InRange.MANY)
  private int statements;

  @Option(
      names = "--fusion-report",
      description = "List how many operators of which kinds were fused in each of the programs.")
  private boolean fusionReport;

  @Parameters(
      index = "1..*",
      paramLabel = "PROGRAM",
      description = "Further programs, for --fusion-report.")
  private List<Path> more = List.of();

  @Override
  public Integer call() throws IOException {
    if ("parse".equals(after)) {
      var text = Files.readString(UserPath.requireFile(compiler.file(), K1100));
      System.out.print(PrettyPrinter.print(Parser.parse(compiler.file().toString(), text)));
      return 0;
    }
    if (fusionReport) {
      System.out.print(FusionReport.of(compiler, more));
      return 0;
    }
    if (cuda) {
      System.out.print(kernels());
      return 0;
    }
    var all = passes();
    if (passes) {
      list(all.passes(), 0);
      return 0;
    }
    var way = after == null ? all : all.upTo(after).orElseThrow(() -> noPass(all.passes()));
    var compilation = compiler.run(compiler.file(), way);
    if (time) {
      compilation.passes().forEach(DevCommand::time);
      return 0;
    }
    var left = after == null ? compilation.lastCore() : compilation.after(after);
    if (!count) {
      System.out.print(left.print());
      return 0;
    }
    if (!(left.program() instanceof CoreProgram core)) {
      throw new UserError(K7011, after + " leaves no core program to count");
    }
    count(core);
    return 0;
  }

  /** Returns a text with all kernels, and all that they need. */
  private String kernels() {
    var options = compiler.options(Backend.CUDA);
    var compilation = compiler.run(compiler.file(), Pipelines.of(options), options);
    if (compilation.program() instanceof CudaProgram program) {
      return program.module(0, program.kernels().size());
    }
    throw new UserError(K7011, "--cuda prints what --backend cuda makes, and no other backend");
  }

  /** Returns the passes of the backend or, where there are rows in pieces, those of a plan. */
  private Pipeline<TypedProgram, ?> passes() {
    var options = compiler.options();
    if (rows.isEmpty()) {
      return Pipelines.of(options);
    }
    PieceOptions.requireNames(rows, command);
    var source = ProgramSource.read(compiler.file());
    var lowered = Compiler.run(source, Pipelines.lowered(), options).program();
    var dataset = PiecewiseEntry.dataset(lowered.entryPoint(entry), rows);
    return Pipelines.plan(options, entry, dataset, true);
  }

  private UserError noPass(List<Pass<?, ?>> all) {
    var names = new LinkedHashSet<String>();
    all.forEach(p -> names(p, names));
    return new UserError(
        K7011,
        "there is no pass " + after + "; there are " + String.join(", ", names),
        NearestName.hint(after, names));
  }

  private static void names(Pass<?, ?> pass, Set<String> into) {
    into.add(pass.name());
    pass.parts().forEach(p -> names(p, into));
  }

  private static void list(List<? extends Pass<?, ?>> passes, int depth) {
    for (var p : passes) {
      System.out.printf("%-24s %s%n", "  ".repeat(depth) + p.name(), p.description());
      list(p.parts(), depth + 1);
    }
  }

  private static void time(PassResult p) {
    System.out.printf(
        Locale.ROOT,
        "%-24s %4d times %9.1f ms  %s%n",
        "  ".repeat(p.depth()) + p.name(),
        p.runs(),
        p.time().toNanos() / 1e6,
        p.description());
  }

  private void count(CoreProgram core) {
    var type = core.entryPoint(entry);
    var inPlace = InPlace.of(core);
    var counter = statements == 0 ? new Counter(inPlace) : Counter.ofStatements(inPlace);
    var in = ValueReader.of(System.in, "<standard input>");
    var arguments = ExternalForm.parameters(type).readAll(in, type.name());
    Interpreter.call(core, entry, arguments, counter);
    System.out.printf(
        Locale.ROOT,
        "%d: %d scalar operations, %d elements read, %d written%n",
        counter.total(),
        counter.scalarOps(),
        counter.reads(),
        counter.writes());
    if (statements == 0) {
      return;
    }
    counter.statements().stream()
        .limit(statements)
        .forEach(
            s ->
                System.out.printf(
                    Locale.ROOT,
                    "%12d  %s:%n%s%n",
                    s.getValue(),
                    s.getKey().span(),
                    Printer.print(s.getKey()).indent(14).stripTrailing()));
  }
}
