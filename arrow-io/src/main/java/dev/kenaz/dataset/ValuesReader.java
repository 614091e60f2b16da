package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6107;

import dev.kenaz.arrow.Faults;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Gives arrays of equal length as columns: of numbers if an array has one dimension, else of lists,
 * in which all further dimensions lie one after the other.
 */
final class ValuesReader extends BatchReader {
  private final List<ArrayValue> arrays;
  private final long rows;
  private final int batchRows;
  private long done;

  private ValuesReader(String name, Schema schema, List<ArrayValue> arrays) {
    super(name, schema);
    this.arrays = arrays;
    this.rows = arrays.isEmpty() ? 0 : arrays.getFirst().dim(0);
    long widest = arrays.stream().mapToLong(ValuesReader::width).max().orElse(1);
    this.batchRows = Math.clamp(BATCH_ELEMENTS / Math.max(1, widest), 1, BATCH_ROWS);
  }

  /**
   * Returns what reads arrays.
   *
   * @param name where they are from
   * @throws dev.kenaz.error.UserError K6105 if one has empty rows, K6107 if they are of different
   *     lengths
   */
  static RowReader of(String name, SequencedMap<String, ArrayValue> arrays) {
    var fields = new ArrayList<Field>();
    var first = arrays.firstEntry();
    for (var array : arrays.entrySet()) {
      var a = array.getValue();
      if (a.dim(0) != first.getValue().dim(0)) {
        throw Faults.fault(
            K6107,
            "%s: the arrays \"%s\" and \"%s\" have %d and %d rows"
                .formatted(name, first.getKey(), array.getKey(), first.getValue().dim(0), a.dim(0)),
            "rows take arrays of one length; of .npz files, --arrays chooses some");
      }
      long width = width(a);
      if (width < 1 || width > Integer.MAX_VALUE) {
        throw Faults.fault(
            K6105,
            "%s: the rows of \"%s\" have %d elements".formatted(name, array.getKey(), width));
      }
      fields.add(
          a.rank() == 1
              ? Columns.scalar(array.getKey(), a.elem())
              : Columns.vector(array.getKey(), a.elem(), (int) width));
    }
    return new ValuesReader(name, new Schema(fields), List.copyOf(arrays.values()));
  }

  private static long width(ArrayValue array) {
    long width = 1;
    for (int d = 1; d < array.rank(); d++) {
      width = Math.multiplyExact(width, array.dim(d));
    }
    return width;
  }

  /**
   * Opens a file of values in Futhark's text or binary format. They must fit into memory, since
   * each is read as a whole.
   *
   * @throws dev.kenaz.error.UserError K6001 to K6008 if a value is malformed; K6105 if one is no
   *     array; K6107
   */
  static RowReader futhark(DataFile file, FormatOptions options) {
    var values = new ArrayList<Value>();
    try (var in = Unpacked.open(file);
        var reader = ValueReader.of(new BufferedInputStream(in.stream(), 1 << 16), file.name())) {
      values.addAll(reader.readAll());
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
    var arrays = new LinkedHashMap<String, ArrayValue>();
    for (var value : values) {
      switch (value) {
        case ArrayValue a -> {
          int i = arrays.size();
          arrays.put(values.size() == 1 ? options.name() : options.name() + i, a);
        }
        case ScalarValue s ->
            throw Faults.fault(
                K6105,
                "%s: value %d is a single %s, not an array"
                    .formatted(file.name(), arrays.size(), s.prim()),
                "a column is an array");
      }
    }
    if (arrays.isEmpty()) {
      throw Faults.fault(K6105, file.name() + " has no values");
    }
    return of(file.name(), arrays);
  }

  @Override
  int fill(VectorSchemaRoot batch) {
    int n = (int) Math.min(batchRows, rows - done);
    for (int c = 0; c < arrays.size(); c++) {
      fill(arrays.get(c), batch.getVector(c), n);
    }
    done += n;
    return n;
  }

  private void fill(ArrayValue array, FieldVector vector, int n) {
    int width = (int) width(array);
    var cells = vector;
    if (vector instanceof FixedSizeListVector lists) {
      lists.setInitialCapacity(n);
      lists.allocateNew();
      for (int i = 0; i < n; i++) {
        lists.setNotNull(i);
      }
      cells = lists.getDataVector();
    }
    var numbers = NumberVector.of(cells).orElseThrow();
    for (int i = 0; i < n * width; i++) {
      numbers.set(i, array.bits(done * width + i));
    }
  }

  @Override
  public double fraction() {
    return (double) done / Math.max(1, rows);
  }
}
