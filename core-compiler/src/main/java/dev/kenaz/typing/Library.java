package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1100;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.source.Parser;
import dev.kenaz.source.SourceFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The modules that come with Kenaz. A program imports one as {@code import "kenaz/NAME"}, unless it
 * has a file of its own at that path from the importing file. Their texts are part of the compiler,
 * like the prelude, and not of the program.
 */
public final class Library {
  /** How the paths of all modules begin. */
  private static final String PREFIX = "kenaz/";

  /** What precedes the path of a module in the name of its file, the one in spans. */
  private static final String FOLDER = "<library>/";

  private static final String SUFFIX = ".fut";
  private static final List<String> PATHS =
      List.of(PREFIX + "descent", PREFIX + "least_squares", PREFIX + "optimise", PREFIX + "vector");

  private Library() {}

  /** Returns the paths under which the modules are imported. */
  public static List<String> paths() {
    return PATHS;
  }

  /** Whether an import of this path means a module of the library where there is no own file. */
  public static boolean has(String path) {
    return path.startsWith(PREFIX);
  }

  /**
   * Returns the module that is imported under this path.
   *
   * @throws UserError K1100 if there is none
   */
  public static SourceFile module(String path, Span span) {
    var name = FOLDER + path + SUFFIX;
    return Parser.parse(name, text(name).orElseThrow(() -> missing(path, span)));
  }

  private static UserError missing(String path, Span span) {
    var hints = new ArrayList<>(List.of(NearestName.hint(path, PATHS)));
    hints.add("the modules that come with Kenaz are " + String.join(", ", PATHS));
    return new UserError(
        K1100,
        span,
        "there is no file " + path + SUFFIX + ", nor does such a module come with Kenaz",
        hints.toArray(String[]::new));
  }

  /** Returns the text of a module by the name of its file. */
  public static Optional<String> text(String file) {
    return PATHS.stream()
        .filter(path -> file.equals(FOLDER + path + SUFFIX))
        .map(path -> PreludeText.resource("library/" + path))
        .findFirst();
  }
}
