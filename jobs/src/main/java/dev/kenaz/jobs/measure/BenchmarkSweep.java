package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.BenchmarkConfig;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.train.OutputFolder;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.spark.OnExecutors;
import dev.kenaz.spark.SparkStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Measures the cells of a configuration, and writes the results. */
public final class BenchmarkSweep {
  private static final List<String> BESIDE = List.of("mode", Cells.PEER, "backend");
  private static final long ROOM = 1 << 20;
  private static final String HERE = "here";

  private final BenchmarkConfig config;

  /** The configuration as it was written: without the values of environment variables. */
  private final JsonNode document;

  private final Path folder;
  private final List<BenchmarkCell> cells;
  private final OutputFolder output;
  private final Measuring how;
  private final Ratios ratios;
  private final ProgramTexts programs;
  private final Consumer<String> say;

  private BenchmarkSweep(
      BenchmarkConfig config,
      JsonNode document,
      Path folder,
      List<BenchmarkCell> cells,
      OutputFolder output,
      Consumer<String> say) {
    this.config = config;
    this.document = document;
    this.folder = folder;
    this.cells = cells;
    this.output = output;
    this.programs = new ProgramTexts(folder);
    this.how = Measuring.of(config.measure());
    this.ratios = new Ratios(config.ratios().orElseGet(LinkedHashMap::new));
    this.say = say;
  }

  /** Whether a configuration is of a sweep that measures. */
  public static boolean isMeant(Path file) {
    var document = ConfigReader.document(file, List.of());
    return document.has("axes") || document.has("sweeps");
  }

  /**
   * Reads a sweep.
   *
   * @param settings take the place of those in the file
   * @param only conditions such as {@code mode=gradient}; of those about one axis, a cell must
   *     fulfil one
   * @param say takes lines for the user
   * @throws UserError K7001 to K7006
   */
  public static BenchmarkSweep read(
      Path file, List<Settings.Setting> settings, List<String> only, Consumer<String> say) {
    var config = ConfigReader.readBenchmark(file, settings);
    var folder = file.toAbsolutePath().normalize().getParent();
    var cells = Cells.of(config, file.toString(), conditions(only));
    var output = new OutputFolder(UserPath.in(folder, config.output(), K7006));
    requireAxes(config, file);
    var document = ConfigReader.document(file, settings);
    return new BenchmarkSweep(config, document, folder, cells, output, say);
  }

  private static SequencedMap<String, Set<String>> conditions(List<String> only) {
    var conditions = new LinkedHashMap<String, Set<String>>();
    for (var text : only) {
      var parts = text.split("=", 2);
      if (parts.length < 2) {
        throw new UserError(
            K7006, "--only " + text + " is no condition", "write --only AXIS=VALUE");
      }
      conditions
          .computeIfAbsent(parts[0], _ -> new HashSet<>())
          .addAll(Arrays.asList(parts[1].split("\\|")));
    }
    return conditions;
  }

  private static void requireAxes(BenchmarkConfig config, Path file) {
    var named = new ArrayList<>(config.beside().orElse(List.of()));
    config
        .papers()
        .ifPresent(p -> p.forEach(n -> n.where().fieldNames().forEachRemaining(named::add)));
    for (var axis : named) {
      if (!config.axes().containsKey(axis)) {
        throw new UserError(
            K7006,
            file + ": there is no axis " + axis,
            NearestName.hintOrFew(axis, config.axes().keySet(), "the axes are"));
      }
    }
  }

  /** Returns the cells in groups: those of a group are measured in turns. */
  private List<List<BenchmarkCell>> groups(List<BenchmarkCell> wanted) {
    var beside = new HashSet<>(config.beside().orElse(BESIDE));
    var groups = new LinkedHashMap<Map<String, String>, List<BenchmarkCell>>();
    for (var cell : wanted) {
      var rest = new LinkedHashMap<>(cell.axes());
      rest.keySet().removeAll(beside);
      groups.computeIfAbsent(rest, _ -> new ArrayList<>()).add(cell);
    }
    var parts = new ArrayList<List<BenchmarkCell>>();
    for (var g : groups.values()) {
      for (int i = 0; i < g.size(); i += how.together()) {
        parts.add(g.subList(i, Math.min(i + how.together(), g.size())));
      }
    }
    return parts;
  }

  /** Prints what would be measured. */
  public void plan() {
    var groups = groups(cells);
    summary(cells, groups);
    for (var g : groups) {
      g.forEach(c -> say.accept("  " + c.title()));
      if (groups.size() < cells.size()) {
        say.accept("");
      }
    }
  }

  private void summary(List<BenchmarkCell> wanted, List<List<BenchmarkCell>> groups) {
    double minutes = wanted.size() * how.estimate() / 60;
    say.accept(
        String.format(
            Locale.ROOT,
            "%d cells in %d groups; %d processes measure each cell; about %s",
            wanted.size(),
            groups.size(),
            how.processes(),
            minutes < 1.5 ? Math.round(minutes * 60) + " s" : Math.round(minutes) + " min"));
  }

  /**
   * Measures all cells, or those that an earlier run has not.
   *
   * @return what became of each cell
   */
  public List<Measurement> run(Existing existing) {
    try (var _ = output.claim(existing, ROOM)) {
      boolean goOn = existing == Existing.RESUME;
      var there =
          goOn && Files.exists(output.path().resolve(MeasurementsFile.NAME))
              ? MeasurementsFile.read(output.path())
              : new LinkedHashMap<String, Measurement>();
      there.values().removeIf(m -> !m.isDone());
      removeChanged(there);
      try (var file = MeasurementsFile.open(output.path(), goOn)) {
        measure(file, there);
      }
      var results = cells.stream().map(c -> there.get(c.name())).toList();
      conclude(results);
      return results;
    }
  }

