package dev.kenaz.pipeline;

import dev.kenaz.cuda.CudaProgram;
import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.kernels.Device;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.pass.Runner;
import dev.kenaz.simulate.SimulatedDevice;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * This is the way of a backend from a core program to something that can be called. Only this class
 * decides by the backend.
 *
 * @param passes the passes from the core program to code
 * @param start makes what runs the code
 * @param store keeps code between processes; it is asked for only where code may be kept, since it
 *     reads the compiler's jar
 */
record Route<C>(
    Pipeline<CoreProgram, C> passes,
    Function<C, Executable> start,
    Supplier<Optional<Store<C>>> store) {

  /** Keeps the code of programs with one entry. */
  interface Store<C> {
    /**
     * Returns the program's code, from what is kept or else from the passes. In the latter case it
     * is kept, if it can be used by other processes.
     */
    C code(CoreProgram program, Function<CoreProgram, C> passes);
  }

  /** Returns the route of a program as it was lowered. */
  static Route<?> ofLowered(CompileOptions options) {
    return of(Pipelines.optimise(options), options, "lowered");
  }

  /** Returns the route of a program that has no derivatives, but wasn't fused. */
  static Route<?> ofDifferentiated(CompileOptions options) {
    return of(Pipelines.FUSED, options, "differentiated");
  }

  /** The interpreter takes the program as it is, so that it can judge all passes. */
  private static Route<?> of(
      Pipeline<CoreProgram, CoreProgram> first, CompileOptions options, String name) {
    return switch (options.backend()) {
      case INTERPRET -> of(Pipeline.<CoreProgram>start(), Executable::of);
      case JVM -> {
        var jvm = JvmOptions.defaults().withWorkers(options.cores()).withChecks(options.checks());
        yield new Route<JvmProgram>(
            first.then(Pipelines.LATE).then(Pipelines.jvm(jvm)),
            Executable::of,
            () -> KeptClasses.of(name, options, jvm));
      }
      case CUDA ->
          of(
              first.then(Pipelines.cuda(options.deterministic())),
              code -> Executable.of(code.program(), nvidia(code, options)));
      case SIMULATE ->
          of(
              first.then(Pipelines.gpu(options.deterministic())),
              code -> Executable.of(code, new SimulatedDevice()));
    };
  }

  private static Device nvidia(CudaProgram code, CompileOptions options) {
    try {
      return NvidiaDevice.of(code, options.device());
    } catch (NoClassDefFoundError e) {
      // those who embed the compiler may leave out the libraries of GPUs
      throw new UserError(
          ErrorCode.K7601,
          "no GPU can be used: the class path lacks " + e.getMessage().replace('/', '.'),
          "add the jars of JCuda, see docs/embedding.md");
    }
  }

  private static <C> Route<C> of(Pipeline<CoreProgram, C> passes, Function<C, Executable> start) {
    return new Route<>(passes, start, Optional::empty);
  }

  /** Runs the passes and starts what comes out. */
  Executable executable(CoreProgram program, Runner runner) {
    return start.apply(passes.run(program, runner));
  }

  /** Starts a program of one entry, whose code is kept between processes if that is possible. */
  Executable kept(CoreProgram program, Runner runner) {
    return store
        .get()
        .map(s -> start.apply(s.code(program, p -> passes.run(p, runner))))
        .orElseGet(() -> executable(program, runner));
  }
}
