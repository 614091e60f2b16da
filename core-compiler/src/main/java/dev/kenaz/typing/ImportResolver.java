package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1009;

import dev.kenaz.error.Span;
import dev.kenaz.source.SourceFile;

/** Finds the files that a program imports. */
@FunctionalInterface
public interface ImportResolver {
  /**
   * Finds and parses a file. The same file must always have the same {@link SourceFile#name}.
   *
   * @param from the importing file's name
   * @param path the path as it is written, without {@code .fut}, relative to that file
   * @param span the place of the import, for messages
   * @throws dev.kenaz.error.UserError if there is no such file, or it does not parse
   */
  SourceFile resolve(String from, String path, Span span);

  /** Returns a resolver for a program that imports nothing but what comes with Kenaz. */
  static ImportResolver none() {
    return (_, path, span) -> {
      if (Library.has(path)) {
        return Library.module(path, span);
      }
      throw Session.error(K1009, span, "There is no file \"" + path + ".fut\" to import");
    };
  }
}
