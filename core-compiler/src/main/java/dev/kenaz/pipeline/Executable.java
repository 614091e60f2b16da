package dev.kenaz.pipeline;

import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.flatten.Flatten;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.kernels.Device;
import dev.kenaz.kernels.GpuLowering;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.simulate.SimulatedDevice;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

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

  /** The interpreter takes the program as it was lowered, so that it can judge all later stages. */
  static Executable of(List<CompiledProgram.Stage> stages, CompileOptions options) {
    boolean judge = options.backend() == Backend.INTERPRET;
    return of((judge ? stages.getFirst() : stages.getLast()).program(), options);
  }

  /**
   * Of a program as it is.
   *
   * @param program without derivatives, unless it is interpreted
   * @throws dev.kenaz.error.UserError (K76xx) if there is nothing that the backend could run on
   */
  static Executable of(CoreProgram program, CompileOptions options) {
    var executable = shallow(program, options);
    return program.functions().stream().anyMatch(FunDef::recursive)
        ? new DeepCalls(executable)
        : executable;
  }

  private static Executable shallow(CoreProgram program, CompileOptions options) {
    return switch (options.backend()) {
      case INTERPRET -> (entry, arguments) -> Interpreter.call(program, entry.name(), arguments);
      case JVM ->
          compiled(
              JvmProgram.compile(
                  program,
                  JvmOptions.defaults().withWorkers(options.cores()).withChecks(options.checks())));
      case CUDA -> kernels(program, p -> NvidiaDevice.of(p, options.device()));
      case SIMULATE -> kernels(program, _ -> new SimulatedDevice());
    };
  }

  private static Executable kernels(CoreProgram program, Function<GpuProgram, Device> device) {
    var kernels = GpuLowering.program(Flatten.program(program, FlattenOptions.gpu()));
    var run = new GpuRun(kernels, device.apply(kernels));
    return new Executable() {
      @Override
      public List<Value> call(EntryPoint entry, List<Value> arguments) {
        return run.call(entry.name(), program.function(entry.function()), arguments);
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

  private static Executable compiled(JvmProgram program) {
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
