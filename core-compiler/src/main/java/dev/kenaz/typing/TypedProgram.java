package dev.kenaz.typing;

import dev.kenaz.error.Diagnostic;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A checked program. It has no modules, and every name in it is unique.
 *
 * @param defs the definitions, of which each uses only those before it; those of the prelude come
 *     first
 * @param representations what every abstract type is made of that a definition mentions
 * @param recursive the functions that call themselves
 * @param shared the constants that results of functions may share memory with
 * @param warnings the warnings in the order of the source
 */
public record TypedProgram(
    List<TypedDef> defs,
    List<TypedEntry> entries,
    Map<VName, TypeDef> representations,
    Set<VName> recursive,
    Set<VName> shared,
    List<Diagnostic> warnings) {
  public TypedProgram {
    defs = List.copyOf(defs);
    entries = List.copyOf(entries);
    representations = Map.copyOf(representations);
    recursive = Set.copyOf(recursive);
    shared = Set.copyOf(shared);
    warnings = List.copyOf(warnings);
  }
}
