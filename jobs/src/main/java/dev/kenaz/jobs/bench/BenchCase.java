package dev.kenaz.jobs.bench;

import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/**
 * A program of the papers, with its derivative.
 *
 * @param program its file in the resources beside this package, {@code programs/NAME.fut}
 * @param primal the entry of the function itself
 * @param derivative the entry that gives the function's results and its derivative
 * @param adjoints whether the derivative takes, beside the function's arguments, an adjoint for
 *     each result
 * @param counted small, for counting
 * @param timed for measuring on a CPU
 * @param large for measuring on a GPU, if not the same
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

  /** The same with data sets as the papers measured on GPUs. */
  BenchCase withLarge(Shape... shapes) {
    return new BenchCase(
        name, program, primal, derivative, adjoints, counted, timed, List.of(shapes));
  }

  /** What is measured. */
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
   * @param bytes that the function moves by the paper's formula, or 0 if that is not of interest
   * @param paper what the paper says about the derivative's time over the function's, or ""
   */
  record Shape(String label, Supplier<List<Value>> arguments, long bytes, String paper) {}

  /** The program's text. */
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
