package dev.kenaz.jobs.measure;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.run.LoopCheckpoints;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The digests of what the cells' programs say, so that a changed one is measured again. */
final class ProgramTexts {
  private final Path folder;
  private final Map<String, String> digests = new HashMap<>();

  /** Reads programs whose paths start from a folder. */
  ProgramTexts(Path folder) {
    this.folder = folder;
  }

  /** Returns the digest of a cell's program with its imports; null if it can't be read. */
  String of(BenchmarkCell cell) {
    var name = cell.settings().path("program").asText();
    if (!digests.containsKey(name)) {
      digests.put(name, digest(cell));
    }
    return digests.get(name);
  }

  private String digest(BenchmarkCell cell) {
    try {
      var files = CellProgram.source(cell.settings(), folder).files();
      return LoopCheckpoints.digest(new TreeMap<>(files).values().toString());
    } catch (UserError _) {
      return null; // The cell itself tells what is wrong with it.
    }
  }
}
