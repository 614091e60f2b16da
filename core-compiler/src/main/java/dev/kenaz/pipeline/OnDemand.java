package dev.kenaz.pipeline;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Compiles each entry point by itself, when it is first asked for. */
final class OnDemand implements Executable {
  private final CoreProgram program;
  private final CompileOptions options;
  private final Map<String, Executable> compiled = new ConcurrentHashMap<>();

  OnDemand(CoreProgram program, CompileOptions options) {
    this.program = program;
    this.options = options;
  }

  private Executable of(EntryPoint entry) {
    return compiled.computeIfAbsent(
        entry.name(), _ -> Compiler.executable(program.only(entry), options));
  }

  @Override
  public List<Value> call(EntryPoint entry, List<Value> arguments) {
    return of(entry).call(entry, arguments);
  }

  @Override
  public void prepare(EntryPoint entry) {
    of(entry).prepare(entry);
  }

  @Override
  public void close() {
    compiled.values().forEach(Executable::close);
  }
}
