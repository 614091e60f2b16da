package dev.kenaz.pipeline;

import dev.kenaz.distribute.PlanRunner.Caller;
import dev.kenaz.distribute.StepProgram;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.FunDef;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.value.Value;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Calls the functions of plans, each compiled on its first call. Any number of threads may call. A
 * call computes on its thread and as many others as were given for that thread, or on one GPU.
 */
public final class StepCaller implements Caller {
  private record Compiled(CoreProgram program, Executable code) {}

  private final CompileOptions options;
  private final Map<FunDef, Compiled> compiled =
      Collections.synchronizedMap(new IdentityHashMap<>());

  public StepCaller(CompileOptions options) {
    this.options = options;
  }

  @Override
  public List<Value> call(FunDef function, List<Value> arguments) {
    var c = compiled.computeIfAbsent(function, this::compile);
    return c.code().call(c.program().entries().getFirst(), arguments);
  }

  private Compiled compile(FunDef function) {
    var program = StepProgram.of(function);
    return new Compiled(program, Executable.of(program, options));
  }
}