  /** Removes what was measured of programs that have another text now. */
  private void removeChanged(Map<String, Measurement> there) {
    for (var cell : cells) {
      var before = there.get(cell.name());
      boolean known = before != null && before.program() != null;
      if (known && !before.program().equals(programs.of(cell))) {
        there.remove(cell.name());
        say.accept(cell.title() + "  is measured again: its program has changed");
      }
    }
  }

  private void measure(MeasurementsFile file, Map<String, Measurement> there) {
    var left = cells.stream().filter(c -> !there.containsKey(c.name())).toList();
    var groups = groups(left);
    left.forEach(programs::of); // as they are now, whatever happens while they are measured
    var machine = Machine.here();
    output.writeJson(Machine.FILE, machine);
    output.writeJson(BenchmarkReport.CONFIG, document);
    summary(left, groups);
    say.accept("machine  " + machine.text());
    machine.doubts().forEach(d -> say.accept("warning: " + d + "; times may be wrong"));
    measureCeilings();
    var peers = new LinkedHashMap<>(config.peers().orElseGet(LinkedHashMap::new));
    var starter = new Starter(folder.toString(), peers, how, CompileOptions.ANY_DEVICE);
    var byName = cells.stream().collect(Collectors.toMap(BenchmarkCell::name, c -> c));
    Consumer<Measurement> take =
        told -> {
          var m = told.of(programs.of(byName.get(told.cell())));
          file.add(m);
          there.put(m.cell(), m);
          tell(m, there);
        };
    if (config.where().orElse(HERE).equals(HERE)) {
      for (var group : groups) {
        new GroupOfCells(List.copyOf(group), starter).on(starter.device()).forEach(take);
      }
    } else {
      onExecutors(
          groups.stream().map(g -> new GroupOfCells(List.copyOf(g), starter)).toList(), take);
    }
  }

  /** Measures what the processor can do, by the numbers of threads of the cells. */
  private void measureCeilings() {
    var cores =
        cells.stream()
            .filter(c -> CellWork.isWanted(c.settings()))
            .map(c -> c.settings().path("cores").asInt(1))
            .distinct()
            .sorted()
            .toList();
    if (!cores.isEmpty()) {
      output.writeJson(Ceilings.FILE, cores.stream().map(Ceilings::of).toList());
    }
  }

  /** Measures groups on the executors of a cluster, one at a time on each machine. */
  private void onExecutors(List<GroupOfCells> groups, Consumer<Measurement> take) {
    var master = config.spark().flatMap(BenchmarkConfig.Spark::master);
    try (var spark = SparkStart.open("kenaz sweep", master)) {
      OnExecutors.run(
          spark,
          "cells of " + UserPath.name(output.path()),
          groups,
          new OnDevice(),
          new OnExecutors.Outcomes<>() {
            @Override
            public void done(GroupOfCells group, List<Measurement> results) {
              results.forEach(take);
            }

            @Override
            public void failed(GroupOfCells group, RuntimeException failure) {
              group.failed(failure).forEach(take);
            }
          });
    }
  }

  /** Measures a group in an executor. */
  private static final class OnDevice implements OnExecutors.Work<GroupOfCells, List<Measurement>> {
    private static final long serialVersionUID = 1;

    @Override
    public boolean isOnGpu(GroupOfCells group) {
      return group.isOnGpu();
    }

    @Override
    public List<Measurement> on(GroupOfCells group, int device) {
      return group.on(device);
    }
  }

  private void tell(Measurement m, Map<String, Measurement> there) {
    long done = cells.stream().filter(c -> there.containsKey(c.name())).count();
    var title = new BenchmarkCell(m.axes(), m.settings()).title();
    var outcome = m.isDone() ? done(m, there) : failed(m);
    say.accept(String.format(Locale.ROOT, "[%d/%d] %s  %s", done, cells.size(), title, outcome));
  }

  private static String failed(Measurement m) {
    return switch (m.status()) {
          case HUNG -> "hung: ";
          case MEMORY -> "memory: ";
          case FAILED, DONE -> "failed: ";
        }
        + m.message();
  }

  private String done(Measurement m, Map<String, Measurement> there) {
    var text = new StringBuilder(Units.seconds(m.seconds()));
    text.append(String.format(Locale.ROOT, " ±%.1f %%", 100 * m.margin()));
    ratios
        .of(m, there.values())
        .forEach((name, x) -> text.append(String.format(Locale.ROOT, "  %s %.3g", name, x)));
    if (!m.noise().isEmpty()) {
      text.append("  noisy: ").append(String.join("; ", m.noise()));
    }
    return text.toString();
  }

  private void conclude(List<Measurement> results) {
    new MeasurementTable(results, ratios).write(output);
    long done = results.stream().filter(Measurement::isDone).count();
    say.accept(done + " of " + results.size() + " cells done");
    say.accept("results  " + output.path().resolve(MeasurementsFile.NAME));
    say.accept("         " + output.path().resolve(MeasurementTable.NAME));
    say.accept("report   " + BenchmarkReport.write(output));
  }

  List<BenchmarkCell> cells() {
    return cells;
  }

  /** Returns the folder of the results. */
  Path folder() {
    return output.path();
  }
}
