package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6121;
import static dev.kenaz.error.ErrorCode.K6122;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayBuilder;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Imports CSV into Arrow files as a stream, in memory that is bounded by one batch. If types are
 * inferred, the file is read twice, so that no later line can contradict them.
 */
public final class DatasetImport {
  private static final long PROGRESS_ROWS = 10_000;

  private final Path csv;
  private final CsvOptions options;
  private final Progress progress;

  private DatasetImport(Path csv, CsvOptions options, Progress progress) {
    this.csv = csv;
    this.options = options;
    this.progress = progress;
  }

  /**
   * What was imported.
   *
   * @param rows how many rows were written
   * @param dropped how many rows were left out because a field was missing
   * @param files how many Arrow files were written
   */
  public record Summary(List<ColumnInfo> columns, long rows, long dropped, int files) {}

  /**
   * Imports a {@code .csv} or {@code .csv.gz} file.
   *
   * @param target the file that is written or, if {@code rowsPerFile} isn't 0, the folder
   * @param rowsPerFile 0 for a single file
   * @throws dev.kenaz.error.UserError K6120 to K6123 naming the line; K6101, K6104, K6110, K6111
   */
  public static Summary csv(
      Path csv,
      Path target,
      long rowsPerFile,
      boolean overwrite,
      CsvOptions options,
      Progress progress) {
    return new DatasetImport(csv, options, progress).run(target, rowsPerFile, overwrite);
  }

  /** A column of the output, which is made of neighbouring fields from {@code first} on. */
  private record Target(ColumnInfo info, int first) {}

  private Summary run(Path target, long rowsPerFile, boolean overwrite) {
    // This fails early if the target can't be written: an import may take long.
    AtomicOutput.to(target, overwrite).close();
    List<Target> targets;
    try (var rows = CsvRows.open(csv, options)) {
      targets = targets(rows);
    }
    var infos = targets.stream().map(Target::info).toList();
    try (var rows = CsvRows.open(csv, options);
        var out = new PartedOutput(target, infos, rowsPerFile, overwrite)) {
      long dropped = copy(rows, targets, out);
      out.commit();
      progress.at(out.rows(), 1);
      return new Summary(infos, out.rows(), dropped, out.files());
    }
  }

  private long copy(CsvRows rows, List<Target> targets, PartedOutput out) {
    long width = targets.stream().mapToLong(t -> t.info().width()).sum();
    // Wide rows make smaller batches, which have at most about 64 MB.
    long batch = Math.clamp((8 << 20) / Math.max(1, width), 1, ArrowOutput.BATCH_ROWS);
    var builders =
        targets.stream()
            .map(t -> new ArrayBuilder(t.info().prim().orElseThrow(), batch * t.info().width()))
            .toList();
    var scratch = new long[Math.toIntExact(width)];
    long inBatch = 0;
    long dropped = 0;
    for (long line = 1; rows.next(); line++) {
      if (parse(rows, targets, scratch)) {
        append(scratch, targets, builders);
        inBatch++;
      } else {
        dropped++;
      }
      if (inBatch == batch) {
        flush(targets, builders, inBatch, out);
        inBatch = 0;
      }
      if (line % PROGRESS_ROWS == 0) {
        progress.at(line, rows.fraction());
      }
    }
    if (inBatch > 0) {
      flush(targets, builders, inBatch, out);
    }
    return dropped;
  }

  private static void append(long[] row, List<Target> targets, List<ArrayBuilder> builders) {
    int at = 0;
    for (int t = 0; t < targets.size(); t++) {
      for (int i = 0; i < targets.get(t).info().width(); i++) {
        builders.get(t).add(row[at++]);
      }
    }
  }

  private static void flush(
      List<Target> targets, List<ArrayBuilder> builders, long rows, PartedOutput out) {
    var arrays = new ArrayList<ArrayValue>();
    for (int t = 0; t < targets.size(); t++) {
      var info = targets.get(t).info();
      arrays.add(
          info.list() ? builders.get(t).build(rows, info.width()) : builders.get(t).build(rows));
    }
    out.write(arrays);
    builders.forEach(ArrayBuilder::clear);
  }

  /** Puts a line's numbers into {@code row}; returns false if the line is left out. */
  private boolean parse(CsvRows rows, List<Target> targets, long[] row) {
    int at = 0;
    for (var t : targets) {
      var type = t.info().prim().orElseThrow();
      for (int i = 0; i < t.info().width(); i++) {
        int column = t.first() + i;
        var text = rows.field(column);
        if (options.isMissing(text)) {
          if (options.missing() == CsvOptions.Missing.DROP) {
            return false;
          }
          row[at++] = missing(rows, column, type);
          continue;
        }
        var bits = CsvField.parse(text, type);
        if (bits.isEmpty()) {
          throw notOfType(rows, column, text, type);
        }
        row[at++] = bits.getAsLong();
      }
    }
    return true;
  }

