package dev.kenaz.jobs.command;

import java.lang.reflect.AnnotatedElement;
import java.util.Collection;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Checks the numbers of a command line against the ranges of their options. */
public final class Ranges {
  private Ranges() {}

  /**
   * Checks all options on the command line, those of the command and of its subcommand.
   *
   * @throws ParameterException for the first number outside its range
   */
  public static void check(ParseResult parsed) {
    for (var argument : parsed.matchedArgs()) {
      numbers(argument.getValue()).forEach(n -> check(n, argument, parsed));
    }
    if (parsed.hasSubcommand()) {
      check(parsed.subcommand());
    }
  }

  /** Returns the range of an option, or null if it has none. */
  static InRange of(ArgSpec argument) {
    return argument.userObject() instanceof AnnotatedElement e
        ? e.getAnnotation(InRange.class)
        : null;
  }

  private static Stream<Number> numbers(Object value) {
    return switch (value) {
      case Number n -> Stream.of(n);
      case Collection<?> c -> c.stream().flatMap(Ranges::numbers);
      case long[] ns -> LongStream.of(ns).boxed().map(n -> n);
      case null -> Stream.of();
      default -> Stream.of();
    };
  }

  private static void check(Number n, ArgSpec argument, ParseResult parsed) {
    var range = of(argument);
    double x = n.doubleValue();
    boolean fits = range == null ? Double.isFinite(x) : range.from() <= x && x <= range.to();
    if (!fits) {
      var name = argument instanceof OptionSpec o ? o.longestName() : argument.paramLabel();
      throw new ParameterException(
          parsed.commandSpec().commandLine(),
          name + " is " + n + ", but must be a number " + words(range));
    }
  }

  private static String words(InRange range) {
    if (range == null || range.from() == -InRange.ANY) {
      return "that is finite";
    }
    var from = "from " + shown(range.from());
    return range.to() == InRange.ANY ? from + " on" : from + " to " + shown(range.to());
  }

  private static String shown(double x) {
    return x == Math.rint(x) && Math.abs(x) < 1e15 ? Long.toString((long) x) : Double.toString(x);
  }

  /** Types of options that need a range. */
  static final List<Class<?>> NUMERIC =
      List.of(
          int.class,
          long.class,
          double.class,
          Integer.class,
          Long.class,
          Double.class,
          long[].class,
          int[].class,
          double[].class,
          float.class,
          short.class,
          byte.class);
}
