package dev.kenaz.ir;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;

/**
 * A whole program in core form.
 *
 * @param functions callees before callers; one may call itself
 * @param entries what can be called from outside
 */
public record CoreProgram(List<FunDef> functions, List<EntryPoint> entries) {
  public CoreProgram {
    functions = List.copyOf(functions);
    entries = List.copyOf(entries);
  }

  /** What one entry point needs of the program. */
  public CoreProgram only(EntryPoint entry) {
    var needed = new HashSet<String>();
    needed.add(entry.function());
    var kept = new ArrayDeque<FunDef>();
    for (var f : functions.reversed()) {
      if (needed.contains(f.name())) {
        kept.addFirst(f);
        needed.addAll(Callees.of(f.body()));
      }
    }
    return new CoreProgram(List.copyOf(kept), List.of(entry));
  }

  public FunDef function(String name) {
    return functions.stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
  }
}
