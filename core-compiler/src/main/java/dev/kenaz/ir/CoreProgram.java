package dev.kenaz.ir;

import static dev.kenaz.error.ErrorCode.K6303;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;

/**
 * A whole program in core IR consists of functions and of the entry points that call them.
 *
 * @param functions callees before callers; one may call itself
 * @param entries what can be called from outside
 */
public record CoreProgram(List<FunDef> functions, List<EntryPoint> entries) {
  public CoreProgram {
    functions = List.copyOf(functions);
    entries = List.copyOf(entries);
  }

  /** The program with these functions instead; the program itself if they are the very same. */
  public CoreProgram with(List<FunDef> others) {
    return Body.same(others, functions) ? this : new CoreProgram(others, entries);
  }

  /** Returns what one entry point needs of the program. */
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

  /**
   * Returns the entry point of that name.
   *
   * @throws UserError (K6303) if there is none
   */
  public EntryPoint entryPoint(String name) {
    for (var e : entries) {
      if (e.name().equals(name)) {
        return e;
      }
    }
    var names = entries.stream().map(EntryPoint::name).toList();
    var hint =
        NearestName.of(name, names)
            .map(n -> "did you mean " + n + "?")
            .orElse("there are: " + NearestName.few(name, names));
    throw new UserError(K6303, "the program has no entry point " + name, hint);
  }

  public FunDef function(String name) {
    return functions.stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
  }
}
