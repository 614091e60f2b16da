package dev.kenaz.jobs.bench;

import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/**
 * This is a program of the papers, with its derivative.
 *
 * @param program the name of its file in the resources beside this package, {@code
 *     programs/NAME.fut}
 * @param primal the entry of the function itself
 * @param derivative the entry that gives the function's results and its derivative
 * @param adjoints whether the derivative takes an adjoint for each result, in addition to the
 *     function's arguments
 * @param counted small data sets, for counting
 * @param timed data sets for measuring on a CPU
 * @param large data sets for measuring on a GPU, if they are others
 */
record BenchCase(
    String name,
    String program,
    String primal,
    String derivative,
    boolean adjoints,
    List<Shape> counted,
    List<Shape> timed,
    List<Shape> large) {
  BenchCase {
    counted = List.copyOf(counted);
    timed = List.copyOf(timed);
    large = List.copyOf(large);
  }

  BenchCase(
      String name,
      String program,
      String primal,
      String derivative,
      boolean adjoints,
      List<Shape> counted,
      List<Shape> timed) {
    this(name, program, primal, derivative, adjoints, counted, timed, List.of());
  }

  /** Returns the same case with data sets that the papers measured on GPUs. */
  BenchCase withLarge(Shape... shapes) {
    return new BenchCase(
        name, program, primal, derivative, adjoints, counted, timed, List.of(shapes));
  }

  /** Returns the data sets that are measured. */
  List<Shape> shapes(DataSize data) {
    return switch (data) {
      case SMALL -> counted;
      case ORDINARY -> timed;
      case LARGE -> large.isEmpty() ? timed : large;
    };
  }

  /**
   * A data set.
   *
   * @param bytes how many bytes the function moves by the paper's formula; 0 if that is not of
   *     interest
   * @param paper the paper's quotient of the derivative's time and the function's, or ""
   */
  record Shape(String label, Supplier<List<Value>> arguments, long bytes, String paper) {}

  /** Returns the program's text. */
  ProgramSource source() {
    return source(program);
  }

  static ProgramSource source(String program) {
    var resource = "/dev/kenaz/jobs/programs/" + program + ".fut";
    try (var in = BenchCase.class.getResourceAsStream(resource)) {
      return ProgramSource.of(
          program + ".fut", new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
