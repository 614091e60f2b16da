package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6130;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.kenaz.arrow.ColumnData;
import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.arrow.Faults;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Subtracts its mean from each column and divides by its standard deviation (that of the whole, not
 * of a sample); of a list, each element has its own. What doesn't vary becomes 0. Floats keep their
 * type, and other numbers become f64.
 *
 * <p>The schema's metadata has the means and the deviations of the column x under {@code
 * kenaz.standardised.x}, as in {@code {"mean":[1.5],"deviation":[0.5]}}.
 *
 * @param moments by column
 */
public record Standardised(Map<String, Moments> moments) implements RowChange {
  /** What the metadata's keys begin with. */
  public static final String KEY = "kenaz.standardised.";

  public Standardised {
    moments = Map.copyOf(moments);
  }

  /**
   * Reads all rows of a source to find the means and deviations.
   *
   * @throws dev.kenaz.error.UserError K6104, K6130 if a column isn't one of numbers, or has nulls
   */
  public static RowSource of(RowSource source, List<String> columns, FirstPass pass) {
    var parts =
        pass.over(
            source,
            "means and deviations",
            () -> begin(source.schema(), columns),
            Standardised::add);
    var whole = new HashMap<String, Moments>();
    for (var part : parts) {
      part.forEach((name, m) -> whole.merge(name, m, Moments::with));
    }
    return new ChangedSource(source, new Standardised(whole));
  }

  private static Map<String, Moments> begin(Schema schema, List<String> columns) {
    var known = schema.getFields().stream().map(Field::getName).toList();
    var all = new LinkedHashMap<String, Moments>();
    for (var name : columns) {
      if (!known.contains(name)) {
        throw Faults.noColumn("the data", name, known);
      }
      var info = ColumnInfo.of(schema.findField(name));
      if (info.prim().isEmpty() || info.prim().get() == Prim.BOOL) {
        throw fault(
            K6130,
            "column \"%s\" is %s, which can't be standardised".formatted(name, info.shownType()),
            "standardise columns of numbers");
      }
      all.put(name, new Moments(info.width()));
    }
    return all;
  }

  private static void add(Map<String, Moments> moments, VectorSchemaRoot batch) {
    moments.forEach(
        (name, m) -> {
          var data = ColumnData.of(batch.getVector(name));
          requireNoNulls(data, name);
          long first = data.offset() * m.width();
          for (long i = 0; i < data.rows() * m.width(); i++) {
            m.add((int) (i % m.width()), number(data, first + i));
          }
        });
  }

  private static void requireNoNulls(ColumnData data, String name) {
    for (long i = 0; data.mayHaveNulls() && i < data.rows(); i++) {
      if (data.isNull(i)) {
        throw fault(
            K6130,
            "column \"" + name + "\" has nulls, so it can't be standardised",
            "leave such rows out (--missing drop)");
      }
    }
  }

  private static double number(ColumnData data, long i) {
    return data.prim().toDouble(Elements.bits(data.data(), data.prim(), i));
  }

  /** The mean and the sum of squared distances from it, of each element (B. Welford, 1962). */
  public static final class Moments {
    private final long[] count;
    private final double[] mean;
    private final double[] squares;

    Moments(int width) {
      this.count = new long[width];
      this.mean = new double[width];
      this.squares = new double[width];
    }

    int width() {
      return mean.length;
    }

    void add(int i, double x) {
      count[i]++;
      double distance = x - mean[i];
      mean[i] += distance / count[i];
      squares[i] += distance * (x - mean[i]);
    }

    /** Returns the moments of both (T. Chan, G. Golub, R. LeVeque, 1979). */
    Moments with(Moments other) {
      var both = new Moments(width());
      for (int i = 0; i < width(); i++) {
        long n = count[i] + other.count[i];
        double distance = other.mean[i] - mean[i];
        both.count[i] = n;
        double share = n == 0 ? 0 : (double) other.count[i] / n;
        both.mean[i] = mean[i] + distance * share;
        both.squares[i] = squares[i] + other.squares[i] + distance * distance * count[i] * share;
      }
      return both;
    }

    double mean(int i) {
      return mean[i];
    }

    double deviation(int i) {
      return count[i] == 0 ? 0 : Math.sqrt(squares[i] / count[i]);
    }

    double standardised(int i, double x) {
      double deviation = deviation(i);
      return deviation == 0 ? 0 : (x - mean[i]) / deviation;
    }
  }

  @Override
  public Schema schema(Schema in) {
    var metadata = new HashMap<String, String>();
    if (in.getCustomMetadata() != null) {
      metadata.putAll(in.getCustomMetadata());
    }
    moments.forEach((name, m) -> metadata.put(KEY + name, text(m)));
    return new Schema(in.getFields().stream().map(this::field).toList(), metadata);
  }

  private static String text(Moments m) {
    var json = JsonNodeFactory.instance.objectNode();
    var means = json.putArray("mean");
    var deviations = json.putArray("deviation");
    for (int i = 0; i < m.width(); i++) {
      means.add(m.mean(i));
      deviations.add(m.deviation(i));
    }
    return json.toString();
  }

  private Field field(Field from) {
    if (!moments.containsKey(from.getName())) {
      return from;
    }
    var info = ColumnInfo.of(from);
    return ColumnInfo.field(from.getName(), type(info), info.width(), info.list());
  }

  private static Prim type(ColumnInfo info) {
    var prim = info.prim().orElseThrow();
    return prim.isFloat() ? prim : Prim.F64;
  }

  @Override
  public Step begin(Schema in, int part, String name) {
    return new Shift(in, schema(in), name);
  }

  private final class Shift implements Step {
    private final Schema schema;
    private final BufferAllocator memory;
    private final List<FieldVector> made = new ArrayList<>();

    Shift(Schema in, Schema schema, String name) {
      this.schema = schema;
      this.memory = BatchMemory.of(name);
      for (var f : in.getFields()) {
        made.add(moments.containsKey(f.getName()) ? field(f).createVector(memory) : null);
      }
    }

    @Override
    public VectorSchemaRoot apply(VectorSchemaRoot batch) {
      var vectors = new ArrayList<FieldVector>();
      for (int i = 0; i < made.size(); i++) {
        var to = made.get(i);
        if (to != null) {
          shift(ColumnData.of(batch.getVector(i)), to, batch.getRowCount());
        }
        vectors.add(to == null ? batch.getVector(i) : to);
      }
      return new VectorSchemaRoot(schema, vectors, batch.getRowCount());
    }

    private void shift(ColumnData data, FieldVector to, int rows) {
      var m = moments.get(to.getName());
      var cells = to;
      if (to instanceof FixedSizeListVector lists) {
        lists.setInitialCapacity(rows);
        lists.allocateNew();
        BatchNumbers.segment(lists.getValidityBuffer()).fill((byte) 0xFF);
        cells = lists.getDataVector();
      }
      int n = rows * m.width();
      var prim = type(data.info());
      var numbers = new BatchNumbers((BaseFixedWidthVector) cells, prim, n);
      for (int i = 0; i < n; i++) {
        double x = number(data, data.offset() * m.width() + i);
        numbers.set(i, prim.fromDouble(m.standardised(i % m.width(), x)));
      }
      cells.setValueCount(n);
      to.setValueCount(rows);
    }

    @Override
    public void close() {
      made.stream().filter(v -> v != null).forEach(FieldVector::close);
      memory.close();
    }
  }
}
