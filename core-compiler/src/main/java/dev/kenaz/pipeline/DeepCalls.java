package dev.kenaz.pipeline;

import dev.kenaz.ir.EntryPoint;
import dev.kenaz.source.DeepStack;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.OptionalLong;

/** Runs a program with functions that call themselves where the stack is large. */
record DeepCalls(Executable executable) implements Executable {
  @Override
  public List<Value> call(EntryPoint entry, List<Value> arguments) {
    return DeepStack.call(() -> executable.call(entry, arguments));
  }

  @Override
  public OptionalLong nanos() {
    return executable.nanos();
  }

  @Override
  public void prepare(EntryPoint entry) {
    executable.prepare(entry);
  }

  @Override
  public void release(Value value) {
    executable.release(value);
  }

  @Override
  public void close() {
    executable.close();
  }
}