  private long missing(CsvRows rows, int column, Prim type) {
    var name = rows.names().get(column);
    if (options.missing() == CsvOptions.Missing.ERROR) {
      throw rows.at(
          K6122,
          "column \"" + name + "\" is missing",
          "drop such rows, or make missing fields NaN (--missing drop, --missing nan)");
    }
    if (!type.isFloat()) {
      throw rows.at(
          K6122,
          "column \"" + name + "\" is missing, and a column of " + type + " can't hold NaN",
          "give the column a float type");
    }
    return type.fromDouble(Double.NaN);
  }

  private static UserError notOfType(CsvRows rows, int column, String text, Prim type) {
    return rows.at(
        K6121,
        "column \"" + rows.names().get(column) + "\": \"" + text + "\" is no " + type,
        "give the column another type, or leave it out: --columns names those that are imported");
  }

  private List<Target> targets(CsvRows rows) {
    var names = rows.names();
    var index = new HashMap<String, Integer>();
    for (int i = 0; i < names.size(); i++) {
      index.put(names.get(i), i);
    }
    options.types().keySet().forEach(name -> indexOf(name, index, names));
    var groups = groups(index, names);
    var wanted = options.columns().isEmpty() ? names : options.columns();
    var runs = new ArrayList<int[]>();
    var labels = new ArrayList<String>();
    var grouped = new ArrayList<CsvOptions.Group>();
    for (var name : wanted) {
      var group = groups.get(indexOf(name, index, names));
      if (group == null) {
        runs.add(new int[] {index.get(name), index.get(name)});
        labels.add(name);
      } else if (!grouped.contains(group)) {
        grouped.add(group);
        runs.add(new int[] {index.get(group.first()), index.get(group.last())});
        labels.add(group.name());
      }
    }
    var types = types(rows, runs);
    var targets = new ArrayList<Target>();
    for (int t = 0; t < runs.size(); t++) {
      int width = runs.get(t)[1] - runs.get(t)[0] + 1;
      boolean list = groups.containsKey(runs.get(t)[0]);
      var info =
          list
              ? ColumnInfo.list(labels.get(t), types[t], width)
              : ColumnInfo.scalar(labels.get(t), types[t]);
      targets.add(new Target(info, runs.get(t)[0]));
    }
    return targets;
  }

  private int indexOf(String name, Map<String, Integer> index, List<String> names) {
    var i = index.get(name);
    if (i == null) {
      throw Faults.noColumn(csv, name, names);
    }
    return i;
  }

  /** Returns the group of each column that is in one. */
  private Map<Integer, CsvOptions.Group> groups(Map<String, Integer> index, List<String> names) {
    var groups = new HashMap<Integer, CsvOptions.Group>();
    for (var g : options.groups()) {
      int first = indexOf(g.first(), index, names);
      int last = indexOf(g.last(), index, names);
      if (first > last) {
        throw fault(K6104, "\"" + g.first() + "\" comes after \"" + g.last() + "\" in " + csv);
      }
      for (int i = first; i <= last; i++) {
        if (groups.put(i, g) != null) {
          throw fault(K6104, "column \"" + names.get(i) + "\" is in two groups");
        }
      }
    }
    return groups;
  }

  /** Returns the type of each run of columns, which is given, or inferred from all lines. */
  private Prim[] types(CsvRows rows, List<int[]> runs) {
    var types = new Prim[runs.size()];
    boolean infer = false;
    for (int t = 0; t < types.length; t++) {
      var told = options.types().get(rows.names().get(runs.get(t)[0]));
      types[t] = told == null ? options.defaultType().orElse(null) : told;
      infer |= types[t] == null;
    }
    return infer ? inferred(rows, runs, types) : types;
  }

  private Prim[] inferred(CsvRows rows, List<int[]> runs, Prim[] told) {
    var types = new Prim[runs.size()];
    var missing = new boolean[runs.size()];
    for (long line = 1; rows.next(); line++) {
      for (int t = 0; t < types.length; t++) {
        for (int c = runs.get(t)[0]; told[t] == null && c <= runs.get(t)[1]; c++) {
          var text = rows.field(c);
          if (options.isMissing(text)) {
            missing[t] = true;
            continue;
          }
          var wider =
              types[t] == Prim.F64 && CsvField.parse(text, Prim.F64).isPresent()
                  ? Prim.F64
                  : CsvField.widen(types[t], text);
          if (wider == null) {
            throw notOfType(rows, c, text, types[t] == null ? Prim.F64 : types[t]);
          }
          types[t] = wider;
        }
      }
      if (line % PROGRESS_ROWS == 0) {
        progress.at(0, rows.fraction());
      }
    }
    boolean nan = options.missing() == CsvOptions.Missing.NAN;
    for (int t = 0; t < types.length; t++) {
      boolean real = types[t] == null || missing[t] && nan;
      types[t] = told[t] != null ? told[t] : real ? Prim.F64 : types[t];
    }
    return types;
  }
}
