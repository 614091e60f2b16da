package dev.kenaz.jobs.tools.suite;

import static dev.kenaz.error.ErrorCode.K6007;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserPath;
import dev.kenaz.ir.ExternalForm;
import dev.kenaz.jobs.tools.ToolFault;
import dev.kenaz.jobs.tools.ValueGenerator;
import dev.kenaz.jobs.tools.script.Script;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Gets the values that a test block names. */
public final class Inputs {
  private final Path file;

  /**
   * @param file the program, to which names of files are relative
   */
  public Inputs(Path file) {
    this.file = file;
  }

  /** Returns the flat arguments of a case. */
  public List<Value> arguments(CompiledProgram program, CompiledEntry entry, TestSpec.Case test) {
    return switch (test.input()) {
      case TestSpec.Literal(var text) ->
          arguments(ValueReader.ofText(text, span(test.line())), entry);
      case TestSpec.File(var path) -> arguments(open(path), entry);
      case TestSpec.Random(var wanted) -> {
        var generator = new ValueGenerator(1);
        yield wanted.stream().map(generator::generate).toList();
      }
      case TestSpec.Script(var text) -> scripted(program, entry, text);
    };
  }

  private List<Value> scripted(CompiledProgram program, CompiledEntry entry, String text) {
    var exp = text.startsWith("@") ? contents(text.substring(1).strip()) : text;
    var values = new Script(program, folder()).values(exp);
    var params = entry.type().params();
    if (values.size() != params.size()) {
      throw ToolFault.type(
          entry.name() + " takes " + params.size() + " arguments, not " + values.size());
    }
    var flat = new ArrayList<Value>();
    for (int i = 0; i < values.size(); i++) {
      flat.addAll(Script.as(params.get(i).type(), values.get(i)).flat());
    }
    return flat;
  }

  /** Returns the values of an expected output that is written in the block. */
  public List<Value> literal(String text, CompiledEntry entry, int line) {
    return outputs(ValueReader.ofText(text, span(line)), entry);
  }

  /** Returns the values of an expected output in a file. */
  public List<Value> file(String path, CompiledEntry entry) {
    return outputs(open(path), entry);
  }

  private static List<Value> arguments(ValueReader reader, CompiledEntry entry) {
    try (reader) {
      return ExternalForm.parameters(entry.type()).readAll(reader, entry.name());
    }
  }

  private static List<Value> outputs(ValueReader reader, CompiledEntry entry) {
    try (reader) {
      return ExternalForm.results(entry.type()).read(reader);
    }
  }

  private Path folder() {
    return file.toAbsolutePath().getParent();
  }

  private Span span(int line) {
    return new Span(file.toString(), line, 1, line, 1);
  }

  private Path data(String path) {
    return UserPath.in(folder(), path, K6007);
  }

  private String contents(String path) {
    try {
      return Files.readString(UserPath.requireFile(data(path), K6007));
    } catch (IOException e) {
      throw UserPath.cannotRead(data(path), K6007, e);
    }
  }

  private ValueReader open(String path) {
    var data = data(path);
    if (!path.endsWith(".gz")) {
      return ValueReader.open(data);
    }
    try {
      return ValueReader.of(
          new GZIPInputStream(Files.newInputStream(UserPath.requireFile(data, K6007)), 1 << 16),
          path);
    } catch (IOException e) {
      throw UserPath.cannotRead(data(path), K6007, e);
    }
  }

  /** Returns the name of a case, also of one to which its author gave none. */
  public static String name(TestSpec.Case test, int index) {
    return test.name()
        .orElseGet(
            () ->
                switch (test.input()) {
                  case TestSpec.Literal(var text) -> "#%d (\"%s\")".formatted(index, shown(text));
                  case TestSpec.File(var path) -> path;
                  case TestSpec.Random(var types) -> String.join(" ", types);
                  case TestSpec.Script(var text) -> shown(text);
                });
  }

  private static String shown(String text) {
    var line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= 50 ? line : line.substring(0, 50) + "...";
  }
}
