package dev.kenaz.jobs.command;

import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.ExternalForm;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import dev.kenaz.value.ValueWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs an entry point on values. */
@Command(
    name = "run",
    description =
        "Runs a program: it reads arguments from standard input, and prints results"
            + " to standard output.",
    mixinStandardHelpOptions = true)
public final class RunCommand implements Callable<Integer> {
  @Mixin private CompilerOptions compiler;

  @Option(
      names = {"-e", "--entry"},
      defaultValue = "main",
      description = "Call this entry point (${DEFAULT-VALUE}).")
  private String entry;

  @Option(
      names = {"-i", "--input"},
      description = "Read the arguments from this file instead of standard input.")
  private Path input;

  @Option(
      names = {"-b", "--binary"},
      description = "Print results in the binary format instead of text.")
  private boolean binary;

  @Mixin private PieceOptions pieces;

  @Override
  public Integer call() throws IOException {
    if (pieces.given()) {
      var planned = compiler.plan(entry, pieces.rows());
      var arguments = arguments(planned.type());
      write(planned.type(), planned.call(arguments, pieces::cuts, compiler.options()));
    } else {
      var function = compiler.compile().entry(entry);
      write(function.type(), function.call(arguments(function.type())));
    }
    return 0;
  }

  private void write(EntryPoint type, List<Value> results) throws IOException {
    try (var out = new BufferedOutputStream(System.out, 1 << 16)) {
      for (var v : ExternalForm.results(type).of(results)) {
        write(v, out);
      }
    }
  }

  private void write(Value v, OutputStream out) throws IOException {
    if (binary) {
      ValueWriter.writeBinary(v, out);
    } else {
      ValueWriter.writeText(v, out);
    }
  }

  private List<Value> arguments(EntryPoint type) {
    try (var in = reader()) {
      return ExternalForm.parameters(type).readAll(in, type.name());
    }
  }

  private ValueReader reader() {
    return Optional.ofNullable(input)
        .map(ValueReader::open)
        .orElseGet(() -> ValueReader.of(System.in, "<standard input>"));
  }
}
