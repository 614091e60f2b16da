package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K1100;

import dev.kenaz.cuda.CudaText;
import dev.kenaz.error.UserPath;
import dev.kenaz.flatten.Flatten;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.ExternalForm;
import dev.kenaz.ir.Printer;
import dev.kenaz.kernels.GpuLowering;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.segir.SegPrinter;
import dev.kenaz.simplify.InPlace;
import dev.kenaz.source.Parser;
import dev.kenaz.source.PrettyPrinter;
import dev.kenaz.value.ValueReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** For those who work on the compiler. */
@Command(
    name = "dev",
    description = "Prints a program as a stage of the compiler leaves it.",
    mixinStandardHelpOptions = true)
public final class Dev implements Callable<Integer> {
  @Mixin private CompilerOptions compiler;

  @Option(
      names = "--after",
      description =
          "A stage: parse, one that --stages lists, or flatten (for the JVM) and flatten-gpu; the "
              + "last core stage unless given.")
  private String after;

  @Option(names = "--stages", description = "List the stages, and how long each took.")
  private boolean stages;

  @Option(names = "--cuda", description = "Print the program's kernels as CUDA C.")
  private boolean cuda;

  @Option(
      names = "--count",
      description =
          "Run an entry point in the interpreter, as the stage leaves it, on arguments from"
              + " standard input, and count scalar operations and elements read and written.")
  private boolean count;

  @Option(
      names = {"-e", "--entry"},
      defaultValue = "main",
      description = "The function to count (${DEFAULT-VALUE}).")
  private String entry;

  @Option(
      names = "--statements",
      defaultValue = "0",
      description = "Also list so many statements that do most.")
  @InRange(from = 0, to = InRange.MANY)
  private int statements;

  @Option(
      names = "--fusion-report",
      description = "How many operators of which kinds were fused, in each of the programs.")
  private boolean fusionReport;

  @Parameters(index = "1..*", paramLabel = "PROGRAM", description = "More, for --fusion-report.")
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
    var program = compiler.compile();
    if (stages) {
      for (var s : program.stages()) {
        System.out.printf(
            Locale.ROOT,
            "%-12s %8.1f ms  %s%n",
            s.name(),
            s.time().toNanos() / 1e6,
            s.description());
      }
      return 0;
    }
    if (cuda) {
      var segments = Flatten.program(program.core(), FlattenOptions.gpu());
      var kernels = GpuLowering.program(segments).kernels();
      System.out.print(CudaText.kernels(kernels));
      return 0;
    }
    if ("flatten".equals(after) || "flatten-gpu".equals(after)) {
      var options = after.endsWith("gpu") ? FlattenOptions.gpu() : FlattenOptions.jvm();
      System.out.print(SegPrinter.print(Flatten.program(program.core(), options)));
      return 0;
    }
    var core = after == null ? program.core() : program.core(after);
    if (count) {
      count(program.entry(entry), core);
    } else {
      System.out.print(Printer.print(core));
    }
    return 0;
  }

  private void count(CompiledEntry function, CoreProgram core) {
    var inPlace = InPlace.of(core);
    var counter = statements == 0 ? new Counter(inPlace) : Counter.ofStatements(inPlace);
    var in = ValueReader.of(System.in, "<standard input>");
    var arguments = ExternalForm.parameters(function.type()).readAll(in, function.name());
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
