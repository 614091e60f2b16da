package dev.kenaz.typing;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/**
 * A definition that can be called from outside: a function or a constant.
 *
 * @param name the name for callers
 * @param definition the name of the definition in {@link TypedProgram#defs}
 * @param result the result when all arguments are given; a tuple is one result
 */
public record TypedEntry(
    String name, VName definition, List<Param> params, Result result, Span span) {
  public TypedEntry {
    params = List.copyOf(params);
  }

  /**
   * @param name the name as it is written, or {@code _}
   * @param ascription the type's text as its author wrote it, without sizes: callers see this name
   *     for an opaque type
   */
  public record Param(String name, SType type, Optional<String> ascription) {}

  /**
   * @param ascription the text of the whole type, as for a parameter
   */
  public record Result(ReturnType type, Optional<String> ascription) {}
}
