package dev.kenaz.jobs.bench;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.ProgramSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * These are the programs of two papers: {@code operators} of "Reverse-Mode AD of Reduce-by-Index
 * and Scan in Futhark" and {@code applications} of "AD for an Array Language with Nested
 * Parallelism".
 */
public final class PaperSuites {
  private static final List<String> NAMES = List.of("operators", "applications");

  private final List<BenchCase> cases;

  /** A hint lists no more cases than this. */
  private static final int MOST_NAMES = 12;

  private PaperSuites(List<BenchCase> cases) {
    this.cases = cases;
  }

  /**
   * Returns those of these suites that have such cases.
   *
   * @param only a text that a case's name must contain
   * @param sizes the numbers of elements that operators are measured with
   * @throws UserError (K7501) if there is no such suite, or none has such a case
   */
  public static List<PaperSuites> named(List<String> names, String only, long... sizes) {
    var suites = names.stream().map(n -> named(n, only, sizes)).toList();
    var some = suites.stream().filter(s -> !s.cases.isEmpty()).toList();
    if (some.isEmpty()) {
      var where = String.join(", ", names);
      var all = names.stream().flatMap(n -> named(n, "", sizes).cases.stream());
      throw new UserError(
          K7501,
          "no case of " + where + " is called " + only,
          "these are: " + String.join("; ", all.map(BenchCase::name).limit(MOST_NAMES).toList()));
    }
    return some;
  }

  private static PaperSuites named(String name, String only, long... sizes) {
    var all =
        switch (name) {
          case "operators" -> OperatorCases.of(sizes);
          case "applications" -> ApplicationCases.all();
          default ->
              throw new UserError(
                  K7501,
                  "there is no suite " + name,
                  NearestName.of(name, NAMES)
                      .map(n -> "did you mean " + n + "?")
                      .orElse("there are " + String.join(", ", NAMES)));
        };
    return new PaperSuites(all.stream().filter(c -> c.name().contains(only)).toList());
  }

  /** Returns the texts of all programs that suites measure. */
  public static List<ProgramSource> programs() {
    return named(NAMES, "", 1).stream()
        .flatMap(s -> s.cases.stream())
        .map(BenchCase::program)
        .distinct()
        .map(BenchCase::source)
        .toList();
  }

  /**
   * Prints how much work functions and derivatives do.
   *
   * @param statements how many of a derivative's statements are listed, those that do the most work
   */
  public void count(int statements, Consumer<String> out) {
    new Counts(statements, out).table(cases);
  }

  /**
   * Prints what calls would ask of a GPU.
   *
   * @param kernels whether to list how often each kernel is launched
   * @param data which data sets to take
   */
  public void launches(boolean kernels, DataSize data, Consumer<String> out) {
    new Launches(kernels, out).table(cases, data);
  }

  /**
   * Prints how long functions and derivatives take: CPU time on one core, wall time on several.
   *
   * @param seconds how long each function is warmed up, and how long it is measured
   * @param kernels whether to list how long each kernel of a call takes, on a GPU
   * @param data which data sets to take
   * @param rows which rows are measured
   */
  public void measure(
      CompileOptions options, double seconds, boolean kernels, DataSize data, SuiteRows rows) {
    try (var run = new SuiteRun(options, seconds, kernels, rows)) {
      run.table(cases, data);
    }
  }

  /**
   * Describes the GPU, with the rate with which those of its kernels may be compared; nothing for
   * other backends.
   */
  public static Optional<String> device(CompileOptions options) {
    return options.backend() == Backend.CUDA
        ? Optional.of(NvidiaDevice.description(options.device()))
        : Optional.empty();
  }
}
