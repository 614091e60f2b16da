package dev.kenaz.typing;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/**
 * A definition that can be called from outside: a function or a constant.
 *
 * @param name as called
 * @param definition in {@link TypedProgram#defs}
 * @param typeParams sizes only, to be read off the arguments
 * @param result when all parameters are given; a tuple is one result
 */
public record TypedEntry(
    String name,
    VName definition,
    List<TypeParam> typeParams,
    List<Param> params,
    Result result,
    Span span) {
  public TypedEntry {
    typeParams = List.copyOf(typeParams);
    params = List.copyOf(params);
  }

  /**
   * @param name as written, or {@code _}
   * @param ascription the type's text as its author wrote it, sizes removed: what an opaque type is
   *     called outside
   */
  public record Param(String name, SType type, Optional<String> ascription) {}

  /**
   * @param ascription of the whole
   * @param elements of each element, where a tuple type was written
   */
  public record Result(
      ReturnType type, Optional<String> ascription, List<Optional<String>> elements) {
    public Result {
      elements = List.copyOf(elements);
    }
  }
}
