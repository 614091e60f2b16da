package dev.kenaz.typing;

import dev.kenaz.error.Diagnostic;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A checked program: no modules, every name unique.
 *
 * @param defs each uses only those before it; the prelude's come first
 * @param representations of every abstract type that a definition mentions
 * @param abbreviations names that the root file has for types, and what they stand for; entry
 *     points name opaque types by them
 * @param recursive the functions that call themselves
 * @param shared constants that results of functions may share memory with
 * @param warnings in source order
 */
public record TypedProgram(
    List<TypedDef> defs,
    List<TypedEntry> entries,
    Map<VName, TypeDef> representations,
    Map<String, TypeDef> abbreviations,
    Set<VName> recursive,
    Set<VName> shared,
    List<Diagnostic> warnings) {
  public TypedProgram {
    defs = List.copyOf(defs);
    entries = List.copyOf(entries);
    representations = Map.copyOf(representations);
    abbreviations = Map.copyOf(abbreviations);
    recursive = Set.copyOf(recursive);
    shared = Set.copyOf(shared);
    warnings = List.copyOf(warnings);
  }
}
