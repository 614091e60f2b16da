package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7006;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.picture.Page;
import dev.kenaz.jobs.train.OutputFolder;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs the sweep of a configuration, or the sweeps that it lists, one after the other.
 *
 * @param all the sweeps, each of which writes into a folder of its own
 * @param together where the page about all of them goes, if the configuration lists sweeps
 */
public record BenchmarkSweeps(
    List<BenchmarkSweep> all, Optional<OutputFolder> together, Consumer<String> say) {

  /**
   * Reads a configuration. All sweeps are read before the first one runs.
   *
   * @param only conditions for cells, see {@link BenchmarkSweep#read}
   * @throws UserError K7001 to K7006
   */
  public static BenchmarkSweeps read(
      Path file, List<Settings.Setting> settings, List<String> only, Consumer<String> say) {
    var config = ConfigReader.readBenchmark(file, settings);
    if (config.sweeps().isEmpty()) {
      return new BenchmarkSweeps(
          List.of(BenchmarkSweep.read(file, settings, only, say)), Optional.empty(), say);
    }
    var folder = file.toAbsolutePath().normalize().getParent();
    var all = new ArrayList<BenchmarkSweep>();
    for (var name : config.sweeps().get()) {
      var part = UserPath.in(folder, name, K7006);
      if (ConfigReader.readBenchmark(part, List.of()).sweeps().isPresent()) {
        throw new UserError(K7006, part + " lists sweeps itself", "list those in " + file);
      }
      all.add(BenchmarkSweep.read(part, List.of(), only, say));
    }
    var output = new OutputFolder(UserPath.in(folder, config.output(), K7006));
    return new BenchmarkSweeps(List.copyOf(all), Optional.of(output), say);
  }

  /** Prints what would be measured. */
  public void plan() {
    all.forEach(BenchmarkSweep::plan);
  }

  /** Measures all cells, and returns what became of them. */
  public List<Measurement> run(Existing existing) {
    var results = new ArrayList<Measurement>();
    for (var sweep : all) {
      results.addAll(sweep.run(existing));
    }
    together.ifPresent(this::report);
    return results;
  }

  private void report(OutputFolder output) {
    var page = Page.of(all.stream().map(s -> BenchmarkReport.read(s.folder())).toList());
    try (var _ = output.claim(Existing.OVERWRITE, page.length())) {
      output.writeText(Page.NAME, page);
    }
    say.accept("report   " + output.path().resolve(Page.NAME));
  }
}
