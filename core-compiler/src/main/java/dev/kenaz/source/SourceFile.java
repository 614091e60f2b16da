package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/**
 * This is one file of source text.
 *
 * @param name the name that was given to the parser
 * @param doc the documentation comment of the whole file
 */
public record SourceFile(
    String name, Optional<String> doc, List<Declaration> declarations, Span span) {
  public SourceFile {
    declarations = List.copyOf(declarations);
  }
}
