package dev.kenaz.jobs.tools.suite;

import static dev.kenaz.error.ErrorCode.K1100;
import static dev.kenaz.error.ErrorCode.K1102;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.spec.TestSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds the programs that are tested or measured. */
public final class ProgramFiles {
  private ProgramFiles() {}

  /**
   * Returns the files that are named, and the {@code .fut} files in the folders that are named, in
   * order.
   *
   * @throws UserError (K1100) if there is no such file
   */
  public static List<Path> find(List<Path> places) {
    var files = new ArrayList<Path>();
    for (var place : places) {
      if (!Files.exists(place)) {
        throw new UserError(K1100, "there is no file " + place);
      }
      try (var all = Files.walk(place)) {
        all.filter(p -> p.equals(place) ? Files.isRegularFile(p) : p.toString().endsWith(".fut"))
            .sorted()
            .forEach(files::add);
      } catch (IOException e) {
        throw new UserError(K1102, "can't read " + place + ": " + UserPath.reason(place, e));
      }
    }
    return files;
  }

  /** Returns the test blocks of a file. */
  public static List<TestSpec> specs(Path file) {
    try {
      return TestSpec.parse(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw new UserError(K1102, "can't read " + file + ": " + UserPath.reason(file, e));
    }
  }
}
