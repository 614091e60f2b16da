package dev.kenaz.ir;

import java.util.List;

/**
 * A whole program in core form.
 *
 * @param functions callees before callers; no recursion
 * @param entries what can be called from outside
 */
public record CoreProgram(List<FunDef> functions, List<EntryPoint> entries) {
  public CoreProgram {
    functions = List.copyOf(functions);
    entries = List.copyOf(entries);
  }

  public FunDef function(String name) {
    return functions.stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
  }
}
