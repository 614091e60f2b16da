package dev.kenaz.jobs.command;

import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.ExternalForm;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import dev.kenaz.value.ValueWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** These are the options of a run: which program, from what, and how results are printed. */
final class RunOptions {
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

  CompilerOptions compiler() {
    return compiler;
  }

  String entry() {
    return entry;
  }

  /** Runs the entry point on its arguments, as a whole or in the pieces that are wanted. */
  void run(PieceOptions pieces) throws IOException {
    if (pieces.given()) {
      var planned = compiler.plan(entry, pieces.rows());
      var arguments = arguments(planned.type(), List.of());
      write(planned.type(), planned.call(arguments, pieces::cuts, compiler.options()));
    } else {
      var function = compiler.compile().entry(entry);
      var arguments = arguments(function.type(), List.of());
      write(function.type(), function.call(arguments));
    }
  }

  /**
   * Reads the arguments.
   *
   * @param data names of parameters that are not among them
   */
  List<Value> arguments(EntryPoint type, List<String> data) {
    var name = data.isEmpty() ? type.name() : type.name() + ", besides its data,";
    try (var in = reader()) {
      return ExternalForm.parametersBeside(type, data).readAll(in, name);
    }
  }

  private ValueReader reader() {
    return Optional.ofNullable(input)
        .map(ValueReader::open)
        .orElseGet(() -> ValueReader.of(System.in, "<standard input>"));
  }

  private void write(EntryPoint type, List<Value> results) throws IOException {
    write(ExternalForm.results(type).of(results));
  }

  /** Prints values. */
  void write(List<Value> values) throws IOException {
    try (var out = new BufferedOutputStream(System.out, 1 << 16)) {
      for (var v : values) {
        if (binary) {
          ValueWriter.writeBinary(v, out);
        } else {
          ValueWriter.writeText(v, out);
        }
      }
    }
  }
}
