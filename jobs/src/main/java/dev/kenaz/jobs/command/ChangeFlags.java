package dev.kenaz.jobs.command;

import dev.kenaz.dataset.CastColumns;
import dev.kenaz.dataset.CsvType;
import dev.kenaz.dataset.DictionaryColumns;
import dev.kenaz.dataset.FirstPass;
import dev.kenaz.dataset.GroupedColumns;
import dev.kenaz.dataset.ProgramColumns;
import dev.kenaz.dataset.RowCondition;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.RowPlan;
import dev.kenaz.dataset.SomeRows;
import dev.kenaz.dataset.Standardised;
import dev.kenaz.pipeline.ProgramSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that change rows on their way between formats. */
final class ChangeFlags {
  @Option(
      names = "--columns",
      split = ",",
      paramLabel = "NAME",
      description = "Take only these columns, in this order; without this option, all.")
  private List<String> columns = List.of();

  @Option(
      names = "--where",
      paramLabel = "CONDITION",
      description =
          "Take only rows for which this holds, as in \"delay > 10 and carrier == 'AA' and day is"
              + " not null\".")
  private String where;

  @InRange(from = 0, to = 1)
  @Option(
      names = "--sample",
      paramLabel = "FRACTION",
      description = "Take each row with this probability.")
  private Double sample;

  @InRange(from = -InRange.ANY, to = InRange.ANY)
  @Option(
      names = "--seed",
      paramLabel = "INT",
      defaultValue = "1",
      description = "Sample and divide rows by this seed (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--program",
      paramLabel = "FILE",
      description =
          "Add columns that a program computes of others, row by row; its parameters have the names"
              + " of columns.")
  private Path program;

  @Option(
      names = "--entry",
      paramLabel = "NAME",
      defaultValue = "main",
      description = "The entry point of the program (${DEFAULT-VALUE}).")
  private String entry;

  @Option(
      names = "--cast",
      paramLabel = "NAME=TYPE",
      description = "Give columns other types, as in x=f32,day=date.")
  private List<String> casts = List.of();

  @Option(
      names = "--standardise",
      split = ",",
      paramLabel = "NAME",
      description =
          "Subtract the mean of these columns, and divide them by their standard deviation.")
  private List<String> standardised = List.of();

  @Option(
      names = "--dictionary",
      split = ",",
      paramLabel = "NAME",
      description =
          "Replace the strings of these columns by their numbers in a sorted list of them, which"
              + " the metadata of the files has.")
  private List<String> dictionaries = List.of();

  @Option(
      names = "--lists",
      split = ",",
      paramLabel = "NAME=FIRST:LAST",
      description = "Make one column of lists of neighbouring columns, as in x=x0:x9.")
  private List<String> lists = List.of();

  @Option(
      names = "--rename",
      split = ",",
      paramLabel = "OLD=NEW",
      description = "Give columns other names.")
  private List<String> renamed = List.of();

  @InRange(from = -InRange.ANY, to = InRange.ANY)
  @Option(
      names = "--shuffle",
      paramLabel = "SEED",
      description = "Put the rows in a random order, which depends on this number.")
  private Long shuffle;

  @Option(
      names = "--split",
      split = ",",
      paramLabel = "PART",
      description =
          "Divide the rows at random among folders, as in 0.8,0.1,0.1: train, validation and"
              + " test; or 0.8,0.2: train and test.")
  private List<Double> split = List.of();

  /**
   * Returns what is done with rows.
   *
   * @param missing what is done with missing numbers
   * @param pass how all rows are read where that is necessary
   * @param programs takes what the caller closes at the end
   */
  RowPlan plan(List<RowPlan.Stage> missing, FirstPass pass, List<AutoCloseable> programs) {
    var changes = new ArrayList<RowPlan.Stage>();
    if (where != null) {
      changes.add(RowPlan.Stage.of(new SomeRows.Where(RowCondition.of(where))));
    }
    if (sample != null) {
      changes.add(RowPlan.Stage.of(new SomeRows.Sample(sample, seed)));
    }
    changes.addAll(missing);
    if (!casts.isEmpty()) {
      changes.add(RowPlan.Stage.of(new CastColumns(types())));
    }
    if (program != null) {
      var computed = ProgramColumns.of(program, entry);
      programs.add(computed);
      changes.add(RowPlan.Stage.of(computed));
    } else if (!entry.equals("main")) {
      throw DatasetMove.fault("--entry is for --program");
    }
    if (!standardised.isEmpty()) {
      changes.add(source -> Standardised.of(source, standardised, pass));
    }
    if (!dictionaries.isEmpty()) {
      changes.add(source -> DictionaryColumns.of(source, dictionaries, pass));
    }
    return new RowPlan(
        changes,
        new GroupedColumns(lists.stream().map(ChangeFlags::group).toList()),
        columns,
        DatasetMove.pairs("--rename", renamed));
  }

  /** Whether columns are read that may not be wanted at the end. */
  boolean needsOthers() {
    return where != null
        || program != null
        || !casts.isEmpty()
        || !standardised.isEmpty()
        || !dictionaries.isEmpty();
  }

  private LinkedHashMap<String, CsvType> types() {
    var made = new LinkedHashMap<String, CsvType>();
    var texts = casts.stream().flatMap(t -> DatasetMove.split(t).stream()).toList();
    DatasetMove.pairs("--cast", texts)
        .forEach((column, t) -> made.put(column, DatasetMove.csvType(t)));
    return made;
  }

  private static GroupedColumns.Group group(String text) {
    var parts = text.split("[=:]", -1);
    if (parts.length != 3) {
      throw DatasetMove.fault("--lists takes NAME=FIRST:LAST, not \"" + text + "\"");
    }
    return new GroupedColumns.Group(parts[0], parts[1], parts[2]);
  }

  Optional<Long> shuffle() {
    return Optional.ofNullable(shuffle);
  }

  long seed() {
    return seed;
  }

  /** Returns the folders among which rows are divided; none without the option. */
  List<RowOutput.Share> shares() {
    var names =
        switch (split.size()) {
          case 0 -> List.<String>of();
          case 2 -> List.of("train", "test");
          case 3 -> List.of("train", "validation", "test");
          default -> throw DatasetMove.fault("--split takes two or three parts, as in 0.8,0.2");
        };
    double sum = split.stream().mapToDouble(d -> d).sum();
    if (!split.isEmpty() && (Math.abs(sum - 1) > 1e-9 || split.stream().anyMatch(d -> !(d > 0)))) {
      throw DatasetMove.fault("the parts of --split are positive, and add up to 1");
    }
    var shares = new ArrayList<RowOutput.Share>();
    for (int i = 0; i < names.size(); i++) {
      shares.add(new RowOutput.Share(names.get(i), split.get(i)));
    }
    return shares;
  }

  /** Returns the options as text, by which an interrupted command is recognised. */
  String description() {
    return List.of(
            columns,
            String.valueOf(where),
            String.valueOf(sample),
            seed,
            program == null ? "" : ProgramSource.read(program).files(),
            entry,
            casts,
            standardised,
            dictionaries,
            lists,
            renamed,
            String.valueOf(shuffle),
            split)
        .toString();
  }
}
