package dev.kenaz.arrow;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6102;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6111;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;

/** Makes the data faults K61xx; docs/errors.md explains each. */
public final class Faults {
  private Faults() {}

  public static UserError fault(ErrorCode code, String message, String... hints) {
    return new UserError(code, message, hints);
  }

  public static UserError cannotRead(Path file, IOException e) {
    return e instanceof NoSuchFileException
        ? UserPath.cannotRead(
            file, K6101, e, "a dataset is a file, a folder of .arrow files, or a pattern")
        : UserPath.cannotRead(file, K6101, e);
  }

  public static UserError cannotWrite(Path file, IOException e) {
    return fault(
        K6111, "can't write " + file + ": " + UserPath.reason(file, e), "nothing was left behind");
  }

  public static UserError malformed(String file, String why) {
    return fault(K6103, file + " is damaged: " + why, "make it again; nothing of it was used");
  }

  /** Returns the error for a file that is not Arrow. */
  public static UserError notArrow(String what) {
    return fault(K6102, what, "kenaz dataset import makes Arrow files of CSV and Parquet");
  }

  /** Returns the error for a missing column, with a hint: the nearest name, or a few names. */
  public static UserError noColumn(Object source, String name, List<String> names) {
    return fault(
        K6104,
        source + " has no column \"" + name + "\"",
        NearestName.hintOrFew(name, names, "its columns are"));
  }

  /** Refuses columns that are named twice. */
  public static void requireDistinct(List<String> columns) {
    var seen = new HashSet<String>();
    for (var name : columns) {
      if (!seen.add(name)) {
        throw fault(K6104, "the column \"" + name + "\" is named twice", "name it once");
      }
    }
  }
}
