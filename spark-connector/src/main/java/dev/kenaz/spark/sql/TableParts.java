package dev.kenaz.spark.sql;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.MemoryBatch;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.arrow.TableInParts;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.RowParts;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * The rows of a table of Spark, which executors keep in memory, and compute again where they are
 * lost. They are the same each time, or else it is an error.
 */
public final class TableParts implements RowParts {
  private static final long serialVersionUID = 1L;

  private final TableReading reading;
  private final ArrayList<PartFacts> facts;
  private final ArrayList<Integer> widths;
  private final int uses;
  private final long cacheBytes;

  /** Where the parts are, which only the driver knows. */
  private final transient List<String> places;

  private TableParts(
      TableReading reading,
      List<PartFacts> facts,
      List<Integer> widths,
      int uses,
      long cacheBytes,
      List<String> places) {
    this.reading = reading;
    this.facts = new ArrayList<>(facts);
    this.widths = new ArrayList<>(widths);
    this.uses = uses;
    this.cacheBytes = cacheBytes;
    this.places = places;
  }

  /**
   * Lets executors compute all parts once, to see how many rows they have.
   *
   * @param uses how many datasets take their rows from the table
   */
  static TableParts of(JavaSparkContext spark, TableReading reading, int uses) {
    long cacheBytes = SparkStart.cacheBytes(spark);
    var facts = List.<PartFacts>of();
    var places = List.<String>of();
    if (reading.shards() > 0) {
      var runner = new SparkRunner(spark, reading, cacheBytes);
      facts = PartFacts.of(runner, reading);
      places = runner.locations();
    }
    return new TableParts(reading, facts, widths(reading, facts), uses, cacheBytes, places);
  }

  /**
   * Returns for each column that is kept the size that all its arrays have, if they have one. If
   * there are no arrays, there are no rows or nulls alone, and any size serves to say so.
   */
  private static List<Integer> widths(TableReading reading, List<PartFacts> facts) {
    long kept = reading.columns().stream().filter(TableColumn::isKept).count();
    var widths = new ArrayList<Integer>();
    for (int k = 0; k < kept; k++) {
      int column = k;
      var known =
          facts.stream()
              .map(f -> f.widths().get(column))
              .filter(w -> w != CellColumn.UNKNOWN)
              .distinct()
              .toList();
      widths.add(known.isEmpty() ? 1 : known.size() == 1 ? known.getFirst() : CellColumn.RAGGED);
    }
    return widths;
  }

  /** Returns what the driver knows of the rows. */
  public TableInParts inParts() {
    var parts =
        IntStream.range(0, facts.size())
            .mapToObj(i -> new RowRange(name(i), 0, facts.get(i).rows()))
            .toList();
    long leftOut = facts.stream().mapToLong(PartFacts::leftOut).sum();
    var identity = reading.name() + " " + facts;
    return new TableInParts(reading.name(), identity, schema(false), parts, leftOut);
  }

  /** Returns how large all rows are, outside of files that are mapped. */
  public long bytes() {
    long row = 0;
    int k = 0;
    for (var column : reading.columns()) {
      if (column.isKept()) {
        row += (long) column.prim().byteSize() * Math.max(0, widths.get(k++));
      }
    }
    return row * facts.stream().mapToLong(PartFacts::rows).sum();
  }

  /**
   * @param kept whether columns are left out whose cells aren't kept
   */
  private Schema schema(boolean kept) {
    var fields = new ArrayList<Field>();
    int k = 0;
    for (var column : reading.columns()) {
      if (column.isKept()) {
        fields.add(column.arrow(widths.get(k++)));
      } else if (!kept) {
        fields.add(column.arrow(0));
      }
    }
    return new Schema(fields);
  }

  /** Returns what messages call a part. */
  String name(int part) {
    return reading.name() + ", partition " + part;
  }

  /** Returns what is known of all parts. */
  List<PartFacts> facts() {
    return facts;
  }

  @Override
  public int part(RowRange rows) {
    var file = rows.file();
    if (file.equals(reading.name())) {
      return 0;
    }
    var before = reading.name() + ", partition ";
    return file.startsWith(before) ? Integer.parseInt(file.substring(before.length())) : -1;
  }

  @Override
  public long rows(int part) {
    return part < facts.size() ? facts.get(part).rows() : 0;
  }

  @Override
  public int uses() {
    return uses;
  }

  @Override
  public long cacheBytes() {
    return cacheBytes;
  }

  @Override
  public String key() {
    return reading.key();
  }

  @Override
  public int shards() {
    return reading.shards();
  }

  @Override
  public String place(int part) {
    return places.get(part);
  }

  /**
   * @throws UserError K6117 if the rows aren't those that were there the first time
   */
  @Override
  public List<Value> load(int part) {
    var values = reading.load(part);
    if (!PartFacts.of(values).equals(facts.get(part))) {
      throw changed(name(part));
    }
    return values;
  }

  /**
   * Returns the error for rows that aren't the same each time.
   *
   * @param part what messages call the part that has them
   */
  static UserError changed(String part) {
    return new UserError(
        ErrorCode.K6117,
        part + " has other rows than it had at first",
        "what Spark reads has changed, or gives its rows in another order each time",
        "let Kenaz copy the rows: \"copy\" in a configuration's data, --copy for kenaz evaluate"
            + " and kenaz predict");
  }

  @Override
  public ArrowDataset open(int part, List<Value> values) {
    var batches =
        values.isEmpty()
            ? List.<MemoryBatch>of()
            : PartValues.read(values).batches().stream().map(this::whole).toList();
    return MemoryBatch.open(name(part), schema(true), batches);
  }

  /** Arrays that all are null have no elements until it is known how many others have. */
  private MemoryBatch whole(MemoryBatch batch) {
    var columns = new ArrayList<MemoryBatch.Buffers>();
    var kept = reading.columns().stream().filter(TableColumn::isKept).toList();
    for (int k = 0; k < kept.size(); k++) {
      var of = batch.columns().get(k);
      boolean lacks = kept.get(k).isArray() && of.cells().byteSize() == 0 && widths.get(k) > 0;
      columns.add(
          lacks
              ? new MemoryBatch.Buffers(
                  of.validity(),
                  of.cellValidity(),
                  ArrayValue.allocate(Prim.U64, batch.rows(), widths.get(k)))
              : of);
    }
    return new MemoryBatch(batch.rows(), columns);
  }
}
