package dev.kenaz.spec;

import dev.kenaz.error.UserError;
import java.util.List;
import java.util.Optional;

/**
 * What one test block says.
 *
 * @param line of the block's {@code ==}, from 1
 * @param tags of the whole block
 */
public record TestSpec(int line, String description, List<String> tags, Action action) {
  public TestSpec {
    tags = List.copyOf(tags);
  }

  /** What is to be done with the program. */
  public sealed interface Action {}

  /** Compilation must fail; the message must contain a match of the expression, if there is one. */
  public record CompileError(Optional<String> regex) implements Action {}

  /**
   * Entry points run on inputs.
   *
   * @param entries {@code main} where none is named
   */
  public record Run(List<String> entries, List<Case> cases) implements Action {
    public Run {
      entries = List.copyOf(entries);
      cases = List.copyOf(cases);
    }
  }

  /** Entry points that are true of every argument. */
  public record Property(List<String> entries) implements Action {
    public Property {
      entries = List.copyOf(entries);
    }
  }

  /** One call. */
  public record Case(
      Optional<String> name, List<String> tags, Input input, Expected expected, int line) {
    public Case {
      tags = List.copyOf(tags);
    }
  }

  /** Where the arguments come from. */
  public sealed interface Input {}

  /** Values in the text format. */
  public record Literal(String text) implements Input {}

  /** A file of values, possibly compressed ({@code .gz}), relative to the program. */
  public record File(String path) implements Input {}

  /** Random values of these types, such as {@code [100]i32} or {@code 10i64}. */
  public record Random(List<String> types) implements Input {}

  /** What a script expression yields, or one in a file: {@code @ path}. */
  public record Script(String text) implements Input {}

  /** What must come out. */
  public sealed interface Expected {}

  public record LiteralOutput(String text) implements Expected {}

  public record FileOutput(String path) implements Expected {}

  /** What the program's reference implementation yields. */
  public record AutoOutput() implements Expected {}

  /** Anything but a failure. */
  public record Success() implements Expected {}

  /** A failure at run time whose message has a match of the expression, if there is one. */
  public record RunTimeError(Optional<String> regex) implements Expected {}

  /**
   * The blocks of a program, in order.
   *
   * @throws UserError (K6300) where a block can't be read
   */
  public static List<TestSpec> parse(String fileName, String program) {
    return new TestSpecParser(fileName, program).blocks();
  }
}
