package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import picocli.CommandLine.Option;

/** These are the options of every command that runs programs. */
final class BackendOptions {
  @Option(
      names = "--backend",
      paramLabel = "BACKEND",
      description =
          "Run programs by this backend: jvm, cuda, simulate or interpret; without this"
              + " option, by jvm (repl and eval: by interpret).")
  private String backend;

  @Option(
      names = "--device",
      paramLabel = "N",
      description =
          "With --backend cuda, use the GPU of this number, counted from 0; without"
              + " this option, the first that can be used.")
  @InRange(from = 0, to = 1023)
  private Integer device;

  @Option(
      names = "--deterministic",
      description =
          "Make a GPU's results the same in each run, to the last bit: sums of floats at the same"
              + " places take two to four times as long. The results of other backends always are"
              + " the same.")
  private boolean deterministic;

  @Option(
      names = "--checkpoint-memory",
      paramLabel = "MB",
      description =
          "Let each loop keep at most so many megabytes for its reverse derivative; a"
              + " loop that needs more executes iterations again. Without this option loops"
              + " keep all that they need.")
  @InRange(from = 0, to = 1 << 30)
  private Integer checkpointMemory;

  /**
   * Returns the options that the command line chooses.
   *
   * @param otherwise the backend that runs programs if none is named
   * @throws UserError (K7010, K7501) if there is no such backend, or a device for one without
   */
  CompileOptions get(Backend otherwise) {
    var chosen = backend == null ? otherwise : Backend.named(backend);
    var options = CompileOptions.of(chosen).onDevice(device(device, chosen == Backend.CUDA));
    var same = deterministic ? options.inEachRun() : options;
    return checkpointMemory == null ? same : same.withLoopMemory((long) checkpointMemory << 20);
  }

  /** Returns the options that the command line chooses; without a backend, that is the JVM. */
  CompileOptions get() {
    return get(Backend.JVM);
  }

  /**
   * Returns the number of the device, or any device.
   *
   * @param given the number on the command line, or null
   * @param cuda whether a GPU is used at all
   */
  static int device(Integer given, boolean cuda) {
    if (given == null) {
      return CompileOptions.ANY_DEVICE;
    }
    if (!cuda) {
      throw new UserError(K7501, "--device is for --backend cuda alone");
    }
    return given;
  }
}
