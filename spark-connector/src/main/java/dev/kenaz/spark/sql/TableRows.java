package dev.kenaz.spark.sql;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.size;

import dev.kenaz.arrow.ColumnNames;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.JobTitle;
import dev.kenaz.spark.SparkFaults;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.StringType;

/**
 * The rows of a table of Spark as Arrow files, which Kenaz reads many times. An array column whose
 * arrays all have one size becomes a column of fixed-size lists, and so a matrix; MLlib's vectors
 * become arrays first.
 */
public final class TableRows {
  private TableRows() {}

  private static final String CSV =
      "Spark takes CSV for texts without names unless it is told otherwise: give it the options"
          + " header=true and inferSchema=true";

  /**
   * Where rows come from: one of a table of the catalog, a query, and files. Files without a format
   * are Arrow files, which Kenaz reads itself.
   *
   * @param options what the format is told
   */
  public record Source(
      Optional<String> table,
      Optional<String> sql,
      Optional<String> format,
      Map<String, String> options,
      Optional<String> path) {
    public Source {
      table = table == null ? Optional.empty() : table;
      sql = sql == null ? Optional.empty() : sql;
      format = format == null ? Optional.empty() : format;
      options = options == null ? Map.of() : options;
      path = path == null ? Optional.empty() : path;
    }

    /** Returns Arrow files. */
    public static Source ofFiles(String path) {
      return new Source(null, null, null, null, Optional.of(path));
    }

    /** Whether Spark reads the rows. */
    public boolean isTable() {
      return table.isPresent() || sql.isPresent() || format.isPresent();
    }

    /** Returns the same with another path. */
    public Source at(Optional<String> other) {
      return new Source(table, sql, format, options, other);
    }

    /** Returns what messages call it. */
    @Override
    public String toString() {
      return table
          .map(t -> "table " + t)
          .or(() -> sql.map(_ -> "the query"))
          .or(() -> path)
          .orElseGet(() -> "the rows of format " + format.get());
    }

    /** Returns what to say of CSV for which an option isn't set; empty if that isn't so. */
    private Optional<String> csvWithout(String option) {
      boolean set = options.keySet().stream().anyMatch(option::equalsIgnoreCase);
      return format.filter(f -> f.equalsIgnoreCase("csv") && !set).map(_ -> CSV);
    }
  }

  /**
   * Opens a table, and runs nothing.
   *
   * @param columns the names of those that are wanted; {@code *} stands for any characters. If
   *     there are none, all are
   * @throws UserError K6104 for columns that it lacks, K6114 if Spark can't read it
   */
  public static Dataset<Row> open(JavaSparkContext spark, Source source, List<String> columns) {
    var session = SparkSession.builder().sparkContext(spark.sc()).getOrCreate();
    try {
      Dataset<Row> all;
      if (source.table().isPresent()) {
        all = session.table(source.table().get());
      } else if (source.sql().isPresent()) {
        all = session.sql(source.sql().get());
      } else {
        var reader = session.read().format(source.format().get()).options(source.options());
        all = source.path().isPresent() ? reader.load(source.path().get()) : reader.load();
      }
      return columns.isEmpty() ? all : some(all, source, columns);
    } catch (UserError e) {
      throw e;
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw cannotRead(source, e);
    }
  }

  /**
   * Chooses columns of a table.
   *
   * @param columns their names; {@code *} stands for any characters
   * @throws UserError K6104 for columns that it lacks
   */
  static Dataset<Row> some(Dataset<Row> all, Source source, List<String> columns) {
    var names = List.of(all.columns());
    var wanted = new LinkedHashSet<>(ColumnNames.resolve(columns, names, source.toString()));
    for (var name : wanted) {
      if (!names.contains(name)) {
        var hints = new ArrayList<>(List.of(NearestName.hintOrFew(name, names, "its columns are")));
        source.csvWithout("header").ifPresent(hints::add);
        throw new UserError(
            ErrorCode.K6104,
            source + " has no column \"" + name + "\"",
            hints.toArray(String[]::new));
      }
    }
    return all.select(wanted.stream().map(TableRows::quoted).toArray(Column[]::new));
  }

  /** Returns the error for what Spark says about a table; its message may have many lines. */
  private static UserError cannotRead(Object source, Throwable e) {
    var message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return new UserError(ErrorCode.K6114, "Spark can't read " + source + ": " + message);
  }

  /**
   * What becomes of a table whose rows are needed many times.
   *
   * @param parts its rows, which executors keep; null if they have to be copied
   * @param obstacle why they have to; "" if they don't
   */
  public record Kept(TableParts parts, String obstacle) {}

  /**
   * Lets executors compute the rows of a table and keep them, if they can compute them again.
   *
   * @param columns the names of those that are wanted
   * @param name what messages call it; no other table of the job has this name
   * @param drops whether rows with a null in one of the columns are left out
   * @param uses how many datasets take their rows from the table
   * @throws UserError K6104 for columns that it lacks, K6105 for text of CSV, K6114 if Spark can't
   *     compute it
   */
  public static Kept keep(
      JavaSparkContext spark,
      Source source,
      List<String> columns,
      String name,
      boolean drops,
      int uses) {
    var rows = open(spark, source, columns);
    requireTypes(rows, source);
    return keep(rows, source, name, drops, uses);
  }

