package dev.kenaz.arrow;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** The data faults K61xx; docs/errors.md explains each. */
final class Faults {
  private Faults() {}

  static UserError fault(String code, String message, String... hints) {
    return new UserError(code, Span.NONE, message, hints);
  }

  static UserError cannotRead(Path file, IOException e) {
    var message = "can't read " + file + ": " + reason(e);
    return e instanceof NoSuchFileException
        ? fault("K6101", message, "a dataset is a file, a folder of .arrow files, or a pattern")
        : fault("K6101", message);
  }

  static UserError cannotWrite(Path file, IOException e) {
    return fault("K6111", "can't write " + file + ": " + reason(e), "nothing was left behind");
  }

  static UserError malformed(String file, String why) {
    return fault("K6103", file + " is damaged: " + why, "make it again; nothing of it was used");
  }

  /** Something else than Arrow. */
  static UserError notArrow(String what) {
    return fault("K6102", what, "kenaz dataset import makes Arrow files of CSV and Parquet");
  }

  /** With a hint: the nearest name, or all of them. */
  static UserError noColumn(Object source, String name, List<String> names) {
    var hint = NearestName.hint(name, names);
    return fault(
        "K6104",
        source + " has no column \"" + name + "\"",
        hint.length > 0 ? hint : new String[] {"its columns are " + String.join(", ", names)});
  }

  /** The JDK's own messages for the common cases are just the path. */
  private static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file or folder";
      case AccessDeniedException _ -> "permission denied";
      default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    };
  }
}
