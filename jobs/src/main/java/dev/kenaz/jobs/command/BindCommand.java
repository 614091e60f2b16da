package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.tools.bind.JavaStub;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import javax.lang.model.SourceVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a class of Java for a program. */
@Command(
    name = "bind",
    description = "Writes a class of Java with a method for each entry point of a program.",
    mixinStandardHelpOptions = true)
public final class BindCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "PROGRAM", description = "A .fut file.")
  private Path file;

  @Option(
      names = "--package",
      required = true,
      paramLabel = "NAME",
      description = "Put the class into this package.")
  private String inPackage;

  @Option(
      names = {"-o", "--output"},
      defaultValue = ".",
      paramLabel = "DIR",
      description =
          "Write the class below this folder of sources; without this option, below the"
              + " current folder.")
  private Path folder;

  @Override
  public Integer call() throws IOException {
    if (!SourceVersion.isName(inPackage) || inPackage.matches("java(\\..*)?")) {
      throw new UserError(
          K7501, Span.NONE, "\"" + inPackage + "\" is no name of a package of your own");
    }
    var source = ProgramSource.read(file);
    try (var program = Compiler.open(source, CompileOptions.of(Backend.JVM))) {
      var place = folder.resolve(inPackage.replace('.', '/'));
      Files.createDirectories(place);
      var stub = place.resolve(JavaStub.className(source) + ".java");
      Files.writeString(stub, JavaStub.of(source, program, inPackage));
      System.out.println(stub);
    }
    return 0;
  }
}
