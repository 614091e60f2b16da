package dev.kenaz.spark.sql;

import dev.kenaz.arrow.AddedColumns;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.JobTitle;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.reflect.ClassTag$;

/**
 * A table of Spark that gets columns behind its own. Executors compute its rows twice: first the
 * columns that a program needs, which they keep, and then all columns, which they write with the
 * new ones. The rows are the same both times, or else it is an error.
 */
public final class WidenedTable {
  private final JavaSparkContext spark;
  private final Dataset<Row> table;
  private final TableRows.Source source;
  private final Repetition.Repeatable rows;
  private final TableParts parts;
  private final int[] needed;
  private final boolean drops;

  private WidenedTable(
      Dataset<Row> table,
      TableRows.Source source,
      Repetition.Repeatable rows,
      TableParts parts,
      int[] needed,
      boolean drops) {
    this.spark = new JavaSparkContext(table.sparkSession().sparkContext());
    this.table = table;
    this.source = source;
    this.rows = rows;
    this.parts = parts;
    this.needed = needed;
    this.drops = drops;
  }

  /**
   * What becomes of a table that gets new columns.
   *
   * @param table null if its rows have to be copied
   * @param obstacle why they have to; "" if they don't
   */
  public record Opened(WidenedTable table, String obstacle) {}

  /**
   * A column that a table gets.
   *
   * @param rank how many dimensions a cell has: 0 for numbers, 1 for lists
   * @param hasNulls whether it is null in some rows
   */
  public record Added(String name, Prim prim, int rank, boolean hasNulls) implements Serializable {
    Cell.Plain cell() {
      return new Cell.Plain(prim, rank);
    }

    StructField field() {
      return new StructType().add(name, cell().sqlType(), hasNulls).apply(0);
    }
  }

  /**
   * Lets executors compute some columns of a table and keep them, if they can compute all of them
   * again.
   *
   * @param table as {@link TableRows#open} gives it, with all columns
   * @param columns the names of those that are needed
   * @param name what messages call it
   * @param drops whether rows with a null in one of these columns are left out
   * @throws UserError K6104 for columns that it lacks, K6105 for text of CSV, K6114 if Spark can't
   *     compute it
   */
  public static Opened of(
      Dataset<Row> table,
      TableRows.Source source,
      List<String> columns,
      String name,
      boolean drops) {
    var spark = new JavaSparkContext(table.sparkSession().sparkContext());
    try {
      var some = TableRows.some(table, source, columns);
      TableRows.requireTypes(some, source);
      var obstacle = Repetition.obstacle(table);
      if (obstacle.isPresent()) {
        return new Opened(null, obstacle.get());
      }
      var rows = Repetition.of(table);
      if (rows.isEmpty()) {
        return new Opened(null, "it is computed from rows that moved between partitions");
      }
      var all = List.of(table.columns());
      var needed = Arrays.stream(some.columns()).mapToInt(all::indexOf).toArray();
      var read = Repetition.haveSameRows(table, some) ? Repetition.of(some) : rows;
      var places = read.get().places();
      if (read == rows) {
        places = Arrays.stream(needed).map(i -> rows.get().places()[i]).toArray();
      }
      var fields = Arrays.stream(some.schema().fields()).map(TableColumn::of).toList();
      var reading = new TableReading(name, read.get().rdd(), fields, places, drops);
      var parts = TableParts.of(spark, reading, 1);
      return new Opened(new WidenedTable(table, source, rows.get(), parts, needed, drops), "");
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw TableRows.explained(e, source, spark.sc());
    }
  }

  /** Returns the columns that are needed. */
  public TableParts parts() {
    return parts;
  }

  /** Returns how many rows the parts have, those with nulls in needed columns left out. */
  public long[] rows() {
    return parts.facts().stream().mapToLong(PartFacts::rows).toArray();
  }

