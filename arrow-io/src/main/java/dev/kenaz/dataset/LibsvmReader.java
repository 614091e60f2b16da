package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6141;
import static dev.kenaz.error.ErrorCode.K6142;

import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Reads sparse rows as LIBSVM and SVMlight write them: a label, perhaps {@code qid:} and the number
 * of a query, {@code index:value} for each feature that isn't zero, and perhaps a comment after
 * {@code #}. The columns are {@code label} (i64 if all labels are integers, else f64), {@code qid}
 * (i64), and the lists {@code indices} (i64, from 0) and {@code values}.
 *
 * <p>A first pass over the file finds the number of features, and whether the labels are integers;
 * the second one makes the rows.
 */
final class LibsvmReader extends BatchReader {
  static final String LABEL = "label";
  static final String QUERY = "qid";
  static final String INDICES = "indices";
  static final String VALUES = "values";

  /** The key in the schema's metadata of the number of features. */
  static final String FEATURES = "features";

  private final TextLines lines;
  private final Shape shape;
  private final FormatOptions options;

  private LibsvmReader(DataFile file, Schema schema, Shape shape, FormatOptions options) {
    super(file.name(), schema);
    this.lines = new TextLines(file);
    this.shape = shape;
    this.options = options;
  }

  /**
   * What a file has.
   *
   * @param label the type of the labels
   * @param features one more than the greatest index, counted from 0
   */
  private record Shape(Prim label, boolean queries, long features) {
    /** Returns what two files have together. */
    Shape and(Shape other) {
      return new Shape(
          label == other.label ? label : Prim.F64,
          queries || other.queries,
          Math.max(features, other.features));
    }
  }

  /**
   * Looks at files, and returns what reads one of them. All have the same columns then.
   *
   * @throws dev.kenaz.error.UserError K6101, K6141, K6142
   */
  static Function<DataFile, RowReader> of(List<DataFile> files, FormatOptions options) {
    var shape = files.stream().map(f -> shape(f, options)).reduce(Shape::and).orElseThrow();
    var columns = new ArrayList<Field>();
    columns.add(Columns.scalar(LABEL, shape.label()));
    if (shape.queries()) {
      columns.add(Columns.scalar(QUERY, Prim.I64));
    }
    columns.add(Columns.list(INDICES, Prim.I64));
    columns.add(Columns.list(VALUES, options.values()));
    var schema = new Schema(columns, Map.of(FEATURES, Long.toString(shape.features())));
    return file -> new LibsvmReader(file, schema, shape, options);
  }

  private static Shape shape(DataFile file, FormatOptions options) {
    try (var in = new TextLines(file)) {
      boolean integers = true;
      boolean queries = false;
      long greatest = -1;
      while (nextRow(in)) {
        integers = integers && in.integer().isPresent();
        for (boolean first = true; feature(in); first = false) {
          if (isQuery(in, in.find(':'))) {
            queries |= first;
          } else {
            greatest = Math.max(greatest, index(in, in.find(':'), options));
          }
        }
      }
      long features = options.features().orElse(greatest + 1);
      return new Shape(integers ? Prim.I64 : Prim.F64, queries, features);
    }
  }

  /** Goes to the label of the next line that isn't a comment. */
  private static boolean nextRow(TextLines in) {
    while (in.next()) {
      in.word();
      if (in.startsWith('#')) {
        continue;
      }
      if (in.find(':') >= 0) {
        throw in.at(K6141, "a line begins with its label, not with a feature");
      }
      if (in.find(',') >= 0) {
        throw in.at(
            K6141, "a row has several labels, which Kenaz doesn't read", "give each row one label");
      }
      return true;
    }
    return false;
  }

  /** Goes to the next feature or query of the line; false at its end. */
  private static boolean feature(TextLines in) {
    if (!in.word() || in.startsWith('#')) {
      return false;
    }
    int colon = in.find(':');
    if (colon <= in.from() || colon == in.to() - 1) {
      throw in.at(K6141, "expected index:value, found \"" + in.text() + "\"");
    }
    return true;
  }

  private static boolean isQuery(TextLines in, int colon) {
    return colon - in.from() == 3 && in.startsWith('q');
  }

  /** Returns the index of a feature, from 0. */
  private static long index(TextLines in, int colon, FormatOptions options) {
    long index = in.number(in.from(), colon, Prim.I64) - options.indexBase();
    if (index == -1 && options.indexBase() == 1) {
      throw in.at(
          K6141,
          "the index is 0, but indices begin with 1",
          "if this file counts from 0, say so: --index-base 0");
    }
    if (index < 0) {
      throw in.at(K6141, "the index is negative");
    }
    if (options.features().isPresent() && index >= options.features().getAsLong()) {
      throw in.at(
          K6141,
          "the index is beyond the " + options.features().getAsLong() + " features that were told");
    }
    return index;
  }

  @Override
  int fill(VectorSchemaRoot batch) {
    var labels = NumberVector.of(batch.getVector(LABEL)).orElseThrow();
    var queries = shape.queries() ? NumberVector.of(batch.getVector(QUERY)).orElseThrow() : null;
    var indices = new ListFiller((ListVector) batch.getVector(INDICES));
    var values = new ListFiller((ListVector) batch.getVector(VALUES));
    int row = 0;
    while (row < BATCH_ROWS && values.elements() < BATCH_ELEMENTS && nextRow(lines)) {
      labels.set(row, lines.number(shape.label()));
      indices.begin();
      values.begin();
      row(queries, row, indices, values);
      row++;
    }
    indices.end();
    values.end();
    return row;
  }

  private void row(NumberVector queries, int row, ListFiller indices, ListFiller values) {
    boolean query = false;
    long before = -1;
    while (feature(lines)) {
      int colon = lines.find(':');
      if (isQuery(lines, colon)) {
        if (query || before >= 0 || queries == null) {
          throw lines.at(K6141, "qid stands once in a line, before the features");
        }
        queries.set(row, lines.number(colon + 1, lines.to(), Prim.I64));
        query = true;
        continue;
      }
      long index = index(lines, colon, options);
      if (index <= before) {
        throw lines.at(
            K6141,
            index == before ? "this feature stands twice in the line" : "indices don't increase",
            "sort the features of each line by their indices");
      }
      before = index;
      indices.add(index);
      values.add(lines.number(colon + 1, lines.to(), options.values()));
    }
    if (queries != null && !query) {
      throw lines.at(K6142, "this line has no qid, though others have one");
    }
  }

  @Override
  public double fraction() {
    return lines.fraction();
  }

  @Override
  public void close() {
    super.close();
    lines.close();
  }
}
