package dev.kenaz.pipeline;

import dev.kenaz.options.CompileOptions;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.Optional;

/**
 * This is a call of an entry point over data that isn't in memory.
 *
 * @param source the program's text; nothing for a derivative, which has none
 * @param rows the names of the parameters that are the data
 * @param caller calls the plan's functions in this process
 * @param arguments the core values of the other parameters
 */
public record DatasetCall(
    Optional<ProgramSource> source,
    PiecewiseEntry entry,
    List<String> rows,
    CompileOptions options,
    StepCaller caller,
    List<Value> arguments) {
  public DatasetCall {
    rows = List.copyOf(rows);
    arguments = List.copyOf(arguments);
  }
}
