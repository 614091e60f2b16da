package dev.kenaz.jobs.bundle;

import dev.kenaz.cuda.runtime.KernelBuild;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Compiles the kernels of a bundle's programs, several at a time, and reports its progress. Kernels
 * that this build or an interrupted one compiled before are taken from the cache of the build.
 */
public final class BundleKernels {
  private static final Duration PAUSE = Duration.ofSeconds(10);

  /**
   * How many modules may wait for each compiler. Programs aren't read far ahead, so that the first
   * ones are done first.
   */
  private static final int WAITING = 8;

  /**
   * A program.
   *
   * @param text reads the program, which may fail if its tests expect that
   */
  public record Source(String name, Supplier<ProgramSource> text) {}

  private final KernelBuild build;
  private final List<Integer> capabilities;
  private final Instant end;
  private final Consumer<String> out;
  private final Instant start = Instant.now();
  private Instant told = start;
  private Semaphore room = new Semaphore(0);
  private int modules;
  private int kernels;
  private final Map<KernelBuild.Outcome, Integer> outcomes =
      new EnumMap<>(KernelBuild.Outcome.class);
  private final Map<Integer, Integer> unknown = new TreeMap<>();
  private final List<String> faults = new ArrayList<>();

  /**
   * Makes a build that has compiled nothing yet.
   *
   * @param capabilities the compute capabilities of devices, 90 for 9.0
   * @param end the time from which nothing more is compiled; what is kept from before is still
   *     taken
   * @param out takes lines for the user
   */
  public BundleKernels(
      KernelBuild build, List<Integer> capabilities, Instant end, Consumer<String> out) {
    this.build = build;
    this.capabilities = List.copyOf(capabilities);
    this.end = end;
    this.out = out;
  }

  /**
   * Compiles the kernels of all programs, the first ones first.
   *
   * @return what compilers have refused, which is a fault of Kenaz
   */
  public List<String> compile(List<Source> programs, int jobs) throws InterruptedException {
    room = new Semaphore(WAITING * jobs);
    try (var pool = Executors.newFixedThreadPool(jobs)) {
      submit("kenaz gpu", KernelBuild.trial(), pool);
      for (var program : programs) {
        kernels += submit(program, pool);
      }
      pool.shutdown();
      while (!pool.awaitTermination(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
        tell();
      }
    }
    tell();
    unknown.forEach((c, n) -> out.accept("no compiler here knows compute capability " + c / 10.0));
    return List.copyOf(faults);
  }

  /**
   * Submits a program's kernels, and returns how many there are; 0 if it is a program that must be
   * refused.
   */
  private int submit(Source program, ExecutorService pool) throws InterruptedException {
    try {
      var options = CompileOptions.of(Backend.CUDA);
      var passes = Pipelines.optimised(options).then(Pipelines.cuda());
      var cuda = Compiler.run(program.text().get(), passes, options).program();
      for (var text : KernelBuild.modules(cuda)) {
        submit(program.name(), text, pool);
      }
      return cuda.kernels().size();
    } catch (UserError | Limitation e) {
      return 0;
    } catch (CompilerBug e) {
      fault(program.name(), e);
      return 0;
    }
  }

  private void submit(String program, String text, ExecutorService pool)
      throws InterruptedException {
    modules += capabilities.size();
    for (int capability : capabilities) {
      room.acquire();
      pool.submit(
          () -> {
            try {
              module(program, text, capability);
            } finally {
              room.release();
            }
          });
    }
  }

  private void module(String program, String text, int capability) {
    try {
      ended(build.build(text, capability, Instant.now().isBefore(end)), capability);
    } catch (IOException | RuntimeException e) {
      fault(program, e);
    }
  }

  private synchronized void fault(String program, Exception e) {
    faults.add(program + ": " + e.getMessage());
  }

  private synchronized void ended(KernelBuild.Outcome outcome, int capability) {
    outcomes.merge(outcome, 1, Integer::sum);
    if (outcome == KernelBuild.Outcome.UNKNOWN_DEVICE) {
      unknown.merge(capability, 1, Integer::sum);
    }
    if (Instant.now().isAfter(told.plus(PAUSE))) {
      tell();
    }
  }

  private synchronized void tell() {
    told = Instant.now();
    out.accept(
        ("%d kernels in %d modules for %s: %d compiled, %d kept from before, %d refused, %d left; "
                + "%d s")
            .formatted(
                kernels,
                modules,
                capabilities,
                outcomes.getOrDefault(KernelBuild.Outcome.COMPILED, 0),
                outcomes.getOrDefault(KernelBuild.Outcome.KEPT, 0),
                faults.size(),
                outcomes.getOrDefault(KernelBuild.Outcome.LEFT, 0),
                Duration.between(start, told).toSeconds()));
  }
}