  /** Spark takes all columns of CSV for strings unless it is told to look at them. */
  static void requireTypes(Dataset<Row> rows, Source source) {
    var hint = source.csvWithout("inferSchema");
    for (var field : rows.schema().fields()) {
      if (hint.isPresent() && field.dataType() instanceof StringType) {
        throw new UserError(
            ErrorCode.K6105,
            "column \"%s\" of %s is string, not numbers".formatted(field.name(), source),
            hint.get());
      }
    }
  }

  /**
   * Lets executors compute the rows of a Dataset and keep them, if they can compute them again.
   *
   * @param source what messages call what Spark computes
   * @param name what messages call the rows; no other table of the job has this name
   * @param drops whether rows with a null are left out
   * @param uses how many datasets take their rows from the table
   * @throws UserError K6114 if Spark can't compute it
   */
  public static Kept keep(Dataset<Row> table, Object source, String name, boolean drops, int uses) {
    var spark = new JavaSparkContext(table.sparkSession().sparkContext());
    try {
      var obstacle = Repetition.obstacle(table);
      if (obstacle.isPresent()) {
        return new Kept(null, obstacle.get());
      }
      var rows = Repetition.of(table);
      if (rows.isEmpty()) {
        return new Kept(null, "it is computed from rows that moved between partitions");
      }
      var all = Arrays.stream(table.schema().fields()).map(TableColumn::of).toList();
      var reading = new TableReading(name, rows.get().rdd(), all, rows.get().places(), drops);
      return new Kept(TableParts.of(spark, reading, uses), "");
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw explained(e, source, spark.sc());
    }
  }

  /**
   * Writes rows into a folder, in the order in which the table has them.
   *
   * @param folder has the same path for all executors; what is there is replaced
   * @param source what messages and Spark's pages call them
   * @throws UserError K6114 if Spark can't compute them
   */
  public static void write(Dataset<Row> table, Path folder, Object source) {
    var spark = table.sparkSession().sparkContext();
    try {
      JobTitle.writing(
          spark,
          "kenaz: copies the rows of " + source,
          () -> {
            var plain = PlainTables.of(table);
            plain
                .write()
                .format("arrow")
                .option("lists", String.join(",", sizes(table, plain)))
                .mode(SaveMode.Overwrite)
                .save(SparkFiles.place(folder));
          });
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw explained(e, source, spark);
    }
  }

  /** Returns an error of Kenaz that is inside of what Spark throws, else what Spark's means. */
  static RuntimeException explained(Exception e, Object source, SparkContext spark) {
    Throwable cause = e;
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof UserError u) {
        return u;
      }
      cause = t;
    }
    var known = SparkFaults.explain(e, spark);
    return known instanceof UserError ? known : cannotRead(source, cause);
  }

  /**
   * Returns for each column of arrays of one size its name and that size.
   *
   * @param plain the table with arrays in the place of vectors
   */
  static List<String> sizes(Dataset<Row> table, Dataset<Row> plain) {
    var vectors = new ArrayList<String>();
    var arrays = new ArrayList<String>();
    for (var field : plain.schema().fields()) {
      if (field.dataType() instanceof ArrayType) {
        boolean array = table.schema().apply(field.name()).dataType() instanceof ArrayType;
        (array ? arrays : vectors).add(field.name());
      }
    }
    var sizes = ofFirst(plain, vectors);
    sizes.addAll(ofAll(plain, arrays));
    return sizes;
  }

  /**
   * Returns the sizes of vectors: all rows should have that of the first one. Where there are no
   * rows, any size serves to say so.
   */
  private static List<String> ofFirst(Dataset<Row> table, List<String> names) {
    var sizes = new ArrayList<String>();
    if (!names.isEmpty()) {
      var asked = names.stream().map(n -> size(quoted(n))).toArray(Column[]::new);
      var first = table.select(asked).takeAsList(1);
      if (first.isEmpty()) {
        return new ArrayList<>(names.stream().map(n -> n + "=1").toList());
      }
      for (var row : first) {
        for (int i = 0; i < names.size(); i++) {
          if (!row.isNullAt(i) && row.getInt(i) > 0) {
            sizes.add(names.get(i) + "=" + row.getInt(i));
          }
        }
      }
    }
    return sizes;
  }

  /** Returns the sizes of arrays, which may be lists of any length. */
  private static List<String> ofAll(Dataset<Row> table, List<String> names) {
    if (names.isEmpty()) {
      return List.of();
    }
    var asked = new ArrayList<Column>();
    for (var name : names) {
      var of = size(quoted(name));
      asked.addAll(List.of(min(of), max(of), count(quoted(name))));
    }
    var found = table.agg(count(lit(1)), asked.toArray(Column[]::new)).first();
    if (found.getLong(0) == 0) {
      return names.stream().map(n -> n + "=1").toList();
    }
    var sizes = new ArrayList<String>();
    for (int i = 0; i < names.size(); i++) {
      int at = 1 + 3 * i;
      boolean whole = found.getLong(at + 2) == found.getLong(0);
      if (whole && found.getInt(at) == found.getInt(at + 1) && found.getInt(at) > 0) {
        sizes.add(names.get(i) + "=" + found.getInt(at));
      }
    }
    return sizes;
  }

  private static Column quoted(String name) {
    return col("`" + name.replace("`", "``") + "`");
  }
}
