package dev.kenaz.pipeline;

import dev.kenaz.ad.Derivation;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.value.Value;
import java.util.List;

/**
 * This is a call of an entry point over data that isn't in memory.
 *
 * @param source the program's text
 * @param derivations the derivatives that lead from there to the program with the entry point
 * @param rows the names of the parameters that are the data
 * @param caller calls the plan's functions in this process
 * @param arguments the core values of the other parameters
 */
public record DatasetCall(
    ProgramSource source,
    List<Derivation> derivations,
    PiecewiseEntry entry,
    List<String> rows,
    CompileOptions options,
    StepCaller caller,
    List<Value> arguments) {
  public DatasetCall {
    derivations = List.copyOf(derivations);
    rows = List.copyOf(rows);
    arguments = List.copyOf(arguments);
  }
}
