package dev.kenaz.jobs.command;

import dev.kenaz.jobs.tools.ShownItem;
import dev.kenaz.jobs.tools.script.Script;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Evaluates an expression of the script language. */
@Command(
    name = "script",
    description = "Evaluates a FutharkScript expression, which may call a program's entry points.")
public final class ScriptCommand implements Callable<Integer> {
  @Mixin private CompilerOptions compiler;

  @Parameters(index = "1", paramLabel = "EXPRESSION")
  private String expression;

  @Option(
      names = {"--futhark", "--pass-option", "--pass-compiler-option"},
      paramLabel = "X",
      description =
          "This option is accepted for the sake of scripts, and ignored: the program"
              + " runs in this process.")
  private List<String> forOtherCompilers = List.of();

  @Option(
      names = {"--skip-compilation", "-v", "--verbose"},
      description =
          "This option is accepted for the sake of scripts, and ignored: Kenaz does so anyway.")
  private boolean plain;

  @Override
  public Integer call() {
    try (var program = compiler.compile()) {
      for (var value : new Script(program, Path.of("")).values(expression)) {
        System.out.println(ShownItem.of(Script.known(value)));
      }
    }
    return 0;
  }
}
