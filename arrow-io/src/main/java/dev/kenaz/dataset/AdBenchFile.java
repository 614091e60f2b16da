package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6141;

import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.arrow.AtomicOutput;
import dev.kenaz.arrow.Faults;
import dev.kenaz.error.NearestName;
import dev.kenaz.value.ArrayBuilder;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The data of ADBench's text formats as tables, each of which has columns of equal length.
 *
 * @param rows the table whose rows are the data
 * @param tables by their names: the columns by theirs, arrays of one or two dimensions
 */
public record AdBenchFile(
    String rows, SequencedMap<String, SequencedMap<String, ArrayValue>> tables) {

  /** No count in a file is larger. */
  private static final long LARGEST = 1 << 28;

  /** The four formats, which the numbers of words in the first lines tell. */
  private enum Kind {
    GMM,
    BA,
    LSTM,
    HAND
  }

  /** Finds the files of the model of a hand: bones, vertices and triangles. */
  public interface Model {
    /** Returns the file {@code NAME.txt} of the model. */
    DataFile file(String name);
  }

  /**
   * Whether a text begins as one of these formats.
   *
   * @param start the first lines
   */
  static boolean begins(DataFile start) {
    try (var in = new TextLines(start)) {
      return kind(in) != null;
    }
  }

  /** Returns the format of a text; null if it has none of them. */
  private static Kind kind(TextLines in) {
    var first = integers(in);
    if (first == null || first.length < 2 || first.length > 3 || !in.next()) {
      return null;
    }
    int words = 0;
    while (in.word()) {
      if (in.text().chars().noneMatch(c -> c >= '0' && c <= '9')) {
        return null;
      }
      words++;
    }
    if (first.length == 2) {
      return words == 4 ? Kind.HAND : null;
    }
    if (words == 1) {
      return Kind.GMM;
    }
    return words == 11 ? Kind.BA : words == 4 * first[2] ? Kind.LSTM : null;
  }

  /** Returns the positive integers that are alone on the next line; null if something else is. */
  private static long[] integers(TextLines in) {
    var found = new long[4];
    int n = 0;
    for (boolean more = in.next() && in.word(); more; more = in.word()) {
      var number = in.integer();
      if (n == found.length || number.isEmpty() || number.getAsLong() < 1) {
        return null;
      }
      found[n++] = number.getAsLong();
    }
    return Arrays.copyOf(found, n);
  }

  /**
   * Reads a file. The model of a hand is in the folder {@code model} beside it.
   *
   * @throws dev.kenaz.error.UserError K6101, K6141, K6142
   */
  public static AdBenchFile read(DataFile file) {
    return read(file, name -> beside(file, name));
  }

  private static DataFile beside(DataFile file, String name) {
    var path =
        file.path()
            .orElseThrow(
                () ->
                    Faults.fault(
                        K6141,
                        file.name() + " needs the folder model beside it",
                        "copy both to this machine"));
    return DataFile.of(path.resolveSibling("model").resolve(name + ".txt"));
  }

  /** Reads a file, and the model of a hand where this says. */
  public static AdBenchFile read(DataFile file, Model model) {
    Kind kind;
    try (var in = new TextLines(file)) {
      kind = kind(in);
      if (kind == null) {
        throw in.at(K6141, "these aren't the first lines of a file of ADBench");
      }
    }
    try (var in = new TextLines(file)) {
      var tables = new Tables(in);
      var rows =
          switch (kind) {
            case GMM -> gmm(tables);
            case BA -> ba(tables);
            case LSTM -> lstm(tables);
            case HAND -> hand(tables, model);
          };
      if (in.wordOfText()) {
        throw in.at(K6141, "the file goes on after its last number");
      }
      return new AdBenchFile(rows, tables.all);
    }
  }

  /** Reads tables one after the other. */
  private static final class Tables {
    private final TextLines in;
    private final SequencedMap<String, SequencedMap<String, ArrayValue>> all =
        new LinkedHashMap<>();

    Tables(TextLines in) {
      this.in = in;
    }

    void word() {
      if (!in.wordOfText()) {
        throw in.tooShort("the file ends where a number must follow");
      }
    }

    /** Reads a number of things, or the number of one thing. */
    long count() {
      word();
      long n = in.number(Prim.I64);
      if (n < 0 || n > LARGEST) {
        throw in.at(K6141, n + " is no count of anything in such a file");
      }
      return n;
    }

    /** Reads numbers, which grow with what is read, as the counts may be wrong. */
    ArrayValue reals(long... shape) {
      long n = 1;
      for (long d : shape) {
        if (d > 0 && n > Long.MAX_VALUE / d) {
          throw in.at(K6141, "the counts are too large");
        }
        n *= d;
      }
      var numbers = new ArrayBuilder(Prim.F64);
      for (long i = 0; i < n; i++) {
        word();
        numbers.add(in.number(Prim.F64));
      }
      return numbers.build(shape);
    }

    ArrayValue integers(long n) {
      var numbers = new ArrayBuilder(Prim.I64);
      for (long i = 0; i < n; i++) {
        word();
        numbers.add(in.number(Prim.I64));
      }
      return numbers.build(n);
    }

    void put(String table, String column, ArrayValue array) {
      all.computeIfAbsent(table, _ -> new LinkedHashMap<>()).put(column, array);
    }
  }

  private static String gmm(Tables in) {
    long d = in.count();
    long k = in.count();
    long n = in.count();
    in.put("alphas", "alpha", in.reals(k));
    in.put("means", "mean", in.reals(k, d));
    in.put("icf", "icf", in.reals(k, d * (d + 1) / 2));
    in.put("points", "x", in.reals(n, d));
    in.put("wishart", "gamma", in.reals(1));
    in.put("wishart", "m", in.integers(1));
    return "points";
  }

  /** Of everything the file has one, which is repeated. */
  private static String ba(Tables in) {
    long n = in.count();
    long m = in.count();
    long p = in.count();
    in.put("cameras", "camera", repeated(n, in.reals(11)));
    in.put("points", "point", repeated(m, in.reals(3)));
    var weights = repeated(p, in.reals(1)).reshape(p);
    in.put("observations", "camera", numbered(p, n));
    in.put("observations", "point", numbered(p, m));
    in.put("observations", "weight", weights);
    in.put("observations", "feature", repeated(p, in.reals(2)));
    return "observations";
  }

  private static ArrayValue repeated(long n, ArrayValue row) {
    var numbers = new ArrayBuilder(Prim.F64);
    for (long i = 0; i < n; i++) {
      for (long j = 0; j < row.count(); j++) {
        numbers.add(row.bits(j));
      }
    }
    return numbers.build(n, row.count());
  }

  private static ArrayValue numbered(long n, long modulus) {
    var numbers = new ArrayBuilder(Prim.I64);
    for (long i = 0; i < n; i++) {
      numbers.add(i % modulus);
    }
    return numbers.build(n);
  }

  private static String lstm(Tables in) {
    long l = in.count();
    long c = in.count();
    long b = in.count();
    in.put("main", "main", in.reals(2 * l, 4 * b));
    in.put("extra", "extra", in.reals(3, b));
    in.put("state", "state", in.reals(2 * l, b));
    in.put("sequence", "x", in.reals(c, b));
    return "sequence";
  }

  private static String hand(Tables in, Model model) {
    long n = in.count();
    long parameters = in.count();
    var vertices = new ArrayBuilder(Prim.I64);
    var points = new ArrayBuilder(Prim.F64);
    for (long i = 0; i < n; i++) {
      in.word();
      vertices.add(in.in.number(Prim.I64));
      points.addAll(in.reals(3).data());
    }
    in.put("points", "vertex", vertices.build(n));
    in.put("points", "point", points.build(n, 3));
    // What follows is the parameters alone, or places in triangles and the parameters.
    var rest = new ArrayBuilder(Prim.F64);
    while (in.in.wordOfText()) {
      rest.add(in.in.number(Prim.F64));
    }
    var numbers = rest.build();
    boolean complicated = numbers.count() == 2 * n + parameters;
    if (!complicated && numbers.count() != parameters) {
      throw in.in.tooShort(
          "%d numbers follow the points; %d or %d must"
              .formatted(numbers.count(), parameters, 2 * n + parameters));
    }
    if (complicated) {
      in.put("points", "us", numbers.rows(0, 2 * n).reshape(n, 2));
    }
    in.put("theta", "theta", numbers.rows(numbers.count() - parameters, numbers.count()));
    AdBenchHand.put(model, complicated, in.all);
    return "points";
  }

  /** Returns the names of the tables. */
  public List<String> names() {
    return List.copyOf(tables.sequencedKeySet());
  }

  /**
   * Returns a table.
   *
   * @throws dev.kenaz.error.UserError K6104 if there is none of this name
   */
  public SequencedMap<String, ArrayValue> table(DataFile file, String name) {
    var found = tables.get(name);
    if (found == null) {
      throw Faults.fault(
          K6104,
          file.name() + " has no table \"" + name + "\"",
          NearestName.hintOrFew(name, names(), "its tables are"));
    }
    return found;
  }

  /**
   * Reads one table of a file.
   *
   * @param options say which, if it isn't the one whose rows are the data
   */
  static RowReader open(DataFile file, FormatOptions options) {
    var read = read(file);
    var name = options.arrays().isEmpty() ? read.rows() : options.arrays().getFirst();
    if (options.arrays().size() > 1) {
      throw Faults.fault(K6104, "a table of " + file.name() + " is read alone", "name one");
    }
    return ValuesReader.of(file.name(), read.table(file, name));
  }

  /**
   * Writes a folder with an Arrow file for each table.
   *
   * @return how many rows each table has
   * @throws dev.kenaz.error.UserError K6101, K6110, K6111, K6141, K6142
   */
  public static Map<String, Long> importTables(DataFile file, Path target, boolean overwrite) {
    var read = read(file);
    var rows = new LinkedHashMap<String, Long>();
    try (var folder = AtomicOutput.to(target, overwrite)) {
      Files.createDirectory(folder.path());
      for (var table : read.tables().entrySet()) {
        ArrowOutput.write(
            folder.path().resolve(table.getKey() + ".arrow"), table.getValue(), false);
        rows.put(table.getKey(), table.getValue().firstEntry().getValue().dim(0));
      }
      folder.commit();
      return rows;
    } catch (IOException e) {
      throw Faults.cannotWrite(target, e);
    }
  }
}
