package dev.kenaz.spec;

import dev.kenaz.error.UserError;
import java.util.List;
import java.util.Optional;

/**
 * This is one test block of a program.
 *
 * @param line the line of the block's {@code ==}, counted from 1
 * @param tags the tags of the whole block
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
   * Entry points are run on inputs.
   *
   * @param entries the entry points; {@code main} where the block names none
   */
  public record Run(List<String> entries, List<Case> cases) implements Action {
    public Run {
      entries = List.copyOf(entries);
      cases = List.copyOf(cases);
    }
  }

  /** Entry points must be true of every argument. */
  public record Property(List<String> entries) implements Action {
    public Property {
      entries = List.copyOf(entries);
    }
  }

  /** One call of the entry points. */
  public record Case(
      Optional<String> name, List<String> tags, Input input, Expected expected, int line) {
    public Case {
      tags = List.copyOf(tags);
    }
  }

  /** Says where the arguments come from. */
  public sealed interface Input {}

  /** The arguments are values in the text format. */
  public record Literal(String text) implements Input {}

  /**
   * The arguments are in a file of values, which may be compressed ({@code .gz}); the path is
   * relative to the program.
   */
  public record File(String path) implements Input {}

  /** The arguments are random values of these types, such as {@code [100]i32} or {@code 10i64}. */
  public record Random(List<String> types) implements Input {}

  /** The arguments are the value of a script expression, which may be in a file: {@code @ path}. */
  public record Script(String text) implements Input {}

  /** Says what must come out. */
  public sealed interface Expected {}

  public record LiteralOutput(String text) implements Expected {}

  public record FileOutput(String path) implements Expected {}

  /** The result must be that of the program's reference implementation. */
  public record AutoOutput() implements Expected {}

  /** The call must not fail. */
  public record Success() implements Expected {}

  /**
   * The call must fail at run time; the message must contain a match of the expression, if there is
   * one.
   */
  public record RunTimeError(Optional<String> regex) implements Expected {}

  /**
   * Returns the blocks of a program, in order.
   *
   * @throws UserError (K6300) where a block can't be read
   */
  public static List<TestSpec> parse(String fileName, String program) {
    return new TestSpecParser(fileName, program).blocks();
  }
}