  /** Returns how many rows there are in all. */
  public long allRows() {
    return parts.facts().stream().mapToLong(f -> f.rows() + f.leftOut()).sum();
  }

  /**
   * Finds what is wrong with new columns before any is computed.
   *
   * @param remedy what to do if a name isn't new
   * @throws UserError K6112 if two columns have the same name
   */
  public static void requireNew(Dataset<Row> table, List<String> names, String remedy) {
    boolean exact =
        Boolean.parseBoolean(table.sparkSession().conf().get("spark.sql.caseSensitive", "false"));
    UnaryOperator<String> key = name -> exact ? name : name.toLowerCase(Locale.ROOT);
    AddedColumns.requireNew(List.of(table.columns()), names, key, remedy);
  }

  /**
   * Requires that a format takes all columns, by writing no rows of them.
   *
   * @param folder holds nothing afterwards
   * @throws UserError K6105 or K6111 if it doesn't
   */
  public void require(TableOutput output, List<Added> added, Path folder) throws IOException {
    output.requireColumns(widened(new JavaRDD<>(none(), tag()), added), folder);
  }

  private RDD<InternalRow> none() {
    return spark.<InternalRow>emptyRDD().rdd();
  }

  private static scala.reflect.ClassTag<InternalRow> tag() {
    return ClassTag$.MODULE$.apply(InternalRow.class);
  }

  private Dataset<Row> widened(JavaRDD<InternalRow> all, List<Added> added) {
    var fields = new ArrayList<>(List.of(table.schema().fields()));
    added.forEach(a -> fields.add(a.field()));
    var schema = new StructType(fields.toArray(StructField[]::new));
    var session = (SparkSession) table.sparkSession();
    return PlainTables.of(session.internalCreateDataFrame(all.rdd(), schema, false));
  }

  /**
   * Writes all rows with the new columns, a file for each part, in order.
   *
   * @param values for each part and each new column the rows that it is, of files with this column
   *     alone
   * @param widths how many elements the lists of each new column have; 0 for numbers
   * @param folder which executors see under the same path
   * @throws UserError K6117 if the rows aren't those of the first time, K6111 or K6114 if they
   *     can't be computed or written
   */
  public void write(
      TableOutput output,
      List<Added> added,
      List<? extends List<? extends List<RowRange>>> values,
      List<Integer> widths,
      Path folder)
      throws IOException {
    var plan =
        new WidenedRows.Plan(
            new ArrayList<>(
                Arrays.stream(needed)
                    .mapToObj(i -> TableColumn.of(table.schema().fields()[i]))
                    .toList()),
            needed,
            rows.places(),
            drops,
            parts,
            new ArrayList<>(added));
    var sent = new ArrayList<ArrayList<ArrayList<RowRange>>>();
    values.forEach(v -> sent.add(new ArrayList<>(v.stream().map(ArrayList::new).toList())));
    try {
      JobTitle.writing(
          spark.sc(),
          "kenaz: writes the rows of " + source + " with new columns",
          () -> {
            @SuppressWarnings("unchecked") // There are rows and batches of them.
            var all = new JavaRDD<>((RDD<Object>) rows.rdd(), ClassTag$.MODULE$.Any());
            var wide = all.mapPartitionsWithIndex(new WidenedRows.Make(plan, sent), true);
            output.withLists(lists(added, widths)).save(widened(wide, added), folder);
          });
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw TableRows.explained(e, source, spark.sc());
    }
    output.putInPlace(folder);
  }

  /** Returns what tells the format of Arrow files which arrays have one size. */
  private String lists(List<Added> added, List<Integer> widths) {
    var sizes = new ArrayList<>(TableRows.sizes(table, PlainTables.of(table)));
    for (int i = 0; i < added.size(); i++) {
      if (added.get(i).field().dataType() instanceof ArrayType && widths.get(i) > 0) {
        sizes.add(added.get(i).name() + "=" + widths.get(i));
      }
    }
    return String.join(",", sizes);
  }
}
