package dev.kenaz.jobs.sweep;

import static dev.kenaz.error.ErrorCode.K7002;
import static dev.kenaz.error.ErrorCode.K7004;
import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7101;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.config.SweepConfig;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.measure.Machine;
import dev.kenaz.jobs.train.OutputFolder;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.jobs.train.TrainEvent;
import dev.kenaz.jobs.train.TrainJob;
import dev.kenaz.jobs.train.Trainer;
import dev.kenaz.options.Backend;
import dev.kenaz.spark.SparkStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Runs a sweep from its configuration to its table. All cells are checked before the first one
 * runs; the table is written anew after each.
 *
 * @param cells in the order of the grid
 * @param document the configuration, without the values of environment variables
 * @param jobFolder the folder from which the job's relative paths start
 * @param output the sweep's folder
 * @param say takes lines for the user
 * @param details is told what happens in the trainings
 */
public record SweepJob(
    List<Cell> cells,
    JsonNode document,
    Path jobFolder,
    OutputFolder output,
    Consumer<String> say,
    Consumer<TrainEvent> details) {

  /**
   * Reads a sweep.
   *
   * @throws UserError K7001 to K7006, for any of the jobs it stands for
   */
  public static SweepJob read(Path file, Consumer<String> say, Consumer<TrainEvent> details) {
    return read(file, List.of(), say, details);
  }

  /**
   * Reads a sweep.
   *
   * @param settings take the place of those in the file; those of {@code job} are of the job,
   *     wherever that is
   */
  public static SweepJob read(
      Path file,
      List<Settings.Setting> settings,
      Consumer<String> say,
      Consumer<TrainEvent> details) {
    var ofJob = Settings.of("job", settings);
    var others = settings.stream().filter(s -> !isOfJob(s)).toList();
    var config = ConfigReader.readSweep(file, others);
    var folder = file.toAbsolutePath().normalize().getParent();
    var jobFile =
        config.job().isTextual() ? UserPath.in(folder, config.job().asText(), K7002) : file;
    var cells = Cell.all(config, job(config, jobFile, ofJob));
    var job =
        new SweepJob(
            cells,
            ConfigReader.document(file, others),
            jobFile.toAbsolutePath().normalize().getParent(),
            new OutputFolder(UserPath.in(folder, config.output(), K7006)),
            say,
            details);
    job.checkConfigurations(file);
    return job;
  }

  private static boolean isOfJob(Settings.Setting s) {
    return s.path().size() > 1 && s.path().getFirst().equals("job");
  }

  private static ObjectNode job(SweepConfig config, Path jobFile, List<Settings.Setting> settings) {
    var job =
        config.job().isTextual()
            ? ConfigReader.document(jobFile, settings)
            : Settings.set(config.job(), settings);
    if (job instanceof ObjectNode object) {
      return object;
    }
    throw new UserError(K7004, jobFile + " is not a training job");
  }

  /** Throws the faults of all jobs. Each is reported once, for the first cell that has it. */
  private void checkConfigurations(Path file) {
    var faults = new LinkedHashMap<String, Diagnostic>();
    // A program is read for each optimiser once: a grid may have many other settings.
    var checked = new HashSet<List<Object>>();
    for (var cell : cells) {
      try {
        var config = train(cell, "JOB");
        if (checked.add(List.of(config.program(), config.optimiser()))) {
          checkOptimiser(config, cell);
        }
      } catch (UserError e) {
        e.diagnostics()
            .forEach(
                d ->
                    faults.putIfAbsent(
                        d.message(),
                        new Diagnostic(
                            d.code(),
                            d.span(),
                            d.message().replace("JOB", file + " (" + cell.title() + ")"),
                            d.hints())));
      }
    }
    if (!faults.isEmpty()) {
      throw new UserError(List.copyOf(faults.values()));
    }
  }

  private void checkOptimiser(TrainConfig config, Cell cell) {
    try {
      Trainer.checkOptimiser(config, jobFolder);
    } catch (UserError e) {
      var d = e.diagnostics().getFirst();
      var message = "JOB: " + d.message();
      throw new UserError(d.code(), d.span(), message, d.hints().toArray(String[]::new));
    }
  }

  private TrainConfig train(Cell cell, String name) {
    return ConfigReader.train(cell.job(folder(cell)), name);
  }

  private Path folder(Cell cell) {
    return output.path().resolve(cell.name());
  }

  /**
   * Runs all cells, or those that an earlier run has not finished.
   *
   * @return a line for each cell
   */
  public List<CellResult> run(Existing existing) {
    var table = new SweepTable(output);
    if (existing == Existing.REFUSE && table.exists()) {
      throw new UserError(
          K7101,
          "the output folder " + output.path() + " holds the table of a sweep",
          "continue it with --resume, or start anew with --overwrite");
    }
    try (var _ = output.claim(table.exists() ? Existing.OVERWRITE : existing, 64 << 10)) {
      var earlier =
          existing == Existing.RESUME ? table.read() : new LinkedHashMap<String, CellResult>();
      return run(existing, table, earlier);
    }
  }

  private List<CellResult> run(
      Existing existing, SweepTable table, Map<String, CellResult> earlier) {
    output.writeJson(SweepReport.CONFIG, document);
    output.writeJson(Machine.FILE, Machine.here());
    var results = new ArrayList<CellResult>();
    Optional<JavaSparkContext> spark = Optional.empty();
    try {
      for (var cell : cells) {
        var before = earlier.get(cell.name());
        CellResult result;
        if (before != null && before.isDone() && isFinished(cell)) {
          result = before;
        } else {
          spark = spark.filter(s -> !s.sc().isStopped()).or(() -> Optional.of(open()));
          result = run(cell, existing, spark.get());
        }
        results.add(result);
        tell(results.size(), result, result == before);
        table.write(results);
      }
    } finally {
      spark.ifPresent(JavaSparkContext::close);
    }
    conclude(results);
    return results;
  }

  private JavaSparkContext open() {
    var spark = train(cells.getFirst(), "job").spark();
    // A GPU that is missing is the fault of the cells that want one, unless all do.
    var backends = cells.stream().map(c -> train(c, "job").spark().backend()).distinct().toList();
    var common = backends.size() == 1 ? backends.getFirst() : Backend.JVM;
    boolean fallback = cells.stream().anyMatch(c -> train(c, "job").spark().fallback());
    return SparkStart.open("kenaz sweep", spark.master(), common, fallback);
  }

  private CellResult run(Cell cell, Existing existing, JavaSparkContext spark) {
    var document = cell.job(folder(cell));
    try {
      var job = new TrainJob(train(cell, "job"), document, jobFolder, details);
      return CellResult.done(cell, job.run(existing(cell, existing), spark));
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      return CellResult.failed(cell, e, Files.exists(folder(cell)));
    }
  }

  /**
   * Decides what happens to a cell's folder. A model that the table doesn't have is of a run that
   * ended before it wrote the table; it is made again.
   */
  private Existing existing(Cell cell, Existing existing) {
    return existing == Existing.RESUME && isFinished(cell) ? Existing.OVERWRITE : existing;
  }

  private boolean isFinished(Cell cell) {
    return new OutputFolder(folder(cell)).isFinished();
  }

  private void tell(int number, CellResult r, boolean old) {
    var outcome =
        r.isDone()
            ? String.format(
                Locale.ROOT,
                "%s%d iterations of %.3f s%s",
                r.cost() == null ? "" : String.format(Locale.ROOT, "cost %.6e after ", r.cost()),
                r.iterations(),
                r.secondsPerIteration(),
                old ? " (done before)" : "")
            : "failed: " + r.code() + " " + r.message();
    say.accept(
        String.format(Locale.ROOT, "[%d/%d] %s  %s", number, cells.size(), title(r), outcome));
  }

  /** Returns the settings that distinguish a cell from the others. */
  private String title(CellResult r) {
    return Settings.title(
        r.settings(),
        path ->
            cells.size() == 1
                || cells.stream().map(c -> c.settings().get(path)).distinct().count() > 1);
  }

  private void conclude(List<CellResult> results) {
    var done = results.stream().filter(CellResult::isDone).toList();
    // A program may have no loss; then no cell is the best one.
    var judged =
        done.stream()
            .filter(r -> r.cost() != null)
            .sorted(Comparator.comparingDouble(CellResult::cost))
            .toList();
    say.accept(done.size() + " of " + results.size() + " cells done");
    judged.stream()
        .findFirst()
        .ifPresent(best -> say.accept("best     " + output.path().resolve(best.folder())));
    say.accept("table    " + output.path().resolve(SweepTable.JSON));
    say.accept("         " + output.path().resolve(SweepTable.CSV));
    say.accept("report   " + SweepReport.write(output));
  }
}
