package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6121;
import static dev.kenaz.error.ErrorCode.K6122;

import dev.kenaz.dataset.CsvField;
import dev.kenaz.dataset.CsvNumber;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.CsvRows;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayBuilder;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Imports CSV into Arrow files as a stream, in memory that is bounded by one batch. Types that
 * aren't given are those of the first lines; if a later line contradicts them, the import begins
 * anew with types that all lines have.
 */
public final class DatasetImport {
  private static final long PROGRESS_ROWS = 10_000;

  /** Types are guessed from so many lines. */
  private static final long GUESS = 5_000;

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
   * Imports a CSV file, which may be packed by gzip or Zstandard.
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

  /**
   * A column of the output, which is made of neighbouring fields from {@code first} on.
   *
   * @param guessed whether its type is that of the first lines, which a later one may contradict
   */
  private record Target(ColumnInfo info, int first, boolean guessed) {}

  /** Tells that a line contradicts a guessed type. */
  private static final class WrongGuess extends RuntimeException {
    private static final long serialVersionUID = 1;

    WrongGuess() {
      super("the type of a column is not that of its first lines", null, false, false);
    }
  }

  private Summary run(Path target, long rowsPerFile, boolean overwrite) {
    // This fails early if the target can't be written: an import may take long.
    AtomicOutput.to(target, overwrite).close();
    try {
      return run(target, rowsPerFile, overwrite, GUESS);
    } catch (WrongGuess _) {
      return run(target, rowsPerFile, overwrite, Long.MAX_VALUE);
    }
  }

  /**
   * @param lines from how many lines types are inferred
   */
  private Summary run(Path target, long rowsPerFile, boolean overwrite, long lines) {
    List<Target> targets;
    try (var rows = CsvRows.open(DataFile.of(csv), options)) {
      targets = targets(rows, lines);
    }
    var infos = targets.stream().map(Target::info).toList();
    try (var rows = CsvRows.open(DataFile.of(csv), options);
        var out = new PartedOutput(target, infos, rowsPerFile, overwrite)) {
      long dropped = copy(rows, targets, out);
      out.commit();
      progress.at(out.rows(), 1);
      return new Summary(infos, out.rows(), dropped, out.files());
    }
  }

  private long copy(CsvRows rows, List<Target> targets, PartedOutput out) {
    var fields = Fields.of(targets);
    int width = fields.column().length;
    // Wide rows make smaller batches, which have at most about 64 MB.
    long batch = Math.clamp((8 << 20) / Math.max(1, width), 1, ArrowOutput.BATCH_ROWS);
    var builders =
        targets.stream()
            .map(t -> new ArrayBuilder(t.info().prim().orElseThrow(), batch * t.info().width()))
            .toList();
    var scratch = new long[width];
    long inBatch = 0;
    long dropped = 0;
    for (long line = 1; rows.next(); line++) {
      if (parse(rows, fields, scratch)) {
        for (int i = 0; i < width; i++) {
          builders.get(fields.target()[i]).add(scratch[i]);
        }
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

  /**
   * The fields of a row that are imported, in the order of the output.
   *
   * @param column the number of each in the file
   * @param target the number of the column that it goes to
   */
  private record Fields(int[] column, Prim[] type, boolean[] guessed, int[] target) {
    static Fields of(List<Target> targets) {
      int n = targets.stream().mapToInt(t -> t.info().width()).reduce(0, Math::addExact);
      var fields = new Fields(new int[n], new Prim[n], new boolean[n], new int[n]);
      int at = 0;
      for (int t = 0; t < targets.size(); t++) {
        var target = targets.get(t);
        for (int i = 0; i < target.info().width(); i++) {
          fields.column[at] = target.first() + i;
          fields.type[at] = target.info().prim().orElseThrow();
          fields.guessed[at] = target.guessed();
          fields.target[at++] = t;
        }
      }
      return fields;
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
  private boolean parse(CsvRows rows, Fields fields, long[] row) {
    for (int i = 0; i < row.length; i++) {
      int column = fields.column[i];
      var type = fields.type[i];
      long bits = rows.simple(column, type);
      if (bits == CsvNumber.OTHER) {
        var text = rows.field(column);
        boolean missing = options.isMissing(text);
        if (missing && options.missing() == CsvOptions.Missing.DROP) {
          return false;
        }
        bits =
            missing
                ? missing(rows, column, type, fields.guessed[i])
                : parse(rows, column, text, type, fields.guessed[i]);
      }
      row[i] = bits;
    }
    return true;
  }

  private static long parse(CsvRows rows, int column, String text, Prim type, boolean guessed) {
    // Digits are true and false only where somebody says so.
    boolean told = !guessed || type != Prim.BOOL || Character.isLetter(text.charAt(0));
    var bits = told ? CsvField.parse(text, type) : OptionalLong.empty();
    if (bits.isEmpty() && guessed) {
      throw new WrongGuess();
    }
    return bits.orElseThrow(() -> notOfType(rows, column, text, type));
  }

  private long missing(CsvRows rows, int column, Prim type, boolean guessed) {
    var name = rows.names().get(column);
    if (options.missing() == CsvOptions.Missing.ERROR) {
      throw rows.at(
          K6122,
          "column \"" + name + "\" is missing",
          "drop such rows, or make missing fields NaN (--missing drop, --missing nan)");
    }
    if (!type.isFloat() && guessed) {
      throw new WrongGuess();
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

  private List<Target> targets(CsvRows rows, long lines) {
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
    var types = types(rows, runs, lines);
    var targets = new ArrayList<Target>();
    for (int t = 0; t < runs.size(); t++) {
      int width = runs.get(t)[1] - runs.get(t)[0] + 1;
      boolean list = groups.containsKey(runs.get(t)[0]);
      var info =
          list
              ? ColumnInfo.list(labels.get(t), types[t], width)
              : ColumnInfo.scalar(labels.get(t), types[t]);
      boolean guessed = lines < Long.MAX_VALUE && told(rows, runs.get(t)) == null;
      targets.add(new Target(info, runs.get(t)[0], guessed));
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
  private Prim[] types(CsvRows rows, List<int[]> runs, long lines) {
    var types = new Prim[runs.size()];
    boolean infer = false;
    for (int t = 0; t < types.length; t++) {
      types[t] = told(rows, runs.get(t));
      infer |= types[t] == null;
    }
    return infer ? inferred(rows, runs, types, lines) : types;
  }

  /** Returns the type that a run of columns is given; null if there is none. */
  private Prim told(CsvRows rows, int[] run) {
    var told = options.types().get(rows.names().get(run[0]));
    return told == null ? options.defaultType().orElse(null) : told;
  }

  private Prim[] inferred(CsvRows rows, List<int[]> runs, Prim[] told, long lines) {
    var types = new Prim[runs.size()];
    var missing = new boolean[runs.size()];
    for (long line = 1; line <= lines && rows.next(); line++) {
      for (int t = 0; t < types.length; t++) {
        for (int c = runs.get(t)[0]; told[t] == null && c <= runs.get(t)[1]; c++) {
          if (types[t] != null && rows.simple(c, types[t]) != CsvNumber.OTHER) {
            continue;
          }
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
