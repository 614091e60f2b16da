package dev.kenaz.spark;

import dev.kenaz.Backend;
import dev.kenaz.distribute.PlanRunner.Caller;
import dev.kenaz.distribute.StepProgram;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.FunDef;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.value.Value;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Calls the functions of plans, each compiled on its first call. For any number of threads; all
 * calls on one thread compute on that thread and as many others as it was told.
 */
final class FunctionCaller implements Caller {
  private final Backend backend;
  private final int cores;
  private final Map<FunDef, JvmProgram> compiled =
      Collections.synchronizedMap(new IdentityHashMap<>());

  FunctionCaller(Backend backend, int cores) {
    this.backend = backend;
    this.cores = cores;
  }

  @Override
  public List<Value> call(FunDef function, List<Value> arguments) {
    return switch (backend) {
      case INTERPRET ->
          Interpreter.function(StepProgram.of(function), function.name(), arguments, new Counter());
      case JVM ->
          compiled.computeIfAbsent(function, this::compile).call(function.name(), arguments);
    };
  }

  private JvmProgram compile(FunDef function) {
    return JvmProgram.compile(StepProgram.of(function), JvmOptions.defaults().withWorkers(cores));
  }
}
