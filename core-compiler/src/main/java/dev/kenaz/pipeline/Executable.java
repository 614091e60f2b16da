package dev.kenaz.pipeline;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.kernels.Device;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Runner;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.OptionalLong;

/** A core program that can be called: what a backend makes of it. */
public interface Executable extends AutoCloseable {
  /**
   * From the flat components of the arguments to those of the results, sizes left out.
   *
   * @throws dev.kenaz.error.UserError (K6301, K6302) if the arguments don't fit the parameters
   */
  List<Value> call(EntryPoint entry, List<Value> arguments);

  /** What the last call took, if copies of arguments and results are not to be counted. */
  default OptionalLong nanos() {
    return OptionalLong.empty();
  }

  /** Does now what the first call of the entry point would have to do before it can run. */
  default void prepare(EntryPoint entry) {}

  /** Lets go of what is kept of a value elsewhere than in it; it will not be used again. */
  default void release(Value value) {}

  /** Lets go of threads and memory; results stay valid. */
  @Override
  default void close() {}

  /**
   * Of an optimised program, such as the function of a plan's step.
   *
   * @throws dev.kenaz.error.UserError (K76xx) if there is nothing that the backend could run on
   */
  static Executable of(CoreProgram program, CompileOptions options) {
    return of(program, Route.ofOptimised(options), new Recorder(options.verify()));
  }

  /**
   * Of a program at the beginning of the route. Functions that call themselves need a deep stack.
   */
  static Executable of(CoreProgram program, Route<?> route, Runner runner) {
    var executable = route.executable(program, runner);
    return program.functions().stream().anyMatch(FunDef::recursive)
        ? new DeepCalls(executable)
        : executable;
  }

  /** Of a program that is interpreted. */
  static Executable of(CoreProgram program) {
    return (entry, arguments) -> Interpreter.call(program, entry.name(), arguments);
  }

  /** Of a program's kernels on a device that has them. */
  static Executable of(GpuProgram kernels, Device device) {
    var run = new GpuRun(kernels, device);
    return new Executable() {
      @Override
      public List<Value> call(EntryPoint entry, List<Value> arguments) {
        return run.call(entry.name(), arguments);
      }

      @Override
      public OptionalLong nanos() {
        return OptionalLong.of(run.nanos());
      }

      @Override
      public void release(Value value) {
        run.release(value);
      }

      @Override
      public void close() {
        run.close();
      }
    };
  }

  /** Of a program's classes. */
  static Executable of(JvmProgram program) {
    return new Executable() {
      @Override
      public List<Value> call(EntryPoint entry, List<Value> arguments) {
        return program.call(entry.name(), arguments);
      }

      @Override
      public void prepare(EntryPoint entry) {
        program.prepare(entry.name());
      }

      @Override
      public void close() {
        program.close();
      }
    };
  }
}
