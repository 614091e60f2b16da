package dev.kenaz.programs;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.ExternalForm;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.source.DeepStack;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import dev.kenaz.value.ValueReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/** What a program's test blocks ask for, as checks that fail by an AssertionError. */
public final class ProgramChecks {
  private ProgramChecks() {}

  /** A named check. */
  public record Check(String name, Runnable body) {}

  /** A compiled program, however it is run. */
  public interface Subject {
    List<Value> call(String entry, List<Value> arguments);

    /** What its results are compared with. */
    CoreProgram core();

    /** Whether it is the interpreter itself that runs it. */
    default boolean isInterpreted() {
      return false;
    }
  }

  /** The checks of one program on one backend; the program is compiled once, by the first. */
  public static List<Check> of(Path file, Backend backend) {
    return of(file, CompileOptions.of(backend).verified());
  }

  /** The same with other options. */
  static List<Check> of(Path file, CompileOptions options) {
    var compiled =
        new Supplier<CompiledProgram>() {
          private CompiledProgram program;

          @Override
          public synchronized CompiledProgram get() {
            if (program == null) {
              program = Compiler.compile(file, options);
            }
            return program;
          }
        };
    return of(
        file,
        () -> {
          var program = compiled.get();
          return new Subject() {
            @Override
            public List<Value> call(String entry, List<Value> arguments) {
              return program.entry(entry).call(arguments);
            }

            @Override
            public CoreProgram core() {
              return program.core();
            }

            @Override
            public boolean isInterpreted() {
              return options.backend() == Backend.INTERPRET;
            }
          };
        });
  }

  /** The checks of one program that is compiled in some way. */
  public static List<Check> of(Path file, Supplier<Subject> compiled) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    var checks = new ArrayList<Check>();
    for (var spec : TestSpec.parse(file.toString(), text)) {
      switch (spec.action()) {
        case TestSpec.CompileError(var regex) ->
            checks.add(new Check("is rejected", () -> failing(regex, compiled::get)));
        case TestSpec.Property _ -> {}
        case TestSpec.Run(var entries, var cases) -> {
          for (var entry : entries) {
            for (var c : cases) {
              checks.add(
                  new Check(
                      entry + " line " + c.line(), () -> run(subject(compiled), entry, c, file)));
            }
          }
        }
      }
    }
    return checks;
  }

  /** What no GPU can run is left out, and says so. */
  private static Subject subject(Supplier<Subject> compiled) {
    try {
      return compiled.get();
    } catch (Limitation e) {
      if (e.getMessage().contains("on a GPU")) {
        Assumptions.abort(e.getMessage());
      }
      throw e;
    }
  }

  private static void run(Subject program, String entry, TestSpec.Case test, Path file) {
    var type = entryPoint(program.core(), entry);
    var parameters = ExternalForm.parameters(type);
    var arguments =
        switch (test.input()) {
          case TestSpec.Literal(var text) -> values(parameters, text, file, test.line());
          case TestSpec.File(var path) -> read(parameters, file.resolveSibling(path));
          case TestSpec.Random _, TestSpec.Script _ ->
              throw new AssertionError("this runner has no such input");
        };
    var results = ExternalForm.results(type);
    switch (test.expected()) {
      case TestSpec.RunTimeError(var regex) -> failing(regex, () -> program.call(entry, arguments));
      case TestSpec.LiteralOutput(var text) ->
          compare(values(results, text, file, test.line()), call(program, entry, arguments));
      case TestSpec.FileOutput(var path) ->
          compare(read(results, file.resolveSibling(path)), call(program, entry, arguments));
      case TestSpec.Success _, TestSpec.AutoOutput _ -> call(program, entry, arguments);
    }
  }

  private static EntryPoint entryPoint(CoreProgram program, String entry) {
    return program.entries().stream().filter(e -> e.name().equals(entry)).findFirst().orElseThrow();
  }

  /** What the backend makes of it; the interpreter must make the same of what the backend got. */
  private static List<Value> call(Subject program, String entry, List<Value> arguments) {
    var results = program.call(entry, arguments);
    if (!program.isInterpreted()) {
      compare(DeepStack.call(() -> Interpreter.call(program.core(), entry, arguments)), results);
    }
    return results;
  }

  private static List<Value> read(ExternalForm types, Path file) {
    try (var reader = ValueReader.open(file)) {
      return types.read(reader);
    }
  }

  private static List<Value> values(ExternalForm types, String text, Path file, int line) {
    try (var reader = reader(text, file, line)) {
      return types.read(reader);
    }
  }

  /** An entry point's arguments, as they are written in a block of a program. */
  public static List<Value> arguments(
      CoreProgram program, String entry, String text, Path file, int line) {
    return values(ExternalForm.parameters(entryPoint(program, entry)), text, file, line);
  }

  /** The values written in a block of a program. */
  public static List<Value> values(String text, Path file, int line) {
    try (var reader = reader(text, file, line)) {
      return reader.readAll();
    }
  }

  private static ValueReader reader(String text, Path file, int line) {
    return ValueReader.ofText(text, new Span(file.toString(), line, 1, line, 1));
  }

  private static void compare(List<Value> expected, List<Value> actual) {
    ValueComparison.difference(expected, actual)
        .ifPresent(
            d -> {
              throw new AssertionError(d + "\nexpected " + expected + "\ngot      " + actual);
            });
  }

  private static void failing(Optional<String> regex, Supplier<?> action) {
    Object result;
    try {
      result = action.get();
    } catch (UserError | Limitation e) {
      if (regex.isPresent() && !Pattern.compile(regex.get()).matcher(e.getMessage()).find()) {
        throw new AssertionError("no match of " + regex.get() + " in: " + e.getMessage(), e);
      }
      return;
    }
    throw new AssertionError("was to fail, but gave " + result);
  }
}
