package dev.kenaz.pipeline;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Names;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.kernels.Device;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Runner;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.OptionalLong;

/** What a backend makes of a core program, so that it can be called. */
public interface Executable extends AutoCloseable {
  /**
   * Calls an entry point with the flat components of its arguments, without sizes, and returns the
   * flat components of its results, without sizes.
   *
   * @throws dev.kenaz.error.UserError (K6301, K6302) if the arguments don't fit the parameters
   */
  List<Value> call(EntryPoint entry, List<Value> arguments);

  /**
   * Returns how many nanoseconds the last call took without copies of arguments and results, if
   * that is known.
   */
  default OptionalLong nanos() {
    return OptionalLong.empty();
  }

  /** Compiles the entry point now, as its first call would otherwise have to do. */
  default void prepare(EntryPoint entry) {}

  /** Frees what is kept for a value outside of it. The value is not used again. */
  default void release(Value value) {}

  /** Frees threads and memory. Results stay valid. */
  @Override
  default void close() {}

  /**
   * Makes the executable of a program without derivatives, such as the function of a plan's step.
   *
   * @throws dev.kenaz.error.UserError (K76xx) if there is nothing that the backend could run on
   */
  static Executable of(CoreProgram program, CompileOptions options) {
    return kept(program, Route.ofDifferentiated(options), new Recorder(options));
  }

  /**
   * Makes the executable of a program at the beginning of the route. It is the same in all
   * processes, so that its sums are rounded in the same order.
   */
  static Executable of(CoreProgram program, Route<?> route, Runner runner) {
    return deep(program, Names.again(program, own -> route.executable(own, runner)));
  }

  /**
   * Makes the executable of a program of one entry at the beginning of the route, whose code is
   * kept between processes if that is possible.
   */
  static Executable kept(CoreProgram program, Route<?> route, Runner runner) {
    return deep(program, Names.again(program, own -> route.kept(own, runner)));
  }

  /** Functions that call themselves need a deep stack. */
  private static Executable deep(CoreProgram program, Executable executable) {
    return program.functions().stream().anyMatch(FunDef::recursive)
        ? new DeepCalls(executable)
        : executable;
  }

  /** Makes the executable of a program that is interpreted. */
  static Executable of(CoreProgram program) {
    return (entry, arguments) -> Interpreter.call(program, entry.name(), arguments);
  }

  /** Makes the executable of a program's kernels on a device that has them. */
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

  /** Makes the executable of a program's classes. */
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
