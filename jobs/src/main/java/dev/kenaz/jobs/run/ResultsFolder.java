package dev.kenaz.jobs.run;

import static dev.kenaz.error.ErrorCode.K6110;
import static dev.kenaz.error.ErrorCode.K6111;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.arrow.AtomicOutput;
import dev.kenaz.arrow.ResultParts;
import dev.kenaz.distribute.Plan;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The folder with the results of a run, which appears when all of them are there. */
public final class ResultsFolder implements AutoCloseable {
  /**
   * Where results go.
   *
   * @param overwrite whether the results of an earlier run may be replaced
   */
  public record Place(Path folder, boolean overwrite) {}

  private final Plan plan;
  private final Path shown;
  private final AtomicOutput output;
  private final ResultParts parts;

  private ResultsFolder(Plan plan, Path shown, AtomicOutput output) {
    this.plan = plan;
    this.shown = shown;
    this.output = output;
    this.parts = ResultParts.of(plan, output.path());
  }

  /**
   * Starts a folder.
   *
   * @param inputs files that are read, none of which may be replaced
   */
  public static ResultsFolder open(Plan plan, Place place, List<Path> inputs) {
    var folder = place.folder().toAbsolutePath().normalize();
    for (var file : inputs) {
      if (place.overwrite() && file.startsWith(folder)) {
        throw new UserError(
            K6110,
            Span.NONE,
            "--out " + place.folder() + " would replace the data: " + file,
            "name another folder");
      }
    }
    var output = AtomicOutput.to(place.folder(), place.overwrite());
    try {
      var results = new ResultsFolder(plan, place.folder(), output);
      Files.createDirectory(output.path());
      return results;
    } catch (IOException e) {
      output.close();
      throw failed(place.folder(), e);
    } catch (RuntimeException e) {
      output.close();
      throw e;
    }
  }

  private static UserError failed(Path folder, IOException e) {
    return new UserError(
        K6111, Span.NONE, "can't write " + folder + ": " + UserPath.reason(folder, e));
  }

  /** What writes the rows that stay in pieces. */
  public ResultParts parts() {
    return parts;
  }

  /**
   * Writes the other results, and puts the folder in its place.
   *
   * @param results those that don't stay in pieces
   * @param say takes lines about the others
   */
  public void complete(List<Optional<Value>> results, Consumer<String> say) {
    for (int i = 0; i < results.size(); i++) {
      var name = ResultParts.name(i);
      var value = results.get(i);
      if (value.isEmpty()) {
        long rows = ArrowDataset.open(output.path().resolve(name).toString()).rowCount();
        say.accept(
            String.format(
                Locale.ROOT, "result %d: %,d rows in %s", i + 1, rows, shown.resolve(name)));
      } else if (value.get().rank() <= 2) {
        var table = new LinkedHashMap<>(Map.of(name, value.get()));
        ArrowOutput.write(output.path().resolve(name + ".arrow"), table, true);
      }
    }
    try {
      output.commit();
    } catch (IOException e) {
      throw failed(shown, e);
    }
  }

  @Override
  public void close() {
    output.close();
  }
}
