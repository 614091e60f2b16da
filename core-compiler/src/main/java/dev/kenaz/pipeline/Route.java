package dev.kenaz.pipeline;

import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.pass.Runner;
import dev.kenaz.simulate.SimulatedDevice;
import java.util.function.Function;

/**
 * This is the way of a backend from a core program to something that can be called. Only this class
 * decides by the backend.
 *
 * @param passes the passes from the core program to code
 * @param start makes what runs the code
 */
record Route<C>(Pipeline<CoreProgram, C> passes, Function<C, Executable> start) {

  /** Returns the route of a program as it was lowered. */
  static Route<?> ofLowered(CompileOptions options) {
    return of(Pipelines.optimise(options), options);
  }

  /** Returns the route of a program that has no derivatives, but wasn't fused. */
  static Route<?> ofDifferentiated(CompileOptions options) {
    return of(Pipelines.FUSED, options);
  }

  /** The interpreter takes the program as it is, so that it can judge all passes. */
  private static Route<?> of(Pipeline<CoreProgram, CoreProgram> first, CompileOptions options) {
    return switch (options.backend()) {
      case INTERPRET -> new Route<CoreProgram>(Pipeline.start(), Executable::of);
      case JVM -> {
        var jvm = JvmOptions.defaults().withWorkers(options.cores()).withChecks(options.checks());
        yield new Route<>(first.then(Pipelines.LATE).then(Pipelines.jvm(jvm)), Executable::of);
      }
      case CUDA ->
          new Route<>(
              first.then(Pipelines.cuda()),
              code -> Executable.of(code.program(), NvidiaDevice.of(code, options.device())));
      case SIMULATE ->
          new Route<>(
              first.then(Pipelines.gpu()), code -> Executable.of(code, new SimulatedDevice()));
    };
  }

  /** Runs the passes and starts what comes out. */
  Executable executable(CoreProgram program, Runner runner) {
    return start.apply(passes.run(program, runner));
  }
}
